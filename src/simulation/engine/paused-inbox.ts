/**
 * @module
 * Messages that have arrived at a paused node: they wait until it resumes, and then all are due at
 * once, before anything else, in the order in which they arrived.
 */

import type { Message, Rank } from '../../election/machine.ts';

import type { SimulatedNode } from './simulated-node.ts';

export interface Arrival {
  readonly id: number;
  readonly from: Rank;
  readonly to: SimulatedNode;
  readonly message: Message;
}

export interface PausedInbox {
  /** Messages here, whether they wait or are due. */
  readonly count: number;
  /** Whether a message is due. */
  readonly isDue: boolean;
  /** From now on messages for this node wait. */
  open(seat: SimulatedNode): void;
  /** Keeps a message if its node is paused, and says whether it did. */
  keep(arrival: Arrival): boolean;
  /** The node resumes: its messages are due. */
  release(seat: SimulatedNode): void;
  /** The node crashed: takes its messages away. */
  discard(seat: SimulatedNode): readonly Arrival[];
  /** Hands over what is due, at most `eventsMax` messages; answers how many. */
  handOver(eventsMax: number, arrive: (arrival: Arrival) => void): number;
}

export function createPausedInbox(): PausedInbox {
  const waiting = new Map<SimulatedNode, Arrival[]>();
  let due: Arrival[] = [];
  let taken = 0;
  let count = 0;
  const discard = (seat: SimulatedNode) => {
    const arrivals = waiting.get(seat) ?? [];
    waiting.delete(seat);
    count -= arrivals.length;
    return arrivals;
  };
  return {
    get count() {
      return count;
    },
    get isDue() {
      return taken < due.length;
    },
    open: (seat) => waiting.set(seat, []),
    keep(arrival) {
      const others = waiting.get(arrival.to);
      if (others === undefined) return false;
      others.push(arrival);
      count += 1;
      return true;
    },
    release(seat) {
      const arrivals = discard(seat);
      due = [...due.slice(taken), ...arrivals];
      taken = 0;
      count += arrivals.length;
    },
    discard,
    handOver(eventsMax, arrive) {
      let events = 0;
      for (; events < eventsMax; events += 1) {
        const arrival = due[taken];
        if (arrival === undefined) break;
        taken += 1;
        count -= 1;
        arrive(arrival);
      }
      return events;
    },
  };
}
