/**
 * @module
 * What the lease protocols and their stores say to each other, for the contract of machines.
 */

import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';

const RANKS = [1, 2, 3, 4, 5].map(toRank);
const EPOCHS = [1, 2, 3];
/** Some of them as a node is told to draw them, the highest and the ones after. */
const REQUESTS = [0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 32 + 2];

const SESSIONS = [1, 2];
/** The one that a node is told to draw. */
const GUID = (2 ** 32 - 1).toString(16);
const ZNODES = [
  { name: 'a-n_0000000001', owner: toRank(1) },
  { name: `${GUID}-n_0000000002`, owner: toRank(2) },
] as const;
/** That second one as each node's own. */
const OWN = RANKS.map((owner) => ({ ...ZNODES[1], owner }));

const ROWS = RANKS.slice(0, 3).flatMap((holder) =>
  EPOCHS.flatMap((version) =>
    REQUESTS.map((request) => ({
      holder,
      version,
      epoch: 1 + (version >> 1),
      request,
      leaseTicks: 60,
    })),
  ),
);

export const LEASE_VOCABULARIES = {
  'db-lease': {
    messages: [],
    calls: [
      { type: 'READ' },
      ...ROWS.flatMap((row) => [0, 1, 2].map((expected) => ({ type: 'SWAP', expected, row }))),
    ],
    replies: [null, ...ROWS].map((row) => ({ type: 'ROW', row })),
    timers: ['poll', 'still', 'renew', 'retry', 'lease-0', 'lease-1'],
  },
  'kubernetes-lease': {
    messages: [],
    calls: [
      { type: 'READ' },
      ...ROWS.flatMap((row) => [0, 1, 2].map((expected) => ({ type: 'SWAP', expected, row }))),
    ],
    replies: [null, ...ROWS].map((row) => ({ type: 'ROW', row })),
    timers: ['retry', 'answer', 'deadline', 'lease'],
  },
  'lease-local': {
    messages: [],
    calls: [
      ...REQUESTS.map((request) => ({ type: 'ACQUIRE', request })),
      ...numbered('RENEW'),
      ...EPOCHS.map((epoch) => ({ type: 'RELEASE', epoch })),
    ],
    replies: [
      ...numbered('GRANTED'),
      ...numbered('REFUSED').flatMap((reply) =>
        [null, ...RANKS].map((holder) => ({ ...reply, holder })),
      ),
    ],
    timers: ['poll', 'holder', 'renew', 'retry', 'lease-0', 'lease-1'],
  },
  redlock: {
    messages: [],
    calls: [
      ...ofInstances(REQUESTS.map((request) => ({ type: 'ACQUIRE', request }))),
      ...ofInstances(
        numbered('EXTEND').flatMap((call) => REQUESTS.map((value) => ({ ...call, value }))),
      ),
      ...ofInstances(REQUESTS.map((value) => ({ type: 'RELEASE', value }))),
    ],
    replies: [
      ...ofInstances(numbered('GRANTED')),
      ...ofInstances(numbered('EXTENDED')),
      ...ofInstances(
        numbered('REFUSED').flatMap((reply) =>
          [null, ...RANKS.slice(0, 3)].map((holder) => ({ ...reply, holder })),
        ),
      ),
    ],
    timers: ['poll', 'holder', 'renew', 'round', 'lease-0', 'lease-1'],
  },
  'zk-recipe': {
    messages: [],
    calls: [
      { type: 'CONNECT', request: 1, guid: GUID },
      ...inSession({ type: 'CREATE', guid: GUID }),
      ...inSession({ type: 'GET_CHILDREN' }),
      ...ZNODES.flatMap(({ name }) => inSession({ type: 'EXISTS', name })),
      ...[null, ZNODES[1].name].flatMap((watch) => inSession({ type: 'PING', watch })),
    ],
    replies: [
      ...inSession({ type: 'CONNECTED', guid: GUID }),
      ...inSession({ type: 'CREATED', name: ZNODES[1].name }),
      ...inSession({ type: 'CHILDREN', children: [] }),
      ...OWN.flatMap((own) => [
        ...inSession({ type: 'CHILDREN', children: [own] }),
        ...inSession({ type: 'CHILDREN', children: [own, ZNODES[0]] }),
      ]),
      ...[true, false].flatMap((exists) => inSession({ type: 'STAT', exists })),
      ...[null, ZNODES[0].name].flatMap((gone) =>
        [null, ...ZNODES].flatMap((oldest) => inSession({ type: 'PONG', gone, oldest })),
      ),
      ...SESSIONS.flatMap((session) => [
        { type: 'DELETED', session, name: ZNODES[0].name },
        { type: 'EXPIRED', session },
      ]),
    ],
    timers: ['ping', 'answer', 'lead', 'lease:1', 'lease:2', 'lease:3', 'lease:4'],
  },
} as const;

/** The last instance does not exist. */
function ofInstances<Word extends Message>(words: readonly Word[]) {
  return [0, 1, 2, 3, 4, 5].flatMap((instance) => words.map((word) => ({ ...word, instance })));
}

function inSession<Word extends Message>(word: Word) {
  return SESSIONS.flatMap((session) =>
    [1, 2, 3, 4].map((request) => ({ ...word, session, request })),
  );
}

function numbered(type: string): (Message & Readonly<Record<string, string | number>>)[] {
  return REQUESTS.flatMap((request) => EPOCHS.map((epoch) => ({ type, request, epoch })));
}
