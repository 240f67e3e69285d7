/**
 * @module
 * The flags of protocols and the attributes of members, from the registry to the machines of a cast.
 */

import { describe, expect, it } from 'vitest';

import { createCast } from '../../src/election/cast.ts';
import type { Flags } from '../../src/election/flags.ts';
import { ALGORITHM_NAMES, ALGORITHMS, flagFault } from '../../src/election/registry.ts';

const TIMING = { latencyTicksMax: 1 };
const RING = { timing: TIMING, ring: [1, 2, 3], crashedBefore: [] };

describe('flagFault', () => {
  it('takes every value that the registry lists, and no flags at all', () => {
    for (const name of ALGORITHM_NAMES) {
      expect(flagFault(name, {})).toBeNull();
      for (const [flag, values] of Object.entries(ALGORITHMS[name].flags)) {
        for (const value of values) expect(flagFault(name, { [flag]: value })).toBeNull();
      }
    }
  });

  it.each<[string, Flags, string]>([
    ['an unknown value', { rejoin: 'often' }, 'must be dedup or naive, not "often"'],
    ['an empty value', { rejoin: '' }, 'must be dedup or naive, not ""'],
    [
      'an unknown flag',
      { rejoins: 'naive' },
      'is no flag of bully-oneshot, which has rejoin, coordTo, aliveTop',
    ],
    ['the name of a method', { toString: 'naive' }, 'is no flag of bully-oneshot, which has'],
    ['the second of two', { rejoin: 'naive', coordTo: 'none' }, 'must be lower or all, not "none"'],
  ])('refuses %s', (_what, flags, detail) => {
    expect(flagFault('bully-oneshot', flags)?.detail).toContain(detail);
  });

  it('says that a protocol has none', () => {
    expect(flagFault('cr-join', { rejoin: 'naive' })).toEqual({
      flag: 'rejoin',
      detail: 'is no flag of cr-join, which has none',
    });
  });
});

describe('a cast', () => {
  it('is not made with flags that its protocol does not have', () => {
    const create = () => createCast({ ...RING, algorithm: 'cr-join', flags: { rejoin: 'naive' } });

    expect(create).toThrow(new RangeError('"rejoin" is no flag of cr-join, which has none'));
  });
});
