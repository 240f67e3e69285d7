/**
 * @module
 * Every guard around a protocol's machine, against the contract of machines.
 */

import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type { Authentication } from '../../../src/election/authentication/authenticated.ts';
import { messageText } from '../../../src/election/authentication/authenticated.ts';
import type { Defence } from '../../../src/election/defences/defence.ts';
import { createHoldingOff } from '../../../src/election/defences/holding-off.ts';
import { createSendingAgain } from '../../../src/election/defences/receipts.ts';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import { DEFENCES } from '../../../src/election/defences/registry.ts';
import type { Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import type { MachineSubject } from '../../contract/machine.contract.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { BULLY_VOCABULARIES } from '../bully/bully-vocabularies.ts';
import { QUORUM_VOCABULARIES } from '../quorum/quorum-vocabularies.ts';
import { RING_VOCABULARIES } from '../ring/ring-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
const RANKS = [1, 2, 3, 4, 5].map(toRank);
const KEYS_OF = symbolicKeys(parseSeed('1'), RANKS);

type Word = Message & Readonly<Record<string, unknown>>;
type Subject = Omit<MachineSubject, 'create'>;

const PROBES: readonly Word[] = RANKS.flatMap((rank) => [
  { type: 'PROBE', candidate: rank },
  { type: 'SELECTED', leader: rank },
]);
const CALLS: readonly Word[] = [1, 2].map((call) => ({ type: 'BEGIN_ANEW', call }));
const { messages: bullyWords, timers: bullyTimers } = BULLY_VOCABULARIES['bully-oneshot'];
const { messages: raftWords, ...raft } = QUORUM_VOCABULARIES.raft;

const TURNS: readonly Word[] = ['HOLD_ASK', 'HOLD_STAND', 'TERM_OVER'].map((type) => ({ type }));
const OFF_TIMERS: readonly string[] = ['begin', 'term', 'turn:5', 'forget:5'].map(
  (name) => `off:${name}`,
);

const SUBJECTS: readonly (readonly [DefenceName, ProtocolName, Subject])[] = [
  [
    'hop-limit',
    'cr-join',
    {
      messages: [...PROBES, ...PROBES.map((word) => ({ ...word, travelled: 10 })), ...CALLS],
      timers: ['hops:quiet'],
    },
  ],
  [
    'hop-limit',
    'ring-attr',
    {
      messages: [...RING_VOCABULARIES['ring-attr'].messages, ...CALLS],
      timers: RING_VOCABULARIES['ring-attr'].timers,
    },
  ],
  ['skip-list', 'bully-oneshot', { messages: bullyWords, timers: [...bullyTimers, 'skip:round'] }],
  [
    'epoch-step',
    'raft',
    {
      ...raft,
      messages: [...raftWords, { type: 'VOTE', ...{ term: 2 ** 52, lastIndex: 0 } }],
      persisted: [...raft.persisted, ...raft.persisted.map(remembering)],
    },
  ],
  [
    'frozen-membership',
    'bully-oneshot',
    {
      messages: [...bullyWords, { type: 'STAND_BY' }, ...RANKS.map(electedBefore)],
      timers: [...bullyTimers, 'frozen:start'],
    },
  ],
  [
    'incumbency',
    'cr-join',
    { messages: [...PROBES, { type: 'TERM_OVER' }], timers: ['off:begin', 'off:term'] },
  ],
  [
    'quorum-certificates',
    'raft',
    { ...raft, messages: [...raftWords, ...votes('raft'), ...certified('raft')] },
  ],
  [
    'equivocation-proofs',
    'raft',
    { ...raft, messages: [...raftWords, ...votes('raft'), ...votes('raft').map(showing)] },
  ],
  [
    'receipts',
    'cr-join',
    {
      messages: [...PROBES, ...sealed('cr-join', PROBES), ...receipts()],
      timers: ['receipt:1', 'receipt:2'],
    },
  ],
];

for (const [name, protocol, subject] of SUBJECTS) {
  describeMachine(`${protocol} with ${name}`, {
    create: () => guarded(DEFENCES[name], protocol),
    ...subject,
  });
}

for (const turns of [
  { type: 'term', electionTicks: 10, termTicks: 100 },
  { type: 'back-off', firstTicks: 5, ticksMax: 40 },
] as const) {
  describeMachine(`bully-oneshot that holds others off for a ${turns.type}`, {
    create: () =>
      createHoldingOff(PROTOCOLS['bully-oneshot'].create(TIMING), {
        ...{ protocol: 'bully-oneshot', turns, speaking: 'by-sender' },
      }),
    messages: [...bullyWords, ...TURNS, ...RANKS.map(heldOff)],
    timers: [...bullyTimers, ...OFF_TIMERS],
  });
}

describeMachine('ring-robust that sends again', {
  create: () => createSendingAgain(PROTOCOLS['ring-robust'].create(TIMING)),
  messages: PROBES.flatMap((message) =>
    [1, 2].map((election) => ({ type: message.type, election, token: [1, election], message })),
  ),
  timers: [1, 2].map((election) => `again:${JSON.stringify([election, [1, election]])}`),
});

/** Guards that see seals stand around the bare protocol here, which takes no notice of seals. */
function guarded(defence: Defence, protocol: ProtocolName) {
  const machine = PROTOCOLS[protocol].create(TIMING);
  const context = { protocol, timing: TIMING, authentication: authenticationOf(protocol) };
  return defence.kind === 'setting' ? machine : defence.guard(machine, context);
}

function authenticationOf(protocol: ProtocolName): Authentication {
  return { level: 'L2', protocol, election: '1', keysOf: KEYS_OF };
}

function sealed(protocol: ProtocolName, bodies: readonly Word[]): Word[] {
  return RANKS.flatMap((to) =>
    bodies.map((body) => {
      const parts = { by: toRank(1), to, number: 0, body };
      const text = messageText(authenticationOf(protocol), parts);
      const signature = KEYS_OF(toRank(1)).sign(text);
      const behind = { rank: 2, handing: 1 };
      return { ...body, seal: { by: toRank(1), signature, handing: 1, behind } };
    }),
  );
}

/** Some of them contradict each other. */
function votes(protocol: ProtocolName): Word[] {
  const granted = [1, 2].map((term) => ({ type: 'VOTE_REPLY', term, granted: true }));
  return sealed(protocol, granted);
}

/** Announcements, each with a vote of node 1 for its recipient. */
function certified(protocol: ProtocolName): Word[] {
  return votes(protocol).map((vote, index) => {
    const { word } = showing(vote, index);
    const certificate = [word, word];
    return { type: 'HEARTBEAT', term: 1, seal: { by: toRank(2), certificate } };
  });
}

/** One of those votes as another shows it, to whichever recipient it was. */
function showing({ seal, ...body }: Word, index: number): Word {
  const to = 1 + (index >> 1);
  const { signature = '' } = { ...(typeof seal === 'object' ? seal : {}) } as {
    signature?: string;
  }; // Made above.
  return { type: 'CLAIM_SHOWN', word: { by: 1, to, number: 0, body, signature } };
}

function receipts(): Word[] {
  return RANKS.map((by) => ({ type: 'RECEIPT', handing: 1, by, signature: '00' }));
}

function heldOff(leader: (typeof RANKS)[number]): Word {
  return { type: 'HELD_OFF', leader };
}

function electedBefore(leader: (typeof RANKS)[number]): Word {
  return { type: 'ELECTED_BEFORE', leader, epoch: 0 };
}

function remembering(inner: Json): Json {
  return { known: { term: 3 }, inner };
}
