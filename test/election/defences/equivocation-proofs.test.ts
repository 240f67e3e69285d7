/**
 * @module
 * Proofs of equivocation: what counts as one, and the outcome for the Byzantine node and for nodes that believed it.
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
import { createEquivocationProofs } from '../../../src/election/defences/equivocation-proofs.ts';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import { createRaft } from '../../../src/election/quorum/raft.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import { recorded } from '../recorded.ts';
import type { Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };
const RANKS = [1, 2, 3, 4].map(toRank);
const AUTHENTICATION: Authentication = {
  ...{ level: 'L2', protocol: 'raft', election: '1' },
  keysOf: symbolicKeys(parseSeed('7'), RANKS),
};
/** Node 1 of four. */
const SELF = createCast({
  ...{ protocol: 'raft', timing: TIMING, ring: [1, 2, 3, 4], crashedBefore: [] },
}).selfOf(1);

describe('an equivocating node', () => {
  it('that announces two leaders splits everybody else, and is expelled with proofs', () => {
    const stage = {
      ...{ protocol: 'zk-slide-quorum', nodes: 5, level: 'L3', untilTicks: 2000 },
      byzantineNodes: { 1: 'equivocate' },
    } satisfies Omit<Stage, 'defences'>;

    const guarded = play({ ...stage, defences: ['equivocation-proofs'] });

    expect(agreedOn(play({ ...stage, defences: [] }))).toBeNull();
    expect(agreedOn(guarded)).not.toBeNull();
    for (const rank of [2, 3, 4, 5]) {
      expect(guarded.simulation.stateOf(rank)).toMatchObject({ expelled: [1] });
    }
  });

  it('that votes twice makes two masters in some runs, and with proofs in none', () => {
    const seeds = Array.from({ length: 32 }, (_, index) => String(index + 1));
    const isSplit = (seed: string, defences: readonly DefenceName[]) => {
      const { follows } = play({
        ...{ protocol: 'quorum-lease', nodes: 3, level: 'L3', seed, defences, events: 3000 },
        ...{ byzantineNodes: { 1: 'double-vote' }, latency: UNEVEN },
      });
      return Object.entries(follows).filter(([rank, leader]) => Number(rank) === leader).length > 1;
    };

    expect(seeds.some((seed) => isSplit(seed, []))).toBe(true);
    expect(seeds.filter((seed) => isSplit(seed, ['equivocation-proofs']))).toEqual([]);
  });

  it('that says the same to everybody is none', () => {
    const stage = {
      ...{ protocol: 'raft', nodes: 5, level: 'L3', untilTicks: 2000 },
      byzantineNodes: { 5: 'term-inflation' },
    } satisfies Omit<Stage, 'defences'>;

    expect(agreedOn(play({ ...stage, defences: ['equivocation-proofs'] }))).toBeNull();
  });
});

const UNEVEN = { type: 'uniform', ticksMin: 1, ticksMax: 10 } as const;

describe('the guard of node 1 of four', () => {
  it('shows a vote that it is given to the two others, once', () => {
    const node = createNode();
    const vote = signed(2, 1, granted(5));

    const shown = node.receive(2, vote);

    expect(shown.filter(({ type }) => type === 'CLAIM_SHOWN')).toHaveLength(2);
    expect(node.receive(2, vote)).toEqual([]);
  });

  it('does not show a vote that no honest node can have sent', () => {
    const node = createNode();
    const junk = { junk: 'x'.repeat(2_000) };
    const isGranted = { granted: 'x'.repeat(2_000) };

    const shown = [
      ...node.receive(2, signed(2, 1, { ...granted(5), ...junk })),
      ...node.receive(2, signed(2, 1, { ...granted(6), ...isGranted })),
    ];

    expect(shown.filter(({ type }) => type === 'CLAIM_SHOWN')).toEqual([]);
  });

  it('expels a node that has signed two votes of one term, accuses it and shows both', () => {
    const node = createNode();
    node.receive(2, signed(2, 1, granted(5)));

    const effects = node.handle(delivery(4, shown(2, 3, granted(5))));

    expect(node.state.expelled).toEqual([2]);
    expect(effects).toContainEqual(
      expect.objectContaining({
        type: 'accuse',
        evidence: expect.objectContaining({ type: 'equivocation', by: 2 }),
      }),
    );
    const proofs = effects.filter(
      (effect) => effect.type === 'send' && effect.message.type === 'LIE_PROVED',
    );
    expect(proofs).toHaveLength(2);
  });

  it.each([
    ['the same vote shown by another', shown(2, 1, granted(5))],
    ['a vote of another term', shown(2, 3, granted(6))],
    ['a refusal', shown(2, 3, { ...granted(5), granted: false })],
    ['a vote that somebody else has signed', shown(4, 3, granted(5), 2)],
    ['a word without a signature', { type: 'CLAIM_SHOWN', word: { by: 2, to: 3, number: 0 } }],
    ['nothing', { type: 'CLAIM_SHOWN' }],
    ['a proof of nothing', { type: 'LIE_PROVED', words: 7 }],
  ])('expels no node for %s', (_what, message) => {
    const node = createNode();
    node.receive(2, signed(2, 1, granted(5)));

    node.handle(delivery(4, message));

    expect(node.state.expelled).toEqual([]);
  });

  it('takes a proof from anybody', () => {
    const node = createNode();

    node.handle(delivery(3, proof(4)));

    expect(node.state.expelled).toEqual([4]);
  });

  it('ignores all messages of an expelled node, and reports that it is up', () => {
    const node = createNode();
    node.handle(delivery(3, proof(2)));
    const before = structuredClone(node.state);

    const said = node.receive(2, signed(2, 1, { type: 'HEARTBEAT', term: 9 }));
    const trusted = node.handle({ type: 'trust', node: toRank(2) });

    expect([...said, ...trusted]).toEqual([]);
    expect(node.state).toEqual(before);
  });

  it('follows an expelled node no more, without which it began again', () => {
    const node = createNode();
    node.receive(2, signed(2, 1, { type: 'HEARTBEAT', term: 3 }));
    expect(node.state.leader).toBe(2);

    const effects = node.handle(delivery(3, proof(2)));

    expect(effects.map(({ type }) => type)).toContain('step-down');
    expect(node.state.leader).toBeNull();
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

function signed(by: number, to: number, body: Word): SealedMessage {
  return { ...body, seal: { by: toRank(by), signature: signatureOf(by, to, body) } };
}

function evidence(by: number, to: number, body: Message, signer = by) {
  return { by, to, number: 0, body, signature: signatureOf(by, to, body, signer) };
}

function shown(by: number, to: number, body: Word, named = by): Message {
  const word = { ...evidence(by, to, body, by), by: named };
  const message = { type: 'CLAIM_SHOWN', word };
  return message;
}

function proof(by: number): Message {
  const words = [evidence(by, 1, granted(5)), evidence(by, 3, granted(5))];
  const message = { type: 'LIE_PROVED', words };
  return message;
}

function delivery(from: number, message: Message): Event<Message> {
  return { type: 'deliver', from: toRank(from), message };
}

function createNode() {
  const raft: AnyMachine = createRaft({
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
  const machine = createEquivocationProofs(createAuthenticated(raft, AUTHENTICATION), {
    ...{ protocol: 'raft', timing: TIMING, authentication: AUTHENTICATION },
  });
  const state = machine.init(SELF);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(SELF, state, event, effects));
  const receive = (from: number, message: Message) =>
    handle(delivery(from, message)).flatMap((effect) =>
      effect.type === 'send' ? [effect.message] : [],
    );
  return { state, handle, receive };
}
