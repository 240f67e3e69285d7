/**
 * @module
 * The members that a newcomer learns of from the answers of others. A member can name nodes that do not exist, so that each
 * must answer at its address first, as the newcomer itself must. One that does not is asked again, less and less often.
 */

import type { Presentation, Refused } from './membership.ts';
import { PEERS_MAX } from './peers.ts';

/** Members that wait for their first answer. More are forgotten: they are named again, or present themselves. */
const WAITING_MAX = 4 * PEERS_MAX;
/** Members that are asked at the same time. */
const ASKED_MAX = 32;
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;

interface Waiting {
  readonly presentation: Presentation;
  /** When it is asked next, in ms. */
  dueMs: number;
  waitMs: number;
  isAsked: boolean;
}

export class NamedMembers {
  readonly #admit: (presentation: Presentation) => Promise<Refused | null>;
  readonly #nowMs: () => number;
  /** By key and address: a member can name another address of a node. */
  readonly #waiting = new Map<string, Waiting>();

  /** `admit` asks a node at its address, and admits it or says why not. */
  constructor(admit: (presentation: Presentation) => Promise<Refused | null>, nowMs: () => number) {
    this.#admit = admit;
    this.#nowMs = nowMs;
  }

  /** Whether every member that was named was asked once. */
  get areAsked(): boolean {
    return [...this.#waiting.values()].every(({ waitMs }) => waitMs > 0);
  }

  /** Notes what one member has named, and asks the new ones. */
  note(presentations: readonly Presentation[]): void {
    for (const presentation of presentations.slice(0, PEERS_MAX)) {
      const name = `${presentation.claim.publicKey} ${presentation.url}`;
      if (this.#waiting.has(name) || this.#waiting.size >= WAITING_MAX) continue;
      const dueMs = this.#nowMs();
      this.#waiting.set(name, { presentation, dueMs, waitMs: 0, isAsked: false });
    }
    this.askDue();
  }

  /** Asks those that are due, some at a time. */
  askDue(): void {
    let asked = [...this.#waiting.values()].filter(({ isAsked }) => isAsked).length;
    for (const [name, waiting] of this.#waiting) {
      if (asked >= ASKED_MAX) return;
      if (waiting.isAsked || waiting.dueMs > this.#nowMs()) continue;
      asked += 1;
      void this.#ask(name, waiting);
    }
  }

  async #ask(name: string, waiting: Waiting): Promise<void> {
    waiting.isAsked = true;
    const refused = await this.#admit(waiting.presentation);
    waiting.isAsked = false;
    if (refused?.fault === 'silent') {
      waiting.waitMs = Math.min(AGAIN_MS_MAX, Math.max(AGAIN_MS, 2 * waiting.waitMs));
      waiting.dueMs = this.#nowMs() + waiting.waitMs;
    } else this.#waiting.delete(name);
    this.askDue();
  }
}
