/**
 * @module
 * Clusters without processes, for tests that call all operations: every node is up at once and follows the highest.
 */

import type { ClustersOptions } from '../../../server/clusters/clusters.ts';
import { Clusters } from '../../../server/clusters/clusters.ts';
import type { RunningCluster, StartRunning } from '../../../server/clusters/running-cluster.ts';
import type { Rank } from '../../../src/election/machine.ts';
import { LabError } from '../../../src/errors.ts';
import type { ClusterAction } from '../../../src/live/cluster/cluster-action.ts';
import type { LiveTraceRecord } from '../../../src/live/cluster/live-events.ts';
import type { NodeState } from '../../../src/live/cluster/node-state.ts';
import type { Chance, ChanceName } from '../../../src/live/transport/links.ts';

/** Clusters whose nodes do what `start` says; by default they do everything at once. */
export function stagedClusters(options: Partial<ClustersOptions> = {}): Clusters {
  return new Clusters({ threads: 1, onFault: () => undefined, start: startNothing, ...options });
}

export const startNothing: StartRunning = async ({ nodes: founders }, { onEvents }) => {
  const states = Array.from({ length: founders }, (_, index) => stateOf(index + 1, founders));
  let sides: readonly (readonly number[])[] = [];
  const chances = new Map<ChanceName, Chance>();
  onEvents(eventsOf(founders));
  const adversaries: number[] = [];
  const join = () => states.push(stateOf(states.length + 1, founders));
  const running: RunningCluster = {
    snapshot: () => ({
      nodes: states.map((state) => ({
        ...{ ...state, behaviours: [], isAdversary: adversaries.includes(state.node) },
      })),
      agreement: {
        ...{ leader: founders, epoch: 0 },
        nodes: states.flatMap(({ status, node }) => (status === 'up' ? node : [])),
      },
      ...{ sides, chances },
    }),
    async act(action) {
      if (action.type === 'heal') sides = [];
      if ('chance' in action) chances.set(action.type, action.chance);
      if ('sides' in action) sides = action.sides.map((side) => side.map(numberOf));
      return 'node' in action ? change(action) : null;
    },
    join: async () => ({ node: join(), isRefused: false }),
    remove: async (node) => numberOf(node),
    attack: async (_budget, behaviours) => ({
      ...{ outcome: 'leads', node: attacked(), behaviours, refusedBy: [] },
      ledger: {
        ...{ attempts: 97, hashes: 194, groupOperations: 97, overshoot: 0 },
        ...{ cpuSeconds: 0.131, wallSeconds: 0.14 },
      },
      firstHash: 5.1,
      seconds: { found: 6.646, joined: 10.987, leads: 11.043 },
      observations: [{ node: 3, seconds: 10.812, what: 'admits it', count: 1 }],
      harms: { split: 0.013, twoLeaders: 0, leaderless: 0, phantom: 0, lasting: [] },
    }),
    down: async () => undefined,
    check: async () => ({
      ...{
        outcome: 'accepted',
        steps: 30,
        defect: null,
        epochClash: null,
        forged: 0,
        reason: null,
      },
    }),
    close: async () => undefined,
  };
  return running;

  function change(action: Extract<ClusterAction, { readonly node: unknown }>): number {
    const node = numberOf(action.node);
    const state = states[node - 1];
    if (state === undefined) throw new LabError('arguments', `${node} is no node`);
    const status = ({ kill: 'down', pause: 'paused' } as const)[String(action.type)] ?? 'up';
    const rate = action.type === 'skew' ? action.rate : state.rate;
    states[node - 1] = { ...state, status, rate };
    return node;
  }

  function attacked(): number {
    const node = join();
    adversaries.push(node);
    return node;
  }

  function numberOf(node: number | string): number {
    return typeof node === 'number' ? node : founders;
  }
};

function stateOf(node: number, leader: number): NodeState {
  return {
    node,
    status: 'up',
    leader,
    phantom: null,
    epoch: 0,
    suspects: [],
    refused: {},
    rate: 1,
  };
}

/** The highest node starts and leads. */
function eventsOf(nodes: number): LiveTraceRecord[] {
  // Ranks in traces are small integers.
  const leader = nodes as number as Rank;
  const message = { type: 'COORDINATOR', leader };
  const to = 1 as number as Rank;
  return [
    {
      ...{ seq: 0, t: 320, action: { type: 'start', node: nodes }, node: nodes },
      effects: [
        { type: 'elect', leader, epoch: 0 },
        { type: 'send', id: 0, to, message },
      ],
    },
    {
      ...{ seq: 1, t: 332, action: { type: 'deliver', message: 0 }, node: 1, from: nodes },
      effects: [{ type: 'elect', leader, epoch: 0 }],
    },
  ];
}
