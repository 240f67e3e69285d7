/**
 * @module
 * What a property must remember of the past: which node led each epoch. Its states are numbered like local states,
 * and are part of the world, so that two worlds with different pasts are different worlds.
 */

import { Interner } from './interner.ts';

/** Leaders by epoch, ascending. */
type Led = readonly (readonly [epoch: number, leader: number])[];

export interface Monitor {
  /** The state after a node begins to lead itself in an epoch. */
  next(state: number, rank: number, epoch: number): number;
  /** Two leaders of one epoch in a state; null if there are none. */
  breachOf(state: number): EpochBreach | null;
}

export interface EpochBreach {
  readonly epoch: number;
  readonly ranks: readonly [number, number];
}

/** A monitor of the leaders of epochs, 0 being no epoch. Its first state is 0. `ranks` are those that count. */
export function createEpochMonitor(ranks: ReadonlySet<number>): Monitor {
  const states = new Interner<Led>();
  states.numberOf([]);
  return {
    next(state, rank, epoch) {
      if (epoch === 0 || !ranks.has(rank)) return state;
      const led = states.valueOf(state);
      if (led.some(([each, leader]) => each === epoch && leader === rank)) return state;
      const after = [...led, [epoch, rank] as const];
      return states.numberOf(
        after.toSorted((left, right) => left[0] - right[0] || left[1] - right[1]),
      );
    },
    breachOf(state) {
      const led = states.valueOf(state);
      for (const [index, [epoch, leader]] of led.entries()) {
        const next = led[index + 1];
        if (next !== undefined && next[0] === epoch) return { epoch, ranks: [leader, next[1]] };
      }
      return null;
    },
  };
}
