/**
 * @module
 * One leader in an epoch, judged from the epochs that live nodes led.
 */

import { describe, expect, it } from 'vitest';

import { epochClash } from '../../src/live/check/log-check.ts';

describe('the leaders of epochs', () => {
  it('clash if two nodes led one epoch', () => {
    const clash = epochClash('raft', [
      [1, 1],
      [2, 2],
      [2, 3],
    ]);

    expect(clash).toEqual({ epoch: 2, leaders: [2, 3] });
  });

  it('do not clash if one node led again, or another one in a later epoch', () => {
    const pairs = [
      [1, 1],
      [1, 1],
      [2, 2],
      [3, 1],
    ] as const;

    expect(epochClash('raft', pairs)).toBeNull();
  });

  it('do not count in a protocol without epochs', () => {
    const pairs = [
      [1, 1],
      [1, 2],
    ] as const;

    expect(epochClash('bully-oneshot', pairs)).toBeNull();
  });
});
