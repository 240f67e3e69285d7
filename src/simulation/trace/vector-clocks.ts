/**
 * @module
 * Vector clocks of a trace (Fidge 1988; Mattern 1989): one event happened before another exactly
 * when its clock is below the other's in every component. Whatever happens at a node is one event
 * of it, its sends included; a delivery knows what its message's sender knew. A detector's words
 * are local events, for no message carries them; a store's steps are events like a node's. A node's component counts on over crashes: its
 * events stay in one line.
 */

import { LabError } from '../../errors.ts';

import type { TraceRecord } from '../engine/trace.ts';
import type { TraceEvent } from './events.ts';
import { traceEvents } from './events.ts';

/** An event costs as many steps as there are nodes, and each node keeps as many numbers. */
export const CLOCK_NODES_LIMIT = 1_000;
/** Components above 0 of all clocks together; some 200 MB as JSON. */
export const CLOCK_COMPONENTS_LIMIT = 20_000_000;

/** Events by place, index place − 1: how many of that node's are this event or before it. */
export type VectorClock = ArrayLike<number>;

interface ClockOptions {
  /** The place of the store, which has a component behind those of the nodes; null without one. */
  readonly store?: number | null;
  readonly componentsMax?: number;
}

export interface ClockedEvent extends TraceEvent {
  /** For what the network does, that of the message's sending, since nobody learns of it. */
  readonly clock: VectorClock;
}

/**
 * The clock of every event of a whole trace, O(events × nodes). Throws LabError `job.size` for more
 * than `CLOCK_NODES_LIMIT` nodes at once, and while it runs beyond `componentsMax`.
 */
export function vectorClocks(
  records: Iterable<TraceRecord>,
  nodes: number,
  { store = null, componentsMax = CLOCK_COMPONENTS_LIMIT }: ClockOptions = {},
): Generator<ClockedEvent> {
  assertClockable(nodes);
  return clocked(records, store ?? nodes, componentsMax);
}

/** Throws LabError `job.size` unless so many nodes can have vector clocks. */
export function assertClockable(nodes: number): void {
  if (nodes <= CLOCK_NODES_LIMIT) return;
  const detail = `vector clocks are for ${CLOCK_NODES_LIMIT} nodes at most, not ${nodes}; only a trace in JSON lines can do without`;
  throw new LabError('job.size', detail);
}

/** A clock with the number of its components above 0. */
interface Stamp {
  readonly clock: VectorClock;
  readonly components: number;
}

function* clocked(
  records: Iterable<TraceRecord>,
  places: number,
  componentsMax: number,
): Generator<ClockedEvent> {
  const stamps = Array.from({ length: places }, () => {
    return { clock: new Uint32Array(places), known: 0 };
  });
  const carried = new Map<number, Stamp>();
  let components = 0;
  for (const event of traceEvents(records)) {
    const { node, flight, made, record } = event;
    const brought = flight === null ? null : (carried.get(flight.id) ?? null);
    let stamp = brought;
    if (node !== null) {
      const own = stamps[node - 1];
      if (own === undefined)
        throw new RangeError(`"nodes" expected ${node} or more, got ${places}`);
      own.known += advance(own.clock, node, brought);
      stamp = { clock: own.clock.slice(), components: own.known };
    }
    if (stamp === null)
      throw new RangeError(`"records" expected a node at ${record.seq}, got none`);
    components += stamp.components;
    if (components > componentsMax) throw tooMany(componentsMax);
    if (flight !== null && record.action.type !== 'duplicate') carried.delete(flight.id);
    for (const { id } of made) carried.set(id, stamp);
    yield { ...event, clock: stamp.clock };
  }
}

/**
 * Merges what was brought and counts one event of the node; answers how many components are new.
 */
function advance(own: Uint32Array, node: number, brought: Stamp | null): number {
  let fresh = 0;
  if (brought !== null) {
    for (let index = 0; index < own.length; index += 1) {
      const theirs = brought.clock[index] ?? 0;
      const ours = own[index] ?? 0;
      if (theirs <= ours) continue;
      if (ours === 0) fresh += 1;
      own[index] = theirs;
    }
  }
  const count = own[node - 1] ?? 0;
  own[node - 1] = count + 1;
  return count === 0 ? fresh + 1 : fresh;
}

function tooMany(componentsMax: number): LabError {
  const detail = `the vector clocks of this trace have more than ${componentsMax} components; elect among fewer nodes`;
  return new LabError('job.size', detail);
}

/**
 * Writes clocks as JSON: their components above 0, by the names of their places and in that order,
 * as in `{"1":2,"3":7}`. Text is put together from keys made once; an object each would take twice
 * as long.
 */
export function createClockWriter(names: readonly string[]): (clock: VectorClock) => string {
  const keys = names.map((name) => `,${JSON.stringify(name)}:`);
  return (clock) => {
    let members = '';
    for (const [index, key] of keys.entries()) {
      const count = clock[index] ?? 0;
      if (count > 0) members += key + count;
    }
    return `{${members.slice(1)}}`;
  };
}
