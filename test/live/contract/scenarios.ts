/**
 * @module
 * The contract of elections: what is done to the nodes, one thing after the other, and which leader the nodes in reach
 * then follow, by protocol. The simulator, the checker and live processes fulfil the same contract. There are
 * three nodes; a fourth, higher one joins late.
 */

import { STORE_ALONE } from '../../../src/election/definition/forgery.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';

export const CONTRACT_PROTOCOLS = [
  'bully-oneshot',
  'cr-always',
  'raft',
  'db-lease',
] as const satisfies readonly ProtocolName[];
export type ContractProtocol = (typeof CONTRACT_PROTOCOLS)[number];

export const NODES = 3;
export const JOINER = 4;

/** A node by its number; the leader, or the highest that is up if none leads; one that follows; or all that are down. */
export type Who = number | 'leader' | 'follower' | 'down';

export type Disturbance =
  | { readonly type: 'kill' | 'pause' | 'resume' | 'isolate'; readonly node: Who }
  | { readonly type: 'return'; readonly node: Who; readonly amnesia: boolean }
  /** Ends the isolation. */
  | { readonly type: 'heal' }
  /** From now on every message is sent twice, as far as the driver's bounds allow. */
  | { readonly type: 'duplicate' }
  | { readonly type: 'join' }
  /** A sender without its key announces in the name of node 2 that node 2 leads. */
  | { readonly type: 'forge' };

/**
 * The leader of all nodes in reach: this node; null for none; exactly one, in an epoch above the earlier one if it is
 * another (`one`); or exactly one, in an epoch above the earlier one (`later`).
 */
export type Expected = number | null | 'one' | 'later';

export interface Step {
  readonly disturbances: readonly Disturbance[];
  readonly expected: Readonly<Record<ContractProtocol, Expected>>;
}

export type DriverName = 'simulator' | 'checker' | 'live';

export interface Scenario {
  readonly name: string;
  /** The nodes that are up at first and start. The others have never been up. */
  readonly starts: readonly number[];
  /** The expected leader before any disturbance, when the nodes have come to rest for the first time. */
  readonly first: Step['expected'];
  readonly steps: readonly Step[];
  /** Whether messages are authenticated. They are on live nodes in any case. */
  readonly isAuthenticated?: true;
  /** Why a protocol cannot have it, by driver. */
  readonly impossible?: Readonly<
    Partial<Record<ContractProtocol, Readonly<Partial<Record<DriverName, string>>>>>
  >;
}

function expecting(bully: Expected, ring: Expected, raft: Expected, lease: Expected) {
  return { 'bully-oneshot': bully, 'cr-always': ring, raft, 'db-lease': lease } as const;
}

/** All are up and in reach. */
const WHOLE = expecting(3, 3, 'one', 'one');
/** The leader is gone. No probe passes a ring with a gap. */
const WITHOUT_LEADER = expecting(2, null, 'later', 'later');
const ALL = [1, 2, 3];

const kill = (node: Who): Disturbance => ({ type: 'kill', node });
const returns = (node: Who, amnesia = false): Disturbance => ({ type: 'return', node, amnesia });
const step = (expected: Step['expected'], ...disturbances: readonly Disturbance[]): Step => {
  return { expected, disturbances };
};

export const SCENARIOS: readonly Scenario[] = [
  { name: 'all start', starts: ALL, first: WHOLE, steps: [] },
  {
    name: 'the lowest starts first',
    starts: [1],
    // One of three is no majority.
    first: expecting(1, null, null, 1),
    steps: [step(WHOLE, returns('down'))],
  },
  {
    name: 'the leader is killed',
    starts: ALL,
    first: WHOLE,
    steps: [step(WITHOUT_LEADER, kill('leader'))],
  },
  {
    name: 'the leader returns',
    starts: ALL,
    first: WHOLE,
    steps: [step(WITHOUT_LEADER, kill('leader')), step(WHOLE, returns('down'))],
  },
  {
    name: 'two leaders are killed, and return',
    starts: ALL,
    first: WHOLE,
    steps: [
      step(WITHOUT_LEADER, kill('leader')),
      step(expecting(1, null, null, 'later'), kill('leader')),
      step(WHOLE, returns('down')),
    ],
  },
  {
    name: 'messages arrive twice',
    starts: ALL,
    first: WHOLE,
    steps: [
      step(WITHOUT_LEADER, { type: 'duplicate' }, kill('leader')),
      step(WHOLE, returns('down')),
    ],
    impossible: {
      'db-lease': { live: 'the connection to the store carries each operation once' },
    },
  },
  {
    name: 'a higher node joins late',
    starts: ALL,
    first: WHOLE,
    steps: [step(expecting(JOINER, JOINER, 'one', 'one'), { type: 'join' })],
  },
  {
    name: 'a message is forged',
    starts: ALL,
    first: WHOLE,
    steps: [step(WHOLE, { type: 'forge' })],
    isAuthenticated: true,
    impossible: {
      'db-lease': { simulator: STORE_ALONE, checker: STORE_ALONE, live: STORE_ALONE },
    },
  },
  {
    name: 'the leader is cut off, and the partition heals',
    starts: ALL,
    first: WHOLE,
    steps: [
      step(WITHOUT_LEADER, { type: 'isolate', node: 'leader' }),
      step(WHOLE, { type: 'heal' }),
    ],
  },
  {
    name: 'all restart from disk',
    starts: ALL,
    first: WHOLE,
    steps: [step(expecting(3, 3, 'later', 'later'), ...ALL.map(kill), returns('down'))],
  },
  {
    // A rolling upgrade does this: each node stops and starts again, one after the other.
    name: 'each node is replaced in turn',
    starts: ALL,
    first: WHOLE,
    steps: [
      ...[1, 2].flatMap((node) => [
        step(expecting(3, 3, 'one', 'one'), kill(node)),
        step(WHOLE, returns(node)),
      ]),
      step(expecting(2, null, 'one', 'one'), kill(3)),
      step(WHOLE, returns(3)),
    ],
  },
  {
    name: 'a follower returns with amnesia',
    starts: ALL,
    first: WHOLE,
    steps: [step(WHOLE, kill('follower'), returns('down', true))],
  },
  {
    name: 'the leader is paused',
    starts: ALL,
    first: WHOLE,
    steps: [
      step(WITHOUT_LEADER, { type: 'pause', node: 'leader' }),
      step(WHOLE, { type: 'resume', node: 'leader' }),
    ],
  },
];
