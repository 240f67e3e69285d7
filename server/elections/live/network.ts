/**
 * @module
 * The part of `POST /v1/elections` about faults: a network that loses, duplicates or reorders messages, nodes
 * that pause or restart, and Byzantine nodes. Its terms are those of threat models and of `usurp elect`. Its
 * ranks are those of the request.
 */

import { z } from '@hono/zod-openapi';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import type { Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import {
  EMPTY_SCHEDULE,
  faultProblem,
  faultyTicksMax,
  parseSchedule,
} from '../../../src/simulation/faults/schedule.ts';
import type { FaultFlag, NamedCrash } from '../../../src/simulation/faults/text.ts';
import {
  FAULT_FORMS,
  parseFaultText,
  resolveCrashes,
} from '../../../src/simulation/faults/text.ts';
import { HELD_TICKS_LIMIT } from '../../../src/simulation/run/intervention.ts';
import { faultAt, pointingAt, schemaFault } from '../../contract/faults.ts';
import { oneOf } from '../../contract/members.ts';

const TEXT_CHARACTERS_MAX = 1_000;
const TEXTS_MAX = 64;
/** Behaviours of one node. */
const BEHAVIOURS_MAX = 8;

const textSchema = z.string('must be text').max(TEXT_CHARACTERS_MAX);

/** The faults of one flag: a text, or a list of texts. */
export function faultSchema(flag: FaultFlag) {
  return z
    .union(
      [textSchema, z.array(textSchema).min(1, 'must have a fault').max(TEXTS_MAX)],
      `must be text, ${FAULT_FORMS[flag].example}, or a list of such texts`,
    )
    .optional()
    .meta({ description: FAULT_FORMS[flag].example });
}

/** Crashes have a member of their own, and a node that joins proves its identity. */
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
    description: 'Faults of the network and the nodes, as the flags of usurp elect.',
    example: { loss: '5%', partition: ['halves@0-100', 'minority@150-200'] },
  });

type NetworkRequest = z.output<typeof networkSchema>;

/** The Byzantine nodes with the behaviours of each. */
export function byzantineSchema<Rank extends z.ZodType<number>>(rank: Rank, max: number) {
  const behaviours = z
    .array(oneOf(BEHAVIOUR_NAMES))
    .min(1, 'must name a behaviour')
    .max(BEHAVIOURS_MAX);
  return z.array(z.strictObject({ rank, behaviours })).max(max);
}

/** The schedule of a request's faults; null if there are none. */
export function parseNetwork(
  network: NetworkRequest | undefined,
  { nodes, latencyTicksMax }: { readonly nodes: number; readonly latencyTicksMax: number },
): Schedule | null {
  const named = networkSchema
    .keyof()
    .options.flatMap((flag) => faultsOf(flag, network?.[flag]).map((fault) => ({ flag, fault })));
  if (named.length === 0) return null;
  const faults = named.map(({ fault }) => fault);
  const schedule = checked({ ...EMPTY_SCHEDULE, faults }, nodes, (index) => named[index]?.flag);
  const ticks = faultyTicksMax(schedule, latencyTicksMax);
  if (ticks <= HELD_TICKS_LIMIT) return schedule;
  const detail = `a message could take ${ticks} ticks; at most ${HELD_TICKS_LIMIT} here`;
  throw faultAt('job.size', '/network', detail);
}

/** The faults of one flag. A refusal points at their text. */
export function faultsOf(
  flag: FaultFlag,
  texts: string | readonly string[] = [],
): readonly ScheduledFault[] {
  return [texts].flat().flatMap((text, index) => {
    const at = typeof texts === 'string' ? ['network', flag] : ['network', flag, index];
    return pointingAt(jsonPointer(at), () => parseFaultText(flag, text), { code: 'schema' });
  });
}

/** Checks a schedule. A refusal points at the flag with the fault. */
function checked(
  requested: Schedule,
  nodes: number,
  flagOf: (index: number) => FaultFlag | undefined,
): Schedule {
  try {
    return parseSchedule(requested, nodes);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const problem = faultProblem(error);
    const flag = problem === null ? undefined : flagOf(problem.index);
    const pointer = flag === undefined ? '/network' : `/network/${flag}`;
    throw schemaFault(pointer, problem?.detail ?? error.message);
  }
}

/** Throws LabError `arguments`, which points at the first crash that is not possible. */
export function assertCrashes(crashes: readonly NamedCrash[], nodes: number): void {
  const down = new Set<number>();
  const refuse = (pointer: string, detail: string) => {
    throw faultAt('arguments', `/crash${pointer}`, detail);
  };
  for (const { crash, index, rank } of inOrder(crashes, nodes)) {
    if (rank > nodes) refuse(`/${index}/rank`, `must be at most ${nodes}, the number of nodes`);
    if (down.has(rank)) {
      const when = crash.at === undefined ? '' : ` at ${crash.at}`;
      refuse(`/${index}`, `node ${rank} cannot crash${when}, it has crashed before`);
    }
    down.add(rank);
    const isLast = crash.at === undefined && down.size === nodes;
    if (isLast) refuse('', `leaves none of ${nodes} nodes alive`);
  }
}

/** The crashes before the run, then the others by tick, each with its index in the request and its rank. */
function inOrder(crashes: readonly NamedCrash[], nodes: number) {
  const { faults } = resolveCrashes(nodes, crashes);
  const during = faults.values();
  const named = crashes.map((crash, index) => {
    if (crash.at !== undefined) return { crash, index, rank: during.next().value?.rank ?? nodes };
    return { crash, index, rank: crash.rank === 'highest' ? nodes : crash.rank };
  });
  return named.toSorted((one, other) => (one.crash.at ?? -1) - (other.crash.at ?? -1));
}
