/**
 * @module
 * This folder contains the parts of packed worlds: messages, reports of the detector, and the environment.
 * The messages in flight of a packed world: which of them can move, and how they come and go. What is sent from one
 * side of a partition to the other is lost. What is in flight when the partition begins still arrives, as in the
 * simulator.
 */

import { TooManyValuesError } from '../interner.ts';
import type { Layout, Packed } from '../layout.ts';
import { WORDS_MAX } from '../layout.ts';
import type { LocalSteps } from '../local-steps.ts';

export class Flights {
  readonly #steps: LocalSteps;
  readonly #fixed: number;
  readonly #split: number;
  readonly #isFifo: boolean;

  constructor(steps: LocalSteps, { fixed, split }: Layout, isFifo: boolean) {
    this.#steps = steps;
    this.#fixed = fixed;
    this.#split = split;
    this.#isFifo = isFifo;
  }

  /** Whether the message at this word is the first of its link, or the first of equal ones without FIFO. */
  isHead(words: Uint16Array, at: number): boolean {
    if (at === this.#fixed) return true;
    const message = words[at] ?? 0;
    const before = words[at - 1] ?? 0;
    const { links } = this.#steps;
    return this.#isFifo ? links[message] !== links[before] : message !== before;
  }

  recipientOf(message: number): number {
    return (this.#steps.links[message] ?? 0) & 15;
  }

  /** Whether messages that are sent now on this link are lost. */
  isSplit(words: Uint16Array, from: number, to: number): boolean {
    if (this.#split < 0) return false;
    const side = words[this.#split] ?? 0;
    return (((side >>> (from - 1)) ^ (side >>> (to - 1))) & 1) !== 0;
  }

  /** A node sends a message. */
  send(target: Packed, message: number): void {
    const link = this.#steps.links[message] ?? 0;
    if (this.#split >= 0 && this.isSplit(target.words, link >>> 4, link & 15)) return;
    this.put(target, message);
  }

  put(target: Packed, message: number): void {
    const { words, length } = target;
    if (length >= WORDS_MAX)
      throw new TooManyValuesError(`more than ${WORDS_MAX} words in a world`);
    const { links } = this.#steps;
    const link = links[message] ?? 0;
    let at = length;
    for (; at > this.#fixed; at -= 1) {
      const before = words[at - 1] ?? 0;
      if (this.#isFifo ? (links[before] ?? 0) <= link : before <= message) break;
      words[at] = before;
    }
    words[at] = message;
    target.length = length + 1;
  }

  take(target: Packed, message: number): void {
    const { words, length } = target;
    let at = this.#fixed;
    while (at < length && words[at] !== message) at += 1;
    if (at === length) throw new RangeError(`"message" expected one in flight, got ${message}`);
    for (; at < length - 1; at += 1) words[at] = words[at + 1] ?? 0;
    target.length = length - 1;
  }
}
