/**
 * @module
 * Where the events of a space-time diagram stand: a column a node or store, and time downwards. All that
 * happens at one tick shares a band, whatever happens to one node within it has a row there, and
 * the bands are apart by the logarithm of the ticks between them: an hour without events must not
 * push apart what matters.
 */

import type { TraceEvent } from '../../trace/events.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An event in its node's column; a loss stands in its sender's or receiver's. */
export interface Mark extends Point {
  readonly event: TraceEvent;
  /** Of the event in the trace. */
  readonly index: number;
  readonly rank: number;
}

/** Lengths in pixels: where the lifelines begin, how far they and the rows are apart. */
export interface Measures {
  readonly left: number;
  readonly top: number;
  readonly columnWidth: number;
  readonly rowHeight: number;
}

/** All that happened at one tick, from its first row on. */
export interface Band {
  readonly tick: number;
  readonly y: number;
}

/** A place for each event of a trace, and the bands that they make. */
export function placeEvents(
  events: readonly TraceEvent[],
  xOf: ReadonlyMap<number, number>,
  { top, rowHeight }: Measures,
): { readonly bands: readonly Band[]; readonly marks: readonly Mark[] } {
  const places = placesOf(events);
  const bands = bandsOf(places, { top: top + rowHeight, rowHeight, nodes: xOf.size });
  const yOf = new Map(bands.map(({ tick, y }) => [tick, y]));
  const marks = places.map(({ event, rank, row }, index) => {
    const y = known(yOf, event.record.t) + row * rowHeight;
    return { event, index, rank, x: known(xOf, rank), y };
  });
  return { bands, marks };
}

/** An event in the column of a node, and how many of that column and tick are before it. */
interface Place {
  readonly event: TraceEvent;
  readonly rank: number;
  readonly row: number;
}

function placesOf(events: readonly TraceEvent[]): Place[] {
  const counts = new Map<number, { readonly tick: number; readonly rows: number }>();
  const sentAt = new Map<number, number>();
  return events.map((event) => {
    const { record, made } = event;
    for (const { id } of made) sentAt.set(id, record.t);
    const rank = columnOf(event, sentAt);
    const before = counts.get(rank);
    const row = before?.tick === record.t ? before.rows : 0;
    // A copy is drawn by its arrow alone.
    const rows = record.action.type === 'duplicate' ? row : row + 1;
    counts.set(rank, { tick: record.t, rows });
    return { event, rank, row };
  });
}

/** Who acts; for a loss the sender when it is lost at once, else the receiver. */
function columnOf(
  { node, flight, record }: TraceEvent,
  sentAt: ReadonlyMap<number, number>,
): number {
  if (node !== null) return node;
  if (flight === null) throw new RangeError(`"records" expected a node at ${record.seq}, got none`);
  const isAtOnce = record.action.type !== 'deliver' && sentAt.get(flight.id) === record.t;
  return isAtOnce ? flight.from : flight.to;
}

function bandsOf(
  places: readonly Place[],
  frame: { readonly top: number; readonly rowHeight: number; readonly nodes: number },
): Band[] {
  const { top, rowHeight, nodes } = frame;
  const bands: Band[] = [];
  let lowest = top;
  for (const { event, row } of places) {
    const tick = event.record.t;
    let band = bands.at(-1);
    if (band === undefined || tick !== band.tick) {
      const rows = band === undefined ? 0 : gapRows(tick - band.tick, nodes);
      band = { tick, y: lowest + Math.round(rows * rowHeight) };
      bands.push(band);
    }
    lowest = Math.max(lowest, band.y + row * rowHeight);
  }
  return bands;
}

/**
 * More where arrows are longer, so that they are not level, and half a row as often as ticks
 * double.
 */
function gapRows(ticks: number, nodes: number): number {
  const doublings = 31 - Math.clz32(Math.min(ticks, 64));
  return 1.75 + Math.min(nodes, 24) / 8 + doublings / 2;
}

/** What a map must hold for a trace that is whole. */
export function known<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new RangeError(`"records" expected a place for ${key}, got none`);
  return value;
}
