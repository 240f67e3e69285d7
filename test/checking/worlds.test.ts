/**
 * @module
 * The packed search against a search over plain worlds: on drawn instances of all protocols both find the same
 * numbers of worlds and transitions at every depth.
 */

import { describe, expect, it } from 'vitest';
import { KIND, kindOf, reportCode } from '../../src/checking/action-codes.ts';
import { NO_FAULTS } from '../../src/checking/instance.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import { createCast } from '../../src/election/world/cast.ts';
import { drawInstance, packedLevels } from './drawn.ts';
import { plainLevels } from './plain-search.ts';

const INSTANCES = 200;
const WORLDS_MAX = 120;

describe('packed worlds', () => {
  it.each(Array.from({ length: INSTANCES }, (_, index) => index))(
    'are the plain ones (%i)',
    (index) => {
      const { instance, text } = drawInstance(index);

      const packed = packedLevels(instance, WORLDS_MAX);

      expect(packed, text).toEqual(plainLevels(instance, WORLDS_MAX));
    },
  );
});

describe('the return of a node that was down before the election', () => {
  it('is reported although no node can crash', () => {
    const crashedBefore = [3];
    const ring = [1, 2, 3];
    const timing = { latencyTicksMax: 1 };
    const worlds = new Worlds(
      {
        protocol: 'bully-oneshot',
        cast: createCast({ protocol: 'bully-oneshot', timing, ring, crashedBefore }),
        ...{ crashedBefore, initiators: [], starts: 'any', timing: 'asynchronous', links: 'any' },
        bounds: { ...NO_FAULTS, recover: 1 },
        ...{ cut: [], perLink: null },
        ...{ isShifted: false, spread: null },
      },
      null,
    );
    const [first, next] = [emptyPacked(), emptyPacked()];
    const codes: number[] = [];

    worlds.first(first);
    worlds.faults(first, codes);
    const recovery = codes.find((code) => kindOf(code) === KIND.recover) ?? 0;
    worlds.apply(first, recovery, next);

    expect(worlds.parts).toEqual([reportCode('trust', 1, 3), reportCode('trust', 2, 3), recovery]);
  });
});
