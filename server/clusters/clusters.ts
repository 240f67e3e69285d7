/**
 * @module
 * This folder runs clusters of live nodes for operators. This file keeps the clusters of one server: a bounded number of
 * processes, and the last clusters that are over. All processes stop with the server.
 */

import { LabError } from '../../src/errors.ts';
import type { ClusterSettings } from '../../src/live/cluster/cluster-plan.ts';
import { randomId } from '../contract/members.ts';
import type { OnFault } from '../request/refusals.ts';
import { LiveCluster } from './live-cluster.ts';
import type { RequestedAction } from './request.ts';
import type { StartRunning } from './running-cluster.ts';
import { startProcesses } from './running-cluster.ts';

/** Clusters that are not over. */
export const CLUSTERS_MAX = 4;
/** Processes of all clusters, of about 80 MB each. */
export const LIVE_NODES_MAX = 24;
/** Clusters that are over and kept. */
export const CLUSTERS_KEPT_MAX = 8;

/** Longest time that an answer waits for an action, and for the end of a cluster. */
const ACTION_WAIT_MS = 5_000;
const END_WAIT_MS = 20_000;

export interface ClustersOptions {
  /** Threads that mine. */
  readonly threads: number;
  readonly onFault: OnFault;
  readonly wallMs?: () => number;
  /** Starts the processes of a cluster. */
  readonly start?: StartRunning;
}

export class Clusters {
  readonly #options: ClustersOptions;
  readonly #clusters = new Map<string, LiveCluster>();

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  get list(): readonly LiveCluster[] {
    return [...this.#clusters.values()];
  }

  /** Throws LabError `limit.clusters`. */
  create(settings: ClusterSettings): LiveCluster {
    const open = this.list.filter(({ status }) => status !== 'over').length;
    if (open >= CLUSTERS_MAX) {
      throw new LabError('limit.clusters', `${open} clusters run; end one of them`);
    }
    this.#assertRoom(settings.nodes);
    this.#forget();
    const id = randomId('n');
    const { threads, onFault, wallMs = Date.now, start = startProcesses } = this.#options;
    const onError = (error: unknown) => onFault({ id, error });
    const cluster = new LiveCluster(id, settings, { start, threads, wallMs, onError });
    this.#clusters.set(id, cluster);
    return cluster;
  }

  /** Throws LabError `not_found`. */
  get(id: string): LiveCluster {
    const cluster = this.#clusters.get(id);
    if (cluster === undefined) throw new LabError('not_found', `there is no cluster ${id}`);
    return cluster;
  }

  /** Carries out an action. Returns whether it is over. Throws LabError if it is impossible. */
  async act(cluster: LiveCluster, action: RequestedAction): Promise<boolean> {
    if (action.type === 'join' || action.type === 'attack') this.#assertRoom(1);
    const { status } = await cluster.act(action, ACTION_WAIT_MS);
    return status === 'done';
  }

  /** Ends a cluster, or removes one that is over. Returns whether it was removed. */
  async remove(cluster: LiveCluster): Promise<boolean> {
    if (cluster.status === 'over') {
      this.#drop(cluster);
      return true;
    }
    await cluster.end('deleted', END_WAIT_MS);
    return false;
  }

  /** Ends all clusters. */
  async close(): Promise<void> {
    await Promise.all(this.list.map((cluster) => cluster.close()));
  }

  #assertRoom(more: number): void {
    const nodes = this.list.reduce((sum, { size }) => sum + size, 0);
    if (nodes + more <= LIVE_NODES_MAX) return;
    const detail = `the clusters have ${nodes} nodes, of at most ${LIVE_NODES_MAX}; end one of them`;
    throw new LabError('limit.clusters', detail);
  }

  /** Makes room for one more that is over. */
  #forget(): void {
    const over = this.list.filter(({ status }) => status === 'over');
    for (const cluster of over.slice(0, Math.max(0, over.length - CLUSTERS_KEPT_MAX + 1))) {
      this.#drop(cluster);
    }
  }

  #drop(cluster: LiveCluster): void {
    this.#clusters.delete(cluster.id);
    cluster.feed.end('deleted');
  }
}
