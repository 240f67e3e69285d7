/**
 * @module
 * This folder stages elections for attacks and watches them. A stage is what a behaviour needs to take
 * effect, as plain options of a run, so that it can be saved and repeated: a dead leader for an
 * announcement in its name, a leader that crashes for old messages, candidates that cannot reach each
 * other for two votes, a lease that was won before it is outlived.
 */

import type { Behaviour, StageEvent } from '../../adversary/behaviours/behaviour.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { ringElectionTicks, silenceTicks } from '../../election/timing.ts';
import type { Seed } from '../../random.ts';
import type { Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import { withSettings } from '../../simulation/plan/defences.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';

/** An attack whose identities have their ranks. */
export interface RankedAttack {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly behaviours: readonly Behaviour[];
  /** Defences of nodes, and settings, by name. */
  readonly defences: readonly string[];
  /** Admitted identities: ranks 1..nodes. */
  readonly nodes: number;
  /** The adversary's ranks: at least one, and not all. */
  readonly adversary: readonly number[];
  /** Whether the ring is in the order of the IDs. Otherwise the seed shuffles it. */
  readonly isRingById: boolean;
  readonly seed: Seed;
}

export interface Stage {
  readonly options: SimulationOptions;
  /** The election is watched from 0 to this tick. */
  readonly ticks: number;
  /** What must last is judged from this tick on. */
  readonly judgedFrom: number;
  /** Messages after which watching stops. By default as many as take some seconds. */
  readonly messagesMax?: number | undefined;
}

/** What behaviours need of an election. */
export interface StageNeeds {
  readonly detector: SimulationOptions['detector'];
  readonly workload: SimulationOptions['workload'];
  readonly namesPhantom: boolean;
  readonly crashedBefore: readonly number[];
  readonly faults: readonly ScheduledFault[];
  /** When the node crashes that leads without the adversary. Null if none is to crash. */
  readonly leaderDiesAt: number | null;
  readonly ticks: number;
}

/** Ticks that an election is watched by default, in units of the longest election. */
export const EPISODES = 12;
const TIMING = { latencyTicksMax: 1 };
const UNFENCED = { resource: 'unfenced', everyTicks: null } as const;

/** The needs of behaviours among these honest ranks, for messages that take up to `latencyTicks`. */
export function needsOf(
  { protocol, behaviours, nodes }: Pick<RankedAttack, 'protocol' | 'behaviours' | 'nodes'>,
  honest: readonly number[],
  latencyTicks = 1,
): StageNeeds {
  const stages = behaviours.map(({ stage }) => stage(protocol));
  const events = new Set(stages.flatMap((stage) => stage.events ?? []));
  const episodes = Math.max(EPISODES, ...stages.map((stage) => stage.episodes ?? 0));
  const electionTicks = longestElectionTicks(nodes, TIMING) * latencyTicks;
  const after = 3 * electionTicks;
  const [detector] = stages.flatMap((stage) => stage.detector ?? []);
  return {
    detector: detector === undefined ? undefined : parseDetector(detector),
    workload: events.has('leaders-write') ? UNFENCED : undefined,
    namesPhantom: stages.some(({ namesPhantom }) => namesPhantom === true),
    crashedBefore: events.has('leader-dead') ? honest.slice(-1) : [],
    faults: faultsOf(events, honest, {
      after,
      winTicks: 2 * silenceTicks(TIMING) * latencyTicks,
    }),
    leaderDiesAt: events.has('leader-dies') ? after : null,
    ticks: episodes * electionTicks,
  };
}

/** The longest election, by messages or by silence. */
export function longestElectionTicks(nodes: number, timing: typeof TIMING): number {
  return silenceTicks(timing) + ringElectionTicks(timing, nodes + 1);
}

function faultsOf(
  events: ReadonlySet<StageEvent>,
  honest: readonly number[],
  { after, winTicks }: { readonly after: number; readonly winTicks: number },
): readonly ScheduledFault[] {
  const faults: ScheduledFault[] = [];
  if (events.has('honest-halved')) {
    const half = Math.floor(honest.length / 2);
    const links = honest
      .slice(0, half)
      .flatMap((one) => honest.slice(half).map((other): [number, number] => [one, other]));
    faults.push({ type: 'partition', cut: { kind: 'links', links }, from: 0, to: null });
  }
  if (events.has('adversary-first')) {
    for (const rank of honest) faults.push({ type: 'pause', rank, from: 0, to: winTicks });
  }
  const [newcomer = 1] = honest.slice(-1);
  if (events.has('leader-replaced')) faults.push({ type: 'join', rank: newcomer, at: after });
  return faults;
}

/** Sets the stage. `detector` replaces the one that the behaviours need. Throws LabError `arguments`. */
export function stageAttack(attack: RankedAttack, detector?: string): Stage {
  const { protocol, level, adversary, behaviours, nodes, seed } = attack;
  const honest = honestOf(attack);
  const needs = needsOf(attack, honest);
  const { detector: needed } = needs;
  const onNodes = detector === undefined ? needed : parseDetector(detector);
  const names = behaviours.map(({ name }) => name);
  const options = withSettings<SimulationOptions>(
    {
      protocol,
      level,
      seed,
      audit: true,
      untilTicks: needs.ticks,
      // One more rank, above all others, that can be named and that no node has.
      nodes: nodes + 1,
      phantoms: [nodes + 1],
      byzantine: adversary.map((rank) => ({ rank, behaviours: names })),
      ring: attack.isRingById ? 'by-id' : 'shuffled',
      ...(onNodes === undefined ? {} : { detector: onNodes }),
      ...(needs.workload === undefined ? {} : { workload: needs.workload }),
      crashedBefore: needs.crashedBefore,
      schedule: scheduleOf(needs.faults),
    },
    attack.defences,
  );
  const staged = withLeaderCrash(options, needs.leaderDiesAt, honest);
  return { options: staged, ticks: needs.ticks, judgedFrom: Math.floor(needs.ticks / 2) };
}

/**
 * The same stage without an attack, for comparison: an ordinary identity follows the protocol, and a
 * forged one is absent.
 */
export function honestStage(stage: Stage, { isForged }: { readonly isForged: boolean }): Stage {
  const { byzantine = [], phantoms = [] } = stage.options;
  const ranks = byzantine.map(({ rank }) => rank);
  const changed = isForged
    ? { byzantine: [], phantoms: [...ranks, ...phantoms] }
    : { byzantine: ranks.map((rank) => ({ rank, behaviours: [] })) };
  return { ...stage, options: { ...stage.options, ...changed } };
}

export function scheduleOf(
  faults: readonly ScheduledFault[],
  detector: Schedule['detector'] = 'crashes',
): Schedule | undefined {
  const isUsual = faults.length === 0 && detector === 'crashes';
  return isUsual ? undefined : { faults, calm: null, detector };
}

/** Crashes the node at a tick that leads then without an attack. */
export function withLeaderCrash(
  options: SimulationOptions,
  at: number | null,
  honest: readonly number[],
): SimulationOptions {
  if (at === null) return options;
  const { faults, detector } = options.schedule ?? { faults: [], detector: 'crashes' as const };
  const crash: ScheduledFault = { type: 'crash', rank: leaderWithout(options, at, honest), at };
  return { ...options, schedule: { faults: [...faults, crash], calm: null, detector } };
}

/**
 * The leader at a tick without an attack, as the lowest honest live node sees it, if that leader is honest.
 * Otherwise the highest honest rank.
 */
function leaderWithout(options: SimulationOptions, at: number, honest: readonly number[]): number {
  const simulation = createSimulation({ ...options, byzantine: [], audit: false });
  simulation.start();
  simulation.advance({ until: at });
  const nodes = simulation.nodes();
  const witness = honest.find((rank) => nodes[rank - 1]?.up === true) ?? 1;
  const followed = nodes[witness - 1]?.leader ?? null;
  const [highest = 1] = honest.slice(-1);
  return followed !== null && honest.includes(followed) ? followed : highest;
}

/** The ranks that are not the adversary's, ascending. */
function honestOf({ nodes, adversary }: RankedAttack): number[] {
  const all = Array.from({ length: nodes }, (_, index) => index + 1);
  return all.filter((rank) => !adversary.includes(rank));
}
