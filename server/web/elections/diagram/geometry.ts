/**
 * @module
 * This folder draws the space-time diagram: nodes from left to right, events from top to bottom, one row each. Only
 * the visible rows are drawn. This file computes where things are.
 */

import { SERIES } from '../layout/groups.ts';
import type { MessageRow, Timeline } from '../timeline/timeline.ts';

export const ROW_HEIGHT = 22;
/** Height of the names of the nodes, which stay in sight. */
export const HEAD_HEIGHT = 28;
const GUTTER = 72;
/** Room for half of the name of the last column. */
const EDGE = 24;
const COLUMN_WIDTH_MIN = 12;
const COLUMN_WIDTH_MAX = 260;
/** Messages before the visible rows that are examined for one that crosses them. */
const CROSSING_MESSAGES_MAX = 2_000;
/** A browser shows no taller element. */
const HEIGHT_MAX = 30_000_000;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The x of each group of nodes, and the width of all. */
export interface Columns {
  readonly xs: readonly number[];
  readonly width: number;
}

/** The columns, spread over a width. Many columns may need more than that. */
export function columnsOf(count: number, width: number): Columns {
  const free = (width - GUTTER - EDGE) / Math.max(1, count);
  const step = Math.max(COLUMN_WIDTH_MIN, Math.min(COLUMN_WIDTH_MAX, free));
  const xs = Array.from({ length: count }, (_, slot) => GUTTER + step * (slot + 0.5));
  return { xs, width: Math.max(width, Math.ceil(GUTTER + step * count + EDGE)) };
}

/** The height of the diagram for a number of events, with a row for what is in flight. */
export function heightOf(events: number): number {
  return Math.min(HEIGHT_MAX, HEAD_HEIGHT + (events + 2) * ROW_HEIGHT);
}

/** The y of the middle of an event's row. */
export function yOf(row: number): number {
  return HEAD_HEIGHT + (row + 0.5) * ROW_HEIGHT;
}

/** The first and the last row between two heights. */
export function rowsBetween(top: number, bottom: number, events: number): [number, number] {
  const first = Math.floor((top - HEAD_HEIGHT) / ROW_HEIGHT);
  const last = Math.ceil((bottom - HEAD_HEIGHT) / ROW_HEIGHT);
  return [Math.max(0, first), Math.min(events, last)];
}

/** The row at a height. */
export function rowAt(y: number): number {
  return Math.floor((y - HEAD_HEIGHT) / ROW_HEIGHT);
}

/** The indices of the messages whose arrows touch these rows. */
export function messagesIn(timeline: Timeline, first: number, last: number): number[] {
  const found: number[] = [];
  const [before] = first < timeline.length ? timeline.sentBy(first) : [timeline.messageCount];
  const oldest = Math.max(0, before - CROSSING_MESSAGES_MAX);
  for (let index = oldest; index < before; index += 1) {
    const ended = timeline.endOf(index);
    if (ended < 0 || ended >= first) found.push(index);
  }
  const near = new Set(found);
  for (let row = first; row <= last && row < timeline.length; row += 1) {
    const [start, next] = timeline.sentBy(row);
    for (let index = start; index < next; index += 1) found.push(index);
    const { message } = timeline.event(row);
    if (message !== null && message < oldest && !near.has(message)) found.push(message);
  }
  return found;
}

/** Where an arrow begins and ends. What is in flight ends in the row after the last event. */
export function arrowOf(
  { from, to, sent, ended }: MessageRow,
  xOf: (rank: number) => number,
  events: number,
): readonly [Point, Point] {
  const begin = { x: xOf(from), y: yOf(sent) };
  const end = { x: xOf(to), y: yOf(ended ?? events) };
  return [begin, end];
}

/** The part of a stroke between two heights; null if it is not between them. */
export function clipped(
  [from, to]: readonly [Point, Point],
  [top, bottom]: readonly [number, number],
): readonly [Point, Point] | null {
  const [high, low] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  if (low < top || high > bottom) return null;
  const at = (y: number) => {
    const share = to.y === from.y ? 0 : (y - from.y) / (to.y - from.y);
    return { x: from.x + share * (to.x - from.x), y };
  };
  const inside = (point: Point) => {
    if (point.y < top) return at(top);
    return point.y > bottom ? at(bottom) : point;
  };
  return [inside(from), inside(to)];
}

/** The distance of a point from a stroke. */
export function distanceTo({ x, y }: Point, from: Point, to: Point): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length;
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(x - from.x - share * dx, y - from.y - share * dy);
}

/** The colours of the canvas: those of the page at the moment, and the series of the types of messages. */
export interface Palette {
  readonly paper: string;
  readonly panel: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly control: string;
  readonly accent: string;
  readonly alarm: string;
  /** Behind the row of the position. */
  readonly chosen: string;
  readonly series: readonly string[];
}

const IS_DARK = matchMedia('(prefers-color-scheme: dark)');

/** The colours as they are now. */
export function paletteNow(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: of('paper'),
    panel: of('panel'),
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    control: of('control'),
    accent: of('accent'),
    alarm: of('false'),
    chosen: of('warning-paper'),
    series: IS_DARK.matches ? SERIES.dark : SERIES.light,
  };
}

/** Calls when the reader changes between light and dark. Returns how to stop that. */
export function onPaletteChange(call: () => void): () => void {
  IS_DARK.addEventListener('change', call);
  return () => IS_DARK.removeEventListener('change', call);
}
