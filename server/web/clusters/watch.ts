/**
 * @module
 * The browser's copy of one cluster: the events of its nodes as they arrive, and its state, which is read at intervals. Only
 * this file changes these signals.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';

import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import type { StreamLine } from '../api/follow.ts';
import { follow } from '../api/follow.ts';
import type { History } from '../elections/session/watch.ts';
import type { NodeThen } from '../elections/timeline/moment.ts';
import { Details, Moments } from '../elections/timeline/moment.ts';
import { Timeline } from '../elections/timeline/timeline.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';

export type Cluster = Schema<'Cluster'>;
export type ClusterAction = Schema<'ClusterAction'>;

type Line = StreamLine & Partial<Omit<Schema<'ClusterEvent'>, 'event' | 'seq'>>;

/** Milliseconds between two readings of the state. */
const POLL_MS = 1_000;

export class ClusterWatch implements History {
  readonly id: string;
  readonly eventsPath: string;
  readonly timeline = new Timeline();
  readonly details = new Details();
  readonly timeUnit = 'ms' as const;
  readonly store = null;
  readonly cluster: Signal<Cluster | null> = signal(null);
  /** Number of events so far. */
  readonly count = signal(0);
  /** Why the cluster cannot be read, or why the last action was refused. */
  readonly error: Signal<unknown> = signal(null);
  readonly isGone = signal(false);
  readonly isBusy = signal(false);
  /** Whether the cluster is to end, and the answer has not come. */
  readonly isEnding = signal(false);
  readonly #controller = new AbortController();
  #moments: Moments | null = null;
  #ranks = 0;

  constructor(id: string) {
    this.id = id;
    this.eventsPath = `/v1/clusters/${encodeURIComponent(id)}/events?follow=true`;
  }

  /** Reads and follows the cluster until `stop`. */
  async start(): Promise<void> {
    const { signal: aborted } = this.#controller;
    try {
      await this.#refresh();
      const timer = setInterval(() => document.hidden || void this.#refreshQuietly(), POLL_MS);
      aborted.addEventListener('abort', () => clearInterval(timer));
      await follow<Line>({
        ...{ path: this.eventsPath, after: -1, signal: aborted },
        onLines: (lines) => this.#receive(lines),
      });
    } catch (error) {
      if (!aborted.aborted && !asksForSignIn(error)) this.error.value = error;
    }
  }

  stop(): void {
    this.#controller.abort();
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

  /** The nodes after the first `count` events. A node that joined is down before. */
  readonly nodesAt = (count: number): readonly NodeThen[] => {
    const ranks = this.cluster.value?.nodes.length ?? 0;
    if (this.#moments === null || this.#ranks !== ranks) {
      this.#ranks = ranks;
      this.#moments = new Moments(this.timeline, ranks, [...this.#joined]);
    }
    return this.#moments.at(Math.min(count, this.timeline.length));
  };

  readonly #joined = new Set<number>();

  async #changed(change: () => Promise<Cluster | undefined>): Promise<boolean> {
    if (this.isBusy.value) return false;
    this.isBusy.value = true;
    this.error.value = null;
    try {
      const cluster = await change();
      if (cluster === undefined) this.isGone.value = true;
      else this.cluster.value = cluster;
      return true;
    } catch (error) {
      if (!asksForSignIn(error)) this.error.value = error;
      return false;
    } finally {
      this.isBusy.value = false;
    }
  }

  async #refresh(): Promise<void> {
    if (this.isBusy.value || this.isGone.value) return;
    const params = { path: { id: this.id } };
    const cluster = await answerOf(api.GET('/v1/clusters/{id}', { params }));
    if (!this.isBusy.value) this.cluster.value = cluster;
  }

  async #refreshQuietly(): Promise<void> {
    // What is over does not change.
    if (this.cluster.value?.status === 'over') return;
    try {
      await this.#refresh();
    } catch (error) {
      // Without an answer, the next reading has it.
      if (error instanceof ProblemError) this.isGone.value = error.problem.status === 404;
    }
  }

  #receive(lines: readonly Line[]): void {
    for (const line of lines) {
      if (line.seq === undefined) {
        if (line.event === 'done') this.isGone.value = true;
        continue;
      }
      // Lines with a number are events, which are like those of an election.
      const event = { ...(line as Schema<'ClusterEvent'>), election: this.id };
      this.timeline.add(event);
      this.details.add(event);
      if (event.event === 'node.joined' && event.node !== null) {
        this.#joined.add(event.node);
        this.#moments = null;
      }
    }
    this.count.value = this.timeline.length;
  }
}
