/**
 * @module
 * Which reports of the perfect failure detector are open in a packed world: those of crashes to nodes that have not
 * received them. No detector reports a node that has not joined.
 */

import { codeOf, KIND, valueIn } from '../action-codes.ts';
import type { Instance } from '../instance.ts';
import type { Layout } from '../layout.ts';
import { hasBit } from '../layout.ts';
import type { LocalFacts } from '../local-steps.ts';

export class Reports {
  readonly #nodes: number;
  readonly #layout: Layout;
  readonly #factsAt: (words: Uint16Array, rank: number) => LocalFacts;
  readonly #isAbsent: (words: Uint16Array, rank: number) => boolean;
  readonly #pending: number[] = [];

  constructor(
    { cast }: Instance,
    layout: Layout,
    parts: {
      readonly factsAt: (words: Uint16Array, rank: number) => LocalFacts;
      readonly isAbsent: (words: Uint16Array, rank: number) => boolean;
    },
  ) {
    this.#nodes = cast.nodes;
    this.#layout = layout;
    this.#factsAt = parts.factsAt;
    this.#isAbsent = parts.isAbsent;
  }

  /** Appends the codes of the open reports to nodes that are awake. */
  append(words: Uint16Array, codes: number[]): void {
    const { reports } = this.#layout;
    if (reports < 0) return;
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      const { up, paused } = this.#factsAt(words, rank);
      if (!up || paused) continue;
      for (let about = 1; about <= this.#nodes; about += 1) {
        if (about === rank || hasBit(words, reports + rank - 1, about)) continue;
        if (this.#factsAt(words, about).up || this.#isAbsent(words, about)) continue;
        codes.push(codeOf(KIND.suspect, rank, about));
      }
    }
  }

  /** Appends the reports that remain of a crash. Under synchronous timing all nodes get them in the same tick. */
  appendBegun(words: Uint16Array, codes: number[]): void {
    if (!this.#isAnyReported(words)) return;
    const pending = this.#pending;
    pending.length = 0;
    this.append(words, pending);
    for (const code of pending) if (this.#isReported(words, valueIn(code))) codes.push(code);
  }

  /** Whether some awake node has an open report. */
  isOpen(words: Uint16Array): boolean {
    this.#pending.length = 0;
    this.append(words, this.#pending);
    return this.#pending.length > 0;
  }

  #isAnyReported(words: Uint16Array): boolean {
    const { reports } = this.#layout;
    if (reports < 0) return false;
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      if (words[reports + rank - 1] !== 0) return true;
    }
    return false;
  }

  /** Whether the crash of a node was reported to some node. */
  #isReported(words: Uint16Array, about: number): boolean {
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      if (rank !== about && hasBit(words, this.#layout.reports + rank - 1, about)) return true;
    }
    return false;
  }
}
