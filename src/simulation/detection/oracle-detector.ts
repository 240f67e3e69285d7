/**
 * @module
 * Failure detectors by script: what Chandra and Toueg's classes allow, and what they forbid (JACM
 * 43(2), 1996). All but `incomplete` have strong completeness: T = 2Δ + 1 ticks after a crash every
 * live node suspects it, and goes on. Of accuracy:
 * - `P` strong: nobody is suspected before it crashes. `eventually-P`: that, from `stableAt` on.
 * - `S` weak: one correct node is never suspected; half of all other pairs are mistakes for good.
 *   `eventually-S`: that, from `stableAt` on; the same node is suspected before.
 * - `incomplete` is P, but that nobody ever suspects one node, by default the first to crash.
 * - `inaccurate` suspects everybody in turns, for ever: no node is spared, at no time for good.
 */

import type { OracleClass } from '../../election/detectors/fd-oracle.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

import type { Detector, NodeChange, Report } from './perfect-detector.ts';

export interface OracleScript {
  readonly class: OracleClass;
  /** The tick before which drawn mistakes begin, and of the `eventually` classes also end. */
  readonly stableAt: number;
  /** From one turn of `inaccurate` to the next. */
  readonly everyTicks: number;
  /** Who is never suspected, by those classes that spare somebody; null leaves it to the script. */
  readonly node: number | null;
}

export interface OracleSetting {
  readonly nodes: number;
  readonly seed: Seed;
  /** T. */
  readonly answerTicks: number;
  /** Those who are never down in this run, of whom one is spared. */
  readonly correct: readonly number[];
  readonly isUp: (rank: number) => boolean;
}

interface Turn {
  readonly at: number;
  readonly to: number;
  readonly about: number;
  readonly type: 'suspect' | 'trust';
  /** Whether it follows from a crash, and not from the script. */
  readonly isTrue: boolean;
}

/** O(n²) pairs are kept. The words are to one node each, but `trust` at a return is to everybody. */
export function createOracleDetector(script: OracleScript, setting: OracleSetting): Detector {
  const oracle: Oracle = {
    script,
    setting,
    turns: drawMistakes(script, setting).toSorted((left, right) => left.at - right.at),
    nextVictimAt: script.class === 'inaccurate' ? script.everyTicks : Number.POSITIVE_INFINITY,
    victims: 0,
    down: new Set(),
    suspected: new Set(),
    spared: script.class === 'incomplete' ? script.node : null,
  };
  return {
    earliest: () => earliest(oracle),
    take: (now) => take(oracle, now),
    notify: (now, change) => notice(oracle, now, change),
  };
}

interface Oracle {
  readonly script: OracleScript;
  readonly setting: OracleSetting;
  /** By tick. */
  turns: Turn[];
  nextVictimAt: number;
  victims: number;
  readonly down: Set<number>;
  /** `observer<suspect`. */
  readonly suspected: Set<string>;
  /** Whose crash nobody is told of; null while there is none. */
  spared: number | null;
}

function earliest({ turns, nextVictimAt }: Oracle): number {
  return Math.min(turns[0]?.at ?? Number.POSITIVE_INFINITY, nextVictimAt);
}

function take(oracle: Oracle, now: number): Report | null {
  for (;;) {
    if (oracle.nextVictimAt <= Math.min(now, oracle.turns[0]?.at ?? now)) nextVictim(oracle);
    const turn = oracle.turns[0];
    if (turn === undefined || turn.at > now) return null;
    oracle.turns.shift();
    if (isNews(oracle, turn)) {
      const { type, to, about } = turn;
      if (type === 'suspect') oracle.suspected.add(pairOf(turn));
      else oracle.suspected.delete(pairOf(turn));
      return { type, to, about };
    }
  }
}

/** Whether a turn still says something: nodes have come and gone since it was planned. */
function isNews({ setting, suspected }: Oracle, turn: Turn): boolean {
  if (!setting.isUp(turn.to)) return false;
  const isSuspected = suspected.has(pairOf(turn));
  // Those about somebody who came back were struck out then.
  if (turn.isTrue) return !isSuspected;
  // A mistake is about somebody who is up; once that one crashes, it is none any more.
  return setting.isUp(turn.about) && isSuspected === (turn.type === 'trust');
}

function notice(oracle: Oracle, now: number, change: NodeChange): readonly Report[] {
  const { rank } = change;
  switch (change.type) {
    case 'crash':
      onCrash(oracle, now, rank);
      return [];
    case 'return':
      return onReturn(oracle, now, rank);
    case 'other':
      return [];
    default:
      return change.type satisfies never;
  }
}

function onCrash(oracle: Oracle, now: number, rank: number): void {
  const { script, setting, suspected, down } = oracle;
  down.add(rank);
  // It has forgotten whom it suspected.
  for (const about of ranksTo(setting.nodes)) suspected.delete(pairOf({ to: rank, about }));
  if (script.class === 'incomplete') oracle.spared ??= rank;
  for (const to of ranksTo(setting.nodes)) announce(oracle, now, { to, about: rank });
}

function onReturn(oracle: Oracle, now: number, rank: number): Report[] {
  const { setting, suspected, down } = oracle;
  down.delete(rank);
  oracle.turns = oracle.turns.filter(({ isTrue, about }) => !isTrue || about !== rank);
  for (const to of ranksTo(setting.nodes)) suspected.delete(pairOf({ to, about: rank }));
  for (const about of down) announce(oracle, now, { to: rank, about });
  return [{ type: 'trust', to: 'everybody', about: rank }];
}

/** Plans the suspicion of one that is down. */
function announce(
  { turns, setting, spared }: Oracle,
  now: number,
  { to, about }: Pick<Turn, 'to' | 'about'>,
): void {
  if (to === about || about === spared) return;
  const at = now + setting.answerTicks;
  insert(turns, { at, to, about, type: 'suspect', isTrue: true });
}

/** Everybody takes back the last victim and suspects the next. */
function nextVictim(oracle: Oracle): void {
  const { setting, turns, script } = oracle;
  const at = oracle.nextVictimAt;
  const victimOf = (count: number) => (count % setting.nodes) + 1;
  for (const to of ranksTo(setting.nodes)) {
    const last = victimOf(oracle.victims + setting.nodes - 1);
    const next = victimOf(oracle.victims);
    if (to !== last) insert(turns, { at, to, about: last, type: 'trust', isTrue: false });
    if (to !== next) insert(turns, { at, to, about: next, type: 'suspect', isTrue: false });
  }
  oracle.victims += 1;
  oracle.nextVictimAt = at + script.everyTicks;
}

/** The mistakes of the classes that make finitely many, pair by pair. */
function drawMistakes(script: OracleScript, setting: OracleSetting): Turn[] {
  const { stableAt } = script;
  const random = createRandom(setting.seed, 'oracle', script.class);
  const ranks = ranksTo(setting.nodes);
  const isEventual = script.class === 'eventually-P' || script.class === 'eventually-S';
  const isWeak = script.class === 'S' || script.class === 'eventually-S';
  if ((!isEventual && !isWeak) || stableAt === 0) return [];
  const safe = isWeak ? (script.node ?? drawSafe(setting, random)) : null;
  return ranks.flatMap((to) =>
    ranks.flatMap((about) => {
      // Nobody is spared by luck: the next rank errs about each. All is drawn for every pair, so
      // that no pair's draws depend on another's.
      const isNext = to === (about % setting.nodes) + 1;
      const isDrawn = random.below(2) === 0 || isNext;
      const isForGood = random.below(2) === 0 || isNext;
      const from = random.below(stableAt);
      const until = from + 1 + random.below(stableAt - from);
      if (to === about || !isDrawn) return [];
      const suspect = { at: from, to, about, type: 'suspect', isTrue: false } as const;
      const trust = { ...suspect, at: until, type: 'trust' } as const;
      if (script.class === 'S') return about === safe ? [] : [suspect];
      if (isWeak && isForGood && about !== safe) return [suspect];
      return [suspect, trust];
    }),
  );
}

function drawSafe({ nodes, correct }: OracleSetting, random: Random): number {
  const among = correct.length === 0 ? ranksTo(nodes) : correct;
  return among[random.below(among.length)] ?? 1;
}

/** Keeps the order of the ticks, and within one that of insertion. */
function insert(turns: Turn[], turn: Turn): void {
  let place = turns.length;
  while (place > 0 && (turns[place - 1]?.at ?? 0) > turn.at) place -= 1;
  turns.splice(place, 0, turn);
}

function ranksTo(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}

function pairOf({ to, about }: Pick<Turn, 'to' | 'about'>): string {
  return `${to}<${about}`;
}
