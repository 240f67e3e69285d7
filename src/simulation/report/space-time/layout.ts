/**
 * @module
 * The layout of a space-time diagram: its nodes as they are seated and a store behind them, its events where
 * they are placed, its lifelines, and each message's arrow from its sending to wherever it ended.
 */

import type { Plan } from '../../plan/plan.ts';
import type { TracedFlight, TraceEvent } from '../../trace/events.ts';
import type { Beginning, LifeSegment, Wait } from './lives.ts';
import { firstState, lifeOf, waitsOf } from './lives.ts';
import type { Band, Mark, Measures, Point } from './places.ts';
import { known, placeEvents } from './places.ts';

export type DiagramPlan = Pick<Plan, 'protocol' | 'seed' | 'nodeOrder'> &
  Partial<Pick<Plan, 'store'>> &
  Beginning;

export interface Arrow {
  readonly flight: TracedFlight;
  readonly from: Point;
  readonly to: Point;
  /** `late` arrived at a node that was down; `open` is under way when the trace ends. */
  readonly fate: 'delivered' | 'lost' | 'late' | 'open';
  /** Right of what has been drawn in its row: there is room for words. */
  readonly wordsX: number;
  readonly sentAt: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
}

export interface Layout {
  readonly columns: readonly { readonly rank: number; readonly x: number }[];
  readonly bands: readonly Band[];
  /** All events but losses and copies, which their arrows show. */
  readonly marks: readonly Mark[];
  readonly arrows: readonly Arrow[];
  readonly waits: readonly Wait[];
  readonly lives: readonly LifeSegment[];
  readonly bottom: number;
}

/** Whose columns a diagram has, from left to right. */
export function placesOf({
  nodeOrder,
  store = null,
}: Pick<DiagramPlan, 'nodeOrder' | 'store'>): readonly number[] {
  return store === null ? nodeOrder : [...nodeOrder, store];
}

/** Lays out the events of a whole trace. */
export function layOut(
  plan: DiagramPlan,
  events: readonly TraceEvent[],
  measures: Measures,
): Layout {
  const { left, top, columnWidth, rowHeight } = measures;
  const columns = placesOf(plan).map((rank, place) => ({ rank, x: left + place * columnWidth }));
  const xOf = new Map(columns.map(({ rank, x }) => [rank, x]));
  const { bands, marks: spots } = placeEvents(events, xOf, measures);
  const marks = spots.filter(({ event }) => hasMark(event));
  const arrows = arrowsOf(spots, { xOf, top, columnWidth, rowHeight });
  const ends = [...spots, ...arrows.map(({ to }) => to)];
  const bottom = ends.reduce((y, end) => Math.max(y, end.y), top) + 2 * rowHeight;
  const waits = waitsOf(marks);
  const lives = columns.flatMap(({ rank, x }) =>
    lifeOf(marks, { rank, x, top, bottom, first: firstState(plan, rank) }),
  );
  return { columns, bands, marks, arrows, waits, lives, bottom };
}

function hasMark({ record }: TraceEvent): boolean {
  return record.action.type !== 'drop' && record.action.type !== 'duplicate';
}

function arrowsOf(
  spots: readonly Mark[],
  frame: Omit<Measures, 'left'> & { readonly xOf: ReadonlyMap<number, number> },
): Arrow[] {
  const { xOf, top, columnWidth, rowHeight } = frame;
  const senders = new Map<number, Mark>();
  const open = new Map<number, TracedFlight>();
  const arrows: Arrow[] = [];
  const draw = (flight: TracedFlight, fate: Arrow['fate'], end: Point, endedAt: number | null) => {
    const { x, y, event } = known(senders, flight.sentSeq);
    const isWhole = fate === 'delivered' || fate === 'late';
    const to = isWhole ? end : cutShort(end, [x, known(xOf, flight.to)], columnWidth);
    const wordsX = Math.max(to.x, end.x);
    arrows.push({ flight, fate, from: { x, y }, to, wordsX, sentAt: event.record.t, endedAt });
  };
  for (const spot of spots) {
    const { record, flight, made } = spot.event;
    if (spot.event.node !== null) senders.set(record.seq, spot);
    for (const sent of made) open.set(sent.id, sent);
    if (flight === null || record.action.type === 'duplicate') continue;
    open.delete(flight.id);
    if (record.action.type === 'drop') draw(flight, 'lost', spot, record.t);
    else draw(flight, record.dropped === true ? 'late' : 'delivered', spot, record.t);
  }
  const lowest = spots.reduce((y, spot) => Math.max(y, spot.y), top);
  const expected = new Map<number, number>();
  for (const flight of open.values()) {
    const row = (expected.get(flight.to) ?? 0) + 1;
    expected.set(flight.to, row);
    draw(flight, 'open', { x: known(xOf, flight.to), y: lowest + (row + 1) * rowHeight }, null);
  }
  return arrows;
}

/** The end of an arrow that reaches nobody: beside the column that it would end in or begin in. */
function cutShort(
  end: Point,
  [sender, receiver]: readonly [number, number],
  columnWidth: number,
): Point {
  const step = Math.round(columnWidth / 5) * (receiver < sender ? -1 : 1);
  return { x: end.x === sender ? end.x + step : end.x - step, y: end.y };
}
