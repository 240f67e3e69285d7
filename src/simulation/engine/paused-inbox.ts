/**
 * @module
 * The paused inbox: messages that arrived at paused nodes. When a node resumes, its messages are due at once,
 * in the order of their arrival, before all other events.
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
  /** Messages in the inbox, waiting or due. */
  readonly count: number;
  /** Whether a message is due. */
  readonly isDue: boolean;
  /** From now on, messages to this node wait. */
  open(node: SimulatedNode): void;
  /** Keeps a message if its node is paused. Returns whether it was kept. */
  keep(arrival: Arrival): boolean;
  /** The node resumes: its messages are due. */
  release(node: SimulatedNode): void;
  /** The node crashed: removes and returns its messages. */
  discard(node: SimulatedNode): readonly Arrival[];
  /** Delivers at most `eventsMax` due messages. Returns their number. */
  deliver(eventsMax: number, arrive: (arrival: Arrival) => void): number;
}

export function createPausedInbox(): PausedInbox {
  const waiting = new Map<SimulatedNode, Arrival[]>();
  let due: Arrival[] = [];
  let taken = 0;
  let count = 0;
  const discard = (node: SimulatedNode) => {
    const arrivals = waiting.get(node) ?? [];
    waiting.delete(node);
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
    open: (node) => waiting.set(node, []),
    keep(arrival) {
      const others = waiting.get(arrival.to);
      if (others === undefined) return false;
      others.push(arrival);
      count += 1;
      return true;
    },
    release(node) {
      const arrivals = discard(node);
      due = [...due.slice(taken), ...arrivals];
      taken = 0;
      count += arrivals.length;
    },
    discard,
    deliver(eventsMax, arrive) {
      const arrivals = due.slice(taken, taken + eventsMax);
      for (const arrival of arrivals) {
        taken += 1;
        count -= 1;
        arrive(arrival);
      }
      return arrivals.length;
    },
  };
}
