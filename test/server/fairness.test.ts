/**
 * @module
 * What one caller who asks for everything leaves to the others: their turn, and room for elections.
 */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { CallerTurns } from '../../server/callers/caller-turns.ts';
import type { Placed } from '../../server/elections/election-shares.ts';
import { demandShare } from '../../server/elections/election-shares.ts';

describe('the order in which requests begin', () => {
  it('begins one of each caller in each turn, whoever has sent most', async () => {
    const turns = new CallerTurns();
    const begun: string[] = [];
    const begin = async (caller: string) => {
      await turns.take(caller);
      begun.push(caller);
    };
    const flood = Array.from({ length: 5 }, () => begin('flooder'));
    await setImmediate();

    const late = begin('other');
    await Promise.all([...flood, late]);

    expect(begun.indexOf('other')).toBeLessThanOrEqual(2);
    expect(begun.filter((caller) => caller === 'flooder')).toHaveLength(5);
    expect(turns.waiting).toBe(0);
  });

  it('lets a caller who sends one request at a time never wait', async () => {
    const turns = new CallerTurns();

    const first = turns.take('one');
    await setImmediate();
    const second = turns.take('one');

    expect([first, second]).toEqual([null, null]);
  });

  it('lets another caller begin while one waits', () => {
    const turns = new CallerTurns();
    turns.take('flooder');

    const again = turns.take('flooder');
    const other = turns.take('other');

    expect(again).not.toBeNull();
    expect(other).toBeNull();
    expect(turns.waiting).toBe(1);
  });
});

describe('room for elections', () => {
  const ROOM = { elections: 8, nodes: 80 };

  const kept = (owner: string | undefined, count: number, nodes = 1): Placed[] =>
    Array.from({ length: count }, () => ({ request: { owner }, plan: { nodes } }));

  it('is for whoever comes first, as long as there is much', () => {
    expect(() => demandShare(kept('a', 5), 'a', ROOM)).not.toThrow();
  });

  it('is for those who have less than an equal share, where there is little', () => {
    const all = [...kept('a', 5), ...kept('b', 1)];

    expect(() => demandShare(all, 'a', ROOM)).toThrow('equal share');
    expect(() => demandShare(all, 'b', ROOM)).not.toThrow();
    expect(() => demandShare(all, 'c', ROOM)).not.toThrow();
  });

  it('counts nodes as well as elections', () => {
    const all = [...kept('a', 2, 30), ...kept('b', 1)];

    expect(() => demandShare(all, 'a', ROOM)).toThrow('equal share');
    expect(() => demandShare(all, 'b', ROOM)).not.toThrow();
  });

  it('is not shared out where nobody is told apart', () => {
    expect(() => demandShare(kept(undefined, 8), undefined, ROOM)).not.toThrow();
  });
});
