/**
 * @module
 * One leader in an epoch, judged from the trace of live nodes.
 */

import { describe, expect, it } from 'vitest';

import { toRank } from '../../src/election/world/cast.ts';
import { epochClash } from '../../src/live/check/log-check.ts';
import type { TraceRecord } from '../../src/simulation/engine/trace.ts';

/** Each node leads the epoch beside it. */
function ledBy(...pairs: readonly (readonly [number, number])[]): TraceRecord[] {
  return pairs.map(([node, epoch], seq) => ({
    ...{ seq, t: seq, action: { type: 'timeout', node, timer: 'election' } as const },
    effects: [{ type: 'elect', leader: toRank(node), epoch }],
  }));
}

describe('the leaders of epochs', () => {
  it('clash if two nodes led one epoch', () => {
    const clash = epochClash('raft', ledBy([1, 1], [2, 2], [3, 2]));

    expect(clash).toEqual({ epoch: 2, leaders: [2, 3] });
  });

  it('do not clash if one node led again, or another one in a later epoch', () => {
    expect(epochClash('raft', ledBy([1, 1], [1, 1], [2, 2], [1, 3]))).toBeNull();
  });

  it('do not count in a protocol without epochs', () => {
    expect(epochClash('bully-oneshot', ledBy([1, 0], [2, 0]))).toBeNull();
  });
});
