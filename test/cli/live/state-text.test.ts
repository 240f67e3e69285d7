/**
 * @module
 * What `usurp cluster up` says about the state of its nodes.
 */

import { describe, expect, it } from 'vitest';
import {
  disagreementAdvice,
  leaderChangeText,
  statesText,
} from '../../../src/cli/live/state-text.ts';
import type { NodeState } from '../../../src/live/cluster/node-state.ts';

const UP: Omit<NodeState, 'node'> = {
  ...{ status: 'up', leader: null, phantom: null, epoch: 0, refused: {}, rate: 1, suspects: [] },
};

/** Nodes from 1, each with the leader that it follows, or with its status. */
function statesOf(...nodes: (number | null | 'down' | 'paused' | 'removed')[]) {
  const states = nodes.map((each, index): NodeState => {
    const node = index + 1;
    if (typeof each === 'string') return { ...UP, node, status: each, leader: node };
    return { ...UP, node, leader: each };
  });
  return { states: () => states };
}

describe('after a wait without an agreement', () => {
  const idle = { load: 0.3, cores: 2 };
  const busy = { load: 9.04, cores: 2 };

  it.each([
    ['down', 'all follow node 3, which is down, and elect no other; start 3 brings it back'],
    ['paused', 'all follow node 3, which is paused, and elect no other; resume 3 brings it back'],
  ] as const)('the leader of all is named that is %s', (status, advice) => {
    expect(disagreementAdvice(statesOf(3, 3, status), idle)).toBe(advice);
  });

  it('a busy machine is named, with the options that help', () => {
    const advice = disagreementAdvice(statesOf(null, 2, 3), busy);

    expect(advice).toMatch(
      /^this machine is busy \(load 9\.0 on 2 cores\), .*--latency.*fd-gossip/,
    );
  });

  it.each([
    ['several leaders', statesOf(2, 2, 3)],
    ['no leader', statesOf(null, null, null)],
    ['one that is up', statesOf(3, 3, 3)],
    ['one that was removed, which cannot return', statesOf(3, 3, 'removed')],
  ])('nothing is said on an idle machine about %s', (_what, cluster) => {
    expect(disagreementAdvice(cluster, idle)).toBeNull();
  });
});

describe('the states of the nodes', () => {
  it('distinguish a removed node from one that is down', () => {
    const text = statesText(statesOf(1, 'down', 'removed'));

    expect(text).toBe('1 follows 1, 2 is down, 3 was removed');
  });
});

describe('a change of the leaders', () => {
  const led = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ node: index + 1, epoch: 0 }));

  it.each([
    [0, 'none'],
    [5, '1 and 2 and 3 and 4 and 5'],
    [6, '1 and 2 and 3 and 4 and 2 more'],
  ])('names at most five of %d', (count, text) => {
    const change = { seconds: 1.5, before: [], after: led(count) };

    expect(leaderChangeText(change)).toBe(`1.5 s after the start: leader none -> ${text}`);
  });
});
