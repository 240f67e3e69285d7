/**
 * @module
 * One message: a line with the colour, dashes and letters of its type, and an end that shows its fate.
 */

import type { Fate } from '../timeline/timeline.ts';
import type { Point } from './geometry.ts';
import { clipped } from './geometry.ts';

export interface ArrowLook {
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

export function drawArrow(context: CanvasRenderingContext2D, look: ArrowLook): void {
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
