/**
 * @module
 * Schedules drawn from a seed by swarm testing (A. Groce et al., "Swarm testing", 2012). Each run first draws
 * the kinds of its faults, because a run with all kinds hides the effect of a single kind. One run in eight
 * has no fault, two in eight have one kind, and the others have each kind with probability 1/3, and at least
 * one. Each kind draws from its own stream, so that omitting one kind does not change the others.
 *
 * The times follow the length of an undisturbed election, because a fault that comes after the election of a
 * silent protocol, or before the first time-out of another one, has no effect. Each kind has a fault that
 * begins with the run or within the length of an election, and half of the time another one at any time. A
 * kind that occurs once has either.
 */

import type { FaultKind } from '../../election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom, shuffled } from '../../random.ts';

import type { Cut, Schedule, ScheduledFault } from './schedule.ts';

/** Drawn unless others are named: all but two, since most protocols assume that disks keep their data and clocks do not jump. */
export const USUAL_KINDS: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => kind !== 'amnesia' && kind !== 'jump',
);

/** Before the calm there must be room for faults. */
export const CALM_AT_MIN = 10;
/** Faults begin within this many elections. */
const ELECTIONS_DISTURBED = 4;
const CALM_AT_DEFAULT_MIN = 200;
/** Links and clocks that one kind of fault affects at most. */
const PARTS_MAX = 100;
/** A drifting clock makes 2/3 to 3/2 of the ticks of a timer, in thousandths: at most half too many. */
const DRIFT_THOUSANDTHS = 333;

export interface SwarmProfile {
  readonly name: 'swarm';
  readonly nodes: number;
  /** Kinds of faults that may be drawn. */
  readonly kinds: readonly FaultKind[];
  /** About how long an election takes that nothing disturbs (`electionTicks`). */
  readonly electionTicks: number;
  /** Tick at which the faults stop, at least `CALM_AT_MIN`. */
  readonly calmAt: number;
  readonly calmTicks: number;
  readonly restart: boolean;
  readonly detector: Schedule['detector'];
}

/** The tick at which drawn faults stop if nothing else is stated. */
export function drawnCalmAt(electionTicks: number): number {
  return Math.max(CALM_AT_DEFAULT_MIN, ELECTIONS_DISTURBED * electionTicks);
}

/** The schedule of a seed. The same seed and profile give the same schedule. */
export function drawSchedule(seed: Seed, profile: SwarmProfile): Schedule {
  const { calmAt, calmTicks, restart, detector } = profile;
  const kinds = drawKinds(createRandom(seed, 'schedule'), profile.kinds);
  const faults = kinds.flatMap((kind) => {
    const random = createRandom(seed, 'schedule', kind);
    const isTwice = random.below(2) === 0;
    const draw = (isEarly: boolean) =>
      drawFaults(kind, { random, window: drawWindow(random, profile, isEarly), profile });
    if (ONCE.includes(kind)) return draw(isTwice);
    return isTwice ? [...draw(true), ...draw(false)] : draw(true);
  });
  return { faults, calm: { at: calmAt, ticks: calmTicks, restart }, detector };
}

function drawKinds(random: Random, kinds: readonly FaultKind[]): readonly FaultKind[] {
  const ordered = FAULT_KINDS.filter((kind) => kinds.includes(kind));
  const eighth = random.below(8);
  const single = ordered[random.below(Math.max(1, ordered.length))];
  if (eighth === 0 || single === undefined) return [];
  if (eighth <= 2) return [single];
  // One draw for each kind, allowed or not, so that omitting one kind does not change the others.
  const drawn = FAULT_KINDS.filter(() => random.below(3) === 0);
  const allowed = drawn.filter((kind) => kinds.includes(kind));
  return allowed.length === 0 ? [single] : allowed;
}

/** A node that has gone does not return, a node joins once, and a clock has one rate. */
const ONCE: readonly FaultKind[] = ['crash', 'join', 'skew', 'drift'];

interface Draw {
  readonly random: Random;
  readonly window: { readonly from: number; readonly to: number };
  readonly profile: SwarmProfile;
}

function drawFaults(kind: FaultKind, { random, window, profile }: Draw): ScheduledFault[] {
  const { nodes, calmAt } = profile;
  const { from, to } = window;
  const rank = 1 + random.below(nodes);
  // A node that is to start an election at tick 0 is up then.
  const crash = { type: 'crash', rank, at: Math.max(1, from) } as const;
  const percent = (max: number) => (1 + random.below(max)) / 100;
  switch (kind) {
    case 'isolate':
    case 'halves':
    case 'minority':
    case 'majorities-ring':
    case 'one-way':
    case 'links':
      if (nodes === 1) return [];
      return drawCuts(kind, random, nodes).map((cut) => ({ type: 'partition', cut, ...window }));
    case 'crash':
      return nodes > 1 ? [crash] : [];
    case 'join':
      return nodes > 1 ? [{ type: kind, rank, at: from }] : [];
    case 'restart':
    case 'amnesia':
      return [crash, { type: 'restart', rank, at: to, amnesia: kind === 'amnesia' }];
    case 'pause':
      return [{ type: 'pause', rank, ...window }];
    case 'loss':
      return [{ type: 'loss', share: percent(50), ...window }];
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
    case 'skew':
      return drawRanks(random, nodes, drawCount(random, nodes)).map((each) => {
        const numerator = 1 + random.below(8);
        return { type: 'skew', rank: each, numerator, denominator: 1 + random.below(8) };
      });
    case 'drift':
      return drawRanks(random, nodes, PARTS_MAX).map((each) => drawDrift(random, each));
    case 'jump':
      // A jump changes nothing while its node waits for no timer, so that several clocks jump at several times.
      return drawRanks(random, nodes, drawCount(random, nodes)).map((each) => {
        const ticks = (1 + random.below(calmAt)) * (random.below(2) === 0 ? 1 : -1);
        return { type: 'jump', rank: each, at: from + random.below(to - from), ticks };
      });
    case 'churn':
      return [
        {
          type: 'churn',
          ...window,
          ticksMean: 1 + random.below(Math.ceil(calmAt / ELECTIONS_DISTURBED)),
          amnesiaShare: 0,
          joins: [],
        },
      ];
    default:
      return kind satisfies never;
  }
}

/** An early fault ends soon, so that there is a leader that later faults can meet. */
function drawWindow(
  random: Random,
  { electionTicks, calmAt }: SwarmProfile,
  isEarly: boolean,
): Draw['window'] {
  const latest = calmAt - 1;
  const isFirst = random.below(2) === 0;
  const starts = isFirst ? 1 : Math.min(electionTicks, latest);
  const from = random.below(isEarly ? starts : latest);
  const longest = isEarly ? Math.min(2 * electionTicks, calmAt - from) : calmAt - from;
  return { from, to: from + 1 + random.below(longest) };
}

/** A clock that is fast or slow by a bounded rate. */
function drawDrift(random: Random, rank: number): ScheduledFault {
  const off = 1000 - (1 + random.below(DRIFT_THOUSANDTHS));
  return random.below(2) === 0
    ? { type: 'skew', rank, numerator: off, denominator: 1000 }
    : { type: 'skew', rank, numerator: 1000, denominator: off };
}

/** The cuts of a kind: one, or of single links as many as make it likely that messages use one of them. */
function drawCuts(kind: Cut['kind'], random: Random, nodes: number): readonly Cut[] {
  switch (kind) {
    case 'halves':
    case 'minority':
    case 'majorities-ring':
      return [{ kind }];
    case 'isolate':
      return [{ kind, rank: 1 + random.below(nodes) }];
    case 'one-way':
      return drawLinks(random, nodes).map(([from, to]) => ({ kind, from, to }));
    case 'links':
      return [{ kind, links: drawLinks(random, nodes) }];
    default:
      return kind satisfies never;
  }
}

function drawLinks(random: Random, nodes: number): (readonly [number, number])[] {
  return Array.from({ length: drawCount(random, 2 * nodes) }, () => {
    const one = 1 + random.below(nodes);
    return [one, 1 + ((one + random.below(nodes - 1)) % nodes)] as const;
  });
}

function drawCount(random: Random, countMax: number): number {
  return 1 + random.below(Math.min(countMax, PARTS_MAX));
}

/** At most `count` different ranks. */
function drawRanks(random: Random, nodes: number, count: number): readonly number[] {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return shuffled(ranks, random).slice(0, count);
}
