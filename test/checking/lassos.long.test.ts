/**
 * @module
 * Endless executions with known results: Raft with five of ten links elects no leader, and with preVote it does;
 * asynchronous Bully and zk-slide-quorum never settle.
 */

import { describe, expect, it } from 'vitest';

import type { CheckResult } from '../../src/checking/check.ts';
import {
  AGREEMENT,
  LEADER_APPEARS,
  LEADER_ELECTED,
  SETTLES,
} from '../../src/checking/properties/followers.ts';
import { checked } from './checked.ts';

/** Links 1-2, 1-3, 2-3, 2-4 and 3-5 are left. */
const FIVE_OF_TEN = [
  [1, 4],
  [1, 5],
  [2, 5],
  [3, 4],
  [4, 5],
] as const;
const ONE_TICK = { spreadTicks: '1' };

const RAFT = { timing: 'synchronous', isShifted: true, spread: 1 } as const;

/** What was found, whether it repeats, and by how much counters rise. */
function summary(result: CheckResult): readonly unknown[] {
  if (result.type !== 'violated') return [result.type];
  const { property, cycleFrom, rises } = result;
  return [property.name, cycleFrom === null ? 'ends' : 'repeats', ...rises.map(({ by }) => by)];
}

describe('Raft', () => {
  const properties = [LEADER_APPEARS];

  it('with five of ten links may never have a leader, while terms rise by one', () => {
    const given = { ...RAFT, properties, flags: ONE_TICK, cut: FIVE_OF_TEN };

    const result = checked('raft', 5, given);

    expect(summary(result)).toEqual(['leader-appears', 'repeats', 1]);
  });

  it('with five of ten links and preVote of etcd has a leader within the spread', () => {
    const given = {
      ...RAFT,
      properties,
      flags: { ...ONE_TICK, rules: 'etcd', preVote: 'on' },
      cut: FIVE_OF_TEN,
    };

    const result = checked('raft', 5, given);

    expect(result.type).toBe('exhausted');
  });

  it('with all links has a leader', () => {
    const result = checked('raft', 3, { ...RAFT, properties, flags: ONE_TICK });

    expect(result.type).toBe('exhausted');
  });
});

describe('asynchronous Bully', () => {
  it('has a schedule that never settles, without faults', () => {
    const result = checked('bully-oneshot', 3, { perLink: 1, properties: [SETTLES] });

    expect(summary(result)).toEqual(['settles', 'repeats']);
  });
});

describe('zk-slide-quorum', () => {
  const given = { flags: { retryTicks: '1' }, isShifted: true, perLink: 1, spread: 2 };

  it('may stay with leaders of different epochs after lost messages', () => {
    const bounds = { loss: 2 };

    const result = checked('zk-slide-quorum', 3, { ...given, bounds, properties: [AGREEMENT] });

    expect(summary(result)).toEqual(['agreement', 'ends']);
  });

  it('may elect for ever without faults under asynchronous timing', () => {
    const properties = [LEADER_ELECTED];

    const result = checked('zk-slide-quorum', 3, { ...given, initiators: [2, 3], properties });

    expect(summary(result)).toEqual(['leader-elected', 'repeats', 3]);
  });
});

describe('a choice that goes before all else', () => {
  // Each repetition of these elections has a choice, before which neither a message nor the end of the partition is possible.
  it.each([
    ['raft', { spreadTicks: '1' }, LEADER_APPEARS],
    ['raft', { spreadTicks: '1' }, LEADER_ELECTED],
    ['zk-slide-quorum', { retryTicks: '1' }, SETTLES],
    ['zk-slide-quorum', { retryTicks: '1' }, LEADER_ELECTED],
  ] as const)('does not let %s %j leave a partition open for ever', (protocol, flags, property) => {
    const given = { ...RAFT, flags, bounds: { partition: 1 }, properties: [property] };

    expect(checked(protocol, 2, given).type).toBe('exhausted');
  });

  it('does not hide an election without links', () => {
    const given = { ...RAFT, flags: { spreadTicks: '1' }, cut: [[1, 2] as const] };

    expect(checked('raft', 2, { ...given, properties: [LEADER_APPEARS] }).type).toBe('violated');
  });
});
