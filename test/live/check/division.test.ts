/**
 * @module
 * The sides of partitions, beside the links that the simulator cuts.
 */

import { expect, it } from 'vitest';
import { divisionOf, separates, wholeDivision } from '../../../src/live/check/division.ts';
import { createCut } from '../../../src/simulation/faults/cuts.ts';
import { parseCut } from '../../../src/simulation/faults/text.ts';

const CUTS = ['halves', 'minority', 'majorities-ring', 'isolate:2', 'one-way:2>1', 'links:1-2,2-3'];

it.each(CUTS)('%s cuts the same links as in the simulator, with a store or without', (text) => {
  const cut = parseCut(text);
  if (cut === null) throw new RangeError(`"text" expected a cut, got ${text}`);
  for (const nodes of [3, 5, 6]) {
    for (const store of [0, null]) {
      const division = divisionOf(cut, nodes, store);
      const isCut = createCut(cut, nodes);
      const all = Array.from({ length: nodes + (store === null ? 0 : 1) }, (_, index) => index + 1);
      const nameOf = (each: number) => (each > nodes ? 0 : each);
      const links = all.flatMap((from) => all.map((to) => [from, to] as const));

      const apart = links.filter(([from, to]) => separates(division, nameOf(from), nameOf(to)));

      const expected = links.filter(([from, to]) => from !== to && isCut(from, to));
      expect(apart).toEqual(expected);
    }
  }
});

it('a bridge is in reach of both sides', () => {
  const division = wholeDivision(
    {
      sides: [
        [1, 2],
        [2, 3],
      ],
    },
    [1, 2, 3],
  );

  const pairs = [
    [1, 2],
    [2, 1],
    [2, 3],
    [1, 3],
    [3, 1],
  ] as const;
  expect(pairs.map(([from, to]) => separates(division, from, to))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

it('nodes that no side names are one more side, and are in reach under a cut of one direction', () => {
  expect(wholeDivision({ sides: [[1]] }, [1, 2, 3]).sides).toEqual([[1], [2, 3]]);

  const oneWay = wholeDivision({ sides: [[1], [2]], isOneWay: true }, [1, 2, 3]);

  expect([separates(oneWay, 1, 2), separates(oneWay, 2, 1), separates(oneWay, 1, 3)]).toEqual([
    true,
    false,
    false,
  ]);
});

it.each([
  ['the partition separates no two nodes', { sides: [[1, 2, 3]] }],
  [
    'the partition separates no two nodes',
    {
      sides: [
        [1, 2],
        [1, 2, 3],
      ],
    },
  ],
  [
    'a node is on both sides',
    {
      sides: [
        [1, 2],
        [2, 3],
      ],
      isOneWay: true as const,
    },
  ],
])('refuses a partition if %s', (why, division) => {
  expect(() => wholeDivision(division, [1, 2, 3])).toThrow(why);
});
