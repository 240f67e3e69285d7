/**
 * @module
 * The rings' part of the registry: what each is called, assumes and costs.
 */

import type { Flags } from '../flags.ts';
import type { AttributeOf } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { createChangRobertsAlways } from './cr-always.ts';
import { createChangRobertsJoin } from './cr-join.ts';
import { createChangRobertsReplace } from './cr-replace.ts';
import { createHirschbergSinclair } from './hirschberg-sinclair.ts';
import { createItaiRodeh } from './itai-rodeh.ts';
import { createPeterson } from './peterson.ts';
import { createRingAttribute } from './ring-attr.ts';
import { createRingCollect } from './ring-collect.ts';
import { createLeLann } from './ring-lelann.ts';
import { createRingMaxToken } from './ring-maxtoken.ts';
import { createRingRobust } from './ring-robust.ts';

export const RING_PROTOCOLS = {
  'ring-lelann': {
    name: 'ring-lelann',
    family: 'ring',
    elects: 'highest',
    fifo: true,
    assumes:
      'Asynchronous; static membership; a stable store; FIFO links that lose nothing between live nodes; to finish, a whole ring.',
    messageBound: 'n^2 ELECT, whoever starts',
    messagesAbout: (nodes: number) => nodes ** 2,
    source:
      'G. Le Lann, Distributed Systems: Towards a Formal Approach, Information Processing 77 (IFIP), 1977',
    messageTypes: ['ELECT'],
    flags: {},
    successors: 1,
    create: () => createLeLann(),
  },
  'ring-collect': {
    name: 'ring-collect',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
    messageBound: 'm initiators: m*n ELECTION + m*n COORDINATOR',
    messagesAbout: (nodes: number) => 2 * nodes ** 2,
    entriesAbout: (nodes: number) => nodes ** 3 / 2,
    source:
      'A. S. Tanenbaum and M. van Steen, Distributed Systems: Principles and Paradigms, section 6.5, 2007',
    messageTypes: ['ELECTION', 'COORDINATOR'],
    flags: {},
    successors: 1,
    create: () => createRingCollect(),
  },
  'ring-maxtoken': {
    name: 'ring-maxtoken',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
    messageBound: 'm initiators: m*n TOKEN + m*n COORDINATOR',
    messagesAbout: (nodes: number) => 2 * nodes ** 2,
    source:
      'After G. Le Lann, Information Processing 77 (IFIP), 1977, in the form of lectures, where a token carries the maximum',
    messageTypes: ['TOKEN', 'COORDINATOR'],
    flags: {},
    successors: 1,
    create: () => createRingMaxToken(),
  },
  'cr-join': {
    name: 'cr-join',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
    messageBound: '2n-1 to n(n+1)/2 PROBE (mean n*H_n over all rings) + n SELECTED',
    messagesAbout: (nodes: number) => nodes * (Math.log(nodes) + 2),
    source:
      'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979',
    messageTypes: ['PROBE', 'SELECTED'],
    flags: {},
    successors: 1,
    create: () => createChangRobertsJoin(),
  },
  'cr-replace': {
    name: 'cr-replace',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
    messageBound:
      'one initiator: n to 2n-1 PROBE; all: 2n-1 to n(n+1)/2 (mean n*H_n over all rings); + n SELECTED',
    messagesAbout: (nodes: number) => nodes * (Math.log(nodes) + 2),
    source:
      'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979; a marked node drops what is lower',
    messageTypes: ['PROBE', 'SELECTED'],
    flags: {},
    successors: 1,
    create: () => createChangRobertsReplace(),
  },
  'cr-always': {
    name: 'cr-always',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
    messageBound: 'one initiator: n to 2n-1 PROBE; all: n^2+n(n-1)/2 on every ring; + n SELECTED',
    messagesAbout: (nodes: number) => 1.5 * nodes ** 2,
    source:
      'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979; what is lower is always replaced',
    messageTypes: ['PROBE', 'SELECTED'],
    flags: {},
    successors: 1,
    create: () => createChangRobertsAlways(),
  },
  'ring-attr': {
    name: 'ring-attr',
    family: 'ring',
    elects: 'attribute',
    fifo: false,
    assumes:
      'Asynchronous but for a retry timer; static membership; honest attributes; to finish, reliable links and a whole ring.',
    messageBound: 'one initiator: n to 2n-1 ELECTION + n ELECTED',
    messagesAbout: (nodes: number) => nodes * (Math.log(nodes) + 4),
    source:
      'After E. Chang and R. Roberts, CACM 22(5), 1979, in the form of lectures that elect by attribute and ID',
    messageTypes: ['ELECTION', 'ELECTED'],
    flags: {},
    attributes: 'what a node claims of itself; the best of it leads',
    successors: 1,
    create: (timing: Timing, _flags?: Flags, attributeOf?: AttributeOf) =>
      createRingAttribute(timing, attributeOf),
  },
  'hs-wake': {
    name: 'hs-wake',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes:
      'Asynchronous; static membership; links both ways; to finish, reliable links and a whole ring.',
    messageBound: '8n(1+ceil(lg n)) FROM, OK and NO + n ELECTED',
    messagesAbout: hirschbergSinclairMessages,
    source:
      'D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular configurations of processors, CACM 23(11), 1980',
    messageTypes: ['FROM', 'OK', 'NO', 'ELECTED'],
    flags: {},
    successors: 1,
    create: () => createHirschbergSinclair('wake'),
  },
  'hs-slide': {
    name: 'hs-slide',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes: 'As hs-wake, and that the highest member is among those who start.',
    messageBound: '8n(1+ceil(lg n)) FROM, OK and NO + n ELECTED',
    messagesAbout: hirschbergSinclairMessages,
    source:
      'D. S. Hirschberg and J. B. Sinclair, CACM 23(11), 1980, in the form of lectures, where nobody wakes',
    messageTypes: ['FROM', 'OK', 'NO', 'ELECTED'],
    flags: {},
    successors: 1,
    create: () => createHirschbergSinclair('slide'),
  },
  peterson: {
    name: 'peterson',
    family: 'ring',
    elects: 'highest',
    fifo: true,
    assumes:
      'Asynchronous; static membership; a stable store; FIFO links that lose and double nothing between live nodes; to finish, a whole ring.',
    messageBound: '2n*floor(lg n) + n TID + n ELECTED',
    messagesAbout: petersonMessages,
    source:
      'G. L. Peterson, An O(n log n) unidirectional algorithm for the circular extrema problem, ACM TOPLAS 4(4), 1982',
    messageTypes: ['TID', 'ELECTED'],
    flags: {},
    successors: 1,
    create: () => createPeterson('owner'),
  },
  'peterson-prose': {
    name: 'peterson-prose',
    family: 'ring',
    elects: 'any',
    fifo: true,
    assumes: 'As peterson; whoever remains active leads, never the highest of two members or more.',
    messageBound: '2n*floor(lg n) + n TID + n ELECTED',
    messagesAbout: petersonMessages,
    source:
      'G. L. Peterson, ACM TOPLAS 4(4), 1982, in the form that lectures tell in prose: the last active process is elected',
    messageTypes: ['TID', 'ELECTED'],
    flags: {},
    successors: 1,
    create: () => createPeterson('last-active'),
  },
  'ring-robust': {
    name: 'ring-robust',
    family: 'ring',
    elects: 'highest',
    fifo: false,
    assumes:
      'A detector that never errs; static membership; reliable links; never three neighbours down that failed together.',
    messageBound: 'as cr-join for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
    messagesAbout: (nodes: number) => nodes * (Math.log(nodes) + 2),
    source:
      'I. Stoica et al., Chord: A Scalable Peer-to-peer Lookup Service for Internet Applications, SIGCOMM 2001, successor lists, around cr-join',
    messageTypes: ['PROBE', 'SELECTED', 'LOOKUP', 'SUCCESSORS'],
    flags: {},
    successors: 3,
    create: () => createRingRobust(createChangRobertsJoin()),
  },
  'ring-robust:peterson': {
    name: 'ring-robust:peterson',
    family: 'ring',
    elects: 'highest',
    fifo: true,
    assumes: 'As ring-robust; FIFO links.',
    messageBound: 'as peterson for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
    messagesAbout: petersonMessages,
    source: 'I. Stoica et al., Chord, SIGCOMM 2001, successor lists, around peterson',
    messageTypes: ['TID', 'ELECTED', 'LOOKUP', 'SUCCESSORS'],
    flags: {},
    successors: 3,
    create: () => createRingRobust(createPeterson('owner')),
  },
  'itai-rodeh': {
    name: 'itai-rodeh',
    family: 'ring',
    elects: 'any',
    fifo: false,
    assumes:
      'Asynchronous; static membership; nodes without IDs that know how many they are; reliable links and a whole ring.',
    messageBound: 'O(n log n) TOKEN in the mean, without a worst case; + n ELECTED',
    messagesAbout: (nodes: number) => nodes * (Math.log(nodes) + 8),
    source:
      'A. Itai and M. Rodeh, Symmetry breaking in distributed networks, Information and Computation 88(1), 1990',
    messageTypes: ['TOKEN', 'ELECTED'],
    flags: {},
    successors: 1,
    create: () => createItaiRodeh(),
  },
} as const;

/** A random ring's mean; the bound is twice that and more. */
function hirschbergSinclairMessages(nodes: number): number {
  return 4 * nodes * (Math.log2(nodes) + 2);
}

function petersonMessages(nodes: number): number {
  return 2 * nodes * (Math.log2(nodes) + 1);
}
