/**
 * @module
 * Nodes that make everybody wait: they flap, they answer and never announce, they come late. What each
 * does at a step, and what becomes of elections at each level. Where a protocol withstands, the row
 * says by which of its rules.
 */

import { describe, expect, test } from 'vitest';

import { ANSWER_AND_STALL } from '../../src/adversary/behaviours/timing/answer-and-stall.ts';
import { FLAP, FLAP_TIMER } from '../../src/adversary/behaviours/timing/flap.ts';
import { JOIN_TIMER, LATE_JOINER } from '../../src/adversary/behaviours/timing/late-joiner.ts';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import {
  deliver,
  honest,
  sendsOf,
  timeout,
  withBehaviour,
  wordsOf,
} from './staging/byzantine-node.ts';
import {
  always,
  byzantineElection,
  detector,
  measuresAt,
  outcomesByLevel,
  runUntil,
} from './staging/byzantine-runs.ts';

/** Persists and sets a timer at its start, and says what was on its disk when it returns. */
const DIARIST: AnyMachine = {
  init: () => null,
  step(_self, _state, event, effects) {
    if (event.type === 'start') {
      effects.persist('page 1');
      effects.setTimer('write', 5, true);
    }
    if (event.type === 'recover') effects.accuse(event.persisted);
    if (event.type === 'deliver') effects.send(event.from, { type: 'HEARD' });
  },
};

describe('flap', () => {
  test('loses its timers and gets no messages while it pretends to be down', () => {
    const node = withBehaviour(FLAP, { protocol: 'raft' }, DIARIST);
    node.handle({ type: 'start' });

    const fall = node.handle(timeout(FLAP_TIMER));
    const heard = node.handle(deliver(1, { type: 'HELLO' }));

    expect(fall).toContainEqual({ type: 'cancel-timer', timer: 'write' });
    expect(fall).toContainEqual({ type: 'step-down' });
    expect(heard).toEqual([]);
  });

  test('returns with what was on its disk and nothing else', () => {
    const node = withBehaviour(FLAP, { protocol: 'raft' }, DIARIST);
    node.handle({ type: 'start' });
    node.handle(timeout(FLAP_TIMER));

    const rise = node.handle(timeout(FLAP_TIMER));

    expect(rise).toContainEqual({ type: 'accuse', evidence: 'page 1' });
    expect(wordsOf(node.handle(deliver(1, { type: 'HELLO' })))).toEqual([[1, { type: 'HEARD' }]]);
  });

  const noticed: [ProtocolName, changesMin: number][] = [
    ['bully-oneshot', 10],
    ['bully-2phase', 10],
    ['bully-improved', 10],
    ['ring-robust', 10],
    // A live quorum continues: the returned node follows, as an incumbent stays.
    ['raft', 0],
    ['zab-fle', 1],
    ['zk-slide-quorum', 1],
  ];

  test.each(noticed)('brings %s %i changes of leader at every level', (protocol, changesMin) => {
    const flapping = [{ rank: 5, behaviours: ['flap'] }];

    const changes = (['L0', 'L3'] as const).map((level) => {
      const more = { level, ...detector('fd-heartbeat') };
      const run = runUntil(byzantineElection(protocol, flapping, more), 1000);
      return measuresAt(run, 1000).changes;
    });

    expect(changes[1]).toBe(changes[0]);
    if (changesMin <= 1) expect(changes[0]).toBe(changesMin);
    else expect(changes[0]).toBeGreaterThanOrEqual(changesMin);
  });

  test('leaves a plain ring without a leader as long as it is silent', () => {
    const flapping = [{ rank: 5, behaviours: ['flap'] }];
    const options = byzantineElection('cr-join', flapping, detector('fd-heartbeat'));

    const measures = measuresAt(runUntil(options, 2000), 2000);

    expect(measures.changes).toBe(0);
    expect(measures.ticksWithoutLeader).toBeGreaterThan(900);
  });
});

describe('answer-and-stall', () => {
  test('answers a candidate and never announces itself', () => {
    const node = withBehaviour(ANSWER_AND_STALL, { protocol: 'bully-oneshot', rank: 3 });

    const asked = node.handle(deliver(1, { type: 'ELECTION' }));
    const later = node.handle(timeout('announce'));

    expect(wordsOf(asked)).toEqual([[1, { type: 'OK' }]]);
    expect(later).toEqual([]);
  });

  test('asks for a lease again and again as if it had none', () => {
    const node = withBehaviour(ANSWER_AND_STALL, { protocol: 'quorum-lease', level: 'L3' });
    node.handle({ type: 'start' });
    node.handle({ type: 'chosen', value: 0 });
    const voter = honest({ protocol: 'quorum-lease', level: 'L3', rank: 1 });
    voter.handle({ type: 'start' });

    const answers = ['attempt', 'renew', 'renew'].map((timer) => {
      const [, request] = sendsOf(node.handle(timeout(timer))).find(([to]) => to === 1) ?? [];
      if (request === undefined) throw new TypeError('"request" expected one, got none');
      const granted = sendsOf(voter.handle(deliver(2, request)));
      for (const [, grant] of granted) node.handle(deliver(1, grant));
      return { leads: 'leads' in request && request.leads, granted: granted.length };
    });

    const asked = { leads: false, granted: 1 };
    expect(answers).toEqual([asked, asked, asked]);
    expect(voter.state).toMatchObject({ inner: { leader: null, promise: { to: 2 } } });
  });

  const stalls: [ProtocolName, string][] = [
    ['bully-oneshot', 'none'],
    ['bully-gm82', 'none'],
    ['bully-2phase', 'none'],
    ['bully-nextinline', 'none'],
    ['bully-improved', 'none'],
    // A grant that brings nothing goes to the next highest: a skip-list of its own.
    ['bully-modified', '4'],
    ['raft', 'none'],
    ['quorum-lease', 'none'],
    // A node that waited for its successor in vain stands with a higher epoch, which is not refused.
    ['zk-slide-quorum', '4'],
    ['zab-fle', 'none'],
  ];

  test.each(stalls)('as the highest of %s leaves %s to lead', (protocol, outcome) => {
    const stalling = [{ rank: 5, behaviours: ['answer-and-stall'] }];

    const outcomes = outcomesByLevel(byzantineElection(protocol, stalling), 600);

    expect(outcomes).toEqual(always(outcome));
  });

  test('has no node to stall below the top', () => {
    const stalling = [{ rank: 1, behaviours: ['answer-and-stall'] }];

    const outcomes = outcomesByLevel(byzantineElection('bully-oneshot', stalling), 600);

    expect(outcomes).toEqual(always('5'));
  });

  test('keeps pre-vote and a leader that checks its quorum from electing anybody', () => {
    const stalling = [{ rank: 5, behaviours: ['answer-and-stall'] }];
    const flags = { preVote: 'on', checkQuorum: 'on' };

    const outcomes = outcomesByLevel(byzantineElection('raft', stalling, { flags }), 600);

    expect(outcomes).toEqual(always('none'));
  });
});

describe('late-joiner', () => {
  test('hands on what it is sent on a ring, with the candidacy that proves it', () => {
    const node = withBehaviour(LATE_JOINER, { protocol: 'cr-join', level: 'L3' });
    const before = honest({ protocol: 'cr-join', level: 'L3', rank: 1 });
    const [probe] = sendsOf(before.handle({ type: 'start' }));
    if (probe === undefined) throw new TypeError('"probe" expected one, got none');

    const handedOn = sendsOf(node.handle(deliver(1, probe[1])));

    const after = honest({ protocol: 'cr-join', level: 'L3', rank: 3 });
    for (const [, message] of handedOn) after.handle(deliver(2, message));
    expect(handedOn.map(([to, { type }]) => [to, type])).toEqual([[3, 'PROBE']]);
    expect(after.state).toMatchObject({ inner: { joined: true }, candidacies: {} });
  });

  test('begins when the election is over', () => {
    const node = withBehaviour(LATE_JOINER, { protocol: 'bully-oneshot', rank: 3 });

    const start = node.handle({ type: 'start' });
    const asked = node.handle(deliver(1, { type: 'ELECTION' }));
    const join = node.handle(timeout(JOIN_TIMER));

    expect(start.map(({ type }) => type)).toEqual(['set-timer']);
    expect(asked).toEqual([]);
    expect(join).toContainEqual({ type: 'elect', leader: toRank(3), epoch: 0 });
  });

  const joins: [ProtocolName, string][] = [
    ['bully-oneshot', '5'],
    ['bully-gm82', '5'],
    ['bully-2phase', '5'],
    ['bully-nextinline', '5'],
    ['bully-improved', '5'],
    ['bully-modified', '5'],
    ['ring-collect', '5'],
    ['ring-maxtoken', '5'],
    ['cr-join', '5'],
    ['cr-replace', '5'],
    ['cr-always', '5'],
    ['ring-attr', '5'],
    ['hs-wake', '5'],
    ['hs-slide', '5'],
    ['ring-robust', '5'],
    // Each node's list is closed by then; the newcomer alone counts itself in.
    ['ring-lelann', '4'],
    // Overtaken nodes only relay, so that no opponent is left.
    ['peterson', '4'],
    ['ring-robust:peterson', '4'],
  ];

  test.each(joins)('with the highest rank of %s makes %s the leader', (protocol, outcome) => {
    const joining = [{ rank: 5, behaviours: ['late-joiner'] }];
    const options = byzantineElection(protocol, joining);

    const first = outcomesByLevel(options, 40);
    const outcomes = outcomesByLevel(options, 400);

    expect(first).toEqual(always('4'));
    expect(outcomes).toEqual(always(outcome));
  });

  test('outbids no node below the top', () => {
    const joining = [{ rank: 1, behaviours: ['late-joiner'] }];

    const outcomes = outcomesByLevel(byzantineElection('cr-join', joining), 400);

    expect(outcomes).toEqual(always('5'));
  });
});
