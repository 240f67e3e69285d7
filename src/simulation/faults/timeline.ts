/**
 * @module
 * The effect of a schedule on nodes, tick by tick: a pause becomes its two ends, churn becomes crashes,
 * returns and joins, and the calm ends all of them. The effect on messages is in engine/network.ts.
 */

import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

import type { Churn, LeaderCrash, Schedule, ScheduledFault } from './schedule.ts';
import { absentAtFirst, CHURN_EVENTS_LIMIT, clipped } from './schedule.ts';

/** A change of one node, or of all nodes, before the deliveries of its tick. */
export type Incident =
  | { readonly type: 'crash' | 'pause' | 'resume' | 'enter'; readonly rank: number }
  | { readonly type: 'recover'; readonly rank: number; readonly amnesia: boolean }
  | { readonly type: 'jump'; readonly rank: number; readonly ticks: number }
  | { readonly type: 'failover'; readonly writes: number }
  /** A crash of the present leader, and the return of the node that crashed in this `turn`. */
  | { readonly type: 'crash-leader' | 'recover-leader'; readonly turn: number }
  /** Links were cut or have healed. */
  | { readonly type: 'rewire' }
  /** The faults are over. With `restart`, all live nodes start again. */
  | { readonly type: 'calm'; readonly restart: boolean };

export interface TimedIncident {
  readonly at: number;
  readonly incident: Incident;
}

/** The incidents of a schedule by tick. Those of one tick are in the order of their faults. */
export function timelineOf(schedule: Schedule, nodes: number, seed: Seed): TimedIncident[] {
  const { faults, calm } = schedule;
  const absent = new Set(absentAtFirst(schedule));
  const members = Array.from({ length: nodes }, (_, index) => index + 1).filter(
    (rank) => !absent.has(rank),
  );
  const churns = faults.filter(({ type }) => type === 'churn').length;
  const eventsMax = Math.floor(CHURN_EVENTS_LIMIT / churns);
  const drawn = faults.flatMap((fault) =>
    fault.type === 'churn' ? churnFaults(fault, { members, seed, eventsMax }) : [fault],
  );
  const calmAt = calm === null ? Number.POSITIVE_INFINITY : calm.at;
  const timed = drawn.flatMap((fault) => incidentsOf(fault, drawn, calmAt));
  const leaderCrashes = faults.filter((fault) => fault.type === 'crash-leader');
  for (const fault of leaderCrashes)
    timed.push(...leaderIncidents(fault, timed.length, seed, calmAt));
  // Within a tick, links change after the nodes, and the calm comes last.
  for (const fault of faults) {
    if (fault.type !== 'partition' && fault.type !== 'blackout') continue;
    const { from, to } = clipped(fault, calm);
    timed.push({ at: from, incident: { type: 'rewire' } });
    if (to !== null) timed.push({ at: to, incident: { type: 'rewire' } });
  }
  if (calm !== null) {
    timed.push({ at: calm.at, incident: { type: 'calm', restart: calm.restart } });
  }
  return timed.toSorted((left, right) => left.at - right.at);
}

function incidentsOf(
  fault: ScheduledFault,
  all: readonly ScheduledFault[],
  calmAt: number,
): TimedIncident[] {
  switch (fault.type) {
    case 'crash': {
      const { type, rank, at } = fault;
      // Churn may draw crashes after the calm, which do not happen.
      return at < calmAt ? [{ at, incident: { type, rank } }] : [];
    }
    case 'restart': {
      const { rank, at, amnesia } = fault;
      return [{ at: Math.min(at, calmAt), incident: { type: 'recover', rank, amnesia } }];
    }
    case 'join': {
      const { rank, at } = fault;
      return [{ at: Math.min(at, calmAt), incident: { type: 'enter', rank } }];
    }
    case 'pause': {
      const { type, rank, from } = fault;
      const to = Math.min(fault.to, calmAt);
      const begin: TimedIncident = { at: from, incident: { type, rank } };
      // Where pauses of a node overlap, only the end of the last one is an end.
      const continues = all.some(
        (other) =>
          other.type === 'pause' &&
          other.rank === rank &&
          other.from <= to &&
          to < Math.min(other.to, calmAt),
      );
      return continues ? [begin] : [begin, { at: to, incident: { type: 'resume', rank } }];
    }
    case 'jump': {
      const { type, rank, at, ticks } = fault;
      return [{ at, incident: { type, rank, ticks } }];
    }
    case 'failover': {
      const { type, at, writes } = fault;
      return [{ at, incident: { type, writes } }];
    }
    case 'crash-leader':
    case 'partition':
    case 'loss':
    case 'duplication':
    case 'reordering':
    case 'blackout':
    case 'slowdown':
    case 'skew':
    case 'churn':
      return [];
    default:
      return fault satisfies never;
  }
}

/** Draws the ticks of the crashes from their own stream. `turns` is above the turns of other faults. */
function leaderIncidents(
  { from, to, everyTicks, times, backTicks }: LeaderCrash,
  turns: number,
  seed: Seed,
  calmAt: number,
): TimedIncident[] {
  const random = createRandom(seed, 'crash-leader', from, to);
  return Array.from({ length: times }, (_, index): TimedIncident[] => {
    const at = from + random.below(to - from) + index * everyTicks;
    const turn = turns + index;
    if (at >= calmAt) return [];
    const crash: TimedIncident = { at, incident: { type: 'crash-leader', turn } };
    if (backTicks === null) return [crash];
    const back = Math.min(at + backTicks, calmAt);
    return [crash, { at: back, incident: { type: 'recover-leader', turn } }];
  }).flat();
}

/** Draws the faults of a churn from its own stream, up to `eventsMax` events. */
function churnFaults(
  churn: Churn,
  parts: { readonly members: readonly number[]; readonly seed: Seed; readonly eventsMax: number },
): ScheduledFault[] {
  const { members, seed, eventsMax } = parts;
  const { from, to, ticksMean, amnesiaShare } = churn;
  const random = createRandom(seed, 'churn', from, to, ticksMean);
  const drawGap = () => 1 + random.below(2 * ticksMean);
  const faults: ScheduledFault[] = [];
  const present = [...members];
  const joining = [...churn.joins];
  /** By rank; of a node that has crashed. */
  const returnsAt: number[] = Array(1 + Math.max(0, ...present, ...joining)).fill(0);
  let at = from + drawGap();
  for (let events = 0; at < to && events < eventsMax; events += 1) {
    const now = at;
    const next = joining[0];
    const up = present.filter((rank) => (returnsAt[rank] ?? 0) <= now);
    if (next !== undefined && random.below(3) === 0) {
      joining.shift();
      present.push(next);
      faults.push({ type: 'join', rank: next, at });
    } else if (up.length > 1) {
      const rank = up[random.below(up.length)] ?? 0;
      const back = at + drawGap();
      returnsAt[rank] = back + 1;
      faults.push({ type: 'crash', rank, at });
      faults.push({ type: 'restart', rank, at: back, amnesia: random.unit() < amnesiaShare });
    }
    at += drawGap();
  }
  for (const rank of joining) faults.push({ type: 'join', rank, at: to });
  return faults;
}
