/**
 * @module
 * What is remembered, and what goes when there is no room.
 */

import { describe, expect, it } from 'vitest';

import { BoundedCache } from '../../../server/claims/bounded-cache.ts';

describe('a bounded cache', () => {
  it('forgets what was not asked for longest when there are too many entries', () => {
    const cache = new BoundedCache<number>({ entries: 2, bytes: 1000 });
    cache.keep('one', 1, 1);
    cache.keep('two', 2, 1);
    cache.find('one');

    cache.keep('three', 3, 1);

    expect(['one', 'two', 'three'].map((key) => cache.find(key))).toEqual([1, undefined, 3]);
  });

  it('forgets as many as it takes when there are too many bytes', () => {
    const cache = new BoundedCache<number>({ entries: 10, bytes: 10 });
    cache.keep('one', 1, 4);
    cache.keep('two', 2, 4);

    cache.keep('three', 3, 9);

    expect([cache.size, cache.bytes, cache.find('three')]).toEqual([1, 9, 3]);
  });

  it('counts the bytes of a key that is kept again once', () => {
    const cache = new BoundedCache<number>({ entries: 10, bytes: 10 });

    cache.keep('one', 1, 4);
    cache.keep('one', 2, 6);

    expect([cache.size, cache.bytes, cache.find('one')]).toEqual([1, 6, 2]);
  });

  it('keeps nothing that is larger than itself', () => {
    const cache = new BoundedCache<number>({ entries: 10, bytes: 10 });

    cache.keep('large', 1, 11);

    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });
});
