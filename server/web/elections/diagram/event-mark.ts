/**
 * @module
 * The mark of an event on the line of its node. Marks differ by shape.
 */

import type { Kind } from '../timeline/timeline.ts';
import type { Palette, Point } from './geometry.ts';

type Shape =
  | ('disc' | 'triangle' | 'square' | 'cross' | 'plus' | 'diamond' | 'bars' | 'star')
  | ('play' | 'speech' | 'line');

const SHAPES: Readonly<Record<Kind | 'leads', Shape>> = {
  leads: 'star',
  'node.started': 'triangle',
  'message.delivered': 'disc',
  'message.dropped': 'disc',
  'message.duplicated': 'disc',
  'timer.fired': 'square',
  'node.chose': 'square',
  'message.injected': 'speech',
  'node.crashed': 'cross',
  'node.paused': 'bars',
  'node.resumed': 'play',
  'node.recovered': 'plus',
  'node.joined': 'plus',
  'node.suspects': 'diamond',
  'node.trusts': 'diamond',
  'node.learns-of-joining': 'diamond',
  'network.divided': 'line',
  'network.healed': 'line',
};

/** The meaning of each mark, in the order of a legend. */
const MEANINGS: Readonly<Record<Shape, string>> = {
  star: 'becomes leader',
  triangle: 'starts',
  disc: 'receives',
  square: 'a timer fires, or a number is drawn',
  diamond: 'learns who is up or has joined',
  speech: 'acts from outside',
  cross: 'crashes',
  plus: 'returns or joins',
  bars: 'pauses',
  play: 'resumes',
  line: 'a partition begins or ends',
};

const PATHS: Readonly<Record<Shape, string>> = {
  disc: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z',
  triangle: 'M-6 -5H6L0 6Z',
  square: 'M-5 -5H5V5H-5Z',
  cross: 'M-6 -6L6 6M6 -6L-6 6',
  plus: 'M-6 0H6M0 -6V6',
  diamond: 'M0 -6L6 0L0 6L-6 0Z',
  // In a box, since the line of a leader is thick.
  bars: 'M-7 -7H7V7H-7ZM-2.5 -3.5V3.5M2.5 -3.5V3.5',
  play: 'M-4 -6L6 0L-4 6Z',
  speech: 'M-6 -6H6V2H1L-3 7V2H-6Z',
  // It is drawn over all columns.
  line: 'M-10 0H10',
  star: 'M0 -10L2.4 -3.2L9.5 -3.1L3.8 1.2L5.9 8.1L0 4L-5.9 8.1L-3.8 1.2L-9.5 -3.1L-2.4 -3.2Z',
};

const STROKED: ReadonlySet<Shape> = new Set(['cross', 'plus', 'line']);
const HOLLOW: ReadonlySet<Shape> = new Set(['square', 'diamond', 'bars', 'play', 'speech']);

/** A mark of a legend. */
export interface MarkMeaning {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** The marks of these kinds of events. A network has losses and copies, which only arrows show. */
export function meaningsOf(kinds: ReadonlySet<Kind>): readonly MarkMeaning[] {
  const shown = [...kinds].filter(
    (kind) => kind !== 'message.dropped' && kind !== 'message.duplicated',
  );
  const used = new Set<string>([...shown, 'leads' as const].map((kind) => SHAPES[kind]));
  return Object.entries(MEANINGS).flatMap(([name, text]) => {
    // The names of both are the shapes.
    const path = PATHS[name as Shape];
    return used.has(name) ? { name, path, text } : [];
  });
}

const paths = new Map<Shape, Path2D>();

/** Draws the mark of an event of this kind. */
export function drawMark(
  context: CanvasRenderingContext2D,
  kind: Kind | 'leads' | null,
  { x, y }: Point,
  palette: Palette,
): void {
  const shape = kind === null ? 'disc' : SHAPES[kind];
  const path = paths.get(shape) ?? new Path2D(PATHS[shape]);
  paths.set(shape, path);
  context.save();
  context.translate(x, y);
  const isAlarm = shape === 'cross';
  context.strokeStyle = isAlarm ? palette.alarm : palette.ink;
  context.fillStyle = HOLLOW.has(shape) ? palette.paper : palette.ink;
  if (shape === 'star') context.fillStyle = palette.accent;
  context.lineWidth = STROKED.has(shape) ? 3 : 1.5;
  if (!STROKED.has(shape)) context.fill(path);
  context.stroke(path);
  context.restore();
}
