/**
 * @module
 * Quorum certificates: which announcements count, the outcome for a node that announces itself without
 * votes, and the attacks that they do not stop.
 */

import { describe, expect, it } from 'vitest';

import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type {
  Authentication,
  SealedMessage,
} from '../../../src/election/authentication/authenticated.ts';
import {
  createAuthenticated,
  messageText,
} from '../../../src/election/authentication/authenticated.ts';
import {
  createQuorumCertificates,
  VOTE_BYTES_MAX,
} from '../../../src/election/defences/quorum-certificates.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import { createRaft } from '../../../src/election/quorum/raft.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { SIGNATURE_BYTES } from '../../../src/identity/keys/signature-scheme.ts';
import { parseSeed } from '../../../src/random.ts';
import { recorded } from '../recorded.ts';
import type { Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };
const RANKS = [1, 2, 3, 4, 5].map(toRank);
const AUTHENTICATION: Authentication = {
  ...{ level: 'L2', protocol: 'raft', election: '1' },
  keysOf: symbolicKeys(parseSeed('7'), RANKS),
};
/** Node 1 of five, whose majority is three. */
const SELF = createCast({
  ...{ protocol: 'raft', timing: TIMING, ring: [1, 2, 3, 4, 5], crashedBefore: [] },
}).selfOf(1);

describe('a Byzantine node', () => {
  it.each([
    ['raft', 'L2'],
    ['raft', 'L3'],
    ['quorum-lease', 'L2'],
    ['quorum-lease', 'L3'],
  ] as const)(
    'that announces itself in %s at %s leads only without certificates',
    (protocol, level) => {
      const stage = {
        ...{ protocol, level, nodes: 5, untilTicks: 1000, crashedBefore: [5], seed: '3' },
        byzantineNodes: { 1: 'spoof-coordinator' },
      } satisfies Omit<Stage, 'defences'>;

      const guarded = agreedOn(play({ ...stage, defences: ['quorum-certificates'] }));

      expect(agreedOn(play({ ...stage, defences: [] }))).toBe(1);
      expect([2, 3, 4]).toContain(guarded);
    },
  );

  it.each(['term-inflation', 'answer-and-stall'] as const)(
    'prevents any leader by %s despite certificates',
    (behaviour) => {
      const outcome = play({
        ...{ protocol: 'raft', level: 'L3', nodes: 5, untilTicks: 2000 },
        ...{ byzantineNodes: { 5: behaviour }, defences: ['quorum-certificates'] },
      });

      expect(agreedOn(outcome)).toBeNull();
    },
  );

  it('that was elected shows its votes as any other leader', () => {
    const stage = {
      ...{ protocol: 'raft', level: 'L3', nodes: 3, untilTicks: 1000 },
      byzantineNodes: { 1: 'flood' },
    } satisfies Omit<Stage, 'defences'>;

    expect(agreedOn(play({ ...stage, defences: ['quorum-certificates'] }))).toBe(
      agreedOn(play({ ...stage, defences: [] })),
    );
    expect(agreedOn(play({ ...stage, defences: [] }))).toBe(1);
  });
});

describe('messages', () => {
  it.each(['raft', 'quorum-lease'] as const)(
    'of %s are as many as without certificates',
    (protocol) => {
      const stage = { protocol, level: 'L3', nodes: 5, untilTicks: 500 } as const;
      const count = (defences: Stage['defences']) =>
        play({ ...stage, defences }).simulation.status().messages.total;

      expect(count(['quorum-certificates'])).toBe(count([]));
    },
  );
});

describe('a vote in a certificate', () => {
  // A rank of a live node is a rank key in hex.
  const [by, to] = ['a', 'b'].map((digit) => digit.repeat(64));
  const signature = 'c'.repeat(2 * SIGNATURE_BYTES);

  it.each([
    { type: 'VOTE_REPLY', term: Number.MAX_SAFE_INTEGER, granted: true },
    { type: 'GRANT', term: Number.MAX_SAFE_INTEGER, round: 1_000_000 },
  ])('has the stated size between live nodes: %o', (body) => {
    const { length } = JSON.stringify({ by, to, number: 2 ** 33, body, signature });

    expect(length).toBeLessThanOrEqual(VOTE_BYTES_MAX);
    expect(length).toBeGreaterThan(0.75 * VOTE_BYTES_MAX);
  });
});

describe('the guard of node 1 of five', () => {
  it('follows a leader that shows two votes of others', () => {
    const node = createNode();

    node.receive(2, heartbeat(2, 5, [vote(3, 2, 5), vote(4, 2, 5)]));

    expect(node.leader()).toBe(2);
  });

  it('follows it further without votes in the same term, and not in the next', () => {
    const node = createNode();
    node.receive(2, heartbeat(2, 5, [vote(3, 2, 5), vote(4, 2, 5)]));

    node.receive(2, heartbeat(2, 5, undefined));
    const same = node.state.ignored;
    node.receive(2, heartbeat(2, 6, undefined));

    expect([same, node.state.ignored]).toEqual([0, 1]);
  });

  it.each([
    ['no certificate', undefined],
    ['something else', 7],
    ['an empty list', []],
    ['one vote', [vote(3, 2, 5)]],
    ['one vote twice', [vote(3, 2, 5), vote(3, 2, 5)]],
    ['more votes than a majority needs', [vote(3, 2, 5), vote(4, 2, 5), vote(5, 2, 5)]],
    ['a vote of its own', [vote(2, 2, 5), vote(3, 2, 5)]],
    ['votes for another node', [vote(3, 4, 5), vote(5, 4, 5)]],
    ['votes of another term', [vote(3, 2, 4), vote(4, 2, 4)]],
    ['a refusal', [vote(3, 2, 5), { ...vote(4, 2, 5), body: { ...granted(5), granted: false } }]],
    ['a vote that another node has signed', [vote(3, 2, 5), vote(4, 2, 5, 2)]],
    ['a vote of no member', [vote(3, 2, 5), { ...vote(4, 2, 5), by: 9 }]],
    ['a vote without a form', [vote(3, 2, 5), null]],
  ])('ignores a leader that shows %s', (_what, certificate) => {
    const node = createNode();

    node.receive(2, heartbeat(2, 5, certificate));

    expect([node.leader(), node.state.ignored]).toEqual([null, 1]);
  });

  it('shows the votes that it has received for its term with each announcement', () => {
    const node = createNode();
    const { term } = node.stand();
    node.receive(3, signed(3, granted(term - 1)));
    node.receive(3, spoiled(signed(3, granted(term))));

    node.receive(3, signed(3, granted(term)));
    const sent = node.receive(4, signed(4, granted(term)));

    const certificate = [vote(3, 1, term), vote(4, 1, term)];
    expect(sent).toHaveLength(4);
    for (const { message } of sent) {
      expect(message).toMatchObject({ type: 'HEARTBEAT', term, seal: { certificate } });
    }
  });

  it('is refused for a protocol without votes', () => {
    const context = {
      protocol: 'cr-join',
      timing: TIMING,
      authentication: AUTHENTICATION,
    } as const;

    expect(() => createQuorumCertificates(raft(), context)).toThrow(
      '"protocol" expected one whose leaders have votes, got cr-join',
    );
  });
});

type Word = Message & Readonly<Record<string, unknown>>;

function granted(term: number): Word {
  return { type: 'VOTE_REPLY', term, granted: true };
}

function signatureOf(by: number, to: number, body: Message, signer = by): string {
  const parts = { by: toRank(by), to: toRank(to), number: 0, body };
  return AUTHENTICATION.keysOf(toRank(signer)).sign(messageText(AUTHENTICATION, parts));
}

/** A message to node 1. */
function signed(by: number, body: Word): SealedMessage {
  return { ...body, seal: { by: toRank(by), signature: signatureOf(by, 1, body) } };
}

function spoiled(message: SealedMessage): SealedMessage {
  const { seal, ...body } = message;
  const sealed: SealedMessage = { ...body };
  return seal === undefined ? sealed : { ...sealed, seal: { ...seal, signature: 'wrong' } };
}

function vote(by: number, to: number, term: number, signer = by) {
  const body = granted(term);
  return { by, to, number: 0, body, signature: signatureOf(by, to, body, signer) };
}

function heartbeat(by: number, term: number, certificate: unknown): SealedMessage {
  const { seal, ...body } = signed(by, { type: 'HEARTBEAT', term });
  const certified = { ...seal, certificate };
  return { ...body, seal: certified };
}

function raft(): AnyMachine {
  return createRaft({
    ...{
      rules: 'figure2',
      preVote: 'off',
      checkQuorum: 'off',
      reconfiguration: 'guarded',
      electionTicks: 100,
      spreadTicks: 10,
    },
    ...{ heartbeatTicks: 10, lastIndexOf: () => 0 },
  });
}

function createNode() {
  const machine = createQuorumCertificates(createAuthenticated(raft(), AUTHENTICATION), {
    ...{ protocol: 'raft', timing: TIMING, authentication: AUTHENTICATION },
  });
  const state = machine.init(SELF);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(SELF, state, event, effects)).flatMap((effect) =>
      effect.type === 'send' ? [effect] : [],
    );
  return {
    state,
    receive: (from: number, message: Message) =>
      handle({ type: 'deliver', from: toRank(from), message }),
    /** Node 1 becomes a candidate. */
    stand() {
      handle({ type: 'start' });
      handle({ type: 'timeout', timer: 'election' });
      return { term: state.term };
    },
    leader: () => leaderIn(state.inner),
  };
}

/** The leader in the state of an authenticated machine. */
function leaderIn(state: Json): Json | undefined {
  if (typeof state !== 'object' || state === null || !('inner' in state)) return undefined;
  const { inner } = state;
  return typeof inner === 'object' && inner !== null && 'leader' in inner
    ? inner.leader
    : undefined;
}
