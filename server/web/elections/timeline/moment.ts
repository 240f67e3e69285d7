/**
 * @module
 * The nodes as they were after any number of events. Checkpoints are kept at regular distances. The events after a
 * checkpoint are folded again.
 */

import type { Timeline } from './timeline.ts';

/** A node after some number of events. */
export interface NodeThen {
  readonly isUp: boolean;
  readonly isPaused: boolean;
  /** The rank of its leader; 0 for none. */
  readonly follows: number;
}

/** Events between two checkpoints. */
const STRIDE = 4_096;
const DOWN = 1;
const PAUSED = 2;

interface States {
  readonly flags: Uint8Array;
  readonly follows: Int16Array;
}

export class Moments {
  readonly #timeline: Timeline;
  readonly #ranks: number;
  /** Ranks that are down before the first event. */
  readonly #downAtFirst: readonly number[];
  readonly #checkpoints: States[] = [];

  constructor(timeline: Timeline, ranks: number, downAtFirst: readonly number[]) {
    this.#timeline = timeline;
    this.#ranks = ranks;
    this.#downAtFirst = downAtFirst;
  }

  /** The nodes after the first `count` events, by rank; index 0 is not used. */
  at(count: number): NodeThen[] {
    const states = this.#statesAt(count);
    return Array.from({ length: this.#ranks + 1 }, (_, rank) => {
      const flags = states.flags[rank] ?? 0;
      return {
        isUp: (flags & DOWN) === 0,
        isPaused: (flags & PAUSED) !== 0,
        follows: states.follows[rank] ?? 0,
      };
    });
  }

  #statesAt(count: number): States {
    const checkpoint = Math.floor(count / STRIDE);
    while (this.#checkpoints.length <= checkpoint) this.#addCheckpoint();
    const states = copyOf(this.#checkpoints[checkpoint] ?? this.#first());
    this.#fold(states, checkpoint * STRIDE, count);
    return states;
  }

  #addCheckpoint(): void {
    const number = this.#checkpoints.length;
    const before = this.#checkpoints.at(-1);
    const states = before === undefined ? this.#first() : copyOf(before);
    if (before !== undefined) this.#fold(states, (number - 1) * STRIDE, number * STRIDE);
    this.#checkpoints.push(states);
  }

  #first(): States {
    const flags = new Uint8Array(this.#ranks + 1);
    for (const rank of this.#downAtFirst) flags[rank] = DOWN;
    return { flags, follows: new Int16Array(this.#ranks + 1) };
  }

  #fold({ flags, follows }: States, first: number, next: number): void {
    for (let index = first; index < next; index += 1) {
      const event = this.#timeline.event(index);
      const { node, kind } = event;
      if (node === null || node > this.#ranks) continue;
      if (kind === 'node.crashed') {
        flags[node] = DOWN;
        follows[node] = 0;
      } else if (kind === 'node.recovered' || kind === 'node.joined') flags[node] = 0;
      else if (kind === 'node.paused') flags[node] = PAUSED;
      else if (kind === 'node.resumed') flags[node] = 0;
      if (event.follows !== null) follows[node] = event.follows;
    }
  }
}

function copyOf({ flags, follows }: States): States {
  return { flags: flags.slice(), follows: follows.slice() };
}
