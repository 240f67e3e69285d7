/**
 * @module
 * The processes of one cluster, as the server uses them. Tests replace them by clusters without processes.
 */

import { z } from '@hono/zod-openapi';

import type { BehaviourName } from '../../src/adversary/behaviours/registry.ts';
import { LabError } from '../../src/errors.ts';
import { separates } from '../../src/live/check/division.ts';
import type { ClusterAction, NodeName } from '../../src/live/cluster/cluster-action.ts';
import { carryOutAction, numberIn } from '../../src/live/cluster/cluster-action.ts';
import { newIdentities } from '../../src/live/cluster/cluster-files.ts';
import type { ClusterSettings } from '../../src/live/cluster/cluster-plan.ts';
import type { WholeSession } from '../../src/live/cluster/cluster-session.ts';
import { startCluster } from '../../src/live/cluster/cluster-session.ts';
import type { LiveNodes, LiveTraceRecord } from '../../src/live/cluster/live-events.ts';
import { LiveEvents } from '../../src/live/cluster/live-events.ts';
import type { Agreement, NodeState } from '../../src/live/cluster/node-state.ts';
import type { Takeover } from '../../src/live/cluster/takeover.ts';
import { Observer, takeOver } from '../../src/live/cluster/takeover.ts';
import type { Chance, ChanceName } from '../../src/live/transport/links.ts';
import type { Budget } from '../../src/mining/ledger.ts';
import { executeInWorker } from '../jobs/worker-job.ts';
import type { CheckOrder, CheckResult } from './check-worker.ts';

/** The number of a node. */
export const nodeSchema = z.int().meta({ example: 3 });

/** What the check of all logs against the model has found. */
export const clusterCheckSchema = z.object({
  outcome: z
    .enum(['accepted', 'refused', 'unknown'])
    .describe(
      'accepted: the model takes every step of every node. unknown: not all steps could be checked.',
    ),
  steps: z.int().describe('Steps that the model has taken.'),
  defect: z
    .object({
      node: nodeSchema,
      record: z.int().describe('Index of the step in the log of the node, from 0.'),
      reason: z.string().describe('What the node does that the model does not.'),
    })
    .nullable()
    .describe('The first step that the model does not take.'),
  reason: z
    .string()
    .nullable()
    .describe('Why the outcome is unknown; null for the other outcomes.'),
  epochClash: z
    .object({ epoch: z.int(), leaders: z.array(nodeSchema).readonly() })
    .nullable()
    .describe('Two nodes that led one epoch, of a protocol that promises one leader in each.'),
  forged: z
    .int()
    .describe('Messages in the name of a node that did not send them, which L0 does not prevent.'),
});

export type ClusterCheck = z.output<typeof clusterCheckSchema>;

interface ClusterNode extends NodeState {
  readonly behaviours: readonly BehaviourName[];
  /** Whether an attack has started it. */
  readonly isAdversary: boolean;
}

/** The nodes as they are now, or as they were before the end. */
export interface ClusterSnapshot {
  readonly nodes: readonly ClusterNode[];
  readonly agreement: Agreement | null;
  readonly sides: readonly (readonly number[])[];
  /** What happens to messages by chance. */
  readonly chances: ReadonlyMap<ChanceName, Chance>;
}

export interface RunningCluster {
  snapshot(): ClusterSnapshot;
  /** Returns the node that the action applies to. Throws LabError if it is impossible. */
  act(action: ClusterAction): Promise<number | null>;
  /** Starts a node with the text of a key file, or with a new identity. */
  join(keyText: string | null): Promise<{ readonly node: number; readonly isRefused: boolean }>;
  /** Removes a member. Throws LabError if it is impossible, or not over in time. */
  remove(node: NodeName): Promise<number>;
  attack(budget: Budget, behaviours: readonly BehaviourName[]): Promise<Takeover>;
  /** Ends all nodes. `close` comes next. */
  down(): Promise<void>;
  /** Checks what the nodes did, after `down`. */
  check(): Promise<ClusterCheck>;
  /** Ends everything, and removes all files. */
  close(): Promise<void>;
}

export interface RunningOptions {
  /** Threads that mine. */
  readonly threads: number;
  /** Ends mining and waiting. */
  readonly signal: AbortSignal;
  readonly onEvents: (records: readonly LiveTraceRecord[]) => void;
  /** Receives the stderr of a node that stops by itself. */
  readonly onNodeFault: (node: number, text: string) => void;
}

export type StartRunning = (
  settings: ClusterSettings,
  options: RunningOptions,
) => Promise<RunningCluster>;

/** Resolves when the processes are started. */
export const startProcesses: StartRunning = async (settings, options) => {
  const { threads, signal, onEvents, onNodeFault } = options;
  const observer = new Observer();
  let feed: LiveFeed | null = null;
  const session = await startCluster(settings, {
    folder: null,
    threads,
    signal,
    onFault: onNodeFault,
    onRecord(node, record) {
      observer.note(node, record);
      feed?.change((events) => events.note(node, record, Date.now()));
    },
    onDisturbance: (disturbance) => feed?.change((events) => events.noteDisturbance(disturbance)),
  });
  const events = new LiveEvents(settings.nodes, reachingIn(session), session.startedMs);
  feed = new LiveFeed(events, onEvents);
  return runningOf(session, feed, observer, options);
};

/** What the events need to know of the nodes. */
function reachingIn({ cluster, notes }: WholeSession): LiveNodes {
  return {
    numberOf: (rank) => notes.numberOf(rank),
    behavioursOf: (node) => notes.behavioursOf(node),
    reaches(from, to) {
      return !cluster.isDown(to) && !separates(cluster.division, from, to);
    },
  };
}

function runningOf(
  session: WholeSession,
  feed: LiveFeed,
  observer: Observer,
  { threads, signal }: RunningOptions,
): RunningCluster {
  const { cluster, policy, notes } = session;
  return {
    snapshot: () => ({
      nodes: cluster.states().map((state) => ({
        ...state,
        behaviours: notes.behavioursOf(state.node),
        isAdversary: notes.isAdversary(state.node),
      })),
      agreement: cluster.agreement(),
      sides: cluster.division.sides,
      chances: new Map(cluster.chances),
    }),
    act: (action) => carryOutAction(session, action),
    async join(keyText) {
      const node = await session.join(keyText === null ? await newIdentity() : { text: keyText });
      return { node, isRefused: cluster.isDown(node) };
    },
    async remove(name) {
      const node = numberIn(session, name);
      const why = await session.remove(node);
      if (why !== null)
        throw new LabError('cluster.conflict', `node ${node} is still a member: ${why}`);
      return node;
    },
    attack: (budget, behaviours) =>
      takeOver(session, observer, { budget, behaviours, onProgress: () => undefined }),
    down: () => cluster.down(),
    check: () => checked(session),
    async close() {
      feed.close();
      await session.close();
    },
  };

  async function newIdentity() {
    const [identity] = await newIdentities(1, policy, { threads, signal });
    if (identity === undefined) throw new LabError('cluster.conflict', 'the search was ended');
    return identity;
  }
}

/** Passes records on, also those that wait for another record. */
class LiveFeed {
  readonly #events: LiveEvents;
  readonly #onEvents: RunningOptions['onEvents'];
  #timer: NodeJS.Timeout | undefined;

  constructor(events: LiveEvents, onEvents: RunningOptions['onEvents']) {
    this.#events = events;
    this.#onEvents = onEvents;
  }

  change(change: (events: LiveEvents) => void): void {
    change(this.#events);
    this.#take();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #take(): void {
    const records = this.#events.take(Date.now());
    if (records.length > 0) this.#onEvents(records);
    clearTimeout(this.#timer);
    if (this.#events.isWaiting) this.#timer = setTimeout(() => this.#take(), RETRY_MS).unref();
  }
}

const RETRY_MS = 100;
const CHECK_MS_MAX = 60_000;

async function checked(session: WholeSession): Promise<ClusterCheck> {
  const { ranks, disturbances, startedMs } = session.notes;
  const order: CheckOrder = {
    peers: session.peersFile,
    logs: session.logs(),
    ranks,
    disturbances,
    startedMs,
  };
  const script = new URL('./check-worker.ts', import.meta.url);
  const signal = AbortSignal.timeout(CHECK_MS_MAX);
  const execution = { onProgress: () => undefined, signal };
  const result = await executeInWorker<null, CheckResult>(script, order, execution, 0);
  if (result === null) return unknownCheck('the check took too long');
  const { steps, defect, unchecked, clash: epochClash, forged } = result;
  const found = { steps, defect, epochClash, forged };
  if (defect !== null || epochClash !== null) return { outcome: 'refused', ...found, reason: null };
  return { outcome: unchecked === null ? 'accepted' : 'unknown', ...found, reason: unchecked };
}

/** The result of a check that took too long or failed. */
export function unknownCheck(reason: string): ClusterCheck {
  return { outcome: 'unknown', steps: 0, defect: null, reason, epochClash: null, forged: 0 };
}
