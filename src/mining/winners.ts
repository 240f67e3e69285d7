/**
 * @module
 * Collects the winners of one phase from scans that may come in any order, and says what is still of
 * use: how many are missing, below which number they must lie, how close the closest has come.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';
import { isClosestGoal, xorDistance } from './goal.ts';
import type { Ending, MiningTask, PhaseOrder, PhaseOutcome } from './phases.ts';
import { searcherOf } from './strategies.ts';
import type { Hit } from './strategy.ts';

/** A class, since it fills while its phase runs. */
export class Winners {
  readonly #wanted: number;
  /** The ID to be close to, where the closest is sought. */
  readonly #target: Uint8Array | null;
  /** Rising; or the closest one first, and then those that were the closest before it. */
  #found: readonly Hit[] = [];
  readonly #firstOfId = new Map<string, Hit>();

  constructor(task: MiningTask, { phase, begun, wanted }: PhaseOrder) {
    const isClosest = phase.type === 'keys' && isClosestGoal(task.goal);
    this.#target = isClosest ? task.goal.nodeId : null;
    this.#wanted = wanted;
    // A solution is no ID, and a single one needs no comparison.
    const isCompared = phase.type === 'keys' && (isClosest || wanted > 1);
    const nodeIdOf = (attempt: number) =>
      isCompared ? searcherOf(task).candidate(attempt).nodeId : NO_ID;
    this.add(begun.winners.map((attempt) => ({ attempt, nodeId: nodeIdOf(attempt) })));
  }

  /** Takes what a scan found. */
  add(hits: readonly Hit[]): void {
    if (hits.length === 0) return;
    this.#found =
      this.#target === null
        ? this.#lowest(hits)
        : closestSoFar([...this.#found, ...hits], this.#target);
  }

  /** The first key of each ID, of those the lowest attempts. */
  #lowest(hits: readonly Hit[]): readonly Hit[] {
    for (const hit of hits) {
      const id = bytesToHex(hit.nodeId);
      const known = this.#firstOfId.get(id);
      if (known === undefined || hit.attempt < known.attempt) this.#firstOfId.set(id, hit);
    }
    return [...this.#firstOfId.values()]
      .sort((left, right) => left.attempt - right.attempt)
      .slice(0, this.#wanted);
  }

  /** How many are still wanted; where the closest is sought there is always a closer one. */
  missing(): number {
    return this.#target === null ? this.#wanted - this.#found.length : 1;
  }

  /** Numbers from here on are of no use any more; Infinity while winners are missing. */
  end(): number {
    return this.missing() === 0 ? (this.#found.at(-1)?.attempt ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** For the next scan: the distance to beat. */
  bar(): { readonly closerThan?: Uint8Array } {
    const [closest] = this.#found;
    if (this.#target === null || closest === undefined) return {};
    return { closerThan: xorDistance(closest.nodeId, this.#target) };
  }

  /** The winners' numbers as a phase keeps them, those below `end` alone. */
  numbers(end = Number.POSITIVE_INFINITY): readonly number[] {
    return this.#below(end).map(({ attempt }) => attempt);
  }

  outcome(ended: {
    readonly tested: number;
    readonly ending: Ending;
    readonly overshoot?: number;
  }): PhaseOutcome {
    return { overshoot: 0, ...ended, winners: this.numbers(), hits: this.#below() };
  }

  #below(end = Number.POSITIVE_INFINITY): readonly Hit[] {
    const below = this.#found.filter(({ attempt }) => attempt < end);
    return this.#target === null ? below : below.slice(0, 1);
  }
}

/**
 * The closest first, then whatever is closest among the attempts before it, and so on: a search that
 * goes on from an earlier attempt than the closest must not have lost the closest one till then.
 */
function closestSoFar(hits: Hit[], target: Uint8Array): Hit[] {
  let first = Number.POSITIVE_INFINITY;
  return hits
    .sort((left, right) =>
      compareBytes(xorDistance(left.nodeId, target), xorDistance(right.nodeId, target)),
    )
    .filter(({ attempt }) => {
      const isEarlier = attempt < first;
      first = Math.min(first, attempt);
      return isEarlier;
    });
}

/** Stands for the ID of a winner where nothing asks for it. */
const NO_ID = new Uint8Array();
