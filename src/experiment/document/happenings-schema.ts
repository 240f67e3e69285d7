/**
 * @module
 * The parts of a threat model about time: the faults during elections, and the epochs in which identities
 * are registered anew.
 */

import { z } from 'zod';

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { FaultFlag } from '../../simulation/faults/text.ts';
import { FAULT_FLAGS, FAULT_FORMS, LEADER_CRASH_EXAMPLE } from '../../simulation/faults/text.ts';
import { SALTS, UNSPENT } from '../theory/epoch-conduct.ts';
import { BUDGET_COUNT_MAX, EPOCHS_MAX, HONEST_MAX } from './limits.ts';
import { integer, oneOf } from './wording.ts';

const TEXT_CHARACTERS_MAX = 2000;

/** A crash can also name `highest`. Without a tick the node crashed before the run. */
const CRASH_EXAMPLE = `5@20,3, highest, highest@40, or ${LEADER_CRASH_EXAMPLE}`;

const MEANINGS: Readonly<Record<FaultFlag, string>> = {
  crash: 'Nodes that crash, or that crashed before the run as the leader that all nodes knew',
  restart: 'Nodes that restart',
  pause: 'Nodes that are paused for some time and do not notice it',
  join: 'Nodes that join during the run',
  partition: 'Links that are cut',
  loss: 'Messages that are lost',
  duplicate: 'Messages that arrive twice',
  reorder: 'Messages that arrive out of order',
  blackout: 'Bursts in which every message is lost',
  slowdown: 'Bursts in which messages take longer',
  skew: 'Clocks that run at different speeds',
  churn: 'Nodes that leave and join',
};

function faultSchema(flag: FaultFlag) {
  const example = flag === 'crash' ? CRASH_EXAMPLE : FAULT_FORMS[flag].example;
  const error = `must be ${example}`;
  return z
    .union([z.string().max(TEXT_CHARACTERS_MAX), z.int().min(0)], { error })
    .transform(String)
    .optional()
    .describe(`${MEANINGS[flag]}: ${example}. Ranks count from 1, the lowest.`);
}

const fault = Object.fromEntries(FAULT_FLAGS.map((flag) => [flag, faultSchema(flag)]));

export const faultsSchema = z
  .strictObject({
    // One member for each flag: Object.fromEntries forgets which there are.
    ...(fault as Record<FaultFlag, ReturnType<typeof faultSchema>>),
    notice: oneOf(['crashes', 'links'])
      .default('crashes')
      .describe(
        'What the detector outside the nodes suspects: crashed nodes, or all nodes that cannot be reached.',
      ),
  })
  .describe('The faults in every election of a run, in the form of the flags of usurp elect.');

export const epochsSchema = z
  .strictObject({
    count: integer(1, EPOCHS_MAX).describe('Number of epochs in a run.'),
    salt: oneOf(SALTS)
      .default('none')
      .describe(
        'What the beacon of an epoch salts: none; puzzle, so that solutions expire; rank, so that ranks are drawn again; or both.',
      ),
    honestAttempts: integer(0, BUDGET_COUNT_MAX)
      .optional()
      .describe('Most attempts of an honest node for a claim in one window. Unlimited by default.'),
    lifetime: integer(1, EPOCHS_MAX)
      .optional()
      .describe(
        'Number of epochs in which a claim counts, including that of its registration. All by default. If the puzzle is salted, a node then needs a new solution. If it is not, the node renews its old solution for free, so that lifetime has an effect only when the difficulty has risen.',
      ),
    unspent: oneOf(UNSPENT)
      .default('lost')
      .describe(
        'What happens to the budget that the adversary leaves over in a window. lost: it is a rate of work, such as that of own machines. saved: a later window can spend it, such as money for rented machines. An adversary that wants the last epoch alone then spends all of it there.',
      ),
    retargeting: z
      .strictObject({
        joins: integer(1, HONEST_MAX).describe('Target number of joins in an epoch.'),
        stepBits: integer(1, PUZZLE_BITS_MAX)
          .default(2)
          .describe('Most bits by which the difficulty changes from one epoch to the next.'),
      })
      .optional()
      .describe('Difficulty that follows the number of joins. It is constant by default.'),
  })
  .describe(
    'Windows of registration, each followed by a beacon, a ranking and an election. They require work: sampled.',
  );
