/**
 * @module
 * One cluster of local processes: its start, its actions one after another, and its end with the check. It ends by itself
 * if no action comes for a time. What is known of it afterwards stays readable.
 */

import { LabError } from '../../src/errors.ts';
import type { ClusterSettings } from '../../src/live/cluster/cluster-plan.ts';
import type { Takeover } from '../../src/live/cluster/takeover.ts';
import { OverloadError } from '../request/refusals.ts';
import { ClusterFeed } from './cluster-feed.ts';
import type { RequestedAction } from './request.ts';
import { clusterActionOf, NODES_PER_CLUSTER_MAX } from './request.ts';
import type {
  ClusterCheck,
  ClusterSnapshot,
  RunningCluster,
  StartRunning,
} from './running-cluster.ts';
import { unknownCheck } from './running-cluster.ts';

/** Time without an action after which a cluster ends. */
export const CLUSTER_IDLE_SECONDS = 900;
/** Actions of one cluster that wait for those before them. */
export const CLUSTER_ACTIONS_QUEUED_MAX = 16;
/** Actions that an answer shows, the newest. */
const ACTIONS_SHOWN_MAX = 50;
/** Longest time that mining and starting the founders may take. */
const START_MS_MAX = 60_000;
const RETRY_S = 5;

export type ClusterStatus = 'starting' | 'running' | 'ending' | 'over';

/** Why a cluster is over. */
export type ClusterEnd = 'deleted' | 'idle' | 'failed';

/** An action with its result. */
export interface ActionRecord {
  readonly number: number;
  readonly type: RequestedAction['type'];
  /** The node that it applies to, or that joined. */
  node: number | null;
  status: 'waiting' | 'running' | 'done' | 'refused';
  /** Why it was refused, or its result. */
  detail: string | null;
  /** When the action was asked for. */
  readonly askedMs: number;
  /** The sides that a partition made; null of other actions. */
  sides: readonly (readonly number[])[] | null;
  /** The report of an attack; null of other actions, and before it has ended. */
  takeover: Takeover | null;
  /** Rate of the clock after `skew`. */
  readonly rate: number | null;
  /** Share of the messages of `lose` and `duplicate`. */
  readonly share: number | null;
}

export interface ClusterParts {
  readonly start: StartRunning;
  /** Threads that mine. */
  readonly threads: number;
  /** Receives errors that are no refusals. */
  readonly onError: (error: unknown) => void;
  readonly wallMs: () => number;
}

export class LiveCluster {
  readonly id: string;
  readonly settings: ClusterSettings;
  readonly createdMs: number;
  readonly feed = new ClusterFeed();
  /** The faults of nodes whose processes stopped by themselves, the newest last. */
  readonly nodeFaults: { readonly node: number; readonly detail: string }[] = [];
  takeover: Takeover | null = null;
  check: ClusterCheck | null = null;
  status: ClusterStatus = 'starting';
  reason: ClusterEnd | null = null;
  /** Why it could not start. */
  fault: string | null = null;
  readonly #parts: ClusterParts;
  readonly #abort = new AbortController();
  readonly #actions: ActionRecord[] = [];
  #running: RunningCluster | null = null;
  #snapshot: ClusterSnapshot = { nodes: [], agreement: null, sides: [], chances: new Map() };
  /** Resolves when everything before is over. It never rejects. */
  #tail: Promise<void>;
  /** Resolves when the last attack is over. */
  #attack: Promise<void> = Promise.resolve();
  #ended: Promise<void> | null = null;
  #number = 0;
  #idle: NodeJS.Timeout | undefined;
  #expiresMs = 0;
  #isClosed = false;

  constructor(id: string, settings: ClusterSettings, parts: ClusterParts) {
    this.id = id;
    this.settings = settings;
    this.#parts = parts;
    this.createdMs = parts.wallMs();
    this.#postpone();
    this.#tail = this.#start();
  }

  /** Number of its processes, including those that are about to start. */
  get size(): number {
    if (this.status === 'over') return 0;
    const joining = this.#actions.filter(
      ({ type, status }) =>
        (type === 'join' || type === 'attack') && (status === 'waiting' || status === 'running'),
    );
    const nodes = this.#running?.snapshot().nodes.length ?? this.settings.nodes;
    return nodes + joining.length;
  }

  /** When it ends unless an action comes; null if it has ended. */
  get expiresMs(): number | null {
    return this.status === 'starting' || this.status === 'running' ? this.#expiresMs : null;
  }

  /** The last actions, the oldest first. */
  get actions(): readonly ActionRecord[] {
    return this.#actions.slice(-ACTIONS_SHOWN_MAX);
  }

  snapshot(): ClusterSnapshot {
    return this.#running?.snapshot() ?? this.#snapshot;
  }

  /**
   * Carries an action out after those before it. Resolves when it is over, or after `waitMs`. Throws LabError
   * `cluster.conflict` or the refusal if it is impossible, OverloadError `limit.queue`.
   */
  async act(action: RequestedAction, waitMs: number): Promise<ActionRecord> {
    this.#assertTakes(action);
    this.#postpone();
    this.#number += 1;
    const record: ActionRecord = {
      number: this.#number,
      type: action.type,
      status: 'waiting',
      detail: null,
      node: 'node' in action && typeof action.node === 'number' ? action.node : null,
      askedMs: this.#parts.wallMs(),
      sides: null,
      takeover: null,
      rate: 'rate' in action ? action.rate : null,
      share: 'share' in action ? action.share : null,
    };
    this.#actions.push(record);
    this.#forgetActions();
    const over = this.#tail.then(() => this.#carryOut(action, record));
    const isOver = over.then(() => undefined);
    // An attack mines and waits for long. It disturbs no other action but the joining of a node.
    if (action.type === 'attack') this.#attack = isOver;
    else this.#tail = isOver;
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, waitMs, null);
    const refusal = await Promise.race([over, promise]);
    clearTimeout(timer);
    if (refusal !== null) throw refusal;
    return record;
  }

  /** Ends all nodes and checks what they did. Resolves when it is over, or after `waitMs`. */
  async end(reason: ClusterEnd, waitMs: number): Promise<void> {
    this.#ended ??= this.#end(reason);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([this.#ended, promise]);
    clearTimeout(timer);
  }

  /** Ends all nodes without a check, with the server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#abort.abort();
    clearTimeout(this.#idle);
    // A cluster that is starting is closed by its start.
    await this.#running?.close();
    await this.#tail;
    await this.#attack;
  }

  async #start(): Promise<void> {
    const { start, threads, onError } = this.#parts;
    const { signal } = this.#abort;
    const timer = setTimeout(() => this.#abort.abort(), START_MS_MAX);
    try {
      const running = await start(this.settings, {
        threads,
        signal,
        onEvents: (records) => this.feed.add(records),
        onNodeFault: (node, text) => this.#noteFault(node, text),
      });
      if (signal.aborted && this.status === 'starting') {
        await running.close();
        throw new LabError(
          'arguments',
          `the start took more than ${START_MS_MAX / 1000} s; try fewer nodes or bits`,
        );
      }
      // If the cluster is ending already, its end waits for this.
      this.#running = running;
      if (this.status === 'starting') this.status = 'running';
    } catch (error) {
      if (this.status !== 'starting') return;
      const isRefusal = error instanceof LabError && !error.code.startsWith('file.');
      if (!isRefusal) onError(error);
      this.fault = isRefusal ? error.message : 'the server failed to start the nodes';
      void this.end('failed', 0);
    } finally {
      clearTimeout(timer);
    }
  }

  #assertTakes(action: RequestedAction): void {
    if (this.status === 'ending' || this.status === 'over') {
      throw new LabError('cluster.conflict', `the cluster is ${this.status}`);
    }
    const waiting = this.#actions.filter(({ status }) => status === 'waiting').length;
    if (waiting >= CLUSTER_ACTIONS_QUEUED_MAX) {
      const detail = `${waiting} actions of this cluster wait already`;
      throw new OverloadError('limit.queue', detail, RETRY_S);
    }
    const isJoining = action.type === 'join' || action.type === 'attack';
    const attack = this.#actions.find(
      ({ type, status }) => type === 'attack' && (status === 'waiting' || status === 'running'),
    );
    if (isJoining && attack !== undefined) {
      const detail = `action ${attack.number}, an attack, is not over; repeat this when \`actions\` of the cluster says that it is`;
      throw new LabError('cluster.conflict', detail);
    }
    if (isJoining && this.size >= NODES_PER_CLUSTER_MAX) {
      const detail = `a cluster has at most ${NODES_PER_CLUSTER_MAX} nodes on a server; start another one`;
      throw new LabError('limit.clusters', detail);
    }
  }

  /** Returns the refusal of the action; null if it was done. */
  async #carryOut(action: RequestedAction, record: ActionRecord): Promise<LabError | null> {
    try {
      const running = this.#running;
      if (running === null || this.status !== 'running') {
        throw new LabError('cluster.conflict', `the cluster is ${this.status}`);
      }
      record.status = 'running';
      await this.#carryOutNow(running, action, record);
      record.status = 'done';
      this.#postpone();
      return null;
    } catch (error) {
      record.status = 'refused';
      const refusal = refusalOf(error);
      if (refusal === null) this.#parts.onError(error);
      record.detail = refusal?.message ?? 'the server failed';
      return refusal ?? new LabError('internal', record.detail);
    }
  }

  async #carryOutNow(
    running: RunningCluster,
    action: RequestedAction,
    record: ActionRecord,
  ): Promise<void> {
    if (action.type === 'attack') {
      this.takeover = await running.attack(action.budget, action.behaviours);
      record.takeover = this.takeover;
      record.node = this.takeover.node;
      record.detail = this.takeover.outcome;
    } else if (action.type === 'join') {
      const text = action.key === undefined ? null : JSON.stringify(action.key);
      const { node, isRefused } = await running.join(text);
      record.node = node;
      record.detail = isRefused ? 'the node was refused' : 'the node was admitted';
    } else if (action.type === 'remove') record.node = await running.remove(action.node);
    else {
      const carriedOut = clusterActionOf(action);
      record.node = await running.act(carriedOut);
      if (action.type === 'partition') record.sides = running.snapshot().sides;
      if ('chance' in carriedOut) record.detail = `seed ${carriedOut.chance.seed}`;
    }
  }

  async #end(reason: ClusterEnd): Promise<void> {
    this.status = 'ending';
    this.reason = reason;
    clearTimeout(this.#idle);
    this.#abort.abort();
    // Also one that is starting.
    if (reason !== 'failed') await Promise.all([this.#tail, this.#attack]);
    const running = this.#running;
    if (running !== null) {
      this.#snapshot = downAfter(this.snapshot());
      try {
        await running.down();
        this.check = await running.check();
      } catch (error) {
        // A server that stops removes the files while they are checked. What a log has is no failure of the server.
        const why = error instanceof LabError ? error.message : null;
        if (!this.#isClosed && why === null) this.#parts.onError(error);
        // A path is of no use to callers.
        this.check = unknownCheck(why?.includes('/') === false ? why : 'the check failed');
      }
      this.#running = null;
      await running.close().catch(this.#parts.onError);
    }
    this.status = 'over';
    this.feed.end();
  }

  #postpone(): void {
    clearTimeout(this.#idle);
    if (this.status === 'ending' || this.status === 'over') return;
    const idleMs = CLUSTER_IDLE_SECONDS * 1000;
    this.#expiresMs = this.#parts.wallMs() + idleMs;
    this.#idle = setTimeout(() => void this.end('idle', 0), idleMs).unref();
  }

  #noteFault(node: number, text: string): void {
    const line = text.split('\n').findLast((each) => each.startsWith('usurp: ')) ?? '';
    // A path is of no use to callers.
    const isShown = line !== '' && !line.includes('/');
    const detail = isShown ? line.slice('usurp: '.length) : 'its process has ended by itself';
    this.nodeFaults.push({ node, detail });
    if (this.nodeFaults.length > FAULTS_KEPT_MAX) this.nodeFaults.shift();
  }

  /** Forgets actions that are over, the oldest first, if there are more than an answer shows. */
  #forgetActions(): void {
    while (this.#actions.length > ACTIONS_SHOWN_MAX) {
      const index = this.#actions.findIndex(
        ({ status }) => status === 'done' || status === 'refused',
      );
      if (index < 0) return;
      this.#actions.splice(index, 1);
    }
  }
}

const FAULTS_KEPT_MAX = 20;

/** An action that is impossible now is a conflict with the state of the cluster. */
function refusalOf(error: unknown): LabError | null {
  if (!(error instanceof LabError) || error.code.startsWith('file.')) return null;
  return error.code === 'arguments' ? new LabError('cluster.conflict', error.message) : error;
}

function downAfter(snapshot: ClusterSnapshot): ClusterSnapshot {
  const nodes = snapshot.nodes.map((node) =>
    node.status === 'removed' ? node : { ...node, status: 'down' as const },
  );
  return { ...snapshot, nodes };
}
