/**
 * @module
 * What an axis is to a picture by its path and values, and what is drawn of it.
 */

import { describe, expect, it } from 'vitest';

import { axisLabel, numberAxis, roleOf, spread } from '../../../src/experiment/charts/axes.ts';
import { fromZero } from '../../../src/experiment/charts/series.ts';
import { BUDGET, C1, HONEST } from './picture-inputs.ts';

describe('an axis', () => {
  it.each([
    [C1, [8, 9], 'difficulty', 'static difficulty (bits): network.identity.c1'],
    [BUDGET, [8, 9], 'budget', `budget (attempts): ${BUDGET}`],
    [HONEST, [8, 9], 'population', 'honest nodes: network.honest'],
    ['x.leaseTicks', [8, 9], 'number', 'x.leaseTicks (ticks)'],
    ['x.constructor', [8, 9], 'number', 'x.constructor'],
    ['c1', [8], 'difficulty', 'static difficulty (bits): c1'],
    [C1, [8, '9'], 'names', 'static difficulty (bits): network.identity.c1'],
    [C1, [], 'names', 'static difficulty (bits): network.identity.c1'],
  ] as const)('%s with values %j is a %s', (path, values, role, label) => {
    expect(roleOf({ path, values })).toBe(role);
    expect(axisLabel(path)).toBe(label);
  });

  it.each([
    [3, [0, 1, 2]],
    [4, [0, 1, 2]],
    [2, [0, 2]],
    [1, [0]],
  ])('spreads three over %i places', (max, chosen) => {
    expect(spread([0, 1, 2], max)).toEqual(chosen);
  });

  it.each([
    [0.003, 0.003],
    [0.0031, 0.0035],
    [0.61, 0.7],
    [1, 1],
    [81, 100],
    [0, 1],
  ])('that begins at 0 and holds %d ends at %d', (high, end) => {
    expect(fromZero('', [high]).domain).toEqual([0, end]);
  });

  it.each([
    [[3], false, [1.5, 4.5]],
    [[0], false, [-0.5, 0.5]],
    [[8], true, [4, 16]],
    [[1e15, 1e15 + 1], false, [5e14, 1.5e15]],
    [[2, 5, 3], false, [2, 5]],
  ])('of %j is never of one place (logarithmic: %s)', (values, isLogarithmic, domain) => {
    expect(numberAxis('', values, { isLogarithmic }).domain).toEqual(domain);
  });
});
