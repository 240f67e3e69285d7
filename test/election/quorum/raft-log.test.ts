/**
 * @module
 * Raft's log: which candidate gets a vote, what is committed, how reads are answered, and what the checker proves.
 */

import { describe, expect, test } from 'vitest';
import { check } from '../../../src/checking/check.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../../src/election/world/effect-record.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';

const ENTRY = { operation: 'write', client: 0, serial: 1, value: 5, expected: 0 };

/** Node 1 of three with these entries, by their terms. */
function nodeWith(terms: readonly number[], flags: Readonly<Record<string, string>> = {}) {
  const given = { log: 'on', ...flags };
  const timing = { latencyTicksMax: 1 };
  const machine = PROTOCOLS.raft.create(timing, given);
  const self = createCast({
    ...{ protocol: 'raft', timing, ring: [1, 2, 3], crashedBefore: [], flags: given },
  }).selfOf(1);
  const state = machine.init(self);
  const handle = (event: Event<Message>): readonly EffectRecord[] => {
    const effects: EffectRecord[] = [];
    machine.step(self, state, event, recordingEffects(effects));
    return effects;
  };
  const term = terms.at(-1) ?? 0;
  const log = terms.map((entryTerm, index) => ({ ...ENTRY, entryTerm, value: 1 + index }));
  handle({ type: 'recover', persisted: { term, votedFor: null, log } });
  handle({ type: 'chosen', value: 0 });
  return {
    handle,
    sent: (event: Event<Message>) =>
      handle(event).flatMap((effect) => (effect.type === 'send' ? [effect] : [])),
    answers: (event: Event<Message>): Json[] =>
      handle(event).flatMap((effect) => (effect.type === 'respond' ? [effect.value] : [])),
  };
}

/** A leader of term 2 with an empty log before, whose followers have answered nothing yet. */
function leader(flags: Readonly<Record<string, string>> = {}) {
  const node = nodeWith([], flags);
  node.handle({ type: 'timeout', timer: 'election' });
  node.handle(from(2, { type: 'VOTE_REPLY', term: 1, granted: true }));
  return node;
}

function from(rank: number, message: Message & Readonly<Record<string, unknown>>): Event<Message> {
  return { type: 'deliver', from: toRank(rank), message };
}

function request(serial: number, input: Json): Event<Message> {
  return { type: 'request', value: { client: 0, serial, input } };
}

function reply(matched: number, round: number): Event<Message> {
  return from(2, { type: 'APPEND_REPLY', term: 1, fits: true, matched, round });
}

describe('a vote', () => {
  const own = [1, 2];

  test.each([
    { lastTerm: 2, lastIndex: 2, granted: true },
    { lastTerm: 2, lastIndex: 1, granted: false },
    { lastTerm: 3, lastIndex: 1, granted: true },
    { lastTerm: 1, lastIndex: 9, granted: false },
  ])('for a log that ends with term $lastTerm at $lastIndex: $granted', (end) => {
    const { granted, ...last } = end;

    const [answer] = nodeWith(own).sent(from(3, { type: 'VOTE', term: 4, ...last }));

    expect(answer?.message).toEqual({ type: 'VOTE_REPLY', term: 4, granted });
  });

  test('goes to a longer log of an older term if last terms are ignored', () => {
    const node = nodeWith(own, { lastTerm: 'ignored' });

    const [answer] = node.sent(from(3, { type: 'VOTE', term: 4, lastTerm: 1, lastIndex: 9 }));

    expect(answer?.message).toMatchObject({ granted: true });
  });
});

describe('a leader', () => {
  test('answers a write when a majority has its entry', () => {
    const node = leader();
    const write = request(1, { type: 'write', value: 7 });

    expect(node.answers(write)).toEqual([]);
    expect(node.answers(reply(1, 1))).toEqual([]);
    expect(node.answers(reply(2, 1))).toEqual([{ client: 0, serial: 1, output: { done: true } }]);
    expect(node.answers(reply(2, 1))).toEqual([]);
  });

  test('answers a read when a majority confirms that it leads', () => {
    const node = leader();
    node.handle(reply(1, 1));

    expect(node.answers(request(1, { type: 'read' }))).toEqual([]);
    expect(node.answers(reply(1, 1))).toEqual([]);
    expect(node.answers(reply(1, 2))).toEqual([{ client: 0, serial: 1, output: { value: null } }]);
  });

  test('answers a read at once by a mistake, or by a lease until it ends', () => {
    const read = request(1, { type: 'read' });
    const leased = leader({ reads: 'lease', checkQuorum: 'on' });
    leased.handle(reply(1, 1));

    expect(leader({ reads: 'local' }).answers(read)).toHaveLength(1);
    expect(leased.answers(read)).toHaveLength(1);
    leased.handle({ type: 'timeout', timer: 'lease-0' });
    expect(leased.answers(request(2, { type: 'read' }))).toEqual([]);
  });

  test('refuses what it is asked when it no longer leads', () => {
    const node = leader();
    node.handle(from(3, { type: 'VOTE', term: 9, lastTerm: 1, lastIndex: 9 }));

    expect(node.answers(request(1, { type: 'read' }))).toEqual([
      { client: 0, serial: 1, output: null },
    ]);
  });

  test('hands over to a follower that has all entries, which stands at once', () => {
    const node = leader();
    const transfer = { type: 'request', value: { transfer: toRank(2) } } as const;

    expect(node.sent(transfer)).toEqual([]);
    node.handle(reply(1, 1));
    expect(node.sent(transfer).map(({ to, message }) => [to, message])).toEqual([
      [2, { type: 'TIMEOUT_NOW', term: 1 }],
    ]);
    const heir = nodeWith([]);
    heir.handle(from(2, append(1, { prevIndex: 0, prevTerm: 0, entryTerm: 0 })));
    const stands = heir.sent(from(2, { type: 'TIMEOUT_NOW', term: 1 }));
    expect(stands.map(({ message }) => message)).toMatchObject([
      { type: 'VOTE', term: 2, lastIndex: 0, lastTerm: 0 },
      { type: 'VOTE', term: 2 },
    ]);
  });
});

function append(term: number, part: Readonly<Record<string, number>>) {
  return { type: 'APPEND', term, commit: 0, round: 1, ...ENTRY, ...part };
}

describe('a follower', () => {
  test('replaces entries that differ from those of its leader, and keeps the others', () => {
    const node = nodeWith([1, 1, 2]);

    const effects = node.handle(from(2, append(3, { prevIndex: 1, prevTerm: 1, entryTerm: 3 })));

    const records = effects.flatMap((each) => (each.type === 'persist' ? [each.fields] : []));
    expect(records.at(-1)).toMatchObject({ term: 3, log: [{ entryTerm: 1 }, { entryTerm: 3 }] });
    expect(effects.at(-1)).toMatchObject({
      message: { type: 'APPEND_REPLY', term: 3, fits: true, matched: 2 },
    });
  });

  test('refuses an entry after one that it does not have', () => {
    const [answer] = nodeWith([1]).sent(
      from(2, append(3, { prevIndex: 4, prevTerm: 2, entryTerm: 3 })),
    );

    expect(answer?.message).toMatchObject({ fits: false, matched: 1 });
  });
});

/** All executions of three nodes in which timers fire so often. */
function checked(timeout: number, flags: Readonly<Record<string, string>> = {}) {
  const request = requestOf({
    protocol: 'raft',
    ring: [1, 2, 3],
    initiators: [1],
    flags: { log: 'on', electionTicks: '30', spreadTicks: '1', ...flags },
    ...{ links: 'fifo', perLink: 1, bounds: { timeout }, clients: '1' },
    properties: ['linearizable', 'client-answered'],
  });
  const steps = check(searchOptionsOf(request, { statesMax: 400_000, bytesMax: 2 ** 30 }));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

test('the checker proves that all answers of a leader are linearizable, within bounds', () => {
  const { type, witnessed } = checked(1);

  expect(type).toBe('exhausted');
  expect([...witnessed]).toContain('client-answered');
});
