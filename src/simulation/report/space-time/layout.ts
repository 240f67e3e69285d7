/**
 * @module
 * The layout of a space-time diagram: a column for each node and the store, and time downwards. All events of
 * one tick share a band, each event of a node has a row in it, and the distance of bands grows with the
 * logarithm of the ticks between them. Each message is an arrow from its sending to its end. Each node has a
 * lifeline, cut where its state changes, and each timer a line from its setting to its firing.
 */

import type { Obstacle } from '../../../election/world/world.ts';
import type { Happening } from '../../engine/trace.ts';
import type { Plan } from '../../plan/plan.ts';
import { isLinkEvent } from '../../trace/describe.ts';
import type { TracedFlight, TraceEvent } from '../../trace/events.ts';
import { leadsAfter } from '../../trace/events.ts';
import type { TraceView } from '../../trace/view.ts';

export type DiagramPlan = Pick<Plan, 'protocol' | 'nodeOrder'> &
  Partial<Pick<Plan, 'seed' | 'store'>> & {
    readonly byzantine?: readonly { readonly rank: number }[] | undefined;
    /** Ranks of nodes that an attack has started, Byzantine or not. */
    readonly adversaries?: readonly number[] | undefined;
    /** The part of the trace that is shown; all of it if absent. */
    readonly view?: TraceView | undefined;
    /** Whether the times are real ones, in ms. */
    readonly isLive?: boolean | undefined;
  } & Beginning &
  Counterexample;

/** What stands above the actions that repeat. */
export const REPETITION = 'what follows repeats for ever';

/** What only the diagram of a counterexample has. */
export interface Counterexample {
  /** The times are the numbers of actions, because a check has no ticks. */
  readonly isUntimed?: boolean;
  /** `t` of the first action that repeats for ever; null if none does. */
  readonly repeatsFrom?: number | null;
}

export interface Arrow {
  readonly flight: TracedFlight;
  readonly from: Point;
  readonly to: Point;
  /** `late` arrived at a node that was down; `open` is under way when the trace ends. */
  readonly fate: 'delivered' | 'lost' | 'late' | 'open';
  /** Right of what is drawn in its row: there is room for text. */
  readonly textX: number;
  readonly sentAt: number;
  /** Null while it is under way. */
  readonly endedAt: number | null;
  /** Why it was lost; absent if it was not, or within the bound of losses. */
  readonly lost: Obstacle | undefined;
}

export interface Layout {
  readonly columns: readonly { readonly rank: number; readonly x: number }[];
  readonly bands: readonly Band[];
  /** All events of nodes. Arrows show losses and copies. */
  readonly marks: readonly Mark[];
  /** Partitions and their ends. */
  readonly links: readonly Mark[];
  readonly arrows: readonly Arrow[];
  readonly waits: readonly Wait[];
  readonly lives: readonly LifeSegment[];
  readonly bottom: number;
}

/** The unit of the times of a diagram. */
export function timeUnit({
  isUntimed = false,
  isLive = false,
}: Pick<DiagramPlan, 'isUntimed' | 'isLive'>): 'action' | 'tick' | 'ms' {
  if (isUntimed) return 'action';
  return isLive ? 'ms' : 'tick';
}

/** The ranks of the columns, from left to right; the store is the last. */
export function columnRanks({
  nodeOrder,
  store = null,
  view,
}: Pick<DiagramPlan, 'nodeOrder' | 'store' | 'view'>): readonly number[] {
  const ranks = store === null ? nodeOrder : [...nodeOrder, store];
  const { nodes = null } = view ?? {};
  return nodes === null ? ranks : ranks.filter((rank) => nodes.includes(rank));
}

/** Lays out the events of a whole trace, or of the part that is shown. */
export function layOut(
  plan: DiagramPlan,
  events: readonly TraceEvent<Happening>[],
  measures: Measures,
): Layout {
  const { left, top, columnWidth, rowHeight } = measures;
  const columns = columnRanks(plan).map((rank, index) => ({ rank, x: left + index * columnWidth }));
  const xOf = new Map(columns.map(({ rank, x }) => [rank, x]));
  const { bands, marks: spots } = positionEvents(events, plan, xOf, measures);
  const marks = spots.filter(({ event }) => hasMark(event));
  const links = spots.filter(({ event }) => isLinkEvent(event.record.action));
  const placed = placedEvents(events, spots);
  const arrows = arrowsOf(placed, { xOf, top, columnWidth, rowHeight });
  const ends = [...spots, ...arrows.map(({ to }) => to)];
  const bottom = ends.reduce((y, end) => Math.max(y, end.y), top) + 2 * rowHeight;
  const waits = waitsOf(placed);
  const lives = columns.flatMap(({ rank, x }) =>
    lifeOf(placed, { rank, x, top, bottom, first: firstState(plan, rank) }),
  );
  return { columns, bands, marks, links, arrows, waits, lives, bottom };
}

/** The events until the last one that is shown: what happens later ends no message of the diagram. */
function placedEvents(
  events: readonly TraceEvent<Happening>[],
  spots: readonly Mark[],
): PlacedEvent[] {
  const spotAt = new Map(spots.map((spot) => [spot.index, spot]));
  return events
    .slice(0, (spots.at(-1)?.index ?? -1) + 1)
    .map((event, index) => ({ event, spot: spotAt.get(index) ?? null }));
}

function hasMark({ record }: TraceEvent<Happening>): boolean {
  const { action } = record;
  return action.type !== 'drop' && action.type !== 'duplicate' && !isLinkEvent(action);
}

function arrowsOf(
  placed: readonly PlacedEvent[],
  frame: Omit<Measures, 'left'> & { readonly xOf: ReadonlyMap<number, number> },
): Arrow[] {
  const { xOf, top, columnWidth, rowHeight } = frame;
  const senders = new Map<number, Sending>();
  const open = new Map<number, TracedFlight>();
  const arrows: Arrow[] = [];
  const draw = (
    flight: TracedFlight,
    fate: Arrow['fate'],
    end: Point,
    record: TraceEvent<Happening>['record'] | null,
  ) => {
    const { x, y, t: sentAt } = known(senders, flight.sentSeq);
    const isWhole = fate === 'delivered' || fate === 'late';
    const to = isWhole ? end : cutShort(end, [x, known(xOf, flight.to)], columnWidth);
    const textX = Math.max(to.x, end.x);
    const ending = { endedAt: record?.t ?? null, lost: record?.lost };
    arrows.push({ flight, fate, from: { x, y }, to, textX, sentAt, ...ending });
  };
  for (const { event, spot } of placed) {
    const { record, flight, made, node } = event;
    const x = node === null ? undefined : xOf.get(node);
    // What was sent before the diagram begins comes from its upper edge.
    if (x !== undefined) senders.set(record.seq, { x, y: spot?.y ?? top, t: record.t });
    for (const sent of spot === null ? [] : made) if (xOf.has(sent.to)) open.set(sent.id, sent);
    if (flight === null || record.action.type === 'duplicate') continue;
    open.delete(flight.id);
    if (spot === null || !xOf.has(flight.to) || !senders.has(flight.sentSeq)) continue;
    if (record.action.type === 'drop') draw(flight, 'lost', spot, record);
    else draw(flight, record.dropped === true ? 'late' : 'delivered', spot, record);
  }
  const spots = placed.flatMap(({ spot }) => spot ?? []);
  const lowest = spots.reduce((y, spot) => Math.max(y, spot.y), top);
  const expected = new Map<number | 'all', number>();
  for (const flight of open.values()) {
    // A few have a row each, so that their texts are apart. Of many, those to one recipient have.
    const group = open.size <= OWN_ROWS_MAX ? 'all' : flight.to;
    const row = (expected.get(group) ?? 0) + 1;
    expected.set(group, row);
    draw(flight, 'open', { x: known(xOf, flight.to), y: lowest + (row + 1) * rowHeight }, null);
  }
  return arrows;
}

interface Sending extends Point {
  readonly t: number;
}

/** Messages under way that have a row each. */
const OWN_ROWS_MAX = 16;

/** The end of an arrow without a recipient: beside the column where it would end or begin. */
function cutShort(
  end: Point,
  [sender, receiver]: readonly [number, number],
  columnWidth: number,
): Point {
  const step = Math.round(columnWidth / 5) * (receiver < sender ? -1 : 1);
  return { x: end.x === sender ? end.x + step : end.x - step, y: end.y };
}

/** An event in its node's column. A loss is in that of the sender or the recipient, a partition in the first. */
export interface Mark extends Point {
  readonly event: TraceEvent<Happening>;
  /** Index of the event in the trace. */
  readonly index: number;
  readonly rank: number;
}

/** Lengths in pixels: where the lifelines begin, and the distances of columns and rows. */
interface Measures {
  readonly left: number;
  readonly top: number;
  readonly columnWidth: number;
  readonly rowHeight: number;
}

/** All events of one tick, from their first row on. */
interface Band {
  readonly tick: number;
  readonly y: number;
}

/** A position for each event of a trace, and the bands. */
function positionEvents(
  events: readonly TraceEvent<Happening>[],
  { view }: Pick<DiagramPlan, 'view'>,
  xOf: ReadonlyMap<number, number>,
  { top, rowHeight }: Measures,
): { readonly bands: readonly Band[]; readonly marks: readonly Mark[] } {
  const cells = cellsOf(events, [...xOf.keys()], view);
  const bands = bandsOf(cells, { top: top + rowHeight, rowHeight, nodes: xOf.size });
  const yOf = new Map(bands.map(({ tick, y }) => [tick, y]));
  const marks = cells.map(({ event, index, rank, row }) => {
    const y = known(yOf, event.record.t) + row * rowHeight;
    return { event, index, rank, x: known(xOf, rank), y };
  });
  return { bands, marks };
}

/** An event in the column of a node, and the number of earlier events of that column and tick. */
interface Cell {
  readonly event: TraceEvent<Happening>;
  readonly index: number;
  readonly rank: number;
  readonly row: number;
}

function cellsOf(
  events: readonly TraceEvent<Happening>[],
  ranks: readonly number[],
  view: TraceView | undefined,
): Cell[] {
  const counts = new Map<number, { readonly tick: number; readonly rows: number }>();
  const sentAt = new Map<number, number>();
  return events.flatMap((event, index) => {
    const { record, made } = event;
    const { t: tick, action } = record;
    for (const { id } of made) sentAt.set(id, tick);
    if (view?.shows(record) === false) return [];
    const rowsOf = (rank: number) => {
      const before = counts.get(rank);
      return before?.tick === tick ? before.rows : 0;
    };
    if (isLinkEvent(action)) {
      // The line of a partition crosses all columns, and nothing else is in its row.
      const row = Math.max(...ranks.map(rowsOf));
      for (const rank of ranks) counts.set(rank, { tick, rows: row + 1 });
      return [{ event, index, rank: ranks[0] ?? 1, row }];
    }
    const rank = columnOf(event, sentAt);
    const row = rowsOf(rank);
    // A copy is drawn by its arrow alone.
    counts.set(rank, { tick, rows: action.type === 'duplicate' ? row : row + 1 });
    return [{ event, index, rank, row }];
  });
}

/** The actor; for a loss the sender if the message is lost at once, else the recipient. */
function columnOf(
  { node, flight, record }: TraceEvent<Happening>,
  sentAt: ReadonlyMap<number, number>,
): number {
  if (node !== null) return node;
  if (flight === null) throw new RangeError(`"records" expected a node at ${record.seq}, got none`);
  const isAtOnce = record.action.type !== 'deliver' && sentAt.get(flight.id) === record.t;
  return isAtOnce ? flight.from : flight.to;
}

function bandsOf(
  cells: readonly Cell[],
  frame: { readonly top: number; readonly rowHeight: number; readonly nodes: number },
): Band[] {
  const { top, rowHeight, nodes } = frame;
  const bands: Band[] = [];
  let lowest = top;
  for (const { event, row } of cells) {
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

/** More rows for longer arrows, so that they are not level, and half a row for each doubling of ticks. */
function gapRows(ticks: number, nodes: number): number {
  const doublings = 31 - Math.clz32(Math.min(ticks, 64));
  return 1.75 + Math.min(nodes, 24) / 8 + doublings / 2;
}

/** The value of a key that a complete trace has. */
function known<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined)
    throw new RangeError(`"records" expected a position for ${key}, got none`);
  return value;
}

/**
 * The lines beside the columns of a space-time diagram: the life of each node, cut where its state changes, and the
 * timers from their setting to their firing. Events that are not shown change the state, too.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** An event with its position; null if it is not shown. */
interface PlacedEvent {
  readonly event: TraceEvent<Happening>;
  readonly spot: Point | null;
}

/** The nodes that were down or absent at the start. */
type Beginning = Pick<Plan, 'crashedBefore'> & Partial<Pick<Plan, 'absent'>>;

/** A timer that fired, from its setting on. */
export interface Wait {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly timer: string;
  readonly setAt: number;
  readonly firedAt: number;
}

export type LifeState = 'up' | 'leading' | 'paused' | 'down' | 'absent';

export interface LifeSegment {
  readonly x: number;
  readonly from: number;
  readonly to: number;
  readonly state: LifeState;
}

/** The timers that fired. One that was set by a step that is not shown has no line. */
function waitsOf(placed: readonly PlacedEvent[]): Wait[] {
  const waits: Wait[] = [];
  const set = new Map<string, { readonly y: number | undefined; readonly t: number }>();
  for (const { event, spot } of placed) {
    const { node, record } = event;
    const { action, effects, t } = record;
    const setting = { y: spot?.y, t };
    if (action.type === 'timeout') {
      const { timer } = action;
      const from = set.get(`${node} ${timer}`);
      if (from?.y !== undefined && spot !== null) {
        const { x, y: to } = spot;
        waits.push({ x, from: from.y, to, timer, setAt: from.t, firedAt: t });
      }
      // A periodic timer is set again by its firing.
      set.set(`${node} ${timer}`, setting);
    }
    for (const effect of effects) {
      if (effect.type === 'set-timer') set.set(`${node} ${effect.timer}`, setting);
    }
  }
  return waits;
}

/** The state in which a node's line begins. */
function firstState({ crashedBefore, absent = [] }: Beginning, rank: number): LifeState {
  if (absent.includes(rank)) return 'absent';
  return crashedBefore.includes(rank) ? 'down' : 'up';
}

/** The lifeline of one node. */
function lifeOf(
  placed: readonly PlacedEvent[],
  node: {
    readonly rank: number;
    readonly x: number;
    readonly top: number;
    readonly bottom: number;
    readonly first: LifeState;
  },
): LifeSegment[] {
  const { x } = node;
  const segments: LifeSegment[] = [];
  let state = node.first;
  let leads = false;
  let from = node.top;
  for (const { event, spot } of placed) {
    if (event.node !== node.rank) continue;
    leads = leadsAfter(event.wasLeading, event.record, node.rank);
    const next = stateAfter(state, event, leads);
    if (next === state) continue;
    const y = spot?.y ?? from;
    if (y > from) segments.push({ x, from, to: y, state });
    from = y;
    state = next;
  }
  segments.push({ x, from, to: node.bottom, state });
  return segments;
}

function stateAfter(
  state: LifeState,
  { record }: TraceEvent<Happening>,
  leads: boolean,
): LifeState {
  const { type } = record.action;
  if (type === 'crash') return 'down';
  if (type === 'pause') return 'paused';
  const isAwake = !['paused', 'down', 'absent'].includes(state);
  if (!isAwake && !['resume', 'recover', 'enter'].includes(type)) return state;
  return leads ? 'leading' : 'up';
}
