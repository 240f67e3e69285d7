/**
 * @module
 * One node as the fast path keeps it: what a delivery touches, side by side in memory, and nodes in
 * the order in which messages walk through them. Waiting for memory is most of the cost of a large
 * ring: Chang–Roberts on 200 000 nodes did 2.5 M messages/s with arrays by rank, 4.4 M/s with seats
 * (bench/simulation.ts).
 */

import type { Cast } from '../../election/cast.ts';
import { fromRank } from '../../election/cast.ts';
import type { Json, Rank, Self } from '../../election/machine.ts';
import type { AnyMachine } from '../../election/protocol.ts';

export interface Seat {
  readonly machine: AnyMachine;
  /** Changes with the membership alone. */
  self: Self;
  /** Null while the node is down. */
  state: Json;
  /** A node that is paused is up, and takes nothing until it resumes. */
  mode: 'awake' | 'paused' | 'down';
  readonly rank: Rank;
  /** Where most messages of a ring go, and when the last of them arrives. */
  successorRank: Rank;
  successor: Seat | null;
  successorArrival: number;
  // From here on nothing that every delivery needs.
  /** The rank as a number. */
  readonly position: number;
  /** Whom it follows; 0 for nobody. */
  leader: number;
  /** In which epoch; 0 for none. */
  epoch: number;
  persisted: Json;
}

/** The seats of a cast, in the order of `seating` (every rank once), and its store last. */
export function createSeats(cast: Cast, seating: readonly number[]): readonly Seat[] {
  const places = cast.store === null ? seating : [...seating, cast.store];
  const seats = places.map((position) => createSeat(cast, position));
  linkSeats(seats, indexSeats(seats));
  return seats;
}

/** Somebody has become a member: everybody is told by a new `self`. */
export function reseat(cast: Cast, ofRank: readonly Seat[]): void {
  for (const seat of ofRank) {
    seat.self = cast.selfOf(seat.position);
    seat.successorRank = seat.self.successors[0] ?? seat.rank;
  }
  linkSeats(ofRank, ofRank);
}

function linkSeats(seats: readonly Seat[], ofRank: readonly Seat[]): void {
  for (const seat of seats) seat.successor = ofRank[fromRank(seat.successorRank) - 1] ?? null;
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
    machine,
    self,
    state: machine.init(self),
    mode: 'awake',
    rank: self.rank,
    successorRank: self.successors[0] ?? self.rank,
    successor: null,
    successorArrival: 0,
    position,
    // The incumbent is dead and was never seen to lead: that it is taken down is no leader's end.
    leader: self.incumbent === null || self.incumbent === self.rank ? 0 : fromRank(self.incumbent),
    epoch: 0,
    persisted: null,
  };
}
