/**
 * @module
 * Where messages are between their sender and their recipient, after some number of events. A message leaves its
 * sender with the event that sends it. It is at its recipient in the event in which it ends, and is gone after it.
 */

import type { MessageRow, Timeline } from '../timeline/timeline.ts';

/** A message on its way. */
export interface Travelling {
  /** The index of the message in the history. */
  readonly message: number;
  /** The places of its sender and its recipient among the groups of nodes. */
  readonly from: number;
  readonly to: number;
  /** Index of its type in the history. */
  readonly type: number;
  /** The part of its way that is behind it, up to 1. */
  readonly way: number;
  /** What becomes of it in the event that is shown; `in flight` before. */
  readonly fate: MessageRow['fate'];
}

/** More messages would hide each other. */
export const TRAVELLING_MAX = 120;
/** Messages that are looked at, the newest first. One that is in flight for longer than all of these is not shown. */
const LOOKED_AT_MAX = 4_096;
/** Events after which a message whose end is not known is half way. */
const HALF_WAY_EVENTS = 4;

/** The messages on their way after the first `position` events, the newest first. */
export function travellingAt(
  timeline: Timeline,
  position: number,
  slots: Int32Array,
): readonly Travelling[] {
  if (position === 0) return [];
  const [, sent] = timeline.sentBy(position - 1);
  const travelling: Travelling[] = [];
  const last = Math.max(0, sent - LOOKED_AT_MAX);
  for (let message = sent - 1; message >= last; message -= 1) {
    const end = timeline.endOf(message);
    if (end >= 0 && end < position - 1) continue;
    const row = timeline.message(message);
    const [from, to] = [slots[row.from] ?? -1, slots[row.to] ?? -1];
    if (from < 0 || to < 0 || from === to) continue;
    const fate = end === position - 1 ? row.fate : 'in flight';
    travelling.push({ message, from, to, type: row.type, way: wayOf(row, position), fate });
    if (travelling.length === TRAVELLING_MAX) break;
  }
  return travelling;
}

/**
 * The part of its way, in [0, 1), that a message has gone. It grows with every event, and more slowly with each of them if
 * the end of the message is not known.
 */
function wayOf({ sent, ended }: MessageRow, position: number): number {
  const passed = position - sent;
  return ended === null ? passed / (passed + HALF_WAY_EVENTS) : passed / (ended + 1 - sent);
}
