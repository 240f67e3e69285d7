/**
 * @module
 * Contours on grids with known lines.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Grid } from '../../../src/experiment/charts/frontier.ts';
import { contourLines } from '../../../src/experiment/charts/frontier.ts';

describe('contour lines', () => {
  it('cross a slope at the level, in one piece', () => {
    const slope = [
      [0, 1, 2],
      [0, 1, 2],
      [0, 1, 2],
    ];

    expect(contourLines(slope, 1.25)).toEqual([
      [
        { x: 1.25, y: 0 },
        { x: 1.25, y: 1 },
        { x: 1.25, y: 2 },
      ],
    ]);
  });

  it('go round a summit and end where they begin', () => {
    const summit = [
      [0, 0, 0],
      [0, 1, 0],
      [0, 0, 0],
    ];

    const [line = [], ...others] = contourLines(summit, 0.5);

    expect(others).toEqual([]);
    expect(line).toHaveLength(5);
    expect(line.at(-1)).toEqual(line[0]);
  });

  it.each([
    ['below', 0.9],
    ['above', 0.4],
  ])('separate the high corners of a saddle whose middle is %s the level', (_name, level) => {
    const saddle = [
      [0, 1],
      [1, 0],
    ];

    const lines = contourLines(saddle, level);

    // Each of the two lines is nearer to the corner that it separates than to any other.
    const nearest = lines.map((line) => {
      const [x = 0, y = 0] = (['x', 'y'] as const).map(
        (part) => line.reduce((sum, point) => sum + point[part], 0) / line.length,
      );
      return [Math.round(x), Math.round(y)];
    });
    expect(nearest.sort()).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('stop at what is not known', () => {
    const holed: Grid = [
      [0, 2],
      [0, 2],
      [null, 2],
    ];

    expect(contourLines(holed, 1)).toEqual([
      [
        { x: 1 - 0.5, y: 0 },
        { x: 0.5, y: 1 },
      ],
    ]);
  });

  it.each([
    ['nothing', []],
    ['a row', [[0, 1]]],
    ['a column', [[0], [1]]],
  ])('are none in %s', (_name, grid) => {
    expect(contourLines(grid, 0.5)).toEqual([]);
  });

  it('are exact on every plane', () => {
    const steps = fc.integer({ min: -8, max: 8 });

    fc.assert(
      fc.property(steps, steps, fc.double({ min: -9, max: 9, noNaN: true }), (a, b, level) => {
        const plane = [0, 1, 2, 3].map((y) => [0, 1, 2, 3, 4].map((x) => a * x + b * y));

        const points = contourLines(plane, level).flat();

        for (const { x, y } of points) expect(a * x + b * y).toBeCloseTo(level, 9);
        const heights = plane.flat();
        const isCrossed = Math.min(...heights) < level && Math.max(...heights) >= level;
        expect(points.length > 0).toBe(isCrossed);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
