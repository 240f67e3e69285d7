/**
 * @module
 * A search with several threads against one with a single thread, and against the plain search: the same numbers of
 * worlds, transitions and steps, the same worlds in the same order, the same verdict and the same trace. The slow suite has
 * three times as many instances.
 */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { CheckRequest } from '../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../src/checking/check-request.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { CHECKED_PROPERTIES } from '../../src/checking/properties/registry.ts';
import { Search } from '../../src/checking/search.ts';
import { requestOf } from '../../src/experiment/checks/request.ts';
import { createCrew } from '../../src/runtime/threads/search-crew.ts';
import { sampled } from '../sample.ts';
import { drawRequest } from './drawn.ts';
import { plainLevels } from './plain-search.ts';

const STATES_MAX = 3000;
const SAFETY = CHECKED_PROPERTIES.filter(({ kind }) => kind !== 'eventually').map(
  ({ name }) => name,
);

/** What a search found. Blocks of any size are shared, so that small worlds meet the threads. */
async function found(request: CheckRequest, threads: number, statesMax: number) {
  const { crew, close } = createCrew(request, threads, 1);
  const limits = { statesMax, bytesMax: 2 ** 30 };
  const search = new Search({ ...searchOptionsOf(request, limits), crew });
  // The first block starts the threads. The rest waits for them.
  search.run(1);
  for (let wait = 0; crew?.canShare(1, search.store) === false; wait += 1) {
    if (wait > 3000) throw new Error('the threads do not start');
    await setTimeout(10);
  }
  while (search.run(1000) === null);
  await close();
  const { bytes: _, ...counts } = search.counts;
  const packed = emptyPacked();
  const worlds = Array.from({ length: counts.states }, (_world, number) => {
    search.store.read(number, packed);
    return packed.words.subarray(0, packed.length).join();
  });
  const { witnessed, outcome } = search;
  const shown = outcome?.type === 'violated' ? [outcome.path, outcome.breach] : outcome;
  const renamings = search.orbits?.size ?? 1;
  return { counts, renamings, witnessed: witnessed.toSorted(), shown, worlds };
}

describe('a search with threads', () => {
  it.each(sampled([...Array(28).keys()], 5))('is the same search (%i)', async (index) => {
    const drawn = { ...drawRequest(index), properties: index % 2 === 0 ? SAFETY : [] };

    const alone = await found(drawn, 1, STATES_MAX);

    for (const threads of index % 4 === 0 ? [2, 3] : [2]) {
      expect(await found(drawn, threads, STATES_MAX), JSON.stringify(drawn)).toEqual(alone);
    }
  });

  it.each([
    ['raft', 3],
    ['itai-rodeh', 2],
    ['zk-recipe', 2],
  ] as const)('is the same search of classes (%s)', async (protocol, nodes) => {
    const ring = Array.from({ length: nodes }, (_, index) => index + 1);
    const bounds = { timeout: 2, crash: 1 };
    const drawn = requestOf({
      protocol,
      ring,
      bounds,
      properties: ['one-leader', 'someone-leads'],
    });
    const request = { ...drawn, isSymmetric: true };

    const alone = await found(request, 1, STATES_MAX);

    expect(alone.renamings).toBeGreaterThan(1);
    expect(await found(request, 2, STATES_MAX)).toEqual(alone);
  });

  it.each(sampled([...Array(40).keys()], 5))(
    'finds the worlds of the plain search (%i)',
    async (index) => {
      const drawn = { ...drawRequest(100 + index), properties: [] };
      const levels = plainLevels(
        searchOptionsOf(drawn, { statesMax: 1, bytesMax: 1 }).instance,
        150,
      );
      const isExhausted = levels.transitions.length === levels.worlds.length;
      const states = levels.worlds.reduce((sum, count) => sum + count);

      const { counts } = await found(drawn, 1, isExhausted ? 1e6 : states);

      expect(counts.states).toBe(states);
      if (isExhausted) {
        expect(counts.transitions).toBe(levels.transitions.reduce((sum, count) => sum + count, 0));
      }
    },
  );
});
