/**
 * @module
 * One node as the fast path keeps it: what a delivery touches, side by side in memory. With arrays
 * by rank instead, Chang–Roberts on 200 000 nodes waited for memory most of the time; nodes are laid
 * out in the order in which messages walk through them (bench/simulation.ts).
 */

import type { Cast } from '../election/cast.ts';
import { fromRank } from '../election/cast.ts';
import type { Json, Rank, Self } from '../election/machine.ts';
import type { AnyMachine } from '../election/registry.ts';

export interface Seat {
  /** The rank as a number. */
  readonly position: number;
  readonly rank: Rank;
  readonly self: Self;
  readonly machine: AnyMachine;
  /** Null while the node is down. */
  state: Json;
  up: boolean;
  /** Whom it follows; 0 for nobody. */
  leader: number;
  persisted: Json;
  /** Where most messages of a ring go, and when the last of them arrives. */
  successor: Seat | null;
  successorArrival: number;
}

/** The seats of a cast, in the order of `seating` (every rank once). */
export function createSeats(cast: Cast, seating: readonly number[]): readonly Seat[] {
  const seats = seating.map((position) => createSeat(cast, position));
  const ofRank = indexSeats(seats);
  for (const seat of seats) {
    const [next] = seat.self.successors;
    seat.successor = (next === undefined ? undefined : ofRank[fromRank(next) - 1]) ?? null;
  }
  return seats;
}

/** The same seats by rank (index rank − 1). */
export function indexSeats(seats: readonly Seat[]): readonly Seat[] {
  const ofRank = [...seats];
  for (const seat of seats) ofRank[seat.position - 1] = seat;
  return ofRank;
}

function createSeat(cast: Cast, position: number): Seat {
  const self = cast.selfOf(position);
  const machine = cast.machineOf(position);
  return {
    position,
    rank: self.rank,
    self,
    machine,
    state: machine.init(self),
    up: true,
    leader: self.incumbent === null ? 0 : fromRank(self.incumbent),
    persisted: null,
    successor: null,
    successorArrival: 0,
  };
}
