/**
 * @module
 * What nodes that are played from outside were told and have not answered. A run keeps it beside its
 * machines, which know of it no more than a network knows of what is read. A node is awaited as long
 * as something is unanswered that it was told, unless nobody waits for it.
 */

import type { Event, Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';

/** Unanswered events of one node; older ones are lost. */
export const INBOX_EVENTS_MAX = 1_000;

/** What a node was told. */
export interface InboxEvent {
  /** From 1, without gaps. */
  readonly number: number;
  /** Ticks of virtual time. */
  readonly at: number;
  readonly event: Event<Message>;
}

export interface InboxView {
  /** Those that are not answered and not lost, by number. */
  readonly events: readonly InboxEvent[];
  /** How many were unanswered when there was no room for them any more. */
  readonly lost: number;
  /** Up to which number all are answered; 0 before any. */
  readonly answered: number;
}

export interface Inboxes {
  /** From now on this place is played from outside. */
  open(rank: number, waits: boolean): void;
  has(rank: number): boolean;
  note(rank: number, at: number, event: Event<Message>): void;
  /** Whether something is unanswered at this node. */
  isBehind(rank: number): boolean;
  // These throw LabError `arguments` for a place that is not played from outside.
  view(rank: number): InboxView;
  /** Events up to and with this number are answered; the node is awaited again. */
  answered(rank: number, through: number): void;
  /** Nobody waits for this node until it answers. */
  lapse(rank: number): void;
  /** Whether any node that is up is awaited. */
  isAwaiting(): boolean;
  /** The nodes that are, ascending. */
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

/** Inboxes of nobody yet. */
export function createInboxes(isUp: (rank: number) => boolean): Inboxes {
  const boxes = new Map<number, Inbox>();
  // Asked after every event, while there are many boxes.
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
