/**
 * @module
 * Every protocol of the registry, and its variants, against the contract of machines.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../src/election/definition/flags.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { randomMessage } from '../../src/simulation/conform/contract.ts';
import type { MachineSubject } from '../contract/machine.contract.ts';
import { describeMachine } from '../contract/machine.contract.ts';
import { BULLY_VOCABULARIES } from './bully/bully-vocabularies.ts';
import { LEASE_VOCABULARIES } from './lease/lease-vocabularies.ts';
import { QUORUM_VOCABULARIES } from './quorum/quorum-vocabularies.ts';
import { RING_VOCABULARIES } from './ring/ring-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
const RANKS = [1, 2, 3, 4, 5].map(toRank);

interface Vocabulary extends Omit<MachineSubject, 'create'> {
  /** What its nodes ask their store, where they call one. */
  readonly calls?: readonly Message[];
}

/** Messages that matter for a protocol. Others are drawn from the members that a definition states. */
const CHOSEN: Readonly<Partial<Record<ProtocolName, Vocabulary>>> = {
  ...BULLY_VOCABULARIES,
  'cr-join': {
    messages: [...naming('PROBE', 'candidate'), ...naming('SELECTED', 'leader')],
    timers: [],
  },
  'hs-wake': { messages: hirschbergSinclairWords(), timers: [] },
  'hs-slide': { messages: hirschbergSinclairWords(), timers: [] },
  peterson: { messages: petersonWords(), timers: [] },
  'peterson-prose': { messages: petersonWords(), timers: [] },
  ...RING_VOCABULARIES,
  ...QUORUM_VOCABULARIES,
  ...LEASE_VOCABULARIES,
};

function vocabularyOf(name: ProtocolName): Vocabulary {
  const random = createRandom(parseSeed('1982'), 'vocabulary', name);
  const drawn = Array.from({ length: 60 }, () => randomMessage(PROTOCOLS[name], random));
  const messages = PROTOCOLS[name].messageTypes.flatMap((type) =>
    drawn.flatMap((message) => (message?.type === type ? message : [])),
  );
  return CHOSEN[name] ?? { messages, timers: [] };
}

for (const name of PROTOCOL_NAMES) {
  describeMachine(name, { create: () => PROTOCOLS[name].create(TIMING), ...vocabularyOf(name) });
}

const VARIANTS: readonly Flags[] = [
  { coordTo: 'all' },
  { aliveTop: 'announceOnce' },
  { rejoin: 'naive', coordTo: 'all', aliveTop: 'reannounce' },
];

for (const flags of VARIANTS) {
  describeMachine(`bully-oneshot ${JSON.stringify(flags)}`, {
    create: () => PROTOCOLS['bully-oneshot'].create(TIMING, flags),
    ...vocabularyOf('bully-oneshot'),
  });
}

const RAFT_VARIANTS: readonly Flags[] = [
  { preVote: 'on' },
  { checkQuorum: 'on' },
  { preVote: 'on', checkQuorum: 'on' },
  { log: 'on' },
];

for (const flags of RAFT_VARIANTS) {
  describeMachine(`raft ${JSON.stringify(flags)}`, {
    create: () => PROTOCOLS.raft.create(TIMING, flags),
    ...vocabularyOf('raft'),
  });
}

describe('the registry', () => {
  it.each(PROTOCOL_NAMES)('lists the message types that %s sends', (name) => {
    const { messages, calls = [], replies = [] } = vocabularyOf(name);
    const { messageTypes } = PROTOCOLS[name];
    const sent = new Set(messages.map(({ type }) => type));
    const stored = new Set([...calls, ...replies].map(({ type }) => type));

    expect([...sent]).toEqual(messageTypes.filter((type) => sent.has(type)));
    expect(new Set([...sent, ...stored])).toEqual(new Set(messageTypes));
  });

  it.each([
    [{ rejoin: 'twice' }, '"rejoin" expected dedup,naive, got twice'],
    [{ rejoin: 'constructor' }, '"rejoin" expected dedup,naive, got constructor'],
    [{ coordto: 'all' }, '"flags" expected rejoin,coordTo,aliveTop, got coordto'],
  ])('has no flag %o of bully-oneshot', (flags, fault) => {
    const create = () => PROTOCOLS['bully-oneshot'].create(TIMING, flags);

    expect(create).toThrow(new RangeError(fault));
  });
});

function naming(
  type: string,
  field: string,
): (Message & Readonly<Record<string, Rank | string>>)[] {
  return RANKS.map((rank) => ({ type, [field]: rank }));
}

function hirschbergSinclairWords(): Message[] {
  return [
    ...asking('FROM', [0, 1, 3]),
    ...asking('OK', [0]),
    ...asking('NO', [0]),
    ...naming('ELECTED', 'leader'),
  ];
}

/** Both ways and for two reaches; only a question counts its hops. */
function asking(type: string, hopsPassed: readonly number[]): Message[] {
  return RANKS.flatMap((candidate) =>
    [1, 2].flatMap((hopsMax) =>
      [true, false].flatMap((clockwise) =>
        hopsPassed.map((hops) => ({
          type,
          candidate,
          hopsMax,
          clockwise,
          ...(type === 'FROM' ? { hops } : {}),
        })),
      ),
    ),
  );
}

function petersonWords(): Message[] {
  return [1, 2, 3].flatMap((election) => [
    ...RANKS.map((tid) => ({ type: 'TID', tid, election })),
    ...RANKS.map((leader) => ({ type: 'ELECTED', leader, tid: toRank(5), election })),
  ]);
}
