/**
 * @module
 * A finished run of a scenario, with what its trace shows about leaders: the leader of each node at each tick,
 * and the time for which each leader led.
 */

import type { Cast } from '../../election/world/cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { Audit, LeadershipMeasures } from '../run/audit.ts';
import type { ElectionOptions, PhasedOutcome } from '../run/simulate.ts';
import { judgePhases, runElection } from '../run/simulate.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';
import type { TracedFlight } from '../trace/events.ts';
import { traceEvents } from '../trace/events.ts';

/** One election of a scenario, before it has been run. */
export interface StagedRun {
  readonly name: string;
  readonly options: ElectionOptions;
  /** Replaces the protocol's machine; such a run cannot be saved, since a file names no machine. */
  readonly machineOf?: Cast['machineOf'];
}

/** From tick `t` on, `node` follows `leader`, itself if it leads; null for none. */
export interface Change {
  readonly t: number;
  readonly node: number;
  readonly leader: number | null;
}

/** A node led itself from one tick to another; null is to the end. */
export interface Reign {
  readonly rank: number;
  readonly from: number;
  readonly to: number | null;
}

/** A message when it was sent. */
export interface Sent extends TracedFlight {
  readonly t: number;
}

export interface PlayedRun {
  readonly name: string;
  readonly simulation: Simulation;
  readonly outcome: PhasedOutcome;
  readonly staged: StagedRun;
  readonly changes: readonly Change[];
  readonly reigns: readonly Reign[];
  /** Every message in the order of sending; what a network copied counts once. */
  readonly sent: readonly Sent[];
}

/** Runs an election of a scenario, with its trace. Throws LabError `arguments` for bad options. */
export function playRun(staged: StagedRun): PlayedRun {
  const simulation = createSimulation({ ...staged.options, trace: true }, staged.machineOf);
  const outcome = judgePhases(runElection(simulation, staged.options.initiators));
  const { changes, sent } = readTrace(simulation);
  return {
    name: staged.name,
    simulation,
    outcome,
    staged,
    changes,
    sent,
    reigns: reignsOf(changes),
  };
}

/** The leader of a node after all events up to and including tick `t`. */
export function followedAt(run: PlayedRun, node: number, t: number): number | null {
  return run.changes.findLast((change) => change.node === node && change.t <= t)?.leader ?? null;
}

/** The leaders that these nodes follow at tick `t`, each once, ascending. */
export function leadersAt(run: PlayedRun, nodes: readonly number[], t: number): number[] {
  const leaders = nodes.map((node) => followedAt(run, node, t)).filter((leader) => leader !== null);
  return [...new Set(leaders)].toSorted((left, right) => left - right);
}

/** The leaders that live nodes follow at the end, each once, ascending. */
export function leadersAtEnd(run: PlayedRun): number[] {
  const live = run.simulation.nodes().filter(({ up }) => up);
  return leadersAt(
    run,
    live.map(({ rank }) => rank),
    Number.POSITIVE_INFINITY,
  );
}

/** Whether two nodes led at once for at least a tick. */
export function ledTogether({ reigns }: PlayedRun): boolean {
  return reigns.some((one) =>
    reigns.some((other) => {
      const until = Math.min(endOf(one), endOf(other));
      return one !== other && until > Math.max(one.from, other.from);
    }),
  );
}

function endOf({ to }: Reign): number {
  return to ?? Number.POSITIVE_INFINITY;
}

/** Who has led when and in which epoch. Throws RangeError for a run that was staged without an audit. */
export function auditOf({ name, simulation }: PlayedRun): Audit {
  const audit = simulation.audit();
  if (audit === null) throw new RangeError(`"run" expected an audited run, got ${name}`);
  return audit;
}

/** What its leadership adds up to. Throws RangeError for a run that was staged without an audit. */
export function measuresOf(run: PlayedRun): LeadershipMeasures {
  return auditOf(run).finish(run.simulation.status().ticks);
}

function readTrace(simulation: Simulation): { changes: Change[]; sent: Sent[] } {
  const following = new Map<number, number | null>();
  const changes: Change[] = [];
  const sent: Sent[] = [];
  for (const { record, node, made } of traceEvents(simulation.records())) {
    const { t, action, effects } = record;
    if (node === null) continue;
    const follow = (leader: number | null) => {
      if ((following.get(node) ?? null) === leader) return;
      following.set(node, leader);
      changes.push({ t, node, leader });
    };
    if (action.type === 'crash') follow(null);
    for (const effect of effects) {
      if (effect.type === 'elect') follow(fromRank(effect.leader));
      if (effect.type === 'step-down') follow(null);
    }
    for (const flight of made) sent.push({ ...flight, t });
  }
  return { changes, sent };
}

function reignsOf(changes: readonly Change[]): Reign[] {
  const reigns: Reign[] = [];
  for (const { t, node, leader } of changes) {
    const last = reigns.findLastIndex(({ rank, to }) => rank === node && to === null);
    const open = reigns[last];
    if (open !== undefined) reigns[last] = { ...open, to: t };
    if (leader === node) reigns.push({ rank: node, from: t, to: null });
  }
  return reigns;
}
