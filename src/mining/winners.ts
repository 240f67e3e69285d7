/**
 * @module
 * Collects the winners of a phase from scans in any order, and computes what the next scans need: how many winners are
 * missing, below which number they must be, and the smallest distance so far. For the goal `pair` the winners are the
 * pair, or as long as there is none all keys that may become the first of one. A search for a count of identities has
 * several phases that find keys. They share one collection, because a scan finds keys of later phases too.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';
import { identitiesWanted, isClosestGoal, xorDistance } from './goal.ts';
import type { Ending, MiningTask, PhaseOrder, PhaseOutcome } from './phases.ts';
import { searcherOf } from './strategies.ts';
import type { Hit, ScanResult } from './strategy.ts';

/** A class, because it changes while its phases run. */
export class Winners {
  /** Number of winners that end the phase. */
  #wanted: number;
  /** Number of winners that are kept: those of all phases. No scan of a range needs more. */
  readonly kept: number;
  /** Numbers that were tested before the phase although an earlier one had ended. */
  #ahead = 0;
  /** Number of tested numbers, of all phases. */
  #tested: number;
  /** All numbers below this one were scanned. */
  scanned: number;
  /** The target of a closest goal, else null. */
  readonly #target: Uint8Array | null;
  /** In rising order. For a closest goal the closest first, then those that were the closest before it. */
  #found: readonly Hit[] = [];
  readonly #firstOfId = new Map<string, Hit>();
  readonly #isPairWanted: boolean;
  /** The two keys with one ID of which the second has the lowest attempt. */
  #pair: readonly [Hit, Hit] | null = null;

  constructor(task: MiningTask, { phase, begun, wanted }: PhaseOrder) {
    const isClosest = phase.type === 'keys' && isClosestGoal(task.goal);
    this.#target = isClosest ? task.goal.nodeId : null;
    this.#wanted = wanted;
    this.kept = phase.type === 'keys' ? Math.max(wanted, identitiesWanted(task.goal)) : wanted;
    this.#tested = begun.tested;
    this.scanned = begun.tested;
    this.#isPairWanted = phase.type === 'keys' && task.goal.type === 'pair';
    // A solution has no ID, and a single winner needs no comparison.
    const isCompared = phase.type === 'keys' && (isClosest || this.kept > 1);
    const nodeIdOf = (attempt: number) =>
      isCompared ? searcherOf(task).candidate(attempt).nodeId : new Uint8Array();
    const hits = begun.winners.map((attempt) => ({ attempt, nodeId: nodeIdOf(attempt) }));
    this.add({ hits, tested: 0 });
  }

  /** Begins the next phase that finds keys. */
  next({ begun, wanted }: Pick<PhaseOrder, 'begun' | 'wanted'>): void {
    this.#wanted = wanted;
    this.#ahead = this.#tested - begun.tested;
  }

  /** Number of tested numbers, of all phases together. */
  get tested(): number {
    return this.#tested;
  }

  /** Adds the hits of a scan. */
  add({ hits, tested }: Pick<ScanResult, 'hits' | 'tested'>): void {
    this.#tested += tested;
    if (hits.length === 0) return;
    if (this.#isPairWanted) {
      this.#addToPair(hits);
      return;
    }
    this.#found =
      this.#target === null
        ? this.#lowest(hits)
        : closestSoFar([...this.#found, ...hits], this.#target);
  }

  /** The first key of each ID, and of these keys those with the lowest attempts. */
  #lowest(hits: readonly Hit[]): readonly Hit[] {
    for (const hit of hits) {
      const id = bytesToHex(hit.nodeId);
      const known = this.#firstOfId.get(id);
      if (known === undefined || hit.attempt < known.attempt) this.#firstOfId.set(id, hit);
    }
    return [...this.#firstOfId.values()]
      .sort((left, right) => left.attempt - right.attempt)
      .slice(0, this.kept);
  }

  /**
   * Keeps the first key of each ID. Any of them may be the first of the pair, until a pair is found that no key of a range
   * that is still out can precede.
   */
  #addToPair(hits: readonly Hit[]): void {
    for (const hit of hits) {
      const id = bytesToHex(hit.nodeId);
      const known = this.#firstOfId.get(id);
      if (known === undefined || hit.attempt < known.attempt) this.#firstOfId.set(id, hit);
      if (known === undefined || known.attempt === hit.attempt) continue;
      const [first, second] = hit.attempt < known.attempt ? [hit, known] : [known, hit];
      if (this.#pair === null || second.attempt < this.#pair[1].attempt)
        this.#pair = [first, second];
    }
  }

  /** Number of winners at which a scan may stop. For a closest goal always 1. */
  missing(): number {
    if (this.#isPairWanted) return this.#pair === null ? this.#wanted : 0;
    return this.#target === null ? this.kept - this.#found.length : 1;
  }

  /** Numbers from here on need not be scanned for the phase. Infinity as long as winners are missing. */
  end(): number {
    if (this.#isPairWanted) return this.#pair?.[1].attempt ?? Number.POSITIVE_INFINITY;
    if (this.#target !== null) return Number.POSITIVE_INFINITY;
    return this.#found[this.#wanted - 1]?.attempt ?? Number.POSITIVE_INFINITY;
  }

  /**
   * For the next scan: IDs must be closer than this distance. An ID that is as close as the closest so far counts,
   * because its attempt may be lower.
   */
  bar(): { readonly closerThan?: Uint8Array } {
    const [closest] = this.#found;
    if (this.#target === null || closest === undefined) return {};
    const above = successorOf(xorDistance(closest.nodeId, this.#target));
    return above === null ? {} : { closerThan: above };
  }

  /** The numbers of the winners below `end`. */
  numbers(end = Number.POSITIVE_INFINITY): readonly number[] {
    return this.hits(end).map(({ attempt }) => attempt);
  }

  /** The winners below `end`. */
  hits(end = Number.POSITIVE_INFINITY): readonly Hit[] {
    return this.#below(end);
  }

  /**
   * The outcome of the phase, if the budget pays for the numbers below `limit`. If the winners are missing, `ending` says
   * why the scans have ended.
   */
  outcome({ limit }: Pick<PhaseOrder, 'limit'>, ending: Ending): PhaseOutcome {
    const end = this.end();
    const isFound = end < limit;
    const tested = isFound ? end + 1 : Math.min(this.scanned, limit);
    const hits = this.#below(tested);
    const winners = hits.map(({ attempt }) => attempt);
    const overshoot = this.#tested - tested - this.#ahead;
    return { tested, winners, hits, overshoot, ending: isFound ? 'found' : ending };
  }

  #below(end: number): readonly Hit[] {
    if (this.#isPairWanted) return this.#pairBelow(end);
    const below = this.#found.filter(({ attempt }) => attempt < end);
    return this.#target === null ? below : below.slice(0, 1);
  }

  /** The pair, or else all keys that may become the first of one. */
  #pairBelow(end: number): readonly Hit[] {
    if (this.#pair !== null && this.#pair[1].attempt < end) return this.#pair;
    return [...this.#firstOfId.values()]
      .filter(({ attempt }) => attempt < end)
      .sort((left, right) => left.attempt - right.attempt);
  }
}

/** The collection for each phase of a search: one for all phases that find keys, and a new one for each X. */
export function collector(task: MiningTask): (order: PhaseOrder) => Winners {
  let keys: Winners | null = null;
  return (order) => {
    if (order.phase.type !== 'keys') return new Winners(task, order);
    keys ??= new Winners(task, order);
    keys.next(order);
    return keys;
  };
}

/** The next larger number with as many bytes; null if there is none. */
function successorOf(bytes: Uint8Array): Uint8Array | null {
  const next = bytes.slice();
  for (let index = next.length - 1; index >= 0; index -= 1) {
    const byte = (next[index] ?? 0) + 1;
    next[index] = byte & 255;
    if (byte < 256) return next;
  }
  return null;
}

/**
 * The closest first, of equally close ones that with the lowest attempt, then the closest of the attempts before it, and
 * so on. A search that continues from an earlier attempt than the closest needs the closest of the attempts before.
 */
function closestSoFar(hits: Hit[], target: Uint8Array): Hit[] {
  let first = Number.POSITIVE_INFINITY;
  return hits
    .sort(
      (left, right) =>
        compareBytes(xorDistance(left.nodeId, target), xorDistance(right.nodeId, target)) ||
        left.attempt - right.attempt,
    )
    .filter(({ attempt }) => {
      const isEarlier = attempt < first;
      first = Math.min(first, attempt);
      return isEarlier;
    });
}
