/**
 * @module
 * An election of a guide after some number of its events, and the conditions that sentences have on it. All of them
 * read the events alone, in the form in which the server states them.
 */

import type { NodeThen } from '../elections/timeline/moment.ts';
import { Moments } from '../elections/timeline/moment.ts';
import type { ElectionEvent } from '../elections/timeline/timeline.ts';
import { Timeline } from '../elections/timeline/timeline.ts';

/** A message that was sent. */
interface Sent {
  readonly from: number;
  readonly to: number;
  /** The event that sent it. */
  readonly sentIn: number;
  readonly content: Readonly<Record<string, unknown>>;
  /** The event in which it arrived or was lost; null while it is in flight. */
  readonly end: ElectionEvent | null;
}

export interface ElectionMoment {
  readonly events: readonly ElectionEvent[];
  /** By rank. */
  readonly nodes: readonly NodeThen[];
  /** All messages that were sent so far. */
  readonly sent: () => readonly Sent[];
}

export type Condition = (moment: ElectionMoment) => boolean;

/** The nodes of an election before its first event. */
export interface FirstNodes {
  readonly ranks: number;
  readonly down: readonly number[];
}

/** The moments of an election: before its first event, and after each. */
export function momentsOf(events: readonly ElectionEvent[], nodes: FirstNodes): ElectionMoment[] {
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);
  const states = new Moments(timeline, nodes.ranks, nodes.down);
  return Array.from({ length: events.length + 1 }, (_, count) => {
    const before = events.slice(0, count);
    let sent: readonly Sent[] | null = null;
    return { events: before, nodes: states.at(count), sent: () => (sent ??= sentIn(before)) };
  });
}

function sentIn(events: readonly ElectionEvent[]): Sent[] {
  const ends = new Map(events.map((event) => [event.action['message'], event]));
  return events.flatMap(({ seq, node, effects }) =>
    effects.flatMap(({ type, id, to, message, operation }) => {
      const content = message ?? operation;
      if ((type !== 'send' && type !== 'call') || typeof content !== 'object') return [];
      const end = ends.get(id) ?? null;
      return [{ from: Number(node), to: Number(to), sentIn: seq, content: { ...content }, end }];
    }),
  );
}

/** Members that a message has, with `from` and `to`. A list states the values that are allowed. */
export type Pattern = Readonly<Record<string, unknown>>;

function matches({ from, to, content }: Sent, pattern: Pattern): boolean {
  const members: Pattern = { ...content, from, to };
  return Object.entries(pattern).every(([name, expected]) =>
    Array.isArray(expected) ? expected.includes(members[name]) : members[name] === expected,
  );
}

/** All of the conditions hold. */
export function all(...conditions: readonly Condition[]): Condition {
  return (moment) => conditions.every((condition) => condition(moment));
}

export function not(condition: Condition): Condition {
  return (moment) => !condition(moment);
}

/** Nothing has happened yet. */
export const before: Condition = ({ events }) => events.length === 0;

/** At least `count` messages of this pattern were sent. */
export function sent(pattern: Pattern, count = 1): Condition {
  return (moment) => moment.sent().filter((each) => matches(each, pattern)).length >= count;
}

/** Exactly this number of messages was sent. */
export function sentInAll(count: number): Condition {
  return (moment) => moment.sent().length === count;
}

/** Every message so far has this pattern. */
export function sentOnly(pattern: Pattern): Condition {
  return (moment) => moment.sent().every((each) => matches(each, pattern));
}

/** The events in which messages of this pattern arrived, with the messages. */
function arrivals(moment: ElectionMoment, pattern: Pattern) {
  return moment.sent().flatMap((each) => {
    const { end } = each;
    if (end?.event !== 'message.delivered' || !matches(each, pattern)) return [];
    return [{ content: each.content, event: end }];
  });
}

/** At least one message of this pattern arrived. */
export function arrived(pattern: Pattern): Condition {
  return (moment) => arrivals(moment, pattern).length > 0;
}

/** A message of this pattern was refused for this reason, and none was accepted. */
export function refused(reason: string, pattern: Pattern): Condition {
  return (moment) => {
    const found = arrivals(moment, pattern);
    return found.length > 0 && found.every(({ event }) => event.refused === reason);
  };
}

/** What follows from the arrival of a message: each node that received one of this pattern passes the test. */
export function answered(
  pattern: Pattern,
  test: (event: ElectionEvent, content: Pattern) => boolean,
): Condition {
  return (moment) => arrivals(moment, pattern).every(({ event, content }) => test(event, content));
}

/** Messages are in flight, and all of them have this pattern. */
export function inFlightOnly(pattern: Pattern): Condition {
  return (moment) => {
    const flying = moment.sent().filter(({ end }) => end === null);
    return flying.length > 0 && flying.every((each) => matches(each, pattern));
  };
}

/** Whether the node sent a message of this pattern in the event. */
export function sends(event: ElectionEvent, pattern: Pattern): boolean {
  return sentIn([event]).some((each) => matches(each, pattern));
}

/** A node has started the election. */
export function started(rank: number): Condition {
  return ({ events }) =>
    events.some(({ event, node }) => event === 'node.started' && node === rank);
}

/** All of these nodes are up and follow this leader; 0 is none. */
export function follow(ranks: readonly number[], leader: number): Condition {
  return ({ nodes }) => ranks.every((rank) => nodes[rank]?.isUp && nodes[rank].follows === leader);
}

/** At least one of these nodes follows this leader. */
export function someFollow(ranks: readonly number[], leader: number): Condition {
  return ({ nodes }) => ranks.some((rank) => nodes[rank]?.follows === leader);
}

export function leads(rank: number): Condition {
  return follow([rank], rank);
}

export function isDown(rank: number): Condition {
  return ({ nodes }) => nodes[rank]?.isUp === false;
}

export function isPaused(rank: number): Condition {
  return ({ nodes }) => nodes[rank]?.isPaused === true;
}

/** A node was paused, and is no longer. */
export function hasResumed(rank: number): Condition {
  return ({ events }) =>
    events.some(({ event, node }) => event === 'node.resumed' && node === rank);
}
