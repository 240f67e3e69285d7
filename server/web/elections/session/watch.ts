/**
 * @module
 * This folder contains what the parts of the view share. This file has what the browser knows of one election: its
 * events, as they arrive, and its present state, which is read again after them. Only this file changes these signals.
 */

import type { Signal } from '@preact/signals';
import { batch, signal } from '@preact/signals';

import { allPages, answerOf, api, ProblemError } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import type { StreamLine } from '../../api/follow.ts';
import { follow } from '../../api/follow.ts';
import { storeOf } from '../layout/groups.ts';
import type { NodeThen } from '../timeline/moment.ts';
import { Details, Moments } from '../timeline/moment.ts';
import type { ElectionEvent } from '../timeline/timeline.ts';
import { Timeline } from '../timeline/timeline.ts';

export type ElectionNode = Schema<'ElectionNode'>;
export type MessageInFlight = Schema<'MessageInFlight'>;

type Line = StreamLine & Partial<Omit<ElectionEvent, 'event' | 'seq'>>;

/** Milliseconds between two readings of the state while events arrive. */
const REFRESH_MS = 150;
/** Milliseconds between two readings while nothing arrives: a node that joins makes no event at first. */
const POLL_MS = 3_000;

/** The events of an election or a cluster, as they have arrived. */
export interface History {
  readonly timeline: Timeline;
  readonly details: Details;
  /** Path of the stream. */
  readonly eventsPath: string;
  /** The unit in which events state their times. */
  readonly timeUnit: 'tick' | 'ms';
  /** The number under which events name the store; null for a protocol without one. */
  readonly store: number | null;
}

export class Watch implements History {
  readonly id: string;
  readonly eventsPath: string;
  readonly timeline = new Timeline();
  readonly details = new Details();
  readonly timeUnit = 'tick' as const;
  readonly election: Signal<Election | null> = signal(null);
  readonly nodes: Signal<readonly ElectionNode[]> = signal([]);
  readonly flights: Signal<readonly MessageInFlight[]> = signal([]);
  /** Number of events so far. */
  readonly count = signal(0);
  readonly error: Signal<unknown> = signal(null);
  /** Whether the stream has ended, because the election was deleted or is no longer shared. */
  readonly isGone = signal(false);
  readonly #controller = new AbortController();
  readonly #firstLife = new Map<number, boolean>();
  #moments: { readonly key: string; readonly moments: Moments } | null = null;
  #refreshing: Promise<void> | null = null;
  #isStale = false;

  constructor(id: string) {
    this.id = id;
    this.eventsPath = `/v1/elections/${encodeURIComponent(id)}/events?follow=true`;
  }

  /** Reads and follows the election until `stop`. */
  async start(): Promise<void> {
    const { signal: aborted } = this.#controller;
    try {
      await this.refresh();
      const timer = setInterval(() => document.hidden || void this.refresh(), POLL_MS);
      aborted.addEventListener('abort', () => clearInterval(timer));
      await follow<Line>({
        path: this.eventsPath,
        ...{ after: -1, signal: aborted, onLines: (lines) => this.#receive(lines) },
      });
    } catch (error) {
      if (!aborted.aborted) this.error.value = error;
    }
  }

  get store(): number | null {
    const election = this.election.value;
    return election && storeOf(election);
  }

  stop(): void {
    this.#controller.abort();
  }

  /**
   * Whether the reader sees the messages of others and may act on the election. Others, such as participants, receive no
   * seed.
   */
  get isWhole(): boolean {
    return this.election.value?.seed !== null;
  }

  /** The nodes as they are now, also for those who receive outlines of events. */
  nodesNow(): readonly NodeThen[] {
    const states: NodeThen[] = [];
    for (const { rank, up, follows } of this.nodes.value) {
      states[rank] = { isUp: up, isPaused: false, follows: follows ?? 0 };
    }
    return states;
  }

  /** The nodes after the first `count` events, as the events that the reader receives state it. */
  readonly nodesAt = (count: number): readonly NodeThen[] => {
    const nodes = this.nodes.value;
    const ranks = Math.max(this.election.value?.ranks ?? 0, nodes.length);
    const down = nodes.filter(({ rank, up }) => !(this.#firstLife.get(rank) ?? up));
    const downRanks = down.map(({ rank }) => rank);
    const key = `${ranks}:${downRanks.join()}`;
    if (this.#moments?.key !== key) {
      this.#moments = { key, moments: new Moments(this.timeline, ranks, downRanks) };
    }
    return this.#moments.moments.at(Math.min(count, this.timeline.length));
  };

  /** The state of the election after an action, as its answer has it. */
  accept(election: Election): void {
    this.election.value = election;
    void this.refresh();
  }

  /** Reads the present state. Readings that overlap become one. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refreshNow(): Promise<void> {
    while (this.#isStale && !this.#controller.signal.aborted) {
      this.#isStale = false;
      const params = { path: { id: this.id } };
      try {
        const election = await answerOf(api.GET('/v1/elections/{id}', { params }));
        const isWhole = election.seed !== null;
        const [nodes, flights] = await Promise.all([
          nodesOf(this.id),
          isWhole ? flightsOf(this.id) : [],
        ]);
        batch(() => {
          this.election.value = election;
          this.nodes.value = nodes;
          this.flights.value = flights;
        });
      } catch (error) {
        // Without an answer, the next reading has it.
        if (!(error instanceof ProblemError)) return;
        if (this.election.value === null) throw error;
        // The error lets the caller sign in again, for example when its cookie has expired.
        if (error.problem.status === 401) this.error.value = error;
        this.isGone.value = error.problem.status === 404;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    }
  }

  #receive(lines: readonly Line[]): void {
    for (const line of lines) {
      if (line.seq === undefined) {
        if (line.event === 'done') this.isGone.value = true;
        continue;
      }
      // Lines with a number are events.
      const event = line as ElectionEvent;
      this.timeline.add(event);
      this.details.add(event);
      this.#noteLife(event);
    }
    this.count.value = this.timeline.length;
    void this.refresh();
  }

  /** Notes which nodes were down before their first event. */
  #noteLife({ node, event }: ElectionEvent): void {
    if (typeof node !== 'number' || this.#firstLife.has(node)) return;
    if (event === 'node.crashed') this.#firstLife.set(node, true);
    if (event === 'node.recovered' || event === 'node.joined') this.#firstLife.set(node, false);
  }
}

/** More messages in flight than a person acts on. */
const FLIGHT_PAGES_MAX = 2;

/** All nodes by rank. */
async function nodesOf(id: string): Promise<Schema<'ElectionNode'>[]> {
  const nodes = await allPages((query) =>
    answerOf(api.GET('/v1/elections/{id}/nodes', { params: { path: { id }, query } })),
  );
  return nodes.toSorted((one, other) => one.rank - other.rank);
}

/** The first messages in flight. */
function flightsOf(id: string): Promise<readonly Schema<'MessageInFlight'>[]> {
  return allPages(
    (query) =>
      answerOf(api.GET('/v1/elections/{id}/messages', { params: { path: { id }, query } })),
    FLIGHT_PAGES_MAX,
  );
}
