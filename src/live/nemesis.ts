/**
 * @module
 * The faults of a nemesis for live nodes, drawn from a seed as `elect --random-faults` draws them: one tick is one
 * millisecond. A round ends when all its faults do. Faults occupy their node, or the links, so that every part of a round is
 * possible.
 */

import type { FaultKind } from '../election/definition/drawn-faults.ts';
import { parseDetector } from '../election/detectors/registry.ts';
import { PROTOCOLS } from '../election/registry.ts';
import type { Seed } from '../random.ts';
import { createRandom, deriveSeed } from '../random.ts';
import { drawSchedule } from '../simulation/faults/draw.ts';
import type { ScheduledFault } from '../simulation/faults/schedule.ts';
import { cutText } from '../simulation/faults/text.ts';
import { electionTicks } from '../simulation/plan/time-limits.ts';
import { divisionOf } from './check/division.ts';
import { STORE_NUMBER } from './cluster/cluster.ts';
import type { ClusterSettings } from './cluster/cluster-plan.ts';
import { CRASH_POINT_NAMES } from './crash-points.ts';
import { flagsOf } from './live-machine.ts';

/** The kinds of faults, and the kinds of the simulator from which each is drawn. */
const DRAWN_FROM = {
  kill: ['restart'],
  'die-at': ['restart'],
  pause: ['pause'],
  partition: ['isolate', 'halves', 'minority', 'majorities-ring', 'one-way', 'links'],
  jump: ['pause'],
  skew: ['drift'],
  lose: ['loss'],
  duplicate: ['duplication'],
} as const satisfies Readonly<Record<string, readonly FaultKind[]>>;

export type NemesisKind = keyof typeof DRAWN_FROM;
// Object.keys loses the type of the keys.
export const NEMESIS_KINDS = Object.keys(DRAWN_FROM) as readonly NemesisKind[];

/** One fault, with the commands of a script that begin and end it. */
export interface LiveFault {
  readonly kind: NemesisKind;
  /** Ms from the begin of its round. */
  readonly from: number;
  readonly to: number;
  readonly begin: string;
  /** Null for a fault that ends at once. */
  readonly end: string | null;
  /** What it occupies: two faults of one slot never overlap. */
  readonly slot: string;
}

/** The faults of one round in the order of time. */
export type LiveRound = readonly LiveFault[];

/** What the faults of a cluster are drawn for. */
export interface NemesisPlan {
  readonly settings: ClusterSettings;
  readonly kinds: readonly NemesisKind[];
  readonly seed: Seed;
}

/** A round has the time of this many elections. */
const ELECTIONS = 2;
const ROUND_MS_MIN = 500;

/** The faults of a round. The same plan gives the same ones. */
export function drawRound({ settings, kinds, seed }: NemesisPlan, round: number): LiveRound {
  const { protocol, nodes, timing, detector, workload } = settings;
  const { store, unaffected } = PROTOCOLS[protocol];
  const watch = store === null ? parseDetector(detector) : undefined;
  const shape = {
    protocol,
    flags: flagsOf(settings),
    nodes,
    timing,
    detector: watch,
    isLoaded: workload !== null,
  };
  const electionMs = electionTicks(shape);
  const calmAt = Math.max(ROUND_MS_MIN, ELECTIONS * electionMs);
  const chosen = createRandom(seed, 'nemesis', round);
  // One draw for each kind, allowed or not, so that leaving one out does not change the others.
  const drawn = NEMESIS_KINDS.filter(() => chosen.below(2) === 0).filter((kind) =>
    kinds.includes(kind),
  );
  const only = kinds[chosen.below(kinds.length)];
  const used = drawn.length === 0 && only !== undefined ? [only] : drawn;
  const faults = used.flatMap((kind) => {
    const own = deriveSeed(seed, 'nemesis', round, kind);
    const known: readonly FaultKind[] = DRAWN_FROM[kind];
    const drawable = known.filter((each) => unaffected[each] === null);
    const schedule = drawSchedule(own, {
      ...{ name: 'swarm', nodes, kinds: drawable, electionTicks: electionMs },
      ...{ calmAt, calmTicks: 0, restart: false, detector: 'crashes' },
    });
    const hasStore = (settings.store ?? null) !== null;
    return liveFaults(kind, schedule.faults, { settings, seed: own, calmAt, hasStore });
  });
  return withoutOverlaps(faults.toSorted((one, other) => one.from - other.from));
}

interface Circumstances {
  readonly settings: ClusterSettings;
  readonly seed: Seed;
  readonly calmAt: number;
  readonly hasStore: boolean;
}

/** The live faults of a drawn schedule. */
function liveFaults(
  kind: NemesisKind,
  faults: readonly ScheduledFault[],
  { settings: { nodes }, seed, calmAt, hasStore }: Circumstances,
): readonly LiveFault[] {
  const random = createRandom(seed, 'live');
  return faults.flatMap((fault, index): LiveFault[] => {
    const from = 'at' in fault ? fault.at : 'from' in fault ? fault.from : 0;
    const until = (to: number | null, begin: string, end: string | null, slot: number | string) => {
      return [{ kind, from, to: to ?? calmAt, begin, end, slot: String(slot) }];
    };
    switch (fault.type) {
      case 'crash': {
        const next = faults[index + 1];
        const point = CRASH_POINT_NAMES[random.below(CRASH_POINT_NAMES.length)] ?? '';
        const begin = kind === 'kill' ? `kill ${fault.rank}` : `die-at ${fault.rank} ${point}`;
        const to = next?.type === 'restart' ? next.at : null;
        return until(to, begin, `start ${fault.rank}`, fault.rank);
      }
      case 'pause': {
        const { rank, to } = fault;
        if (kind === 'pause') return until(to, `pause ${rank}`, `resume ${rank}`, rank);
        const sign = random.below(2) === 0 ? '+' : '-';
        return until(from, `jump ${rank} ${sign}${to - from}ms`, null, rank);
      }
      case 'partition': {
        const { sides } = divisionOf(fault.cut, nodes, hasStore ? STORE_NUMBER : null);
        // With three nodes, each of a ring of majorities reaches all.
        if (sides.length < 2) return [];
        return until(fault.to, `partition ${cutText(fault.cut)}`, 'heal', 'links');
      }
      case 'skew': {
        // Timers that take longer are those of a slow clock.
        const rate = (fault.denominator / fault.numerator).toFixed(3);
        return until(null, `skew ${fault.rank} ${rate}`, `skew ${fault.rank} 1`, fault.rank);
      }
      case 'loss':
      case 'duplication': {
        const begin = `${kind} ${fault.share} ${random.below(2 ** 32)}`;
        return until(fault.to, begin, `${kind} 0`, kind);
      }
      default:
        return [];
    }
  });
}

/** Leaves out what begins while its node or the links have another fault. */
function withoutOverlaps(faults: LiveRound): LiveRound {
  const freeAt = new Map<string, number>();
  return faults.filter(({ from, to, slot }) => {
    if (from < (freeAt.get(slot) ?? 0)) return false;
    freeAt.set(slot, to + 1);
    return true;
  });
}

/** The commands of rounds as lines of a script. Each round ends with a `wait`. */
export function scriptOf(rounds: readonly LiveRound[]): readonly string[] {
  return ['wait', ...rounds.flatMap(roundLines)];
}

/** The commands of one round. */
export function roundLines(faults: LiveRound): readonly string[] {
  const timed = faults.flatMap(({ from, to, begin, end }) => [
    { at: from, line: begin },
    ...(end === null ? [] : [{ at: to, line: end }]),
  ]);
  let now = 0;
  const lines = timed
    .sort((one, other) => one.at - other.at)
    .flatMap(({ at, line }) => {
      const sleep = at > now ? [`sleep ${at - now}ms`] : [];
      now = Math.max(now, at);
      return [...sleep, line];
    });
  return lines.length === 0 ? [] : [...lines, 'wait'];
}

/** The fault for half of the time; null if it ends at once, or is too short. */
export function shortened(fault: LiveFault): LiveFault | null {
  const to = fault.from + Math.floor((fault.to - fault.from) / 2);
  return fault.end === null || to <= fault.from ? null : { ...fault, to };
}
