/**
 * @module
 * What the machines of the Bully family say and which timers they set, for the contract of machines.
 */

import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { MachineSubject } from '../../contract/machine.contract.ts';

type Vocabulary = Omit<MachineSubject, 'create'>;

const RANKS = [1, 2, 3, 4, 5].map(toRank);
const NUMBERS = [1, 2];
const COORDINATOR = RANKS.map((leader) => ({ type: 'COORDINATOR', leader }));
const ONE_SHOT: Vocabulary = {
  messages: [{ type: 'ELECTION' }, { type: 'OK' }, ...COORDINATOR],
  timers: ['answer', 'answer:1', 'answer:2', 'coordinator', 'announce', 'quiet'],
};

export const BULLY_VOCABULARIES = {
  'bully-oneshot': ONE_SHOT,
  'bully-nextinline': { ...ONE_SHOT, timers: [...ONE_SHOT.timers, 'back'] },
  'bully-gm82': {
    messages: [
      ...call('ARE_YOU_THERE'),
      ...NUMBERS.map((number) => ({ type: 'ARE_YOU_NORMAL', call: number })),
      ...NUMBERS.flatMap((number) =>
        [true, false].map((normal) => ({ type: 'ARE_YOU_NORMAL_REPLY', call: number, normal })),
      ),
      ...['HALT', 'NEW_COORDINATOR', 'READY'].flatMap(call),
    ],
    timers: ['call', 'watch'],
  },
  'bully-2phase': {
    messages: [
      { type: 'ELECTION' },
      { type: 'OK' },
      ...['PREPARE', 'READY', 'ANNOUNCE'].flatMap((type) =>
        RANKS.flatMap((leader) => NUMBERS.map((election) => ({ type, leader, election }))),
      ),
    ],
    timers: ['await-ok', 'await-prepare', 'preparing', 'waiting'],
  },
  'bully-improved': {
    messages: [
      ...ONE_SHOT.messages,
      ...NUMBERS.map((round) => ({ type: 'INFO_REQ', round })),
      ...NUMBERS.map((round) => ({ type: 'INFO', round })),
      ...RANKS.flatMap((next) => NUMBERS.map((round) => ({ type: 'NEXT', next, round }))),
      ...RANKS.map((leader) => ({ type: 'CRASH', leader })),
    ],
    timers: [...ONE_SHOT.timers, 'back', 'info'],
  },
  'bully-modified': {
    messages: [
      ...NUMBERS.map((election) => ({ type: 'ELECTION', election })),
      ...RANKS.flatMap((priority) =>
        NUMBERS.map((election) => ({ type: 'OK', priority, election })),
      ),
      ...NUMBERS.map((election) => ({ type: 'GRANT', election })),
      ...COORDINATOR,
    ],
    timers: ['asking', 'granting', 'await-coordinator', 'announce'],
  },
} satisfies Record<string, Vocabulary>;

function call(type: string): Message[] {
  return [type, `${type}_REPLY`].flatMap((word) =>
    NUMBERS.map((number) => ({ type: word, call: number })),
  );
}
