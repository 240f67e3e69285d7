/**
 * @module
 * A run as a file, format `usurp/schedule/v1`: what was elected, under which seed and schedule, and the
 * digest of the trace it gave. Loaded and run again it gives the same, on any machine.
 */

import type { Level } from '../../election/authenticated.ts';
import { LEVELS } from '../../election/authenticated.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { detectorText, parseDetector } from '../../election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import { parseSchedule } from '../faults/check.ts';
import {
  assertChecked,
  integer,
  list,
  members,
  nullOr,
  oneOf,
  record,
  text,
  truth,
  variants,
} from '../faults/json-check.ts';
import { latencyText, parseLatency } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import { LINK_FACTOR_LIMIT } from '../faults/link-factors.ts';
import type { Schedule } from '../faults/schedule.ts';
import type { Byzantine } from '../plan/byzantine.ts';
import { planSimulation } from '../plan/options.ts';
import { hasOutsideNodes, ONE_ELECTION } from '../plan/outside-places.ts';
import { TICKS_LIMIT } from '../plan/patience.ts';
import type { Plan } from '../plan/plan.ts';
import { ATTRIBUTE_LIMIT, FAULTS_LIMIT, NODES_LIMIT } from '../plan/plan.ts';
import { parseWorkload, workloadText } from '../plan/workload.ts';
import type { ElectionOptions } from '../run/simulate.ts';

export const SAVED_RUN_FORMAT = 'usurp/schedule/v1';

export interface SavedRun {
  readonly options: ElectionOptions;
  /** Of the trace, which `traceDigest` makes; null if it was not kept. */
  readonly digest: string | null;
}

/**
 * The file's text. `initiators` is who was started at tick 0, null for every live node. Throws LabError
 * `arguments` for a run with places that are played from outside: what was said there is in no plan.
 */
export function saveRun(
  plan: Plan,
  run: { readonly initiators: readonly number[] | null; readonly digest: string | null },
): string {
  const { protocol, nodes, ring, latency, links, fifo, seed, crashedBefore, faults } = plan;
  const { untilTicks, schedule, flags, attributes, detector, workload } = plan;
  const { level, byzantine, phantoms, defences, election } = plan;
  const { initiators, digest } = run;
  if (hasOutsideNodes(plan)) {
    throw new LabError('arguments', 'a run that is played from outside cannot be saved');
  }
  const saved = {
    format: SAVED_RUN_FORMAT,
    ...{
      protocol,
      flags,
      attributes,
      nodes,
      ring,
      latency: latencyText(latency),
      links,
      fifo,
      seed,
    },
    ...(detector === null ? {} : { detector: detectorText(detector) }),
    ...(workload === null ? {} : { workload: workloadText(workload) }),
    ...(level === null ? {} : { level, byzantine }),
    ...(phantoms.length === 0 ? {} : { phantoms }),
    ...(defences.length === 0 ? {} : { defences }),
    ...(election === ONE_ELECTION ? {} : { election }),
    ...{ crashedBefore, initiators, untilTicks, faults, schedule, digest },
  };
  return `${JSON.stringify(saved, null, 2)}\n`;
}

/** Reads such a file. Throws LabError `json.syntax`, `schema` or `arguments`. */
export function loadRun(fileText: string): SavedRun {
  const value = parseJson(fileText);
  assertChecked('saved run', value, SAVED_RUN_CHECK);
  const saved = value as SavedFields; // Every member of it but the schedule has just been checked.
  const { protocol, flags, nodes, ring, fifo, crashedBefore, faults, untilTicks } = saved;
  const options: ElectionOptions = {
    ...{ protocol, flags, nodes, ring, fifo, crashedBefore, faults, untilTicks },
    attributes: saved.attributes ?? undefined,
    latency: parseLatency(saved.latency),
    links: saved.links ?? undefined,
    seed: parseSeed(saved.seed),
    schedule: saved.schedule === null ? undefined : parseSchedule(saved.schedule, nodes),
    initiators: saved.initiators ?? undefined,
    detector: saved.detector === undefined ? undefined : parseDetector(saved.detector),
    workload: saved.workload === undefined ? undefined : parseWorkload(saved.workload),
    ...{ level: saved.level, byzantine: saved.byzantine, phantoms: saved.phantoms },
    ...{ defences: saved.defences, election: saved.election },
  };
  planSimulation(options);
  return { options, digest: saved.digest };
}

interface SavedFields {
  readonly protocol: Plan['protocol'];
  readonly flags: Plan['flags'];
  readonly attributes: Plan['attributes'];
  readonly nodes: number;
  readonly ring: readonly number[];
  readonly latency: string;
  readonly links: LinkFactors | null;
  readonly fifo: boolean;
  readonly seed: string;
  readonly crashedBefore: readonly number[];
  readonly initiators: readonly number[] | null;
  readonly untilTicks: number;
  readonly faults: Plan['faults'];
  readonly schedule: Schedule | null;
  readonly digest: string | null;
  readonly detector?: string;
  readonly workload?: string;
  readonly level?: Level;
  readonly byzantine?: readonly Byzantine[];
  readonly phantoms?: readonly number[];
  readonly defences?: readonly string[];
  readonly election?: string;
}

const RANK = integer(1, NODES_LIMIT);
const TICK = integer(0, TICKS_LIMIT);
const FACTOR = integer(1, LINK_FACTOR_LIMIT);
/** Of one node. */
const BEHAVIOURS_LIMIT = 16;
const NODE_FAULT = members({ type: oneOf('crash', 'recover'), rank: RANK, at: TICK });

const SAVED_MEMBERS = {
  format: oneOf(SAVED_RUN_FORMAT),
  protocol: oneOf(...PROTOCOL_NAMES),
  flags: record(text),
  attributes: nullOr(list(integer(0, ATTRIBUTE_LIMIT), NODES_LIMIT)),
  nodes: RANK,
  ring: list(RANK, NODES_LIMIT),
  latency: text,
  links: nullOr(
    variants('type', {
      seeded: { factorMax: FACTOR },
      given: { factors: list(members({ from: RANK, to: RANK, factor: FACTOR }), NODES_LIMIT) },
    }),
  ),
  fifo: truth,
  seed: text,
  crashedBefore: list(RANK, NODES_LIMIT),
  initiators: nullOr(list(RANK, NODES_LIMIT)),
  untilTicks: TICK,
  faults: list(NODE_FAULT, FAULTS_LIMIT),
  // Its ranks can be judged once the number of nodes is known to be one.
  schedule: () => undefined,
  digest: nullOr(text),
};
const SAVED_RUN_CHECK = members(SAVED_MEMBERS, {
  detector: text,
  workload: text,
  level: oneOf(...LEVELS),
  byzantine: list(members({ rank: RANK, behaviours: list(text, BEHAVIOURS_LIMIT) }), NODES_LIMIT),
  phantoms: list(RANK, NODES_LIMIT),
  defences: list(text, DEFENCE_NAMES.length),
  election: text,
});

function parseJson(fileText: string): unknown {
  try {
    return JSON.parse(fileText);
  } catch {
    throw new LabError('json.syntax', `a saved run is JSON, format ${SAVED_RUN_FORMAT}`);
  }
}
