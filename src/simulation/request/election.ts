/**
 * @module
 * The election of a request with a seed: its options, and its start. Errors of the simulator name members of
 * its options, which the caller may put into the words of the request.
 */

import type { Flags } from '../../election/definition/flags.ts';
import type { Seed } from '../../random.ts';
import type { Schedule } from '../faults/schedule.ts';
import { absentAtFirst } from '../faults/schedule.ts';
import { resolveCrashes } from '../faults/text.ts';
import { withSettings } from '../plan/defences.ts';
import { planSimulation } from '../plan/options.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { ElectionOptions } from '../run/simulate.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';
import { detectorOnNodes } from './detector-choice.ts';
import type { AskedElection, ElectRequest } from './request.ts';
import { scheduleOf } from './schedule.ts';

/** Does work, and puts the message of a LabError into the words of a request. */
export type Words = <T>(schedule: Schedule | null, work: () => T) => T;

const OWN_WORDS: Words = (_schedule, work) => work();

/** An election that has started, and its initiators; undefined for all nodes. */
export interface Begun {
  readonly simulation: Simulation;
  readonly initiators: readonly number[] | undefined;
}

/** The election with a seed. Only its initiators are still unchecked. Throws LabError. */
export function plannedElection(
  request: ElectRequest,
  seed: Seed,
  words: Words = OWN_WORDS,
): ElectionOptions {
  const { options, protocol, nodes } = request;
  const crashes = (options.crash ?? []).flatMap((each) => each.crashes);
  const { crashedBefore, faults } = words(null, () => resolveCrashes(nodes, crashes));
  const circumstances = { seed, crashedBefore, faults };
  const schedule = words(null, () => scheduleOf(request, circumstances));
  const { level, defences } = options;
  const asked: SimulationOptions & { readonly flags: Flags } = {
    protocol,
    flags: Object.fromEntries(options.flag ?? []),
    attributes: options.attr,
    nodes,
    ring: options.ring ?? options.ringOrder,
    topology: options.topology,
    latency: options.latency,
    links: options.linkFactors,
    fifo: options.fifo,
    sameTick: options.sameTick,
    seed,
    crashedBefore,
    faults: schedule === null ? faults : [],
    schedule: schedule ?? undefined,
    detector: detectorOnNodes(options.detector),
    workload: options.resource,
    clients: options.clients,
    untilTicks: options.until,
    ...(level === undefined ? {} : { level }),
  };
  const election =
    defences === undefined ? asked : words(null, () => withSettings(asked, defences));
  return words(schedule, () => {
    planSimulation(election);
    return { ...election, initiators: initiatorsOf(options, election) };
  });
}

/** A sentence for each restart of a node that has not crashed. Churn can crash any node. */
export function idleRestarts({ schedule, crashedBefore = [] }: ElectionOptions): string[] {
  const faults = schedule?.faults ?? [];
  if (faults.some(({ type }) => type === 'churn')) return [];
  return faults.flatMap((fault) => {
    if (fault.type !== 'restart' || crashedBefore.includes(fault.rank)) return [];
    const { rank, at } = fault;
    const isAway = faults.some(
      (other) => other.type === 'crash' && other.rank === rank && other.at <= at,
    );
    return isAway ? [] : [`restart ${rank}@${at} has no effect: ${rank} has not crashed`];
  });
}

/** Starts the election at tick 0. `keeps` selects what the simulation records. Throws LabError. */
export function begunElection(
  request: ElectRequest,
  seed: Seed,
  {
    keeps,
    words = OWN_WORDS,
  }: {
    readonly keeps: Pick<SimulationOptions, 'trace' | 'audit' | 'bytes'>;
    readonly words?: Words | undefined;
  },
): Begun {
  const { initiators, ...election } = plannedElection(request, seed, words);
  return words(election.schedule ?? null, () => {
    const simulation = createSimulation({ ...election, ...keeps });
    simulation.start(initiators);
    return { simulation, initiators };
  });
}

/** `lowest` and `highest` are the lowest and highest node that is present and alive at the start. */
function initiatorsOf(
  { initiators }: AskedElection,
  { nodes, crashedBefore = [], schedule }: SimulationOptions,
): readonly number[] | undefined {
  if (initiators === 'all') return undefined;
  if (typeof initiators !== 'string') return initiators;
  const away = new Set([...crashedBefore, ...(schedule ? absentAtFirst(schedule) : [])]);
  const isLowest = initiators === 'lowest';
  let rank = isLowest ? 1 : nodes;
  while (away.has(rank)) rank += isLowest ? 1 : -1;
  return [rank];
}
