/**
 * @module
 * The parts of a threat model that are about time: what goes wrong during elections, and the epochs in
 * which identities are earned anew.
 */

import { z } from 'zod';

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { FaultFlag } from '../../simulation/faults/text.ts';
import { FAULT_FLAGS, FAULT_FORMS } from '../../simulation/faults/text.ts';
import { SALTS } from '../theory/epoch-odds.ts';
import { BUDGET_COUNT_MAX, EPOCHS_MAX, HONEST_MAX } from './limits.ts';
import { integer, oneOf } from './wording.ts';

const TEXT_CHARACTERS_MAX = 2000;

/** Of a crash also `highest`, and no tick for one that was dead before the run. */
const CRASH_EXAMPLE = '5@20,3, highest or highest@40';

const MEANINGS: Readonly<Record<FaultFlag, string>> = {
  crash: 'Nodes that crash, or that died before the run as the leaders everybody knew',
  restart: 'Nodes that come back',
  pause: 'Nodes that stand still for a while, and do not know of it',
  join: 'Nodes that were not there before',
  partition: 'Links that are cut',
  loss: 'Messages that are lost',
  duplicate: 'Messages that arrive twice',
  reorder: 'Messages that are overtaken',
  blackout: 'Bursts in which every message is lost',
  slowdown: 'Bursts in which everything takes longer',
  skew: 'Clocks that run unevenly',
  churn: 'Nodes that come and go',
};

function faultSchema(flag: FaultFlag) {
  const example = flag === 'crash' ? CRASH_EXAMPLE : FAULT_FORMS[flag].example;
  const error = `must be ${example}`;
  return z
    .union([z.string().max(TEXT_CHARACTERS_MAX), z.int().min(0)], { error })
    .transform(String)
    .optional()
    .meta({ description: `${MEANINGS[flag]}: ${example}. Ranks count from 1, the lowest.` });
}

const fault = Object.fromEntries(FAULT_FLAGS.map((flag) => [flag, faultSchema(flag)]));

export const faultsSchema = z
  .strictObject({
    // One member for each flag: Object.fromEntries forgets which there are.
    ...(fault as Record<FaultFlag, ReturnType<typeof faultSchema>>),
    notice: oneOf(['crashes', 'links']).default('crashes').meta({
      description:
        'Whom the detector beside the run suspects: nodes that crashed, or whoever cannot be heard.',
    }),
  })
  .meta({
    description: 'What goes wrong in every election of a run, as the flags of usurp elect say it.',
  });

export const epochsSchema = z
  .strictObject({
    count: integer(1, EPOCHS_MAX).meta({ description: 'How many epochs a run has.' }),
    salt: oneOf(SALTS).default('none').meta({
      description:
        'What the beacon of an epoch salts: none; puzzle, so that solutions expire; rank, so that ranks are drawn anew; or both.',
    }),
    honestAttempts: integer(0, BUDGET_COUNT_MAX).optional().meta({
      description:
        'What an honest node spends at most in one window on a claim; as much as it takes by default.',
    }),
    lifetime: integer(1, EPOCHS_MAX).optional().meta({
      description:
        'Epochs in which a claim counts, that of its registration included; all by default.',
    }),
    retargeting: z
      .strictObject({
        joins: integer(1, HONEST_MAX).meta({ description: 'Joins wanted in an epoch.' }),
        stepBits: integer(1, PUZZLE_BITS_MAX).default(2).meta({
          description: 'The most bits by which one epoch differs from the last.',
        }),
      })
      .optional()
      .meta({ description: 'Difficulty that follows the joins; it stays by default.' }),
  })
  .meta({
    description:
      'Windows of registration, each followed by a beacon, a ranking and an election. Only ranks are drawn: work: sampled.',
  });
