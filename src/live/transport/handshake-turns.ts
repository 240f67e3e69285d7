/**
 * @module
 * The order in which parts of handshakes are read, and what strangers send after them: one part in each turn of the event
 * loop, so that what members send is read between them. Parts from the addresses of members come first. Those of all other addresses together have a bounded CPU
 * time, in which the addresses take turns.
 */

import { Buckets } from './work-budget.ts';

/** CPU time of what is read from addresses that are no member's, in ms. */
export const STRANGER_CPU_MS = { most: 250, perSecond: 250 };

/** A part of what was sent that waits to be read. */
export interface Part {
  readonly address: string;
  readonly isOver: () => boolean;
  readonly read: () => void;
  /** Receives the CPU time that it took, in ms. */
  readonly took: (cpuMs: number) => void;
}

interface HandshakeHooks {
  readonly isMemberAt: (address: string) => boolean;
  /** In ms. */
  readonly now: () => number;
  /** The CPU time that this thread has used, in ms. */
  readonly cpuMs: () => number;
}

const ALL = 'strangers';

export class HandshakeTurns {
  readonly #hooks: HandshakeHooks;
  readonly #time: Buckets;
  readonly #ofMembers: Part[] = [];
  /** By address, in the order of their turns. None is empty. */
  readonly #ofStrangers = new Map<string, Part[]>();
  #isScheduled = false;
  /** Whether parts of strangers wait for CPU time. */
  #isWaiting = false;

  constructor(hooks: HandshakeHooks) {
    this.#hooks = hooks;
    this.#time = new Buckets(STRANGER_CPU_MS, hooks.now);
  }

  /** Reads the part when it is its turn, unless its connection is over by then. */
  push(part: Part): void {
    const { address } = part;
    if (this.#hooks.isMemberAt(address)) this.#ofMembers.push(part);
    else {
      const parts = this.#ofStrangers.get(address) ?? [];
      parts.push(part);
      this.#ofStrangers.set(address, parts);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#readOne();
    });
  }

  /** A part of a member that comes meanwhile does not wait. */
  #scheduleIn(waitMs: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#schedule();
    }, waitMs).unref();
  }

  #readOne(): void {
    const mayRead = this.#time.waitMs(ALL) === 0;
    const part = taken(this.#ofMembers) ?? (mayRead ? this.#ofNextStranger() : undefined);
    if (part !== undefined) this.#read(part);
    const waitMs = this.#time.waitMs(ALL);
    if (this.#ofMembers.length > 0) this.#schedule();
    else if (this.#ofStrangers.size > 0 && waitMs > 0) this.#scheduleIn(waitMs);
    else if (this.#ofStrangers.size > 0) this.#schedule();
  }

  #read({ address, read, took }: Part): void {
    const { cpuMs, isMemberAt } = this.#hooks;
    const before = cpuMs();
    read();
    const used = cpuMs() - before;
    took(used);
    if (!isMemberAt(address)) this.#time.owe(ALL, used);
  }

  #ofNextStranger(): Part | undefined {
    for (const [address, parts] of this.#ofStrangers) {
      const part = taken(parts);
      this.#ofStrangers.delete(address);
      if (parts.length > 0) this.#ofStrangers.set(address, parts);
      if (part !== undefined) return part;
    }
    return undefined;
  }
}

/** Takes the first part whose connection is not over. */
function taken(parts: Part[]): Part | undefined {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (!part.isOver()) return part;
  }
  return undefined;
}
