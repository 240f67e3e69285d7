/**
 * @module
 * Sets of defences against attacks that no single one stops: the smallest is found, each of its parts is
 * needed, and a search that did not try all sets does not claim that it did.
 */

import { describe, expect, it } from 'vitest';
import type { SetSearch } from '../../../src/experiment/attack/sets.ts';
import { findSmallestSet, SETS_MAX, setsOf } from '../../../src/experiment/attack/sets.ts';
import type { AttackDefence } from '../../../src/experiment/document/defence-names.ts';
import type { Defended } from '../../../src/experiment/staging/defences.ts';
import { isLevel } from '../../../src/experiment/staging/defences.ts';
import type { Asked } from './attacks.ts';
import { attacked } from './attacks.ts';

const SWALLOWED: Asked = { protocol: 'cr-join', behaviours: ['swallow'], seed: '1' };

describe('an attack that no single defence stops', () => {
  it.each([
    ['L0', ['signatures', 'receipts', 'successor-list']],
    ['L2', ['receipts', 'successor-list']],
    ['L3', ['receipts', 'successor-list']],
  ] as const)('is stopped by the smallest set: swallow on cr-join at %s', async (level, set) => {
    const { stoppedBy, sets, sentence } = await attacked({ ...SWALLOWED, level }, true);

    expect(stoppedBy).toEqual([]);
    expect(sets).toMatchObject({ smallest: set, complete: true });
    const { length } = set;
    expect(sentence).toContain(
      `the smallest set that would have stopped it is ${set.slice(0, length - 1).join(', ')} and ${set[length - 1]}.`,
    );
  });

  it('is stopped by the set when it is on, and by no part of it', async () => {
    const at = { ...SWALLOWED, level: 'L2' } as const;

    const all = await attacked({ ...at, defences: ['receipts', 'successor-list'] });
    const parts = await Promise.all(
      ['receipts', 'successor-list'].map((defence) => attacked({ ...at, defences: [defence] })),
    );

    expect(all.succeeded).toBe(false);
    expect(parts.map(({ succeeded }) => succeeded)).toEqual([true, true]);
  });

  it('may remain against every set that fits together', async () => {
    const { sets, sentence } = await attacked(
      { protocol: 'raft', behaviours: ['double-vote'], nodes: 3, level: 'L3' },
      true,
    );

    expect(sets).toMatchObject({ smallest: null, complete: true });
    expect(sets?.tried).toBeGreaterThan(0);
    expect(sentence).toMatch(/nor any of the \d+ sets of up to 3 defences that fit together\.$/);
  });

  it('has no search if a single defence stops it', async () => {
    const { stoppedBy, sets } = await attacked(
      { protocol: 'cr-join', behaviours: ['phantom-id'] },
      true,
    );

    expect(stoppedBy).toContain('hop-limit');
    expect(sets).toBe(null);
  });
});

describe('the search', () => {
  const FORGING: Defended = { protocol: 'cr-join', level: 'L0', defences: [], isForging: true };

  /** All sets that are tried while none of them stops the attack. */
  async function searched(defended: Defended, answer: boolean | null = false) {
    const tried: (readonly AttackDefence[])[] = [];
    const found = await findSmallestSet(defended, {
      ...{ sizeMin: 1, othersMax: 3 },
      isPlayable: () => true,
      async stops(set) {
        tried.push(set);
        return answer;
      },
    });
    return { tried, found };
  }

  it('tries smaller sets first, each once, with one level at most', async () => {
    const { tried, found } = await searched(FORGING);

    const sizes = tried.map(({ length }) => length);
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    expect(new Set(sizes)).toEqual(new Set([1, 2, 3]));
    expect(new Set(tried.map((set) => set.join())).size).toBe(tried.length);
    expect(tried.every((set) => set.filter(isLevel).length <= 1)).toBe(true);
    expect(found?.tried).toBe(tried.length);
  });

  it('leaves out what does not fit together', async () => {
    const { tried } = await searched(FORGING);
    const bully = await searched({ ...FORGING, protocol: 'bully-oneshot' });

    const together = (sets: typeof tried, ...names: AttackDefence[]) =>
      sets.filter((set) => names.every((name) => set.includes(name)));
    expect(together(tried, 'hop-limit', 'successor-list')).toEqual([]);
    expect(together(bully.tried, 'incumbency', 'back-off')).toEqual([]);
    expect(together(tried, 'receipts').every((set) => set.some(isLevel))).toBe(true);
  });

  it('does not call itself complete if a limit ended it, or an answer is unknown', async () => {
    const many = await searched({ ...FORGING, protocol: 'bully-oneshot' });
    const unknown = await searched({ ...FORGING, level: 'L3' }, null);

    const { found } = many;
    expect(found?.tried).toBeLessThanOrEqual(SETS_MAX);
    expect(found?.complete).toBe((found?.tried ?? 0) < SETS_MAX);
    expect(unknown.found).toMatchObject({ smallest: null, complete: false });
  });

  it('ends at once if it is interrupted', async () => {
    let asked = 0;

    const found: SetSearch | null = await findSmallestSet(FORGING, {
      ...{ sizeMin: 2, othersMax: 3 },
      isPlayable: () => true,
      async stops() {
        asked += 1;
        return 'cancelled';
      },
    });

    expect({ found, asked }).toEqual({ found: null, asked: 1 });
  });

  it('lists all sets of a size', () => {
    expect([...setsOf([1, 2, 3, 4], 2)]).toEqual([
      ...[
        [1, 2],
        [1, 3],
        [1, 4],
      ],
      ...[
        [2, 3],
        [2, 4],
        [3, 4],
      ],
    ]);
    expect([...setsOf([1, 2], 3)]).toEqual([]);
  });
});
