/**
 * @module
 * Where a label lies in a box, so that no line crosses it.
 */

import type { Pixel } from './series-marks.ts';

/** A rectangle. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Least distance between a label and a line, or the edge of its box, in pixels. */
const CLEARANCE = 3;

/**
 * The position of a label: the middle of the box, or if a line crosses it there, its sides and corners. Null
 * if the label fits nowhere.
 */
export function labelSpot(
  box: Box,
  size: Pick<Box, 'width' | 'height'>,
  lines: readonly (readonly Pixel[])[],
): Box | null {
  const [roomX, roomY] = [box.width - size.width, box.height - size.height];
  if (roomX < 0 || roomY < 0) return null;
  const inset = (room: number) => Math.min(CLEARANCE, room / 2);
  const along = (room: number) => [room / 2, inset(room), room - inset(room)];
  const spots = along(roomY).flatMap((dy) =>
    along(roomX).map((dx) => ({ ...size, x: box.x + dx, y: box.y + dy })),
  );
  return spots.find((spot) => !lines.some((line) => isCrossed(spot, line))) ?? null;
}

/** Whether a line comes nearer to the box than the clearance. */
export function isCrossed({ x, y, width, height }: Box, line: readonly Pixel[]): boolean {
  const low = [x - CLEARANCE, y - CLEARANCE] as const;
  const high = [x + width + CLEARANCE, y + height + CLEARANCE] as const;
  return line.some((to, index) => {
    const from = line[index - 1];
    return from !== undefined && crosses([from, to], low, high);
  });
}

/** Whether a segment has a point inside of the rectangle (Liang and Barsky, 1984). */
function crosses(
  [from, to]: readonly [Pixel, Pixel],
  low: Readonly<Pixel>,
  high: Readonly<Pixel>,
): boolean {
  let [first, last] = [0, 1];
  for (const side of [0, 1] as const) {
    const step = to[side] - from[side];
    const [near, far] = [low[side] - from[side], high[side] - from[side]];
    if (step === 0) {
      if (near > 0 || far < 0) return false;
      continue;
    }
    const shares = [near / step, far / step];
    first = Math.max(first, Math.min(...shares));
    last = Math.min(last, Math.max(...shares));
  }
  return first <= last;
}
