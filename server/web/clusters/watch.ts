/**
 * @module
 * The browser's copy of one cluster: the events of its nodes as they arrive, and its state, which is read at intervals.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';

import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Followed } from '../elections/session/history.ts';
import type { NodeThen } from '../elections/timeline/moment.ts';
import type { ElectionEvent } from '../elections/timeline/timeline.ts';
import { attemptsOf } from '../shell/use-attempt.ts';

export type Cluster = Schema<'Cluster'>;
export type ClusterAction = Schema<'ClusterAction'>;

/** Milliseconds between two readings of the state. */
const POLL_MS = 1_000;

export class ClusterWatch extends Followed {
  readonly timeUnit = 'ms' as const;
  readonly store = null;
  readonly cluster: Signal<Cluster | null> = signal(null);
  readonly isBusy = signal(false);
  /** Whether the cluster is to end, and the answer has not come. */
  readonly isEnding = signal(false);
  protected readonly pollMs = POLL_MS;
  readonly #joined = new Set<number>();
  readonly #attempt = attemptsOf(this.isBusy, this.error).attempt;

  constructor(id: string) {
    super('clusters', id);
  }

  /** Carries out an action. Returns whether it was done. */
  readonly act = (action: ClusterAction): Promise<boolean> =>
    this.#changed(() => {
      const params = { path: { id: this.id } };
      return answerOf(api.POST('/v1/clusters/{id}/actions', { params, body: action }));
    });

  /** Ends the nodes, or removes a cluster that is over. */
  readonly end = async (): Promise<boolean> => {
    this.isEnding.value = this.cluster.value?.status !== 'over';
    const isDone = await this.#changed(() => {
      const params = { path: { id: this.id } };
      return answerOf(api.DELETE('/v1/clusters/{id}', { params }));
    });
    this.isEnding.value = false;
    return isDone;
  };

  /** A node that joined is down before. */
  readonly nodesAt = (count: number): readonly NodeThen[] =>
    this.foldedAt(count, this.cluster.value?.nodes.length ?? 0, [...this.#joined]);

  async #changed(change: () => Promise<Cluster | undefined>): Promise<boolean> {
    if (this.isBusy.value) return false;
    return this.#attempt(async () => {
      const cluster = await change();
      if (cluster === undefined) this.isGone.value = true;
      else this.cluster.value = cluster;
    });
  }

  protected async refresh(): Promise<void> {
    // What is over does not change.
    if (this.isBusy.value || this.isGone.value || this.cluster.value?.status === 'over') return;
    const params = { path: { id: this.id } };
    try {
      const cluster = await answerOf(api.GET('/v1/clusters/{id}', { params }));
      if (!this.isBusy.value) this.cluster.value = cluster;
    } catch (error) {
      if (this.cluster.value === null) throw error;
      // Without an answer, the next reading has it.
      if (error instanceof ProblemError) this.isGone.value = error.problem.status === 404;
    }
  }

  protected noteEvent({ event, node }: ElectionEvent): void {
    if (event === 'node.joined' && typeof node === 'number') this.#joined.add(node);
  }
}
