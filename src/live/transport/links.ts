/**
 * @module
 * The links of one node. They lose messages between it and its peers or its store, by a partition or by chance. By chance
 * they also duplicate messages to peers. Chance draws from a seed: under the same seed a life loses the messages with the
 * same places in their order.
 */

import type { Rank } from '../../election/machine.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

/** What happens to a share of all messages from now on. */
export interface Chance {
  readonly share: number;
  readonly seed: Seed;
}

/** The ranks of the nodes to which a node sends nothing, and of those from which it receives nothing. */
export interface Cuts {
  readonly to: readonly string[];
  readonly from: readonly string[];
}

/** What can happen to messages by chance. */
export const CHANCES = ['lose', 'duplicate'] as const;
export type ChanceName = (typeof CHANCES)[number];

export class Links {
  readonly #rank: Rank;
  readonly #life: number;
  #lostTo: ReadonlySet<string> = new Set();
  #lostFrom: ReadonlySet<string> = new Set();
  readonly #chances = new Map<ChanceName, { readonly share: number; readonly random: Random }>();

  /** `life` is the number of the node's life, so that each life loses other messages. */
  constructor(rank: Rank, life: number) {
    this.#rank = rank;
    this.#life = life;
  }

  /** Loses all messages to and from the nodes with these ranks, and no others. */
  cut({ to, from }: Cuts): void {
    this.#lostTo = new Set(to);
    this.#lostFrom = new Set(from);
  }

  /** Replaces an earlier chance of this name. */
  take(name: ChanceName, { share, seed }: Chance): void {
    const random = createRandom(seed, 'live', name, String(this.#rank), this.#life);
    this.#chances.set(name, { share, random });
  }

  /** Whether a partition lets messages to this node pass. */
  reaches(rank: Rank): boolean {
    return !this.#lostTo.has(String(rank));
  }

  /** Whether a partition lets messages from this node pass. */
  receivesFrom(rank: Rank): boolean {
    return !this.#lostFrom.has(String(rank));
  }

  /** Whether a partition lets messages pass in both directions. */
  connects(rank: Rank): boolean {
    return this.reaches(rank) && this.receivesFrom(rank);
  }

  /** Whether one message to this node, or to the store, passes. Each call is about another message. */
  passes(rank: Rank): boolean {
    return this.reaches(rank) && !this.#isDrawn('lose');
  }

  /** Whether one message from the store passes. Each call is about another message. */
  arrives(rank: Rank): boolean {
    return this.receivesFrom(rank) && !this.#isDrawn('lose');
  }

  /** How often one message to this node arrives. */
  copies(rank: Rank): number {
    const copies = this.#isDrawn('duplicate') ? [0, 0] : [0];
    return copies.filter(() => this.passes(rank)).length;
  }

  #isDrawn(name: ChanceName): boolean {
    const chance = this.#chances.get(name);
    return chance !== undefined && chance.random.unit() < chance.share;
  }
}
