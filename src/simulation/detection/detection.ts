/**
 * @module
 * What a run's failure detection was worth, from the words that were said and the times at which
 * nodes went down and came back: how soon crashes were noticed, how often and how long the living were
 * suspected (W. Chen, S. Toueg, M. Aguilera, "On the quality of service of failure detectors", IEEE
 * Transactions on Computers 51(5), 2002), and what it cost. A paused node is up: to suspect it is a
 * mistake.
 */

import { isDetectorType } from '../../election/detectors/detector.ts';

/** One word of one node's detector, in the order in which they were said. */
export interface DeliveredReport {
  readonly at: number;
  readonly by: number;
  readonly about: number;
  readonly type: 'suspect' | 'trust';
}

/** A node went down or came back; before the words of the same tick. */
export interface UpDownChange {
  readonly at: number;
  readonly rank: number;
  readonly type: 'crash' | 'return';
}

export interface DetectionFacts {
  readonly nodes: number;
  readonly reports: readonly DeliveredReport[];
  /** By tick. Who was down from the beginning crashed at 0. */
  readonly changes: readonly UpDownChange[];
  readonly endsAt: number;
  /** Messages sent, by type. */
  readonly messages: Readonly<Record<string, number>>;
}

export interface Lengths {
  readonly count: number;
  /** Null of none. */
  readonly meanTicks: number | null;
  readonly maxTicks: number | null;
}

export interface Detection {
  /** From a crash to the suspicion that lasted, for each observer that was up all the while. */
  readonly detections: Lengths;
  /** Pairs of crash and observer without one, although the node stayed down to the end. */
  readonly missed: number;
  /** Suspicions of nodes that were up, until taken back, until they came true, or to the end. */
  readonly mistakes: Lengths;
  /** What detectors sent. */
  readonly messages: number;
}

/** Every word and change once, O(words + crashes · nodes). */
export function detectionOf(facts: DetectionFacts): Detection {
  const watch: Watch = {
    nodes: facts.nodes,
    downSince: new Map(),
    upSince: new Map(),
    suspectedSince: new Map(),
    detections: [],
    mistakes: [],
    missed: 0,
  };
  const lives = facts.changes.toSorted((left, right) => left.at - right.at);
  let next = 0;
  const liveUntil = (at: number) => {
    for (let life = lives[next]; life !== undefined && life.at <= at; life = lives[next]) {
      next += 1;
      if (life.type === 'crash') onCrash(watch, life);
      else onReturn(watch, life);
    }
  };
  for (const word of facts.reports) {
    liveUntil(word.at);
    onWord(watch, word);
  }
  liveUntil(facts.endsAt);
  return atEnd(watch, facts);
}

interface Watch {
  readonly nodes: number;
  readonly downSince: Map<number, number>;
  /** Of those who have returned. */
  readonly upSince: Map<number, number>;
  /** By `observer<suspect`: when it began, and whether the suspect was up then and still is. */
  readonly suspectedSince: Map<string, { readonly at: number; isMistake: boolean }>;
  readonly detections: number[];
  readonly mistakes: number[];
  missed: number;
}

function onWord(watch: Watch, { at, by, about, type }: DeliveredReport): void {
  const pair = pairOf(by, about);
  const standing = watch.suspectedSince.get(pair);
  if (type === 'suspect') {
    if (standing !== undefined) return;
    watch.suspectedSince.set(pair, { at, isMistake: !watch.downSince.has(about) });
    return;
  }
  if (standing?.isMistake === true) watch.mistakes.push(at - standing.at);
  watch.suspectedSince.delete(pair);
}

function onCrash(watch: Watch, { at, rank }: UpDownChange): void {
  watch.downSince.set(rank, at);
  for (let other = 1; other <= watch.nodes; other += 1) {
    endMistake(watch, pairOf(other, rank), at);
    const own = pairOf(rank, other);
    endMistake(watch, own, at);
    watch.suspectedSince.delete(own);
  }
}

/** The suspicion has come true, or died with the observer. */
function endMistake(watch: Watch, pair: string, at: number): void {
  const standing = watch.suspectedSince.get(pair);
  if (standing?.isMistake !== true) return;
  watch.mistakes.push(at - standing.at);
  standing.isMistake = false;
}

function onReturn(watch: Watch, { at, rank }: UpDownChange): void {
  settle(watch, rank, false);
  watch.downSince.delete(rank);
  watch.upSince.set(rank, at);
  for (let by = 1; by <= watch.nodes; by += 1) watch.suspectedSince.delete(pairOf(by, rank));
}

/** A crash is over, or the run is. What was too short to be noticed is not missed. */
function settle(watch: Watch, rank: number, isEnd: boolean): void {
  const crashedAt = watch.downSince.get(rank);
  if (crashedAt === undefined) return;
  for (let by = 1; by <= watch.nodes; by += 1) {
    const wasThere = !watch.downSince.has(by) && (watch.upSince.get(by) ?? 0) <= crashedAt;
    if (by === rank || !wasThere) continue;
    const standing = watch.suspectedSince.get(pairOf(by, rank));
    if (standing !== undefined) watch.detections.push(Math.max(0, standing.at - crashedAt));
    else if (isEnd) watch.missed += 1;
  }
}

function atEnd(watch: Watch, { endsAt, messages }: DetectionFacts): Detection {
  for (const rank of watch.downSince.keys()) settle(watch, rank, true);
  for (const { at, isMistake } of watch.suspectedSince.values()) {
    if (isMistake) watch.mistakes.push(endsAt - at);
  }
  let sent = 0;
  for (const [type, count] of Object.entries(messages)) {
    if (isDetectorType(type)) sent += count;
  }
  return {
    detections: lengthsOf(watch.detections),
    missed: watch.missed,
    mistakes: lengthsOf(watch.mistakes),
    messages: sent,
  };
}

function lengthsOf(ticks: readonly number[]): Lengths {
  if (ticks.length === 0) return { count: 0, meanTicks: null, maxTicks: null };
  let sum = 0;
  let maxTicks = 0;
  for (const length of ticks) {
    sum += length;
    maxTicks = Math.max(maxTicks, length);
  }
  return { count: ticks.length, meanTicks: sum / ticks.length, maxTicks };
}

function pairOf(by: number, about: number): string {
  return `${by}<${about}`;
}
