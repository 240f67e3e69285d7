/**
 * @module
 * This folder lets the reader play a node. This file earns an ID, joins with it, reads the inbox of the node and
 * answers it. The token of the node is kept until the tab is closed.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';

import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { isOver, once } from '../../api/jobs.ts';
import type { ElectionNode } from '../session/watch.ts';

export type InboxEvent = Schema<'InboxEvent'>;
export type OutsideEffect = Schema<'OutsideEffect'>;

interface Joined {
  readonly nodeId: string;
  readonly token: string;
}

/** Virtual time waits so long for an answer of the reader, in an advance that waits. */
const WAIT_MS = 30_000;
const POLL_MS = 500;
/** Attempts for an ID above all others; with so few nodes it is found in a few. */
const ATTEMPTS = 1_000_000;
const EVENTS_SHOWN_MAX = 100;

export class OwnSession {
  readonly joined: Signal<Joined | null>;
  readonly events: Signal<readonly InboxEvent[]> = signal([]);
  readonly rank: Signal<number | null> = signal(null);
  readonly answered = signal(0);
  readonly error: Signal<unknown> = signal(null);
  /** What is being done; null for nothing. */
  readonly note: Signal<string | null> = signal(null);
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
    const kept = sessionStorage.getItem(this.#key);
    // Only this class writes it.
    this.joined = signal(kept === null ? null : (JSON.parse(kept) as Joined));
  }

  get #key(): string {
    return `usurp/node/${this.#id}`;
  }

  /** Mines an ID above all others, or any, and joins with it. */
  async join(election: Election, nodes: readonly ElectionNode[], isTop: boolean): Promise<void> {
    this.error.value = null;
    try {
      this.note.value = 'Mining an ID…';
      const claim = await this.#mine(election, nodes, isTop);
      this.note.value = 'Joining…';
      const answer = await answerOf(
        api.POST('/v1/elections/{id}/nodes', {
          params: { path: { id: this.#id }, ...once() },
          body: { claim, waitMs: WAIT_MS },
        }),
      );
      const joined = { nodeId: answer.nodeId, token: answer.token };
      sessionStorage.setItem(this.#key, JSON.stringify(joined));
      this.joined.value = joined;
      this.rank.value = answer.rank;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.note.value = null;
    }
  }

  async #mine(
    { policy }: Election,
    nodes: readonly ElectionNode[],
    isTop: boolean,
  ): Promise<Schema<'Claim'>> {
    const against = nodes.map(({ nodeId }) => nodeId);
    const goal = isTop ? { goal: 'top', against } : { goal: 'any' };
    const body = { ...goal, policy, budget: { attempts: ATTEMPTS } };
    const submitted = await answerOf(api.POST('/v1/forgeries', { params: once(), body }));
    for (;;) {
      const params = { path: { id: submitted.id } };
      const job = await answerOf(api.GET('/v1/jobs/{id}', { params }));
      if (isOver(job)) return claimOf(job);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS / 2));
    }
  }

  /** Reads the inbox until it is aborted. */
  async read(aborted: AbortSignal): Promise<void> {
    while (!aborted.aborted) {
      const { value: joined } = this.joined;
      if (joined !== null) await this.#readOnce(joined);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #readOnce({ nodeId, token }: Joined): Promise<void> {
    try {
      const inbox = await answerOf(
        api.GET('/v1/elections/{id}/nodes/{node}/inbox', {
          params: { ...this.#path(nodeId), query: { after: '0' }, header: { 'node-token': token } },
        }),
      );
      this.rank.value = inbox.rank;
      this.answered.value = inbox.answered;
      if (inbox.events.length > 0 || this.events.value.length > 0) {
        this.events.value = inbox.events.slice(0, EVENTS_SHOWN_MAX);
      }
    } catch (error) {
      this.error.value = error;
    }
  }

  #path(node: string) {
    return { path: { id: this.#id, node } };
  }

  /** Answers all events that are shown, with these effects. Returns what recipients cannot process. */
  async answer(effects: OutsideEffect[]): Promise<string[]> {
    const { value: joined } = this.joined;
    if (joined === null) return [];
    this.error.value = null;
    const through = this.events.value.at(-1)?.number;
    try {
      const outcome = await answerOf(
        api.POST('/v1/elections/{id}/nodes/{node}/outbox', {
          params: {
            ...this.#path(joined.nodeId),
            header: { ...once().header, 'node-token': joined.token },
          },
          body: { ...(through === undefined ? {} : { through }), effects },
        }),
      );
      await this.#readOnce(joined);
      return outcome.sent
        .flatMap(({ recipients }) => recipients)
        .flatMap(({ rank, obstacle }) => (obstacle === null ? [] : [`node ${rank}: ${obstacle}`]));
    } catch (error) {
      this.error.value = error;
      return [];
    }
  }

  /** Forgets the node, which stays in the election. */
  leave(): void {
    sessionStorage.removeItem(this.#key);
    this.joined.value = null;
    this.events.value = [];
  }
}

function claimOf(job: Schema<'Job'>): Schema<'Claim'> {
  const result = job.kind === 'forgery' ? job.result : undefined;
  if (result !== undefined && result !== null && 'claim' in result && result.claim) {
    return result.claim;
  }
  throw new Error('No ID was found within the budget.');
}
