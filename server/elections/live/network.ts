/**
 * @module
 * The part of `POST /v1/elections` about what goes wrong: a network that loses, doubles or overtakes
 * messages, nodes that stand still or come back, and nodes that cheat. The words are those of threat
 * models and of `usurp elect`; ranks are those of the request.
 */

import { z } from '@hono/zod-openapi';

import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { LabError } from '../../../src/errors.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import {
  EMPTY_SCHEDULE,
  faultProblem,
  faultyTicksMax,
  parseSchedule,
} from '../../../src/simulation/faults/schedule.ts';
import type { FaultFlag } from '../../../src/simulation/faults/text.ts';
import { FAULT_FORMS, parseFaultText } from '../../../src/simulation/faults/text.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';

const TEXT_CHARACTERS_MAX = 1_000;
/** Around one node. */
const BEHAVIOURS_MAX = 8;

function faultSchema(flag: FaultFlag) {
  return z
    .string(`must be text, ${FAULT_FORMS[flag].example}`)
    .max(TEXT_CHARACTERS_MAX)
    .optional()
    .meta({ description: FAULT_FORMS[flag].example });
}

/** Crashes have a member of their own, and who joins proves who it is. */
export const networkSchema = z
  .strictObject({
    restart: faultSchema('restart'),
    pause: faultSchema('pause'),
    partition: faultSchema('partition'),
    loss: faultSchema('loss'),
    duplicate: faultSchema('duplicate'),
    reorder: faultSchema('reorder'),
    blackout: faultSchema('blackout'),
    slowdown: faultSchema('slowdown'),
    skew: faultSchema('skew'),
    churn: faultSchema('churn'),
  })
  .meta({
    description: 'What goes wrong by itself, as the flags of usurp elect say it.',
    example: { loss: '5%', reorder: '10%:20@100-300' },
  });

export type NetworkRequest = z.output<typeof networkSchema>;

const BEHAVIOUR_DEMAND = `must be one of ${BEHAVIOUR_NAMES.join(', ')}`;

/** How the nodes of one corrupted place behave. */
export function byzantineSchema<Rank extends z.ZodType<number>>(rank: Rank, max: number) {
  const behaviours = z
    .array(z.enum(BEHAVIOUR_NAMES, BEHAVIOUR_DEMAND))
    .min(1, 'must name a behaviour')
    .max(BEHAVIOURS_MAX);
  return z.array(z.strictObject({ rank, behaviours })).max(max);
}

/** What a request's network comes to; null where nothing goes wrong. */
export function parseNetwork(
  network: NetworkRequest | undefined,
  { nodes, latencyTicksMax }: { readonly nodes: number; readonly latencyTicksMax: number },
): Schedule | null {
  const named = networkSchema.keyof().options.flatMap((flag) => {
    const text = network?.[flag];
    if (text === undefined) return [];
    const faults = read(`/network/${flag}`, () => parseFaultText(flag, text));
    return faults.map((fault) => ({ flag, fault }));
  });
  if (named.length === 0) return null;
  const faults = named.map(({ fault }) => fault);
  const schedule = readSchedule(
    { ...EMPTY_SCHEDULE, faults },
    nodes,
    (index) => named[index]?.flag,
  );
  const ticks = faultyTicksMax(schedule, latencyTicksMax);
  if (ticks <= HELD_TICKS_LIMIT) return schedule;
  const detail = `a message could take ${ticks} ticks; at most ${HELD_TICKS_LIMIT} here`;
  throw new LabError('job.size', `/network: ${detail}`, [{ pointer: '/network', detail }]);
}

/** What is wrong with a fault is told of the flag that it came from. */
function readSchedule(
  asked: Schedule,
  nodes: number,
  flagOf: (index: number) => FaultFlag | undefined,
): Schedule {
  try {
    return parseSchedule(asked, nodes);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const problem = faultProblem(error);
    const flag = problem === null ? undefined : flagOf(problem.index);
    const pointer = flag === undefined ? '/network' : `/network/${flag}`;
    const detail = problem?.detail ?? error.message;
    throw new LabError('schema', `${pointer}: ${detail}`, [{ pointer, detail }]);
  }
}

/** What is refused is refused with its place in the request. */
function read<T>(pointer: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const detail = error.message;
    throw new LabError('schema', `${pointer}: ${detail}`, [{ pointer, detail }]);
  }
}
