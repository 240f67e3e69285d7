/**
 * @module
 * Schedules drawn from a seed by swarm testing (A. Groce et al., "Swarm testing", 2012). Each run first draws
 * the kinds of its faults, because a run with all kinds hides the effect of a single kind. One run in eight
 * has no fault, two in eight have one kind, and the others have each kind with probability 1/3. Each kind
 * draws from its own stream, so that omitting one kind does not change the others.
 */

import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

import type { Cut, Schedule, ScheduledFault } from './schedule.ts';

const CUT_KINDS = [
  'isolate',
  'halves',
  'minority',
  'majorities-ring',
  'one-way',
  'links',
] as const satisfies readonly Cut['kind'][];

export const FAULT_KINDS = [
  ...(['crash', 'restart', 'amnesia', 'pause'] as const),
  ...CUT_KINDS,
  ...(['loss', 'duplication', 'reordering', 'blackout', 'slowdown'] as const),
  ...(['skew', 'churn', 'join'] as const),
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface SwarmProfile {
  readonly name: 'swarm';
  readonly nodes: number;
  /** Kinds of faults that may be drawn. */
  readonly kinds: readonly FaultKind[];
  /** Tick at which the faults stop, at least 10. */
  readonly calmAt: number;
  readonly calmTicks: number;
  readonly restart: boolean;
  readonly detector: Schedule['detector'];
}

/** The schedule of a seed. The same seed and profile give the same schedule. */
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
  const eighth = random.below(8);
  const single = ordered[random.below(ordered.length)];
  if (eighth === 0) return [];
  if (eighth <= 2 && single !== undefined) return [single];
  // One draw for each kind, allowed or not, so that omitting one kind does not change the others.
  const drawn = FAULT_KINDS.filter(() => random.below(3) === 0);
  return drawn.filter((kind) => kinds.includes(kind));
}

function drawFaults(kind: FaultKind, random: Random, profile: SwarmProfile): ScheduledFault[] {
  const { nodes, calmAt } = profile;
  const rank = 1 + random.below(nodes);
  // Half of the faults begin early, during the first election. Later ones often have no effect.
  const from = random.below(random.below(2) === 0 ? Math.ceil(calmAt / 10) : calmAt - 1);
  const to = from + 1 + random.below(calmAt - from);
  const window = { from, to };
  const percent = (max: number) => (1 + random.below(max)) / 100;
  if (isCutKind(kind)) {
    return nodes > 1 ? [{ type: 'partition', cut: drawCut(kind, random, nodes), ...window }] : [];
  }
  switch (kind) {
    case 'crash':
    case 'join':
      return nodes > 1 ? [{ type: kind, rank, at: from }] : [];
    case 'restart':
    case 'amnesia':
      return [
        { type: 'crash', rank, at: from },
        { type: 'restart', rank, at: to, amnesia: kind === 'amnesia' },
      ];
    case 'pause':
      return [{ type: 'pause', rank, ...window }];
    case 'loss':
      return [{ type: 'loss', share: percent(30), ...window }];
    case 'duplication':
      return [{ type: 'duplication', share: percent(50), ...window }];
    case 'reordering': {
      const share = percent(50);
      return [{ type: 'reordering', share, ticksMax: 1 + random.below(calmAt), ...window }];
    }
    case 'blackout':
      return [{ type: 'blackout', ...window }];
    case 'slowdown':
      return [{ type: 'slowdown', factor: 2 + random.below(9), ...window }];
    case 'skew': {
      const numerator = 1 + random.below(8);
      return [{ type: 'skew', rank, numerator, denominator: 1 + random.below(8) }];
    }
    case 'churn': {
      const ticksMean = 1 + random.below(calmAt);
      const amnesiaShare = random.below(2) / 2;
      return [{ type: 'churn', ...window, ticksMean, amnesiaShare, joins: [] }];
    }
    default:
      return kind satisfies never;
  }
}

function isCutKind(kind: FaultKind): kind is Cut['kind'] {
  return CUT_KINDS.some((each) => each === kind);
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
