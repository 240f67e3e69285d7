/**
 * @module
 * A node that floods: what it says at a turn and when it ends, and that elections come about all the same,
 * at whatever level, for many more messages.
 */

import { describe, expect, test } from 'vitest';

import {
  FLOOD,
  FLOOD_BURST,
  FLOOD_TIMER,
  FLOOD_TURNS_MAX,
} from '../../src/adversary/behaviours/messages/flood.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import {
  deliver,
  honest,
  sendsOf,
  timeout,
  withBehaviour,
  wordsOf,
} from './staging/byzantine-node.ts';
import { always, byzantineElection, outcomesByLevel, runUntil } from './staging/byzantine-runs.ts';

const START = { type: 'start' } as const;

describe('flood', () => {
  test('stands several times at its start and at every turn, to all that accept candidates', () => {
    const node = withBehaviour(FLOOD, { protocol: 'raft' });

    const [first, turn] = [wordsOf(node.handle(START)), wordsOf(node.handle(timeout(FLOOD_TIMER)))];

    for (const words of [first, turn]) {
      const votes = words.filter(([, { type }]) => type === 'VOTE');
      expect(votes.filter(([to]) => to === 1)).toHaveLength(FLOOD_BURST);
      expect(votes.filter(([to]) => to === 3)).toHaveLength(FLOOD_BURST);
    }
  });

  test('stands in the term that it has heard of, and raises none', () => {
    const node = withBehaviour(FLOOD, { protocol: 'raft' });
    const heartbeat = { type: 'HEARTBEAT', term: 7 };
    node.handle(START);
    node.handle(deliver(1, heartbeat));

    const words = wordsOf(node.handle(timeout(FLOOD_TIMER)));

    expect(words[0]?.[1]).toMatchObject({ type: 'VOTE', term: 7 });
  });

  test('ends', () => {
    const node = withBehaviour(FLOOD, { protocol: 'cr-join' });
    node.handle(START);

    const turns = Array.from({ length: FLOOD_TURNS_MAX - 1 }, () =>
      node.handle(timeout(FLOOD_TIMER)),
    );

    const cancel = { type: 'cancel-timer', timer: FLOOD_TIMER };
    expect(turns.at(-2)).not.toContainEqual(cancel);
    expect(turns.at(-1)).toContainEqual(cancel);
  });

  test('is heard where signatures, numbers and candidacies are checked', () => {
    const node = withBehaviour(FLOOD, { protocol: 'cr-join', level: 'L3' });
    const next = honest({ protocol: 'cr-join', level: 'L3', rank: 3 });

    for (const [, probe] of sendsOf(node.handle(START))) next.handle(deliver(2, probe));

    expect(next.state).toMatchObject({ refused: { replay: 0, signature: 0, candidacy: 0 } });
  });

  test.each<[ProtocolName, string]>([
    ['cr-join', '5'],
    ['bully-oneshot', '5'],
    ['hs-wake', '5'],
    ['zk-slide-quorum', '5'],
  ])('leaves %s to elect %s, for many more messages', (protocol, leader) => {
    const options = byzantineElection(protocol, [{ rank: 2, behaviours: ['flood'] }]);

    const outcomes = outcomesByLevel(options, 300);
    const [flooded = 0, quiet = 0] = [options, { ...options, byzantine: [] }].map(
      (each) => runUntil(each, 300).status().messages.total,
    );

    expect(outcomes).toEqual(always(leader));
    expect(flooded).toBeGreaterThan(4 * quiet);
  });
});
