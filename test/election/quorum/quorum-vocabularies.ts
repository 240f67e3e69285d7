/**
 * @module
 * What the machines of the quorum family say, which timers they set and what they store, for the
 * contract of machines.
 */

import type { Json } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';

const RANKS = [1, 2, 3, 4, 5].map(toRank);
const TERMS = [1, 2, 3];

const CONFIGURATIONS = [
  { term: 1, version: 1, members: RANKS.slice(1), removed: RANKS.slice(0, 1) },
  { term: 2, version: 0, members: RANKS, removed: [] },
];

export const QUORUM_VOCABULARIES = {
  raft: {
    messages: [
      ...raftBallots('PRE_VOTE'),
      ...raftBallots('VOTE'),
      ...['HEARTBEAT', 'HEARTBEAT_REPLY'].flatMap((type) =>
        TERMS.flatMap((term) => [
          { type, term },
          ...CONFIGURATIONS.map((configuration) => ({ type, term, configuration })),
        ]),
      ),
      ...raftLogWords(),
    ],
    membersChange: true,
    timers: ['election', 'lease', 'heartbeat', 'quorum'],
    persisted: [
      ...TERMS.flatMap(raftRecords),
      ...CONFIGURATIONS.map((configuration) => ({ term: 1, votedFor: null, configuration })),
      { term: 1, votedFor: null, configuration: { term: 1 } },
      "another program's",
      { term: 1 },
    ],
  },
  'zab-fle': {
    messages: zabWords(),
    timers: ['notify', 'finalize', 'retry', 'silence', 'heartbeat'],
    persisted: [
      ...TERMS.flatMap((acceptedEpoch) =>
        [acceptedEpoch - 1, acceptedEpoch].map((currentEpoch) => ({ acceptedEpoch, currentEpoch })),
      ),
      { acceptedEpoch: 1, currentEpoch: 2 },
      "another program's",
    ],
  },
  'quorum-lease': {
    messages: [
      ...TERMS.flatMap((term) =>
        [1, 2].flatMap((round) =>
          [true, false].map((leads) => ({ type: 'REQ', term, round, leads })),
        ),
      ),
      ...TERMS.flatMap((term) => [1, 2].map((round) => ({ type: 'GRANT', term, round }))),
      ...TERMS.map((term) => ({ type: 'DENY', term })),
      ...TERMS.map((term) => ({ type: 'MASTER', term })),
    ],
    timers: ['lease-a', 'lease-b', 'promise', 'belief', 'attempt', 'renew'],
    persisted: [...TERMS.flatMap(raftRecords), "another program's", { term: 1 }],
  },
  'zk-slide-quorum': {
    messages: [
      ...slideQuorumWords('NEW_LEADER'),
      ...slideQuorumWords('ACK'),
      ...TERMS.map((epoch) => ({ type: 'NACK', epoch })),
      ...slideQuorumWords('COMMIT'),
    ],
    timers: ['check', 'retry'],
    persisted: [
      ...TERMS.flatMap((ackedEpoch) => RANKS.map((ackedId) => ({ ackedEpoch, ackedId }))),
      "another program's",
      { ackedEpoch: 1 },
    ],
  },
} as const;

function slideQuorumWords(type: string) {
  return TERMS.flatMap((epoch) => RANKS.map((id) => ({ type, epoch, id })));
}

function raftBallots(type: string) {
  return [
    ...TERMS.flatMap((term) => [0, 1].map((lastIndex) => ({ type, term, lastIndex }))),
    ...TERMS.flatMap((term) =>
      [true, false].map((granted) => ({ type: `${type}_REPLY`, term, granted })),
    ),
  ];
}

function raftLogWords() {
  return TERMS.flatMap((term) => [
    ...[0, 1].map((prevIndex) => ({
      type: 'APPEND',
      ...{ term, prevIndex, prevTerm: prevIndex, commit: prevIndex, round: 1 },
    })),
    {
      type: 'APPEND',
      ...{ term, prevIndex: 0, prevTerm: 0, commit: 1, round: 2 },
      ...{ entryTerm: 1, operation: 'write', client: 1, serial: 1, value: 2, expected: 0 },
    },
    ...[true, false].map((fits) => ({ type: 'APPEND_REPLY', term, fits, matched: 1, round: 1 })),
    { type: 'TIMEOUT_NOW', term },
  ]);
}

function raftRecords(term: number): Json[] {
  return [null, ...RANKS].map((votedFor) => ({ term, votedFor }));
}

function zabWords() {
  return [
    ...['LOOKING', 'FOLLOWING', 'LEADING'].flatMap((state) =>
      RANKS.flatMap((leader) =>
        TERMS.map((round) => ({
          type: 'NOTIFICATION',
          leader,
          zxid: 0,
          peerEpoch: round % 2,
          round,
          state,
        })),
      ),
    ),
    ...zabEpochs('CEPOCH', 'NEWEPOCH'),
    ...[true, false].flatMap((promised) =>
      TERMS.map((epoch) => ({ type: 'ACKEPOCH', epoch, promised, currentEpoch: 0, zxid: 0 })),
    ),
    ...zabEpochs('NEWLEADER', 'ACK', 'COMMIT', 'PING', 'PONG'),
  ];
}

function zabEpochs(...types: readonly string[]) {
  return types.flatMap((type) => TERMS.map((epoch) => ({ type, epoch })));
}
