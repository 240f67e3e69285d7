/**
 * @module
 * What the definition of Raft states by functions: times, the machine that flags make, and what an attacker sends.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { readNumbers } from '../../../src/election/definition/flags.ts';
import { GREATEST } from '../../../src/election/definition/forgery.ts';
import type { AttributeOf } from '../../../src/election/definition/protocol.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import { RAFT, voteForAll } from '../../../src/election/quorum/raft.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../../src/election/world/effect-record.ts';

const TIMING = { latencyTicksMax: 1 };
const ELECTION: Event<Message> = { type: 'timeout', timer: 'election' };
const READ: Event<Message> = {
  ...{ type: 'request', value: { client: 0, serial: 1, input: { type: 'read' } } },
};
const TIMES = { electionTicks: '50', spreadTicks: '7', heartbeatTicks: '5' };

describe('times', () => {
  it('are ten heartbeats for an election, and a range of the same length', () => {
    // A heartbeat is due every 2Δ + 1 ticks.
    const numberOf = readNumbers(RAFT.numbers, { latencyTicksMax: 2 }, {});

    expect(Object.keys(RAFT.numbers).map(numberOf)).toEqual([50, 50, 5]);
  });

  it('are a heartbeat a tick where the time-out is shorter than ten', () => {
    expect(readNumbers(RAFT.numbers, TIMING, { electionTicks: '9' })('heartbeatTicks')).toBe(1);
  });

  it('settle an election in two time-outs and their range', () => {
    expect(RAFT.steadyTicks?.(TIMING, TIMES, 5)).toBe(107);
  });

  it.each([
    ['49', undefined],
    ['50', 'heartbeatTicks'],
  ])('do not clash at a heartbeat every %s of 50 ticks, or by %s', (heartbeatTicks, flag) => {
    const given = { electionTicks: '50', heartbeatTicks };

    expect(RAFT.clash?.(readNumbers(RAFT.numbers, TIMING, given), given)?.flag).toBe(flag);
  });
});

it('a leader serves clients only from a log', () => {
  const served = [{ log: 'on' }, { log: 'off' }, {}].map((flags) => RAFT.servesClients?.(flags));

  expect(served).toEqual([true, false, false]);
});

it('an election takes about four messages for each pair of nodes', () => {
  expect(RAFT.messagesAbout(5)).toBe(100);
});

describe('a machine', () => {
  it.each([
    ['by default', {}, undefined, { type: 'VOTE', term: 1, lastIndex: 0 }],
    ['with an attribute', {}, () => 3, { type: 'VOTE', term: 1, lastIndex: 3 }],
    ['with preVote', { preVote: 'on' }, undefined, { type: 'PRE_VOTE', term: 1, lastIndex: 0 }],
    ['with a log', { log: 'on' }, undefined, { type: 'VOTE', term: 1, lastIndex: 0, lastTerm: 0 }],
  ])('%s asks so, and draws from its range', (_what, given, attributeOf, question) => {
    const effects = effectsOf([ELECTION], given, attributeOf);

    expect(effects).toContainEqual({ type: 'send', to: 2, id: 0, message: question });
    expect(effects.at(-1)).toEqual({ type: 'choose', below: 7 });
  });

  const members = [1, 2].map(toRank);
  const configuration = { term: 1, version: 1, members, removed: [] };
  const disk = recovered({ term: 1, votedFor: null, configuration });
  const entry = { entryTerm: 2, operation: 'none', client: 0, serial: 0, value: 0, expected: 0 };
  const vote = { type: 'VOTE', term: 2, lastIndex: 0 };
  const led = [ELECTION, from({ type: 'VOTE_REPLY', term: 1, granted: true })];

  it.each<[Flags, Event<Message>[], EffectRecord['type'], number]>([
    [{}, [from({ type: 'HEARTBEAT', term: 5 }), from(vote)], 'send', 2],
    [{ rules: 'etcd' }, [from({ type: 'HEARTBEAT', term: 5 }), from(vote)], 'send', 1],
    [{}, [from({ type: 'HEARTBEAT', term: 5 })], 'set-timer', 0],
    [{ checkQuorum: 'on' }, [from({ type: 'HEARTBEAT', term: 5 })], 'set-timer', 1],
    [{}, [disk, from(vote), from(vote)], 'persist', 1],
    [{ reconfiguration: 'unguarded' }, [disk, from(vote), from(vote)], 'persist', 2],
    [{ log: 'on' }, [...led, READ], 'respond', 0],
    [{ log: 'on', reads: 'local' }, [...led, READ], 'respond', 1],
  ])('with %o does what its flags say', (given, events, type, count) => {
    expect(effectsOf(events, given).filter((effect) => effect.type === type)).toHaveLength(count);
  });

  it.each([
    ['compared', false],
    ['ignored', true],
  ] as const)(
    'with last terms %s votes for a longer log of an older term: %s',
    (lastTerm, granted) => {
      const logged = recovered({ term: 2, votedFor: null, log: [entry] });
      const question = from({ type: 'VOTE', term: 3, lastIndex: 9, lastTerm: 1 });

      expect(effectsOf([logged, question], { log: 'on', lastTerm }).at(-1)).toMatchObject({
        message: { type: 'VOTE_REPLY', granted },
      });
    },
  );
});

describe('a Byzantine node', () => {
  it.each([
    ['announcement', 'HEARTBEAT', {}],
    ['candidacy', 'VOTE', { lastIndex: GREATEST }],
    ['answer', 'VOTE_REPLY', { granted: true }],
  ] as const)('forges the %s by a %s', (statement, type, members) => {
    const forged = RAFT.forgery[statement];
    const about = { about: toRank(2), home: toRank(1), epoch: 4, serial: 0, ringNodes: 3 };

    expect(typeof forged === 'object' && forged.messages(about)).toEqual([
      { type, term: 4, ...members },
    ]);
  });

  it('votes for everybody in every term, and answers nothing else', () => {
    expect(voteForAll(message('VOTE', 3))).toEqual([
      { type: 'VOTE_REPLY', term: 3, granted: true },
    ]);
    expect(voteForAll(message('PRE_VOTE', 4))).toEqual([
      { type: 'PRE_VOTE_REPLY', term: 4, granted: true },
    ]);
    expect(voteForAll(message('HEARTBEAT', 5))).toBeNull();
  });

  it('uses up terms by votes', () => {
    const { inflation } = RAFT;

    expect(typeof inflation === 'object' && inflation.sends?.(toRank(2), 9)).toEqual({
      ...{ type: 'VOTE', term: 9, lastIndex: 9 },
    });
  });

  it('without the votes of a majority may not send a HEARTBEAT', () => {
    const { certificate } = RAFT;
    const announces = ['HEARTBEAT', 'VOTE'].map(
      (type) => typeof certificate === 'object' && certificate.announces(message(type, 1)),
    );

    expect(announces).toEqual([true, false]);
  });
});

function message(type: string, term: number) {
  return { type, term, lastIndex: 0 };
}

function from(given: Message & Readonly<Record<string, unknown>>): Event<Message> {
  return { type: 'deliver', from: toRank(2), message: given };
}

function recovered(persisted: Json): Event<Message> {
  return { type: 'recover', persisted };
}

/** What node 1 of two does at these events. */
function effectsOf(
  events: readonly Event<Message>[],
  given: Flags,
  attributeOf?: AttributeOf,
): readonly EffectRecord[] {
  const flags = { ...TIMES, ...given };
  const machine = RAFT.create(TIMING, flags, attributeOf);
  const cast = createCast({
    ...{ protocol: 'raft', timing: TIMING, ring: [1, 2], crashedBefore: [], flags },
  });
  const self = cast.selfOf(1);
  const effects: EffectRecord[] = [];
  const state = machine.init(self);
  for (const event of events) machine.step(self, state, event, recordingEffects(effects));
  return effects;
}
