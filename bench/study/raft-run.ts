/**
 * @module
 * The same faults of the leader on two implementations of Raft: kill -9 and a partition, and how long the others take to
 * follow another leader.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from '../../src/live/cluster/cluster-session.ts';

/** What a node says. */
export interface RaftView {
  readonly node: number;
  readonly leader: number | null;
  readonly term: number;
}

/** Nodes of Raft as processes. */
export interface RaftSystem {
  /** Of the nodes whose processes answer. */
  views(): readonly RaftView[];
  /** The leaders of each term, as far as they were seen. Call it last. */
  leadersByTerm(): Promise<ReadonlyMap<number, ReadonlySet<number>>>;
  kill(node: number): Promise<void>;
  start(node: number): void;
  /** Cuts all links of a node. */
  isolate(node: number): void;
  heal(): void;
  close(): Promise<void>;
}

export const RAFT_FAULTS = ['kill -9', 'partition'] as const;
export type RaftFault = (typeof RAFT_FAULTS)[number];

/** One fault of the leader. */
export interface RaftSample {
  readonly fault: RaftFault;
  /** From the fault until all others follow one other leader. */
  readonly ms: number;
  /** By how much the term is higher then. */
  readonly terms: number;
}

export interface RaftOutcome {
  readonly samples: readonly RaftSample[];
  /** The largest number of leaders of a term. */
  readonly leadersPerTermMax: number;
}

const WAIT_MS = 60_000;
const POLL_MS = 5;

/** Disturbs the leader with each of these faults, one after the other, and closes the system. */
export async function runRaftFaults(
  system: RaftSystem,
  {
    nodes,
    repetitions,
    faults = RAFT_FAULTS,
  }: {
    readonly nodes: number;
    readonly repetitions: number;
    readonly faults?: readonly RaftFault[];
  },
): Promise<RaftOutcome> {
  const samples: RaftSample[] = [];
  try {
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const fault of faults) samples.push(await sampleOf(system, fault, nodes));
    }
    await agreed(system, nodes);
    const leaders = [...(await system.leadersByTerm()).values()];
    return { samples, leadersPerTermMax: Math.max(...leaders.map(({ size }) => size)) };
  } finally {
    await system.close();
  }
}

async function sampleOf(system: RaftSystem, fault: RaftFault, nodes: number): Promise<RaftSample> {
  const { leader, term } = await agreed(system, nodes);
  const begun = performance.now();
  if (fault === 'kill -9') await system.kill(leader);
  else system.isolate(leader);
  const next = await agreed(system, nodes - 1, (view) => view.node !== leader && view.term > term);
  const ms = performance.now() - begun;
  if (fault === 'kill -9') system.start(leader);
  else system.heal();
  return { fault, ms, terms: next.term - term };
}

/** Waits until this number of nodes follow one of them in one term. */
async function agreed(
  system: RaftSystem,
  count: number,
  isCounted: (view: RaftView) => boolean = () => true,
): Promise<{ readonly leader: number; readonly term: number }> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const views = system.views().filter(isCounted);
    const [first] = views;
    const isShared = views.every(
      ({ leader, term }) => leader === first?.leader && term === first?.term,
    );
    const leads = views.some(({ node }) => node === first?.leader);
    if (first?.leader && isShared && leads && views.length === count) {
      return { leader: first.leader, term: first.term };
    }
    if (Date.now() > deadline) throw new Error('the nodes found no leader');
    await delay(POLL_MS);
  }
}

/** Live nodes of this project's Raft. */
export async function startOwnRaft(nodes: number, latencyTicksMax: number): Promise<RaftSystem> {
  const session = await startCluster(
    {
      protocol: 'raft',
      nodes,
      level: 'L3',
      detector: 'fd-phi-akka',
      defences: [],
      timing: { latencyTicksMax },
      c1: 0,
      c2: 0,
      tls: true,
    },
    {
      folder: null,
      threads: 1,
      signal: new AbortController().signal,
      onFault: (node, text) => process.stderr.write(`node ${node} has ended: ${text}\n`),
      onRecord: () => undefined,
    },
  );
  const { cluster, founders } = session;
  return {
    views: () =>
      cluster.followed().map(({ node, leader, epoch: term }) => ({ node, leader, term })),
    async leadersByTerm() {
      await cluster.down();
      const { logs, replayed } = session.check();
      if (replayed.defect !== null) throw new Error(`defect: ${JSON.stringify(replayed.defect)}`);
      const led = new Map<number, Set<number>>();
      for (const { position, records } of logs) {
        for (const effect of records.flatMap(({ effects }) => effects)) {
          const leads =
            effect.type === 'elect' && effect.leader === founders.peers[position - 1]?.rank;
          if (leads) led.set(effect.epoch, (led.get(effect.epoch) ?? new Set()).add(position));
        }
      }
      return led;
    },
    kill: (node) => cluster.kill(node),
    start: (node) => cluster.start(node, false),
    isolate: (node) => cluster.partition([[node]]),
    heal: () => cluster.heal(),
    close: () => session.close(),
  };
}
