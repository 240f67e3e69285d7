/**
 * @module
 * The Bully family's part of the registry: what each member of it is called, assumes and costs, and
 * the flags of the one-shot form by name.
 */

import { chosenFlag } from '../flags.ts';
import type { Timing } from '../timing.ts';
import { createBullyTwoPhase } from './bully-2phase.ts';
import { createBullyGarciaMolina } from './bully-gm82.ts';
import { createBullyImproved } from './bully-improved.ts';
import { createBullyModified } from './bully-modified.ts';
import { createBullyNextInLine } from './bully-nextinline.ts';
import type { BullyFlags } from './bully-oneshot.ts';
import { BULLY_FLAGS, createBullyOneshot } from './bully-oneshot.ts';

const GARCIA_MOLINA =
  'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982';
const SYNCHRONOUS =
  'Synchronous: a known bound on latency and a detector that never errs; reliable links; every member known to all.';

export const BULLY_PROTOCOLS = {
  'bully-oneshot': {
    name: 'bully-oneshot',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: SYNCHRONOUS,
    messageBound:
      'n(n-1)/2 ELECTION + (n-1)(n-2)/2 OK + n-2 COORDINATOR when the highest is dead; n-1 at best; 2^(n-1)-1 ELECTION if naive',
    // Naive: one detector costs (n+5)·2^(n−3) − 2, all together twice that.
    messagesAbout: (nodes: number, flags?: Readonly<Record<string, string>>) =>
      flags?.rejoin === 'naive' ? (nodes + 5) * 2 ** (nodes - 2) : nodes ** 2,
    source: `${GARCIA_MOLINA}; one-shot textbook form`,
    messageTypes: ['ELECTION', 'OK', 'COORDINATOR'],
    flags: BULLY_FLAGS,
    successors: 1,
    create: (timing: Timing, flags: Readonly<Record<string, string>> = {}) =>
      createBullyOneshot(timing, chooseFlags(flags)),
  },
  'bully-gm82': {
    name: 'bully-gm82',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: SYNCHRONOUS,
    messageBound:
      '1 + 3(n-2) calls and 3(n-2) answers = 6n-11 when n-1 notices that the highest is dead; O(n^2) when all do',
    messagesAbout: (nodes: number) => nodes ** 2 + 6 * nodes,
    source: GARCIA_MOLINA,
    messageTypes: [
      'ARE_YOU_THERE',
      'ARE_YOU_THERE_REPLY',
      'ARE_YOU_NORMAL',
      'ARE_YOU_NORMAL_REPLY',
      'HALT',
      'HALT_REPLY',
      'NEW_COORDINATOR',
      'NEW_COORDINATOR_REPLY',
      'READY',
      'READY_REPLY',
    ],
    flags: {},
    successors: 1,
    create: createBullyGarciaMolina,
  },
  'bully-2phase': {
    name: 'bully-2phase',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: SYNCHRONOUS,
    messageBound: 'as bully-oneshot, and 2(n-2) for PREPARE and READY',
    messagesAbout: (nodes: number) => nodes ** 2 + 2 * nodes,
    source: `${GARCIA_MOLINA}; in the two phases of lectures`,
    messageTypes: ['ELECTION', 'OK', 'PREPARE', 'READY', 'ANNOUNCE'],
    flags: {},
    successors: 1,
    create: createBullyTwoPhase,
  },
  'bully-nextinline': {
    name: 'bully-nextinline',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: `${SYNCHRONOUS} One false suspicion by the second highest makes two leaders.`,
    messageBound: 'n-2 COORDINATOR when n-1 notices that the highest is dead; else bully-oneshot',
    messagesAbout: (nodes: number) => nodes ** 2,
    source: `${GARCIA_MOLINA}; with the short cut of lectures`,
    messageTypes: ['ELECTION', 'OK', 'COORDINATOR'],
    flags: {},
    successors: 1,
    create: createBullyNextInLine,
  },
  'bully-improved': {
    name: 'bully-improved',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: `${SYNCHRONOUS} One false suspicion by the declared next makes two leaders.`,
    messageBound:
      'n-2 COORDINATOR + 1 CRASH for each detector but the next; 3(n-1) INFO_REQ, INFO and NEXT for each news of the detector; the fallback as bully-oneshot',
    messagesAbout: (nodes: number) => nodes ** 2,
    source:
      'M. S. Arghavani, E. Ahmadi and A. T. Haghighat, Improved bully election algorithm in distributed systems, ICIMU 2011',
    messageTypes: ['ELECTION', 'OK', 'COORDINATOR', 'INFO_REQ', 'INFO', 'NEXT', 'CRASH'],
    flags: {},
    successors: 1,
    create: createBullyImproved,
  },
  'bully-modified': {
    name: 'bully-modified',
    family: 'bully',
    elects: 'highest',
    fifo: false,
    assumes: SYNCHRONOUS,
    messageBound:
      'detector i, highest dead: n-i ELECTION + n-1-i OK + 1 GRANT + n-2 COORDINATOR, 3n-4 for the lowest; O(n^2) when all detect',
    messagesAbout: (nodes: number) => nodes ** 2 + 2 * nodes,
    source:
      'M. S. Kordafshari, M. Gholipour, M. Jahanshahi and A. T. Haghighat, Modified bully election algorithm in distributed systems, WSEAS 2005',
    messageTypes: ['ELECTION', 'OK', 'GRANT', 'COORDINATOR'],
    flags: {},
    successors: 1,
    create: createBullyModified,
  },
} as const;

/** The chosen flags by their names. Throws RangeError for a flag or a value that is not listed. */
function chooseFlags(flags: Readonly<Record<string, string>>): Partial<BullyFlags> {
  for (const name of Object.keys(flags)) {
    if (Object.hasOwn(BULLY_FLAGS, name)) continue;
    throw new RangeError(`"flags" expected ${Object.keys(BULLY_FLAGS)}, got ${name}`);
  }
  return {
    rejoin: chosenFlag('rejoin', BULLY_FLAGS.rejoin, flags),
    coordTo: chosenFlag('coordTo', BULLY_FLAGS.coordTo, flags),
    aliveTop: chosenFlag('aliveTop', BULLY_FLAGS.aliveTop, flags),
  };
}
