/**
 * @module
 * The lease protocols' part of the registry: leaders by the word of a store that all of them call.
 */

import type { Flags, NumberOf } from '../flags.ts';
import { faultUnlessBelow, numbersOf } from '../flags.ts';
import type { Protocol } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import { createCoordinationStore } from './coordination-store.ts';
import { createDbLease, DB_LEASE_NUMBERS, dbLeaseClash } from './db-lease.ts';
import { createLeaseLocal, LEASE_LOCAL_FLAGS, LEASE_LOCAL_NUMBERS } from './lease-local.ts';
import { createLeaseService } from './lease-service.ts';
import { createLeaseTable } from './lease-table.ts';
import { createZkRecipe } from './zk-recipe.ts';
import { ZK_RECIPE_FLAGS, ZK_RECIPE_NUMBERS, zkRecipeSettings } from './zk-recipe-settings.ts';

/** An entry that each of n clients looks at takes as long as 16 that are only copied. */
const ZK_ENTRIES = 16;

export const LEASE_PROTOCOLS = {
  'db-lease': {
    name: 'db-lease',
    family: 'lease',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'One leader per epoch asynchronously, over a linearizable store; one at a time while clocks keep to their drift and nobody pauses; to finish, a store in reach.',
    messageBound:
      '2 for every SWAP, of which a holder makes 3 a lease and a candidate 1; 2 for every READ of each other node',
    messagesAbout: (nodes: number) => 8 * nodes,
    steadyTicks: (timing: Timing, flags: Flags) => {
      const { leaseTicks, pollTicks } = numbersOf(DB_LEASE_NUMBERS, timing, flags);
      return 2 * leaseTicks + pollTicks + answerTicks(timing);
    },
    source:
      "Amazon Web Services, Building Distributed Locks with the DynamoDB Lock Client, 2017, and Leader election in distributed systems (Builders' Library), 2019; C. Gray and D. Cheriton, Leases, SOSP 1989",
    messageTypes: ['READ', 'ROW', 'SWAP'],
    flags: {},
    numbers: DB_LEASE_NUMBERS,
    clash: dbLeaseClash,
    successors: 1,
    create: (timing: Timing, flags?: Flags) => createDbLease(timing, flags),
    createStore: () => createLeaseTable(),
  },
  'lease-local': {
    name: 'lease-local',
    family: 'lease',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'One leader per epoch asynchronously, over a linearizable lease service; one at a time, with the default flags, while clocks keep to their drift and nobody pauses; to finish, a service in reach.',
    messageBound: '2 for every RENEW, 3 a lease; 2 for every ACQUIRE of each other node; 1 RELEASE',
    messagesAbout: (nodes: number) => 8 * nodes,
    steadyTicks: (timing: Timing, flags: Flags) => {
      const { leaseTicks, pollTicks } = numbersOf(LEASE_LOCAL_NUMBERS, timing, flags);
      return 2 * leaseTicks + pollTicks + answerTicks(timing);
    },
    source:
      'C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989',
    messageTypes: ['ACQUIRE', 'GRANTED', 'REFUSED', 'RENEW', 'RELEASE'],
    flags: LEASE_LOCAL_FLAGS,
    numbers: LEASE_LOCAL_NUMBERS,
    clash: (numberOf: NumberOf, flags: Flags) =>
      faultUnlessBelow(['renewTicks', 'leaseTicks'], numberOf, flags),
    successors: 1,
    create: (timing: Timing, flags?: Flags) => createLeaseLocal(timing, flags),
    createStore: (timing: Timing, flags: Flags = {}) =>
      createLeaseService(numbersOf(LEASE_LOCAL_NUMBERS, timing, flags).leaseTicks),
  },
  'zk-recipe': {
    name: 'zk-recipe',
    family: 'lease',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'Safe asynchronously, as the store never fails; to finish, messages that mostly arrive within the bound; one leader at a moment if clocks drift by at most driftPpm and nobody pauses.',
    messageBound:
      '8n calls and answers to begin; a change of leader: 1 DELETED + 1 GET_CHILDREN, n-1 of each in a herd; 2n PING and PONG every pingTicks',
    messagesAbout: (nodes: number) => 20 * nodes,
    // Each reads a list of all.
    entriesAbout: (nodes: number) => ZK_ENTRIES * nodes ** 2,
    steadyTicks: (timing: Timing, flags: Flags) =>
      zkRecipeSettings(timing, flags).sessionTicks + answerTicks(timing),
    source:
      'P. Hunt, M. Konar, F. P. Junqueira and B. Reed, ZooKeeper: Wait-free coordination for internet-scale systems, USENIX ATC 2010, section 2.4; ZooKeeper Recipes and Solutions, Leader Election',
    messageTypes: [
      'CONNECT',
      'CONNECTED',
      'CREATE',
      'CREATED',
      'GET_CHILDREN',
      'CHILDREN',
      'EXISTS',
      'STAT',
      'PING',
      'PONG',
      'DELETED',
      'EXPIRED',
    ],
    flags: ZK_RECIPE_FLAGS,
    numbers: ZK_RECIPE_NUMBERS,
    clash: (numberOf: NumberOf, flags: Flags) =>
      faultUnlessBelow(['pingTicks', 'sessionTicks'], numberOf, flags),
    successors: 1,
    create: (timing: Timing, flags: Flags = {}) =>
      createZkRecipe(timing, zkRecipeSettings(timing, flags)),
    createStore: (timing: Timing, flags: Flags = {}) =>
      createCoordinationStore(zkRecipeSettings(timing, flags).sessionTicks),
  },
} as const satisfies Readonly<Record<string, Protocol>>;
