/**
 * @module
 * What one caller that requests everything leaves to the others: their turn, and room for elections.
 */

import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { CallerTurns } from '../../../server/callers/caller-gate.ts';
import type { Sharing } from '../../../server/elections/storage/store.ts';
import { assertCharacters, assertShare } from '../../../server/elections/storage/store.ts';

describe('the order in which requests begin', () => {
  it('begins one request of each caller in each turn, however many a caller has sent', async () => {
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

  it('never delays a caller that sends one request at a time', async () => {
    const turns = new CallerTurns();

    const first = turns.take('one');
    await setImmediate();
    const second = turns.take('one');

    expect([first, second]).toEqual([null, null]);
  });

  it('lets another caller begin while one caller waits', () => {
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

  const kept = (owner: string | undefined, count: number, nodes = 1): Sharing[] =>
    Array.from({ length: count }, () => ({
      ...{ request: { owner }, plan: { nodes }, actionCharacters: nodes },
    }));

  it('is given to the first caller while there is much', () => {
    expect(() => assertShare(kept('a', 5), 'a', ROOM)).not.toThrow();
  });

  it('is given to callers with less than an equal share when there is little', () => {
    const all = [...kept('a', 5), ...kept('b', 1)];

    expect(() => assertShare(all, 'a', ROOM)).toThrow('equal share');
    expect(() => assertShare(all, 'b', ROOM)).not.toThrow();
    expect(() => assertShare(all, 'c', ROOM)).not.toThrow();
  });

  it('counts nodes as well as elections', () => {
    const all = [...kept('a', 2, 30), ...kept('b', 1)];

    expect(() => assertShare(all, 'a', ROOM)).toThrow('equal share');
    expect(() => assertShare(all, 'b', ROOM)).not.toThrow();
  });

  it('is not divided if callers cannot be distinguished', () => {
    expect(() => assertShare(kept(undefined, 8), undefined, ROOM)).not.toThrow();
  });

  it('has a share for each known caller, however many come before', () => {
    const room = { elections: 40, nodes: 4_000 };
    const all: Sharing[] = [];
    const ask = (owner: string) => {
      assertShare(all, owner, room, 5);
      all.push(...kept(owner, 1));
    };
    const takeAll = (owner: string) => {
      const before = all.length;
      expect(() => {
        for (;;) ask(owner);
      }).toThrow('equal share');
      return all.length - before;
    };

    const taken = ['a', 'b', 'c', 'd', 'e'].map(takeAll);

    expect(taken).toEqual([32, 2, 2, 2, 2]);
  });
});

describe('room for the actions of elections', () => {
  const MOST = 64;

  const kept = (owner: string | undefined, actionCharacters: number): Sharing => ({
    ...{ request: { owner }, plan: { nodes: 1 }, actionCharacters },
  });

  it('cannot be used up by four of five callers', () => {
    const all = ['a', 'b', 'c'].map((owner) => kept(owner, 16));
    const ask = (owner: string, more: number) => () =>
      assertCharacters(all, owner, { most: MOST, more, callers: 5 });

    expect(ask('a', 10)).toThrow('equal share');
    expect(ask('d', 13)).toThrow('equal share');
    expect(ask('d', 12)).not.toThrow();
    all.push(kept('d', 12));
    expect(ask('e', 3)).not.toThrow();
  });

  it('counts a request before it is granted', () => {
    const all = [kept('a', 30)];

    const ask = (more: number) => () =>
      assertCharacters(all, 'a', { most: MOST, more, callers: 2 });

    expect(ask(17)).not.toThrow();
    expect(ask(34)).toThrow('equal share');
  });

  it('ends for all callers at its limit', () => {
    const all = [kept(undefined, 60)];

    const ask = (more: number) => () =>
      assertCharacters(all, undefined, { most: MOST, more, callers: 0 });

    expect(ask(4)).not.toThrow();
    expect(ask(5)).toThrow('at most 64 characters');
  });
});
