/**
 * @module
 * Contour lines of values on a grid, by d3-contour's marching squares. d3 returns closed polygons that
 * also run along the border of the grid and around missing values. Here they are cut: a line passes
 * only through squares whose four corners have a value. In a saddle, d3 separates the two high corners.
 */

import { contours } from 'd3-contour';
import type { Point } from './data.ts';

/** A point in units of the grid: x = 1.5 is halfway between columns 1 and 2. */
export type GridPoint = Point;

/** Values by row and column. A missing value is null. */
export type Grid = readonly (readonly (number | null)[])[];

/** The lines at a level. The last point of a closed line equals its first. */
export function contourLines(grid: Grid, level: number): GridPoint[][] {
  const columns = grid[0]?.length ?? 0;
  if (columns === 0) return [];
  // d3 treats NaN as a value below every level.
  const values = grid.flatMap((row) => row.map((value) => value ?? Number.NaN));
  const { coordinates } = contours().size([columns, grid.length]).contour(values, level);
  return coordinates.flat().flatMap((ring) => {
    // d3 puts the value of column 0 at x = 0.5.
    const points = ring.map(([x = 0, y = 0]) => ({ x: x - 0.5, y: y - 0.5 }));
    return linesOf(points, grid);
  });
}

/** The parts of a closed ring that pass through squares with four values. */
function linesOf(ring: readonly GridPoint[], grid: Grid): GridPoint[][] {
  const lines: GridPoint[][] = [];
  let isOpen = false;
  for (const [index, to] of ring.entries()) {
    const from = ring[index - 1];
    if (from === undefined) continue;
    const isKnown = hasFourValues(grid, (from.x + to.x) / 2, (from.y + to.y) / 2);
    if (isKnown && isOpen) lines.at(-1)?.push(to);
    else if (isKnown) lines.push([from, to]);
    isOpen = isKnown;
  }
  const [first, last] = [lines[0], lines.at(-1)];
  // The ring may begin in the middle of a line.
  const isSplit = first !== last && first?.[0] === ring[0] && last?.at(-1) === ring.at(-1);
  if (!isSplit || first === undefined || last === undefined) return lines;
  return [[...last, ...first.slice(1)], ...lines.slice(1, -1)];
}

/** Whether a square around the point has a value at each corner. */
function hasFourValues(grid: Grid, x: number, y: number): boolean {
  const squares = [
    [Math.floor(x), Math.floor(y)],
    // A point on the edge between two squares belongs to both.
    [Math.ceil(x) - 1, Math.ceil(y) - 1],
  ] as const;
  return squares.some(([column, row]) =>
    [row, row + 1].every((at) =>
      [column, column + 1].every((side) => (grid[at]?.[side] ?? null) !== null),
    ),
  );
}
