/**
 * @module
 * Schedules drawn from a seed, after swarm testing (A. Groce et al. 2012, "Swarm testing"): every run
 * draws first which kinds of faults it has, since runs that have all of them hide what one alone can
 * do. One in eight has none, two in eight have one, the others each kind with one chance in three.
 * Each kind draws from a stream of its own, so that leaving one out changes no other.
 */

import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

import type { Cut, Schedule, ScheduledFault } from './schedule.ts';

export const FAULT_KINDS = [
  'crash',
  'restart',
  'amnesia',
  'pause',
  'isolate',
  'halves',
  'minority',
  'majorities-ring',
  'one-way',
  'links',
  'loss',
  'duplication',
  'reordering',
  'blackout',
  'slowdown',
  'skew',
  'churn',
  'join',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface SwarmProfile {
  readonly name: 'swarm';
  readonly nodes: number;
  /** The kinds to draw from. */
  readonly kinds: readonly FaultKind[];
  /** When the faults stop, at least 10. */
  readonly calmAt: number;
  readonly calmTicks: number;
  readonly restart: boolean;
  readonly detector: Schedule['detector'];
}

/** The schedule of a seed. The same seed and profile give the same. */
export function drawSchedule(seed: Seed, profile: SwarmProfile): Schedule {
  const { calmAt, calmTicks, restart, detector } = profile;
  const kinds = drawKinds(createRandom(seed, 'schedule'), profile.kinds);
  const faults = kinds.flatMap((kind) =>
    drawFaults(kind, createRandom(seed, 'schedule', kind), profile),
  );
  return { faults, calm: { at: calmAt, ticks: calmTicks, restart }, detector };
}

function drawKinds(random: Random, kinds: readonly FaultKind[]): readonly FaultKind[] {
  const ordered = FAULT_KINDS.filter((kind) => kinds.includes(kind));
  if (ordered.length === 0) return [];
  const lot = random.below(8);
  const single = ordered[random.below(ordered.length)];
  if (lot === 0) return [];
  if (lot <= 2 && single !== undefined) return [single];
  // A draw for each kind there is, asked for or not: see above.
  const drawn = FAULT_KINDS.filter(() => random.below(3) === 0);
  return drawn.filter((kind) => kinds.includes(kind));
}

function drawFaults(kind: FaultKind, random: Random, profile: SwarmProfile): ScheduledFault[] {
  const { nodes, calmAt } = profile;
  const rank = 1 + random.below(nodes);
  // Half of them early, where elections are under way; later there is often nothing left to break.
  const from = random.below(random.below(2) === 0 ? Math.ceil(calmAt / 10) : calmAt - 1);
  const to = from + 1 + random.below(calmAt - from);
  const window = { from, to };
  switch (kind) {
    case 'crash':
      return nodes > 1 ? [{ type: 'crash', rank, at: from }] : [];
    case 'restart':
    case 'amnesia':
      return [
        { type: 'crash', rank, at: from },
        { type: 'restart', rank, at: to, amnesia: kind === 'amnesia' },
      ];
    case 'pause':
      return [{ type: 'pause', rank, ...window }];
    case 'isolate':
    case 'halves':
    case 'minority':
    case 'majorities-ring':
    case 'one-way':
    case 'links':
      return nodes > 1 ? [{ type: 'partition', cut: drawCut(kind, random, nodes), ...window }] : [];
    case 'loss':
      return [{ type: 'loss', share: (1 + random.below(30)) / 100, ...window }];
    case 'duplication':
      return [{ type: 'duplication', share: (1 + random.below(50)) / 100, ...window }];
    case 'reordering': {
      const share = (1 + random.below(50)) / 100;
      return [{ type: 'reordering', share, ticksMax: 1 + random.below(calmAt), ...window }];
    }
    case 'blackout':
      return [{ type: 'blackout', ...window }];
    case 'slowdown':
      return [{ type: 'slowdown', factor: 2 + random.below(9), ...window }];
    case 'skew':
      return [
        { type: 'skew', rank, numerator: 1 + random.below(8), denominator: 1 + random.below(8) },
      ];
    case 'churn': {
      const ticksMean = 1 + random.below(calmAt);
      const amnesiaShare = random.below(2) / 2;
      return [{ type: 'churn', ...window, ticksMean, amnesiaShare, joins: [] }];
    }
    case 'join':
      return nodes > 1 ? [{ type: 'join', rank, at: from }] : [];
    default:
      return kind satisfies never;
  }
}

function drawCut(kind: Cut['kind'], random: Random, nodes: number): Cut {
  const one = 1 + random.below(nodes);
  const other = 1 + ((one + random.below(nodes - 1)) % nodes);
  switch (kind) {
    case 'halves':
    case 'minority':
    case 'majorities-ring':
      return { kind };
    case 'isolate':
      return { kind, rank: one };
    case 'one-way':
      return { kind, from: one, to: other };
    case 'links':
      return { kind, links: [[one, other]] };
    default:
      return kind satisfies never;
  }
}
