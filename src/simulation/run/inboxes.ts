/**
 * @module
 * The events that nodes from outside have received and not answered. They are kept beside the machines, which
 * do not know of them. The run waits for a node with an unanswered event, unless the node has lapsed.
 */

import type { Event, Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';

/** Unanswered events of one node; older ones are lost. */
export const INBOX_EVENTS_MAX = 1_000;

/** An event that a node received. */
export interface InboxEvent {
  /** From 1, without gaps. */
  readonly number: number;
  /** Ticks of virtual time. */
  readonly at: number;
  readonly event: Event<Message>;
}

export interface InboxView {
  /** Unanswered events that are not lost, by number. */
  readonly events: readonly InboxEvent[];
  /** Number of unanswered events that were removed because the inbox was full. */
  readonly lost: number;
  /** The last answered number; 0 before any. */
  readonly answered: number;
}

export interface Inboxes {
  /** From now on this node is played from outside. */
  open(rank: number, waits: boolean): void;
  has(rank: number): boolean;
  note(rank: number, at: number, event: Event<Message>): void;
  /** Whether this node has an unanswered event. */
  isBehind(rank: number): boolean;
  // These throw LabError `arguments` for a node that is not played from outside.
  view(rank: number): InboxView;
  /** Events up to and including this number are answered; the run waits for the node again. */
  answered(rank: number, through: number): void;
  /** The run does not wait for this node until it answers. */
  lapse(rank: number): void;
  /** Whether the run waits for a live node. */
  isAwaiting(): boolean;
  /** The live nodes that the run waits for, ascending. */
  awaiting(): readonly number[];
}

interface Inbox {
  readonly waits: boolean;
  isLapsed: boolean;
  last: number;
  lost: number;
  answered: number;
  events: InboxEvent[];
}

/** Without any inbox. */
export function createInboxes(isUp: (rank: number) => boolean): Inboxes {
  const boxes = new Map<number, Inbox>();
  // It is read after every event, and there are many boxes.
  const awaited = new Set<number>();
  const boxOf = (rank: number): Inbox => {
    const box = boxes.get(rank);
    if (box !== undefined) return box;
    throw new LabError('arguments', `node ${rank} is not played from outside`);
  };
  const judge = (rank: number, { waits, isLapsed, events }: Inbox) => {
    if (waits && !isLapsed && events.length > 0) awaited.add(rank);
    else awaited.delete(rank);
  };
  const awaiting = () => [...awaited].filter(isUp).sort((one, other) => one - other);
  return {
    open(rank, waits) {
      boxes.set(rank, { waits, isLapsed: false, last: 0, lost: 0, answered: 0, events: [] });
    },
    has: (rank) => boxes.has(rank),
    note(rank, at, event) {
      const box = boxOf(rank);
      box.last += 1;
      box.events.push({ number: box.last, at, event });
      if (box.events.length > INBOX_EVENTS_MAX) {
        box.events.shift();
        box.lost += 1;
      }
      judge(rank, box);
    },
    isBehind: (rank) => (boxes.get(rank)?.events.length ?? 0) > 0,
    view(rank) {
      const { events, lost, answered } = boxOf(rank);
      return { events: [...events], lost, answered };
    },
    answered(rank, through) {
      const box = boxOf(rank);
      if (!Number.isSafeInteger(through) || through < 0 || through > box.last) {
        const detail = `through must be a whole number in 0..${box.last}, the events of node ${rank} so far, not ${through}`;
        throw new LabError('arguments', detail);
      }
      box.answered = Math.max(box.answered, through);
      box.events = box.events.filter(({ number }) => number > through);
      box.isLapsed = false;
      judge(rank, box);
    },
    lapse(rank) {
      const box = boxOf(rank);
      box.isLapsed = true;
      judge(rank, box);
    },
    isAwaiting: () => awaited.size > 0 && awaiting().length > 0,
    awaiting,
  };
}
