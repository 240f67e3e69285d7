/**
 * @module
 * The mark of an event on the line of its node. Marks differ by shape.
 */

import type { Kind } from '../timeline/timeline.ts';
import type { Point } from './geometry.ts';
import type { Palette } from './palette.ts';

type Shape = 'disc' | 'triangle' | 'square' | 'cross' | 'plus' | 'diamond' | 'bars' | 'star';

const SHAPES: Readonly<Record<Kind | 'leads', Shape>> = {
  leads: 'star',
  'node.started': 'triangle',
  'message.delivered': 'disc',
  'message.dropped': 'disc',
  'message.duplicated': 'disc',
  'timer.fired': 'square',
  'node.chose': 'square',
  'message.injected': 'diamond',
  'node.crashed': 'cross',
  'node.paused': 'bars',
  'node.resumed': 'triangle',
  'node.recovered': 'plus',
  'node.joined': 'plus',
  'node.suspects': 'diamond',
  'node.trusts': 'diamond',
  'node.learns-of-joining': 'diamond',
};

const PATHS: Readonly<Record<Shape, string>> = {
  disc: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z',
  triangle: 'M-6 -5H6L0 6Z',
  square: 'M-5 -5H5V5H-5Z',
  cross: 'M-6 -6L6 6M6 -6L-6 6',
  plus: 'M-6 0H6M0 -6V6',
  diamond: 'M0 -6L6 0L0 6L-6 0Z',
  bars: 'M-3 -6V6M3 -6V6',
  star: 'M0 -10L2.4 -3.2L9.5 -3.1L3.8 1.2L5.9 8.1L0 4L-5.9 8.1L-3.8 1.2L-9.5 -3.1L-2.4 -3.2Z',
};

const STROKED: ReadonlySet<Shape> = new Set(['cross', 'plus', 'bars']);
const HOLLOW: ReadonlySet<Shape> = new Set(['square', 'diamond']);

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
