/**
 * @module
 * Scripted failure detectors with exactly the properties of the classes of Chandra and Toueg (JACM 43(2),
 * 1996). All classes but `incomplete` have strong completeness: T = 2Δ + 1 ticks after a crash every live node
 * suspects the crashed node, and continues to. Their accuracy:
 * - `P`: strong, no node is suspected before it crashes. `eventually-P`: strong from `stableAt` on.
 * - `S`: weak, one correct node is never suspected; half of the other pairs have a permanent mistake.
 *   `eventually-S`: weak from `stableAt` on; the same node is suspected before.
 * - `incomplete`: P, but no node ever suspects one node, by default the first that crashes.
 * - `inaccurate`: all nodes suspect one node after the other, for ever, and no suspicion is permanent.
 */

import type { OracleClass } from '../../election/detectors/fd-oracle.ts';
import { readOracle } from '../../election/detectors/fd-oracle.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorOptions } from '../../election/detectors/registry.ts';
import { answerTicks } from '../../election/timing.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { TimedIncident } from '../faults/timeline.ts';
import type { Plan } from '../plan/plan.ts';
import type { Detector, Reachability, Report } from './perfect-detector.ts';
import { createCrashDetector, createLinkDetector, pairOf } from './perfect-detector.ts';

export interface OracleScript {
  readonly class: OracleClass;
  /** The tick before which drawn mistakes begin, and before which those of `eventually` classes end. */
  readonly stableAt: number;
  /** Ticks between two victims of `inaccurate`. */
  readonly everyTicks: number;
  /** The node that is never suspected, in classes with such a node; null to draw it. */
  readonly node: number | null;
}

export interface OracleSettings {
  readonly nodes: number;
  readonly seed: Seed;
  /** T. */
  readonly answerTicks: number;
  /** Nodes that never crash in this run. */
  readonly correct: readonly number[];
  readonly isUp: (rank: number) => boolean;
}

/** A planned report to one node. */
interface Turn {
  readonly at: number;
  readonly to: number;
  readonly about: number;
  readonly type: Report['type'];
  /** Whether it follows from a crash, not from the script. */
  readonly isTrue: boolean;
}

/** Keeps O(n²) pairs. Each report is for one node, except that `trust` after a return is for all. */
export function createOracleDetector(script: OracleScript, settings: OracleSettings): Detector {
  const { nodes, answerTicks, isUp } = settings;
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const turns = createTurns(script, settings, ranks);
  const down = new Set<number>();
  const suspected = new Set<string>();
  /** The node whose crash is not reported; null while there is none. */
  let spared = script.class === 'incomplete' ? script.node : null;
  const announce = (now: number, to: number, about: number) => {
    if (to === about || about === spared) return;
    turns.insert({ at: now + answerTicks, to, about, type: 'suspect', isTrue: true });
  };
  /** Whether a turn still changes something, after crashes and returns since it was planned. */
  const isChange = (turn: Turn) => {
    if (!isUp(turn.to)) return false;
    const isSuspected = suspected.has(pairOf(turn));
    if (turn.isTrue) return !isSuspected;
    // A mistake is about a node that is up.
    return isUp(turn.about) && isSuspected === (turn.type === 'trust');
  };
  return {
    earliest: turns.earliest,
    take(now) {
      for (let turn = turns.take(now); turn !== null; turn = turns.take(now)) {
        if (!isChange(turn)) continue;
        const { type, to, about } = turn;
        if (type === 'suspect') suspected.add(pairOf(turn));
        else suspected.delete(pairOf(turn));
        return { type, to, about };
      }
      return null;
    },
    notify(now, { type, rank }) {
      if (type === 'crash') {
        down.add(rank);
        // A crashed node has lost its suspicions.
        for (const about of ranks) suspected.delete(pairOf({ to: rank, about }));
        if (script.class === 'incomplete') spared ??= rank;
        for (const to of ranks) announce(now, to, rank);
      }
      if (type !== 'return') return [];
      down.delete(rank);
      turns.withdraw(rank);
      for (const to of ranks) suspected.delete(pairOf({ to, about: rank }));
      for (const about of down) announce(now, rank, about);
      return [{ type: 'trust', to: 'all', about: rank }];
    },
  };
}

/** The planned reports: drawn mistakes, the victims of `inaccurate`, and inserted suspicions. */
function createTurns(script: OracleScript, settings: OracleSettings, ranks: readonly number[]) {
  const { nodes } = settings;
  let turns = drawMistakes(script, settings, ranks).toSorted((left, right) => left.at - right.at);
  /** The first ones were taken. They remain until they are half of all, because removing one is O(n). */
  let taken = 0;
  let nextVictimAt = script.class === 'inaccurate' ? script.everyTicks : Number.POSITIVE_INFINITY;
  let victims = 0;
  /** Keeps the order of the ticks, and within a tick the order of insertion. */
  const insert = (turn: Turn) => {
    turns.splice(turns.findLastIndex(({ at }) => at <= turn.at) + 1, 0, turn);
  };
  /** All nodes trust the last victim again and suspect the next one. */
  const nextVictim = () => {
    const at = nextVictimAt;
    const last = ((victims + nodes - 1) % nodes) + 1;
    const next = (victims % nodes) + 1;
    for (const to of ranks) {
      if (to !== last) insert({ at, to, about: last, type: 'trust', isTrue: false });
      if (to !== next) insert({ at, to, about: next, type: 'suspect', isTrue: false });
    }
    victims += 1;
    nextVictimAt = at + script.everyTicks;
  };
  return {
    insert,
    earliest: () => Math.min(turns[taken]?.at ?? Number.POSITIVE_INFINITY, nextVictimAt),
    take(now: number): Turn | null {
      if (nextVictimAt <= Math.min(now, turns[taken]?.at ?? now)) nextVictim();
      const turn = turns[taken];
      if (turn === undefined || turn.at > now) return null;
      taken += 1;
      if (taken * 2 >= turns.length) {
        turns = turns.slice(taken);
        taken = 0;
      }
      return turn;
    },
    /** Removes the suspicions of a node that has returned. */
    withdraw(rank: number) {
      turns = turns.slice(taken).filter(({ isTrue, about }) => !isTrue || about !== rank);
      taken = 0;
    },
  };
}

/** The mistakes of the classes with finitely many, pair by pair. */
function drawMistakes(
  script: OracleScript,
  settings: OracleSettings,
  ranks: readonly number[],
): Turn[] {
  const { stableAt } = script;
  const random = createRandom(settings.seed, 'oracle', script.class);
  const isEventual = script.class === 'eventually-P' || script.class === 'eventually-S';
  const isWeak = script.class === 'S' || script.class === 'eventually-S';
  if ((!isEventual && !isWeak) || stableAt === 0) return [];
  const safe = isWeak ? (script.node ?? drawSafe(settings, random)) : null;
  return ranks.flatMap((to) =>
    ranks.flatMap((about) => {
      // The next rank always makes a mistake about a node, so that luck spares none. Every pair draws all
      // values, so that the draws of one pair do not depend on another.
      const isNext = to === (about % settings.nodes) + 1;
      const isDrawn = random.below(2) === 0 || isNext;
      const isPermanent = random.below(2) === 0 || isNext;
      const from = random.below(stableAt);
      const until = from + 1 + random.below(stableAt - from);
      if (to === about || !isDrawn) return [];
      const suspect = { at: from, to, about, type: 'suspect', isTrue: false } as const;
      const trust = { ...suspect, at: until, type: 'trust' } as const;
      if (script.class === 'S') return about === safe ? [] : [suspect];
      return isWeak && isPermanent && about !== safe ? [suspect] : [suspect, trust];
    }),
  );
}

function drawSafe({ nodes, correct }: OracleSettings, random: Random): number {
  return correct.length === 0
    ? 1 + random.below(nodes)
    : (correct[random.below(correct.length)] ?? 1);
}

const SILENT: Detector = {
  earliest: () => Number.POSITIVE_INFINITY,
  take: () => null,
  notify: () => [],
};

/** `incidents` are those of the run. */
export function createPlannedDetector(
  plan: Plan,
  reachability: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const { detector, schedule, timing } = plan;
  if (detector?.name === 'fd-oracle') return createOracle(plan, detector, reachability, incidents);
  if (detector !== null) return SILENT;
  return schedule?.detector === 'links'
    ? createLinkDetector(answerTicks(timing), reachability, plan)
    : createCrashDetector(answerTicks(timing));
}

function createOracle(
  { nodes, seed, timing, crashedBefore }: Plan,
  spec: DetectorSpec,
  { isUp }: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const faulty = new Set(crashedBefore);
  for (const { incident } of incidents) if (incident.type === 'crash') faulty.add(incident.rank);
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const script = readOracle(detectorOptions(spec, timing));
  const correct = ranks.filter((rank) => !faulty.has(rank));
  const answer = answerTicks(timing);
  return createOracleDetector(script, { nodes, seed, correct, isUp, answerTicks: answer });
}
