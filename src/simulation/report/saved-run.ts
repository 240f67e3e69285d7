/**
 * @module
 * A run as a file, format `usurp/schedule/v1`: the options of the election, its seed and schedule, and the
 * digest of its trace. The loaded file gives the same run on every machine.
 */

import { z } from 'zod';

import { LEVELS } from '../../election/authentication/authenticated.ts';
import { clientsText, parseClients } from '../../election/clients/client-form.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { detectorText, parseDetector } from '../../election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import { parseBySchema } from '../../schema.ts';
import { latencyText, parseLatency } from '../faults/latency.ts';
import { LINK_FACTOR_LIMIT } from '../faults/link-factors.ts';
import { parseSchedule } from '../faults/schedule.ts';
import { integer, list, must, object, oneOf, text, truth } from '../faults/schemas.ts';
import { planSimulation } from '../plan/options.ts';
import type { Plan } from '../plan/plan.ts';
import {
  ATTRIBUTE_LIMIT,
  FAULTS_LIMIT,
  hasOutsideNodes,
  NODES_LIMIT,
  ONE_ELECTION,
  SAME_TICK_ORDERS,
} from '../plan/plan.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { parseWorkload, workloadText } from '../plan/workload.ts';
import type { ElectionOptions } from '../run/simulate.ts';

export const SAVED_RUN_FORMAT = 'usurp/schedule/v1';
/** Behaviours of one node. */
const BEHAVIOURS_LIMIT = 16;

/** A file of the user that was loaded for the run: never its path or its code. */
export interface UsedFile {
  readonly digest: string;
  /** What it defines, such as `protocol own-ring`. */
  readonly defines: readonly string[];
}

export interface SavedRun {
  readonly options: ElectionOptions;
  /** Digest of the trace, from `traceDigest`; null if it was not kept. */
  readonly digest: string | null;
}

const rank = integer(1, NODES_LIMIT);
/** Files of the user, and definitions in one file. */
const LOADED_LIMIT = 1000;
/** Files of the user in a saved run or counterexample. */
export const USED_FILES = list(
  object({ digest: text, defines: list(text, LOADED_LIMIT) }),
  LOADED_LIMIT,
);
const ranks = list(rank, NODES_LIMIT);
const tick = integer(0, TICKS_LIMIT);
const factor = integer(1, LINK_FACTOR_LIMIT);

/** Members that a run does not use are left out. The schedule is parsed with the number of nodes. */
const SAVED_RUN = object({
  format: z.literal(SAVED_RUN_FORMAT, oneOf([SAVED_RUN_FORMAT])),
  protocol: z.enum(PROTOCOL_NAMES, oneOf(PROTOCOL_NAMES)),
  flags: z.record(z.string(), text, must('an object')),
  attributes: list(integer(0, ATTRIBUTE_LIMIT), NODES_LIMIT).nullable(),
  nodes: rank,
  ring: ranks,
  latency: text,
  links: z
    .discriminatedUnion(
      'type',
      [
        object({ type: z.literal('seeded'), factorMax: factor }),
        object({
          type: z.literal('given'),
          factors: list(object({ from: rank, to: rank, factor }), NODES_LIMIT),
        }),
      ],
      oneOf(['seeded', 'given']),
    )
    .nullable(),
  fifo: truth,
  seed: text,
  crashedBefore: ranks,
  initiators: ranks.nullable(),
  untilTicks: tick,
  faults: list(
    object({
      type: z.enum(['crash', 'recover'], oneOf(['crash', 'recover'])),
      rank,
      at: tick,
    }),
    FAULTS_LIMIT,
  ),
  schedule: z.unknown(),
  digest: text.nullable(),
  sameTick: z.enum(SAME_TICK_ORDERS, oneOf(SAME_TICK_ORDERS)).optional(),
  topology: text.optional(),
  detector: text.optional(),
  workload: text.optional(),
  clients: text.optional(),
  level: z.enum(LEVELS, oneOf(LEVELS)).optional(),
  byzantine: list(
    object({ rank, behaviours: list(text, BEHAVIOURS_LIMIT) }),
    NODES_LIMIT,
  ).optional(),
  phantoms: ranks.optional(),
  defences: list(text, DEFENCE_NAMES.length).optional(),
  election: text.optional(),
  loaded: USED_FILES.optional(),
});

/**
 * The text of the file. `initiators` are the nodes that started at tick 0, null for every live node. Throws
 * LabError `arguments` for a run with outside nodes, since a plan does not contain their messages.
 */
export function saveRun(plan: Plan, saving: Saving): string {
  return `${JSON.stringify(savedRunOf(plan, saving), null, 2)}\n`;
}

/** The content of such a file. */
export interface SavedContent {
  readonly [member: string]: unknown;
  readonly format: typeof SAVED_RUN_FORMAT;
}

/** What a saved run has beside its plan. */
interface Saving {
  readonly initiators: readonly number[] | null;
  readonly digest: string | null;
  readonly loaded?: readonly UsedFile[];
}

/** The content of the file. Throws as `saveRun` does. */
export function savedRunOf(plan: Plan, { initiators, digest, loaded = [] }: Saving): SavedContent {
  const { protocol, flags, attributes, nodes, ring, latency, links, fifo, seed } = plan;
  const { crashedBefore, untilTicks, faults, schedule, detector, workload, sameTick } = plan;
  const { level, byzantine, phantoms, defences, election, topology, clients } = plan;
  if (hasOutsideNodes(plan)) {
    throw new LabError('arguments', 'a run with outside nodes cannot be saved');
  }
  return {
    format: SAVED_RUN_FORMAT,
    protocol,
    flags,
    attributes,
    nodes,
    ring,
    latency: latencyText(latency),
    links,
    fifo,
    seed,
    ...(sameTick === 'messages-first' ? {} : { sameTick }),
    ...(topology === null ? {} : { topology }),
    ...(detector === null ? {} : { detector: detectorText(detector) }),
    ...(workload === null ? {} : { workload: workloadText(workload) }),
    ...(clients === null ? {} : { clients: clientsText(clients) }),
    ...(level === null ? {} : { level, byzantine }),
    ...(phantoms.length === 0 ? {} : { phantoms }),
    ...(defences.length === 0 ? {} : { defences }),
    ...(election === ONE_ELECTION ? {} : { election }),
    ...(loaded.length === 0 ? {} : { loaded }),
    crashedBefore,
    initiators,
    untilTicks,
    faults,
    schedule,
    digest,
  };
}

/** The files of the user that such a file needs. Empty if it is malformed, which `loadRun` reports. */
export function filesNeededBy(fileText: string): readonly UsedFile[] {
  const saved = z.object({ loaded: USED_FILES }).safeParse(parseJson(fileText));
  return saved.data?.loaded ?? [];
}

/** Parses such a file. Throws LabError `json.syntax`, `schema` or `arguments`. */
export function loadRun(fileText: string): SavedRun {
  return parseSavedRun(parseJson(fileText));
}

/** Parses the content of such a file. Throws LabError `schema` or `arguments`. */
export function parseSavedRun(content: unknown): SavedRun {
  const saved = parseBySchema(SAVED_RUN, content, 'saved run');
  const { format: _format, loaded: _loaded, digest, ...members } = saved;
  const options: ElectionOptions = {
    ...members,
    attributes: saved.attributes ?? undefined,
    latency: parseLatency(saved.latency),
    links: saved.links ?? undefined,
    seed: parseSeed(saved.seed),
    schedule: saved.schedule === null ? undefined : parseSchedule(saved.schedule, saved.nodes),
    initiators: saved.initiators ?? undefined,
    detector: saved.detector === undefined ? undefined : parseDetector(saved.detector),
    workload: saved.workload === undefined ? undefined : parseWorkload(saved.workload),
    clients: saved.clients === undefined ? undefined : parseClients(saved.clients),
  };
  planSimulation(options);
  return { options, digest };
}

function parseJson(fileText: string): unknown {
  try {
    return JSON.parse(fileText);
  } catch {
    throw new LabError('json.syntax', `a saved run is JSON of the format ${SAVED_RUN_FORMAT}`);
  }
}
