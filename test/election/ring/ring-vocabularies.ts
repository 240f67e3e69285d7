/**
 * @module
 * Every message that could arrive in the unidirectional rings, for the contract of machines.
 */

import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';

const RANKS = [1, 2, 3, 4, 5].map(toRank);
const ELECTIONS = [1, 2, 3];

const CHANG_ROBERTS: readonly Message[] = [
  ...RANKS.map((candidate) => ({ type: 'PROBE', candidate })),
  ...RANKS.map((leader) => ({ type: 'SELECTED', leader })),
];

export const RING_VOCABULARIES = {
  'ring-lelann': {
    messages: ELECTIONS.flatMap((election) =>
      RANKS.map((candidate) => ({ type: 'ELECT', candidate, election })),
    ),
    timers: [],
  },
  'ring-collect': {
    messages: [
      ...RANKS.map((initiator) => ({ type: 'ELECTION', initiator, ids: [initiator] })),
      ...RANKS.map((initiator) => ({ type: 'ELECTION', initiator, ids: RANKS })),
      ...coordinators(),
    ],
    timers: [],
  },
  'ring-maxtoken': {
    messages: [
      ...RANKS.flatMap((initiator) => RANKS.map((max) => ({ type: 'TOKEN', initiator, max }))),
      ...coordinators(),
    ],
    timers: [],
  },
  'cr-replace': { messages: CHANG_ROBERTS, timers: [] },
  'cr-always': { messages: CHANG_ROBERTS, timers: [] },
  'ring-attr': {
    messages: ['ELECTION', 'ELECTED'].flatMap((type) =>
      ELECTIONS.flatMap((election) =>
        RANKS.flatMap((initiator) =>
          RANKS.map((id) => ({ type, election, initiator, id, attr: 0 })),
        ),
      ),
    ),
    timers: ['elected'],
  },
  'ring-robust': {
    messages: [...tokens(CHANG_ROBERTS), ...lists()],
    timers: [],
  },
  'ring-robust:peterson': {
    messages: [
      ...tokens(RANKS.map((tid) => ({ type: 'TID', tid, election: 1 }))),
      ...tokens(RANKS.map((leader) => ({ type: 'ELECTED', leader, tid: leader, election: 1 }))),
      ...lists(),
    ],
    timers: [],
  },
  'itai-rodeh': {
    messages: [
      ...ELECTIONS.flatMap((round) =>
        [0, 1, 4].flatMap((id) =>
          [1, 4, 5].flatMap((hops) =>
            [true, false].map((unique) => ({ type: 'TOKEN', round, id, hops, unique })),
          ),
        ),
      ),
      ...ELECTIONS.flatMap((round) => RANKS.map((leader) => ({ type: 'ELECTED', round, leader }))),
    ],
    timers: [],
  },
} as const;

function coordinators(): Message[] {
  return RANKS.flatMap((initiator) =>
    RANKS.map((leader) => ({ type: 'COORDINATOR', initiator, leader })),
  );
}

/** As a healing ring carries them: in three elections, two of each maker's. */
function tokens(messages: readonly Message[]): Message[] {
  return ELECTIONS.flatMap((election) =>
    messages.flatMap((message) =>
      [0, 1].map((made) => ({
        type: message.type,
        election,
        token: [toRank(3), made],
        message,
      })),
    ),
  );
}

function lists(): Message[] {
  return [
    { type: 'LOOKUP', successors: [], suspected: [], life: 0 },
    ...RANKS.map((_, index) => ({
      type: 'SUCCESSORS',
      successors: [...RANKS.slice(index), ...RANKS.slice(0, index)],
      suspected: RANKS.slice(0, index),
      life: 0,
    })),
  ];
}
