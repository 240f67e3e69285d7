/**
 * @module
 * The layout of a space-time diagram: a column for each node and the store, and time downwards. All events of
 * one tick share a band, each event of a node has a row in it, and the distance of bands grows with the
 * logarithm of the ticks between them. Each message is an arrow from its sending to its end. Each node has a
 * lifeline, cut where its state changes, and each timer a line from its setting to its firing.
 */

import { fromRank } from '../../../election/world/cast.ts';
import type { Obstacle } from '../../../election/world/world.ts';
import type { Happening } from '../../engine/trace.ts';
import type { Plan } from '../../plan/plan.ts';
import { isLinkEvent } from '../../trace/describe.ts';
import type { TracedFlight, TraceEvent } from '../../trace/events.ts';

export type DiagramPlan = Pick<Plan, 'protocol' | 'nodeOrder'> &
  Partial<Pick<Plan, 'seed' | 'store'>> & {
    readonly byzantine?: readonly { readonly rank: number }[] | undefined;
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

/** The ranks of the columns, from left to right; the store is the last. */
export function columnRanks({
  nodeOrder,
  store = null,
}: Pick<DiagramPlan, 'nodeOrder' | 'store'>): readonly number[] {
  return store === null ? nodeOrder : [...nodeOrder, store];
}

/** Lays out the events of a whole trace. */
export function layOut(
  plan: DiagramPlan,
  events: readonly TraceEvent<Happening>[],
  measures: Measures,
): Layout {
  const { left, top, columnWidth, rowHeight } = measures;
  const columns = columnRanks(plan).map((rank, index) => ({ rank, x: left + index * columnWidth }));
  const xOf = new Map(columns.map(({ rank, x }) => [rank, x]));
  const { bands, marks: spots } = positionEvents(events, xOf, measures);
  const marks = spots.filter(({ event }) => hasMark(event));
  const links = spots.filter(({ event }) => isLinkEvent(event.record.action));
  const arrows = arrowsOf(spots, { xOf, top, columnWidth, rowHeight });
  const ends = [...spots, ...arrows.map(({ to }) => to)];
  const bottom = ends.reduce((y, end) => Math.max(y, end.y), top) + 2 * rowHeight;
  const waits = waitsOf(marks);
  const lives = columns.flatMap(({ rank, x }) =>
    lifeOf(marks, { rank, x, top, bottom, first: firstState(plan, rank) }),
  );
  return { columns, bands, marks, links, arrows, waits, lives, bottom };
}

function hasMark({ record }: TraceEvent<Happening>): boolean {
  const { action } = record;
  return action.type !== 'drop' && action.type !== 'duplicate' && !isLinkEvent(action);
}

function arrowsOf(
  spots: readonly Mark[],
  frame: Omit<Measures, 'left'> & { readonly xOf: ReadonlyMap<number, number> },
): Arrow[] {
  const { xOf, top, columnWidth, rowHeight } = frame;
  const senders = new Map<number, Mark>();
  const open = new Map<number, TracedFlight>();
  const arrows: Arrow[] = [];
  const draw = (
    flight: TracedFlight,
    fate: Arrow['fate'],
    end: Point,
    record: TraceEvent<Happening>['record'] | null,
  ) => {
    const { x, y, event } = known(senders, flight.sentSeq);
    const isWhole = fate === 'delivered' || fate === 'late';
    const to = isWhole ? end : cutShort(end, [x, known(xOf, flight.to)], columnWidth);
    const textX = Math.max(to.x, end.x);
    const ending = { endedAt: record?.t ?? null, lost: record?.lost };
    arrows.push({ flight, fate, from: { x, y }, to, textX, sentAt: event.record.t, ...ending });
  };
  for (const spot of spots) {
    const { record, flight, made } = spot.event;
    if (spot.event.node !== null) senders.set(record.seq, spot);
    for (const sent of made) open.set(sent.id, sent);
    if (flight === null || record.action.type === 'duplicate') continue;
    open.delete(flight.id);
    if (record.action.type === 'drop') draw(flight, 'lost', spot, record);
    else draw(flight, record.dropped === true ? 'late' : 'delivered', spot, record);
  }
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

interface Point {
  readonly x: number;
  readonly y: number;
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
  xOf: ReadonlyMap<number, number>,
  { top, rowHeight }: Measures,
): { readonly bands: readonly Band[]; readonly marks: readonly Mark[] } {
  const cells = cellsOf(events, [...xOf.keys()]);
  const bands = bandsOf(cells, { top: top + rowHeight, rowHeight, nodes: xOf.size });
  const yOf = new Map(bands.map(({ tick, y }) => [tick, y]));
  const marks = cells.map(({ event, rank, row }, index) => {
    const y = known(yOf, event.record.t) + row * rowHeight;
    return { event, index, rank, x: known(xOf, rank), y };
  });
  return { bands, marks };
}

/** An event in the column of a node, and the number of earlier events of that column and tick. */
interface Cell {
  readonly event: TraceEvent<Happening>;
  readonly rank: number;
  readonly row: number;
}

function cellsOf(events: readonly TraceEvent<Happening>[], [first = 1]: readonly number[]): Cell[] {
  const counts = new Map<number, { readonly tick: number; readonly rows: number }>();
  const sentAt = new Map<number, number>();
  return events.map((event) => {
    const { record, made } = event;
    for (const { id } of made) sentAt.set(id, record.t);
    const rank = isLinkEvent(record.action) ? first : columnOf(event, sentAt);
    const before = counts.get(rank);
    const row = before?.tick === record.t ? before.rows : 0;
    // A copy is drawn by its arrow alone.
    const rows = record.action.type === 'duplicate' ? row : row + 1;
    counts.set(rank, { tick: record.t, rows });
    return { event, rank, row };
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

/** The timers that fired. */
function waitsOf(marks: readonly Mark[]): Wait[] {
  const waits: Wait[] = [];
  const set = new Map<string, Mark>();
  for (const mark of marks) {
    const { rank, x, y } = mark;
    const { action, effects, t } = mark.event.record;
    if (action.type === 'timeout') {
      const { timer } = action;
      const from = set.get(`${rank} ${timer}`);
      const ticks = { setAt: from?.event.record.t ?? 0, firedAt: t };
      if (from !== undefined) waits.push({ x, from: from.y, to: y, timer, ...ticks });
      // A periodic timer is set again by its firing.
      set.set(`${rank} ${timer}`, mark);
    }
    for (const effect of effects) {
      if (effect.type === 'set-timer') set.set(`${rank} ${effect.timer}`, mark);
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
  marks: readonly Mark[],
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
  for (const { rank, event, y } of marks) {
    if (rank !== node.rank || event.node === null) continue;
    leads = leadsAfter(leads, event);
    const next = stateAfter(state, event, leads);
    if (next === state) continue;
    if (y > from) segments.push({ x, from, to: y, state });
    from = y;
    state = next;
  }
  segments.push({ x, from, to: node.bottom, state });
  return segments;
}

/** Whether a node leads itself after an event of its own. */
export function leadsAfter(leads: boolean, { record, node }: TraceEvent<Happening>): boolean {
  if (record.action.type === 'crash') return false;
  let leading = leads;
  for (const effect of record.effects) {
    if (effect.type === 'elect') leading = fromRank(effect.leader) === node;
    if (effect.type === 'step-down') leading = false;
  }
  return leading;
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
