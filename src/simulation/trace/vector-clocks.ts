/**
 * @module
 * Vector clocks of a trace (Fidge 1988; Mattern 1989): one event happened before another if and only if its
 * clock is below the other's in every component. An event of a node includes its sends, and a delivery follows
 * the sending. Reports of a detector are local events, since no message carries them; steps of a store are
 * events like those of a node. The component of a node counts on over crashes.
 */

import type { Action } from '../../election/world/world.ts';
import { LabError } from '../../errors.ts';

import type { Happening, TraceRecord } from '../engine/trace.ts';
import { isLinkEvent } from './describe.ts';
import type { TraceEvent } from './events.ts';
import { traceEvents } from './events.ts';

/** An event costs one step for each node, and each node keeps a number for each node. */
export const CLOCK_NODES_LIMIT = 1_000;
/** Components above 0 of all clocks together; about 200 MB as JSON. */
export const CLOCK_COMPONENTS_LIMIT = 20_000_000;

/** Index rank − 1: the number of that node's events that are this one or before it. */
export type VectorClock = ArrayLike<number>;

interface ClockOptions {
  /** The number of the store, whose component is after those of the nodes; null without one. */
  readonly store?: number | null;
  readonly componentsMax?: number;
}

export interface ClockedEvent<Happened extends Happening = Action> extends TraceEvent<Happened> {
  /** A loss or a copy has the clock of the sending, since no node learns of it. Before a partition is no event. */
  readonly clock: VectorClock;
}

/**
 * The clock of every event of a whole trace, O(events × nodes). Throws LabError `job.size` for more than
 * `CLOCK_NODES_LIMIT` nodes at once, and later for more than `componentsMax` components.
 */
export function vectorClocks<Happened extends Happening>(
  records: Iterable<TraceRecord<Happened>>,
  nodes: number,
  { store = null, componentsMax = CLOCK_COMPONENTS_LIMIT }: ClockOptions = {},
): Generator<ClockedEvent<Happened>> {
  assertClockable(nodes);
  return clocked(records, store ?? nodes, componentsMax);
}

/** Throws LabError `job.size` for too many nodes. */
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

const NO_EVENT: Stamp = { clock: [], components: 0 };

function* clocked<Happened extends Happening>(
  records: Iterable<TraceRecord<Happened>>,
  endpoints: number,
  componentsMax: number,
): Generator<ClockedEvent<Happened>> {
  const stamps = Array.from({ length: endpoints }, () => {
    return { clock: new Uint32Array(endpoints), known: 0 };
  });
  const carried = new Map<number, Stamp>();
  let components = 0;
  for (const event of traceEvents(records)) {
    const { node, flight, made, record } = event;
    const brought = flight === null ? null : (carried.get(flight.id) ?? null);
    let stamp = isLinkEvent(record.action) ? NO_EVENT : brought;
    if (node !== null) {
      const own = stamps[node - 1];
      if (own === undefined)
        throw new RangeError(`"nodes" expected ${node} or more, got ${endpoints}`);
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

/** Merges the clock of a message and counts one event. Returns the number of new components. */
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
 * Writes clocks as JSON: the components above 0 by name and in the order of names, as in `{"1":2,"3":7}`. The
 * text is joined from keys that are made once; an object for each clock takes twice as long.
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
