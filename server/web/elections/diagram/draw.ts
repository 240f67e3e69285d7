/**
 * @module
 * Draws the visible part of a space-time diagram on a canvas.
 */

import type { Group, TypeMark } from '../layout/groups.ts';
import { DASHES } from '../layout/groups.ts';
import type { NodeThen } from '../timeline/moment.ts';
import type { EventRow, Fate, Timeline } from '../timeline/timeline.ts';
import { drawMark } from './event-mark.ts';
import type { Columns, Palette, Point } from './geometry.ts';
import {
  arrowOf,
  clipped,
  HEAD_HEIGHT,
  messagesIn,
  ROW_HEIGHT,
  rowsBetween,
  yOf,
} from './geometry.ts';

export interface Drawing {
  readonly timeline: Timeline;
  readonly groups: readonly Group[];
  /** The place of each rank among the groups. */
  readonly slots: Int32Array;
  readonly columns: Columns;
  readonly marks: readonly TypeMark[];
  readonly palette: Palette;
  /** The nodes before the first visible event. */
  readonly nodesAt: (count: number) => readonly NodeThen[];
  /** Number of events that are shown in full; the later ones are pale. */
  readonly position: number;
  /** The message that is chosen; null for none. */
  readonly chosen: number | null;
  /** Ranks of Byzantine nodes and of those of an adversary. */
  readonly hostile: ReadonlySet<number>;
  readonly timeUnit: 'tick' | 'ms';
}

export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** An arrow as it was drawn, in coordinates of the whole diagram. */
export interface DrawnArrow {
  readonly message: number;
  readonly from: Point;
  readonly to: Point;
}

/** Draws the window. Returns its arrows, to find the one under the pointer. */
export function draw(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  window: Window,
): DrawnArrow[] {
  const { palette, timeline } = drawing;
  const rows = rowsBetween(window.top, window.top + window.height, timeline.length);
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, window.width, window.height);
  context.save();
  context.translate(-window.left, -window.top);
  drawRows(context, drawing, window, rows);
  drawPartitions(context, drawing, window, rows);
  drawLives(context, drawing, rows);
  const arrows = drawArrows(context, drawing, rows, window);
  drawEvents(context, drawing, rows);
  context.restore();
  drawHead(context, drawing, window);
  return arrows;
}

type Rows = readonly [number, number];

function xOf({ slots, columns }: Drawing, rank: number): number {
  return columns.xs[slots[rank] ?? -1] ?? -100;
}

function alphaOf({ position }: Drawing, row: number): number {
  return row < position ? 1 : 0.28;
}

/** The row of the position, and the time where it changes. */
function drawRows(
  context: CanvasRenderingContext2D,
  { timeline, palette, columns, position }: Drawing,
  window: Window,
  [first, last]: Rows,
): void {
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const right = Math.max(columns.width, window.left + window.width);
  for (let row = first; row <= last && row < timeline.length; row += 1) {
    const isNewTime = row === 0 || timeline.timeOf(row) !== timeline.timeOf(row - 1);
    if (row === position - 1) {
      context.fillStyle = palette.chosen;
      context.fillRect(0, yOf(row) - ROW_HEIGHT / 2, right, ROW_HEIGHT);
    }
    if (!isNewTime) continue;
    context.fillStyle = palette.line;
    context.fillRect(0, yOf(row) - ROW_HEIGHT / 2, right, 1);
    context.fillStyle = palette.soft;
    context.fillText(String(timeline.timeOf(row)), 50, yOf(row));
  }
}

/** A line over all columns where a partition begins or ends. */
function drawPartitions(
  context: CanvasRenderingContext2D,
  { timeline, palette, columns }: Drawing,
  window: Window,
  [first, last]: Rows,
): void {
  const right = Math.max(columns.width, window.left + window.width);
  context.strokeStyle = palette.ink;
  context.fillStyle = palette.ink;
  context.lineWidth = 1.5;
  context.textAlign = 'right';
  for (let row = first; row <= last && row < timeline.length; row += 1) {
    const { kind } = timeline.event(row);
    if (kind !== 'network.divided' && kind !== 'network.healed') continue;
    context.setLineDash([3, 4]);
    context.beginPath();
    context.moveTo(54, yOf(row));
    context.lineTo(right, yOf(row));
    context.stroke();
    const text = kind === 'network.divided' ? 'partition' : 'partition ends';
    context.fillText(text, window.left + window.width - 6, yOf(row) - 7);
  }
  context.setLineDash([]);
}

/** The line of a node that is down or paused. The legend shows them, too. */
export const DOWN_DASHES = [1, 7];
export const PAUSED_DASHES = [2, 4];

/** The line of each node, as far as it is up; thick while it leads. */
function drawLives(context: CanvasRenderingContext2D, drawing: Drawing, [first, last]: Rows): void {
  const { timeline, groups, palette } = drawing;
  const nodes = [...drawing.nodesAt(first)];
  const begins = new Map(groups.map((_, slot) => [slot, first - 1]));
  const flush = (slot: number, row: number) => {
    const group = groups[slot];
    if (group === undefined) return;
    const [rank = 0] = group.ranks;
    const node = nodes[rank];
    const isSingle = group.ranks.length === 1;
    const x = drawing.columns.xs[slot] ?? 0;
    const isLeading = isSingle && node?.isUp === true && node.follows === rank;
    const isDown = isSingle && node?.isUp === false;
    const isPaused = isSingle && !isDown && node?.isPaused === true;
    context.strokeStyle = isLeading && !isPaused ? palette.accent : palette.control;
    context.lineWidth = isPaused ? 4 : isLeading ? 5 : 1;
    context.setLineDash(isPaused ? PAUSED_DASHES : isDown ? DOWN_DASHES : []);
    context.beginPath();
    context.moveTo(x, yOf(begins.get(slot) ?? first));
    context.lineTo(x, yOf(row));
    context.stroke();
    begins.set(slot, row);
  };
  for (let row = first; row <= last && row < timeline.length; row += 1) {
    const event = timeline.event(row);
    if (event.node === null || !changesLife(event)) continue;
    const slot = drawing.slots[event.node] ?? -1;
    if (slot < 0) continue;
    flush(slot, row);
    nodes[event.node] = after(nodes[event.node], event);
  }
  for (const slot of groups.keys()) flush(slot, last + 1);
  context.setLineDash([]);
}

function changesLife({ kind, follows }: EventRow): boolean {
  return (
    follows !== null ||
    kind === 'node.crashed' ||
    kind === 'node.paused' ||
    kind === 'node.resumed' ||
    kind === 'node.recovered' ||
    kind === 'node.joined'
  );
}

function after(node: NodeThen | undefined, { kind, follows }: EventRow): NodeThen {
  const before = node ?? { isUp: true, isPaused: false, follows: 0 };
  if (kind === 'node.crashed') return { isUp: false, isPaused: false, follows: 0 };
  const isPaused = kind === 'node.paused' || (before.isPaused && kind !== 'node.resumed');
  return { isUp: true, isPaused, follows: follows ?? before.follows };
}

function drawArrows(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  [first, last]: Rows,
  { top, height }: Window,
): DrawnArrow[] {
  const heights = [top - ROW_HEIGHT, top + height + ROW_HEIGHT] as const;
  const { timeline, marks, palette, chosen } = drawing;
  return messagesIn(timeline, first, last).map((index) => {
    const message = timeline.message(index);
    const [from, to] = arrowOf(message, (rank) => xOf(drawing, rank), timeline.length);
    const mark = marks[message.type];
    const series = mark?.series ?? 0;
    const isPale = alphaOf(drawing, message.sent) < 1;
    context.globalAlpha = isPale ? 0.28 : 1;
    drawArrow(context, {
      from,
      to,
      fate: message.fate,
      letters: mark?.letters ?? '?',
      colour: palette.series[series] ?? palette.ink,
      dashes: DASHES[series] ?? [],
      paper: palette.paper,
      isChosen: index === chosen,
      heights,
    });
    context.globalAlpha = 1;
    return { message: index, from, to };
  });
}

function drawEvents(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  [first, last]: Rows,
): void {
  const { timeline, palette } = drawing;
  for (let row = first; row <= last && row < timeline.length; row += 1) {
    const event = timeline.event(row);
    if (event.node === null) continue;
    context.globalAlpha = alphaOf(drawing, row);
    const leads = event.follows === event.node;
    drawMark(
      context,
      leads ? 'leads' : event.kind,
      { x: xOf(drawing, event.node), y: yOf(row) },
      palette,
    );
  }
  context.globalAlpha = 1;
}

/** Before the name of a hostile node. */
export const HOSTILE = '■';

/** The names of the nodes, above everything. */
function drawHead(
  context: CanvasRenderingContext2D,
  { groups, columns, palette, hostile, timeUnit }: Drawing,
  { left, width }: Window,
): void {
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, width, HEAD_HEIGHT);
  context.fillStyle = palette.line;
  context.fillRect(0, HEAD_HEIGHT - 1, width, 1);
  context.font = '600 13px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  context.fillStyle = palette.ink;
  const step = (columns.xs[1] ?? Number.POSITIVE_INFINITY) - (columns.xs[0] ?? 0);
  const longest = groups.reduce((most, { label }) => Math.max(most, label.length), 0);
  const every = Math.max(1, Math.ceil((8 * longest + 8) / step));
  for (const [slot, { label, ranks }] of groups.entries()) {
    const toLast = groups.length - 1 - slot;
    // The last has a name, and so have those that are not too near to it.
    if (toLast > 0 && (slot % every !== 0 || toLast < every)) continue;
    const isHostile = ranks.some((rank) => hostile.has(rank));
    context.fillStyle = isHostile ? palette.alarm : palette.ink;
    const x = (columns.xs[slot] ?? 0) - left;
    context.fillText(isHostile ? `${HOSTILE} ${label}` : label, x, HEAD_HEIGHT / 2);
  }
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, Math.max(0, 54 - left), HEAD_HEIGHT - 1);
  context.fillStyle = palette.soft;
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'right';
  context.fillText(timeUnit, 50 - left, HEAD_HEIGHT / 2);
}

/**
 * One message: a line with the colour, dashes and letters of its type, and an end that shows its fate.
 */
interface ArrowLook {
  readonly from: Point;
  readonly to: Point;
  readonly fate: Fate;
  readonly letters: string;
  readonly colour: string;
  readonly dashes: readonly number[];
  readonly paper: string;
  readonly isChosen: boolean;
  /** The heights that are visible. Dashes of what is not would take most of the time of a frame. */
  readonly heights: readonly [number, number];
}

const HEAD = 8;
/** A message that is lost ends on this part of its way. */
const LOST_AT = 0.6;

function drawArrow(context: CanvasRenderingContext2D, look: ArrowLook): void {
  const { from, fate, colour } = look;
  const to = fate === 'lost' ? between(from, look.to, LOST_AT) : look.to;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = look.isChosen ? 4 : 1.5;
  context.setLineDash([...look.dashes]);
  const line = clipped([from, to], look.heights);
  if (line === null) return;
  context.beginPath();
  context.moveTo(line[0].x, line[0].y);
  context.lineTo(line[1].x, line[1].y);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 2;
  if (isBetween(to.y, look.heights)) drawEnd(context, look, to);
  letters(context, look);
}

function isBetween(y: number, [top, bottom]: readonly [number, number]): boolean {
  return y >= top && y <= bottom;
}

/** What became of the message. */
function drawEnd(context: CanvasRenderingContext2D, look: ArrowLook, to: Point): void {
  const { from, fate } = look;
  const isLost = fate === 'lost' || fate === 'recipient down';
  if (fate === 'in flight') ring(context, to, look.paper);
  else if (isLost) cross(context, to, 5);
  else head(context, from, to, fate === 'refused' ? look.paper : null);
}

function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) };
}

/** An arrow head; an empty one, crossed out, for a message that was refused. */
function head(
  context: CanvasRenderingContext2D,
  from: Point,
  to: Point,
  fill: string | null,
): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const at = (turn: number) => ({
    x: to.x - HEAD * Math.cos(angle + turn),
    y: to.y - HEAD * Math.sin(angle + turn),
  });
  const [one, other] = [at(0.45), at(-0.45)];
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(one.x, one.y);
  context.lineTo(other.x, other.y);
  context.closePath();
  if (fill === null) {
    context.fill();
    return;
  }
  const colour = context.fillStyle;
  context.fillStyle = fill;
  context.fill();
  context.stroke();
  context.fillStyle = colour;
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  cross(context, between(from, to, Math.max(0, 1 - 18 / Math.max(18, distance))), 5);
}

function cross(context: CanvasRenderingContext2D, { x, y }: Point, size: number): void {
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}

function ring(context: CanvasRenderingContext2D, { x, y }: Point, paper: string): void {
  const colour = context.fillStyle;
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fillStyle = paper;
  context.fill();
  context.stroke();
  context.fillStyle = colour;
}

/** The letters of the type, near the beginning, where arrows to several nodes are apart. */
function letters(
  context: CanvasRenderingContext2D,
  { from, to, letters: text, paper, heights }: ArrowLook,
): void {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  if (distance < 34) return;
  const slot = between(from, to, Math.max(0.3, Math.min(0.5, 40 / distance)));
  if (!isBetween(slot.y, heights)) return;
  context.font = '700 10px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const width = 6.5 * text.length + 4;
  const colour = context.fillStyle;
  context.fillStyle = paper;
  context.fillRect(slot.x - width / 2, slot.y - 6, width, 12);
  context.fillStyle = colour;
  context.fillText(text, slot.x, slot.y + 0.5);
}
