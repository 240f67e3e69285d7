/**
 * @module
 * This folder contains what the parts of the view share. This file has what the browser knows of one election: its
 * events, as they arrive, and its present state, which is read again after them.
 */

import type { Signal } from '@preact/signals';
import { batch, signal } from '@preact/signals';

import { allPages, answerOf, api, ProblemError } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { asksForSignIn } from '../../shell/sign-in.tsx';
import { storeOf } from '../layout/groups.ts';
import type { NodeThen } from '../timeline/moment.ts';
import type { ElectionEvent } from '../timeline/timeline.ts';
import type { Line } from './history.ts';
import { Followed } from './history.ts';

export type ElectionNode = Schema<'ElectionNode'>;
export type MessageInFlight = Schema<'MessageInFlight'>;

/** Milliseconds between two readings of the state while events arrive. */
const REFRESH_MS = 150;
/** Milliseconds between two readings while nothing arrives: a node that joins makes no event at first. */
const POLL_MS = 3_000;

export class Watch extends Followed {
  readonly timeUnit = 'tick' as const;
  readonly election: Signal<Election | null> = signal(null);
  readonly nodes: Signal<readonly ElectionNode[]> = signal([]);
  readonly flights: Signal<readonly MessageInFlight[]> = signal([]);
  protected readonly pollMs = POLL_MS;
  readonly #firstLife = new Map<number, boolean>();
  #refreshing: Promise<void> | null = null;
  #isStale = false;

  constructor(id: string) {
    super('elections', id);
  }

  get store(): number | null {
    const election = this.election.value;
    return election && storeOf(election);
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

  readonly nodesAt = (count: number): readonly NodeThen[] => {
    const nodes = this.nodes.value;
    const ranks = Math.max(this.election.value?.ranks ?? 0, nodes.length);
    const down = nodes.filter(({ rank, up }) => !(this.#firstLife.get(rank) ?? up));
    return this.foldedAt(
      count,
      ranks,
      down.map(({ rank }) => rank),
    );
  };

  /** The state of the election after an action, as its answer has it. */
  accept(election: Election): void {
    this.election.value = election;
    void this.refresh();
  }

  /** Reads the present state. Readings that overlap become one. */
  override refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refreshNow(): Promise<void> {
    while (this.#isStale && !this.isStopped) {
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
        // Lets the caller sign in again, for example when its cookie has expired.
        if (error.problem.status === 401 && !asksForSignIn(error)) this.error.value = error;
        this.isGone.value = error.problem.status === 404;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    }
  }

  protected override receive(lines: readonly Line[]): void {
    super.receive(lines);
    void this.refresh();
  }

  /** Notes which nodes were down before their first event. */
  protected noteEvent({ node, event }: ElectionEvent): void {
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
