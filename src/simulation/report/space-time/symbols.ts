/**
 * @module
 * The marks and strokes of a space-time diagram, and their meaning in the legend. Each differs from the
 * others by shape, fill or dashes, never by colour alone.
 */

import type { Happening } from '../../engine/trace.ts';
import type { TraceEvent } from '../../trace/events.ts';
import type { Arrow, LifeState } from './layout.ts';
import type { Attributes } from './svg-elements.ts';

/** A symbol around the origin, and its text in the legend. */
interface MarkSymbol {
  readonly text: string;
  readonly path: string;
  readonly attributes: Attributes;
}

const SOLID = { fill: '#000', stroke: '#fff', 'stroke-width': 1 };
const HOLLOW = { fill: '#fff', stroke: '#000', 'stroke-width': 1.5, 'paint-order': 'normal' };
const STROKE = { fill: 'none', stroke: '#000', 'stroke-width': 2.5 };

export const MARKS = {
  leads: {
    text: 'becomes leader',
    path: 'M0 -10L2.4 -3.2L9.5 -3.1L3.8 1.2L5.9 8.1L0 4L-5.9 8.1L-3.8 1.2L-9.5 -3.1L-2.4 -3.2Z',
    attributes: SOLID,
  },
  start: { text: 'starts', path: 'M-6 -5H6L0 6Z', attributes: SOLID },
  deliver: { text: 'receives', path: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z', attributes: SOLID },
  timeout: { text: 'a timer fires', path: 'M-4.5 -4.5H4.5V4.5H-4.5Z', attributes: HOLLOW },
  report: { text: 'is told by its detector', path: 'M0 -6L6 0L0 6L-6 0Z', attributes: HOLLOW },
  inject: {
    text: 'acts from outside, or decides to lie',
    path: 'M-6 -6H6V2H1L-3 7V2H-6Z',
    attributes: HOLLOW,
  },
  choose: { text: 'chooses', path: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z', attributes: HOLLOW },
  crash: { text: 'crashes', path: 'M-6 -6L6 6M6 -6L-6 6', attributes: STROKE },
  stop: { text: 'stops with its cluster', path: 'M-5 -5H5V5H-5Z', attributes: SOLID },
  return: {
    text: 'returns or joins',
    path: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0ZM-3.5 0H3.5M0 -3.5V3.5',
    attributes: HOLLOW,
  },
  // In a box, since the line of a leader is thick.
  pause: {
    text: 'pauses',
    path: 'M-7 -7H7V7H-7ZM-2.5 -3.5V3.5M2.5 -3.5V3.5',
    attributes: { ...HOLLOW, 'stroke-width': 2 },
  },
  resume: { text: 'resumes', path: 'M-4 -6L6 0L-4 6Z', attributes: HOLLOW },
} as const satisfies Readonly<Record<string, MarkSymbol>>;

type MarkName = keyof typeof MARKS;

const MARK_OF_ACTION: Readonly<Record<Happening['type'], MarkName | null>> = {
  start: 'start',
  deliver: 'deliver',
  timeout: 'timeout',
  choose: 'choose',
  inject: 'inject',
  suspect: 'report',
  trust: 'report',
  join: 'report',
  leave: 'report',
  crash: 'crash',
  recover: 'return',
  enter: 'return',
  pause: 'pause',
  resume: 'resume',
  drop: null,
  duplicate: null,
  partition: null,
  heal: null,
};

/** The mark of an event; null if no node acts, since the end of the arrow shows it. */
export function markOf(
  { node, record }: TraceEvent<Happening>,
  isElected: boolean,
): MarkName | null {
  if (node === null) return null;
  if (record.stopped === true) return 'stop';
  return isElected ? 'leads' : MARK_OF_ACTION[record.action.type];
}

type LineName = LifeState | Arrow['fate'] | 'copy' | 'wait' | 'partition';
export type SymbolName = MarkName | LineName;

interface LineSymbol {
  readonly text: string;
  readonly attributes: Attributes;
}

const THIN = { stroke: '#000', 'stroke-width': 1.25 };
const BROKEN = { ...THIN, 'stroke-dasharray': '6 4' };

/** Lifelines and arrows, in the order of the legend. */
export const LINES: Readonly<Record<LineName, LineSymbol>> = {
  up: { text: 'is up', attributes: { stroke: '#000', 'stroke-width': 1.5 } },
  leading: { text: 'leads', attributes: { stroke: '#000', 'stroke-width': 5 } },
  paused: {
    text: 'is paused',
    attributes: { stroke: '#000', 'stroke-width': 4, 'stroke-dasharray': '2 4' },
  },
  down: {
    text: 'is down',
    attributes: { stroke: '#000', 'stroke-width': 1, 'stroke-dasharray': '4 6' },
  },
  absent: {
    text: 'is not there yet',
    attributes: { stroke: '#777', 'stroke-width': 1, 'stroke-dasharray': '1 9' },
  },
  delivered: {
    text: 'message',
    attributes: { ...THIN, 'marker-end': 'url(#usurp-arrives)' },
  },
  copy: {
    text: 'copy of a message',
    attributes: { ...THIN, 'stroke-dasharray': '9 3 2 3', 'marker-end': 'url(#usurp-arrives)' },
  },
  lost: {
    text: 'message lost on its way',
    attributes: { ...BROKEN, 'marker-end': 'url(#usurp-lost)' },
  },
  late: {
    text: 'message to a node that is down',
    attributes: { ...BROKEN, 'marker-end': 'url(#usurp-lost)' },
  },
  open: {
    text: 'message still under way',
    attributes: { ...BROKEN, 'marker-end': 'url(#usurp-open)' },
  },
  wait: {
    text: 'timer from its setting to its firing',
    attributes: { stroke: '#555', 'stroke-width': 1, 'stroke-dasharray': '1 2' },
  },
  partition: {
    text: 'a partition begins or ends',
    attributes: { stroke: '#000', 'stroke-dasharray': '2 4' },
  },
};

/** Heads of arrows: before the mark they point at, across the line's end, hollow at the end. */
export const ARROW_HEADS: readonly {
  readonly id: string;
  readonly path: string;
  readonly refX: number;
  readonly orient: 'auto' | 0;
  readonly attributes: Attributes;
}[] = [
  {
    id: 'usurp-arrives',
    path: 'M1 1L11 5L1 9Z',
    refX: 15,
    orient: 'auto',
    attributes: { fill: '#000' },
  },
  {
    id: 'usurp-lost',
    path: 'M1 0L11 10M11 0L1 10',
    refX: 6,
    orient: 0,
    attributes: { fill: 'none', stroke: '#000', 'stroke-width': 2 },
  },
  {
    id: 'usurp-open',
    path: 'M1 1L11 5L1 9Z',
    refX: 11,
    orient: 'auto',
    attributes: { fill: '#fff', stroke: '#000', 'stroke-width': 1 },
  },
];
