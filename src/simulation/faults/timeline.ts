/**
 * @module
 * What a schedule does to nodes, tick by tick: pauses as their two ends, churn as its crashes, returns
 * and newcomers, the calm as the end of everything. What it does to messages is in network.ts.
 */

import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Churn, Schedule, ScheduledFault } from './schedule.ts';
import { absentAtFirst, CHURN_EVENTS_LIMIT, clipped } from './schedule.ts';

/** One thing that happens to a node or to all, before the deliveries of its tick. */
export type Incident =
  | { readonly type: 'crash' | 'pause' | 'resume' | 'enter'; readonly rank: number }
  | { readonly type: 'recover'; readonly rank: number; readonly amnesia: boolean }
  /** Links were cut or have healed. */
  | { readonly type: 'rewire' }
  /** Everything is as it should be; those who are up may be started again. */
  | { readonly type: 'calm'; readonly restart: boolean };

export interface TimedIncident {
  readonly at: number;
  readonly incident: Incident;
}

/** The incidents of a schedule by tick, those of one tick in the order of its faults. */
export function timelineOf(schedule: Schedule, nodes: number, seed: Seed): TimedIncident[] {
  const { faults, calm } = schedule;
  const members = ranksWithout(nodes, absentAtFirst(schedule));
  const drawn = faults.flatMap((fault) =>
    fault.type === 'churn' ? churnFaults(fault, members, seed) : [fault],
  );
  const calmAt = calm === null ? Number.POSITIVE_INFINITY : calm.at;
  const timed = drawn.flatMap((fault) => incidentsOf(fault, drawn, calmAt));
  // Links change after the nodes of that tick, and the calm is last.
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
    case 'crash':
      // Churn that goes on when calm comes crashes nobody any more.
      return fault.at < calmAt
        ? [{ at: fault.at, incident: { ...rankOf(fault), type: 'crash' } }]
        : [];
    case 'restart': {
      const { rank, amnesia } = fault;
      const at = Math.min(fault.at, calmAt);
      return [{ at, incident: { type: 'recover', rank, amnesia } }];
    }
    case 'join':
      return [{ at: Math.min(fault.at, calmAt), incident: { ...rankOf(fault), type: 'enter' } }];
    case 'pause': {
      const to = Math.min(fault.to, calmAt);
      const begin: TimedIncident = {
        at: fault.from,
        incident: { ...rankOf(fault), type: 'pause' },
      };
      // A longer pause of the same node goes on.
      const goesOn = all.some(
        (other) =>
          other.type === 'pause' &&
          other.rank === fault.rank &&
          other.from <= to &&
          to < Math.min(other.to, calmAt),
      );
      return goesOn ? [begin] : [begin, { at: to, incident: { ...rankOf(fault), type: 'resume' } }];
    }
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

function rankOf({ rank }: { readonly rank: number }): { readonly rank: number } {
  return { rank };
}

/** Draws what a churn does, from its own stream. Ends at its window or after so many events. */
function churnFaults(churn: Churn, members: readonly number[], seed: Seed): ScheduledFault[] {
  const { from, to, ticksMean, amnesiaShare } = churn;
  const random = createRandom(seed, 'churn', from, to, ticksMean);
  const drawGap = () => 1 + random.below(2 * ticksMean);
  const faults: ScheduledFault[] = [];
  const there = [...members];
  const newcomers = [...churn.joins];
  const returnsAt = new Map<number, number>();
  let at = from + drawGap();
  for (let events = 0; at < to && events < CHURN_EVENTS_LIMIT; events += 1) {
    const now = at;
    const newcomer = newcomers[0];
    const up = there.filter((rank) => (returnsAt.get(rank) ?? 0) <= now);
    if (newcomer !== undefined && random.below(3) === 0) {
      newcomers.shift();
      there.push(newcomer);
      faults.push({ type: 'join', rank: newcomer, at });
    } else if (up.length > 1) {
      const rank = up[random.below(up.length)] ?? 0;
      const back = at + drawGap();
      returnsAt.set(rank, back + 1);
      faults.push({ type: 'crash', rank, at });
      faults.push({ type: 'restart', rank, at: back, amnesia: random.unit() < amnesiaShare });
    }
    at += drawGap();
  }
  for (const rank of newcomers) faults.push({ type: 'join', rank, at: to });
  return faults;
}

function ranksWithout(nodes: number, absent: readonly number[]): number[] {
  const missing = new Set(absent);
  return Array.from({ length: nodes }, (_, index) => index + 1).filter(
    (rank) => !missing.has(rank),
  );
}
