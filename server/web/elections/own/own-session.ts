/**
 * @module
 * This folder lets the reader play a node. This file earns an ID, joins with it, reads the inbox of the node and
 * answers it. The token and the key of the node are kept until the tab is closed.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';

import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import type { ElectionNode } from '../session/watch.ts';
import type { MiningProgress } from './mining.ts';
import type { Sealer } from './sealing.ts';
import { candidaciesIn, sealed } from './sealing.ts';

export type InboxEvent = Schema<'InboxEvent'>;
export type OutsideEffect = Schema<'OutsideEffect'>;

interface Joined {
  readonly nodeId: string;
  readonly token: string;
  /** Made in this browser. */
  readonly secretKey: string;
  /** The last number of a message to each rank. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Candidacies of other nodes, by rank. */
  readonly candidacies: Readonly<Record<string, string>>;
}

/** What an answer needs beside its effects. */
export interface AnswerContext {
  readonly election: Election;
  readonly nodes: readonly ElectionNode[];
  readonly forms: Sealer['forms'];
}

/** Virtual time waits so long for an answer of the reader, in an advance that waits. */
const WAIT_MS = 30_000;
const POLL_MS = 500;
const EVENTS_SHOWN_MAX = 100;

export class OwnSession {
  readonly joined: Signal<Joined | null>;
  readonly events: Signal<readonly InboxEvent[]> = signal([]);
  readonly rank: Signal<number | null> = signal(null);
  readonly answered = signal(0);
  readonly error: Signal<unknown> = signal(null);
  /** What is being done; null for nothing. */
  readonly note: Signal<string | null> = signal(null);
  /** The search for an ID; null without one. */
  readonly mining: Signal<MiningProgress | null> = signal(null);
  #search = new AbortController();
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

  /** Mines an ID above all others, or any, and joins with it. `stop` ends the search. */
  async join(election: Election, nodes: readonly ElectionNode[], isTop: boolean): Promise<void> {
    this.error.value = null;
    this.note.value = 'Mining an ID…';
    this.#search = new AbortController();
    try {
      const [{ claimOf, highestOf }, { mineInThread }] = await Promise.all([
        import('./own-key.ts'),
        import('./mining.ts'),
      ]);
      const { policy, freshClaims } = election;
      const others = nodes.map(({ nodeId }) => nodeId);
      const key = await mineInThread(
        { policy, above: isTop ? highestOf(others, policy) : null },
        {
          signal: this.#search.signal,
          onProgress: (progress) => {
            this.mining.value = progress;
          },
        },
      );
      if (key === null) return;
      this.mining.value = null;
      this.note.value = 'Joining…';
      const nonce = freshClaims ? await nonceOfServer() : null;
      const answer = await answerOf(
        api.POST('/v1/elections/{id}/nodes', {
          params: { path: { id: this.#id }, ...once() },
          body: {
            claim: claimOf(key, policy, nonce),
            waitMs: WAIT_MS,
            ...(nonce === null ? {} : { nonce }),
          },
        }),
      );
      const { nodeId, token } = answer;
      this.#keep({ nodeId, token, secretKey: key.secretKey, numbers: {}, candidacies: {} });
      this.rank.value = answer.rank;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.note.value = null;
      this.mining.value = null;
    }
  }

  /** Ends the search for an ID. */
  stop(): void {
    this.#search.abort();
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
      const found = candidaciesIn(inbox.events);
      if (Object.keys(found).length > 0 && this.joined.value !== null) {
        this.#keep({
          ...this.joined.value,
          candidacies: { ...this.joined.value.candidacies, ...found },
        });
      }
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
  async answer(effects: OutsideEffect[], context: AnswerContext): Promise<string[]> {
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
          body: {
            ...(through === undefined ? {} : { through }),
            effects: await this.#sealed(effects, context),
          },
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

  /** The effects with signed messages, if the level requires them. */
  async #sealed(
    effects: OutsideEffect[],
    { election, nodes, forms }: AnswerContext,
  ): Promise<OutsideEffect[]> {
    const { level, protocol } = election;
    const { value: joined } = this.joined;
    const { value: rank } = this.rank;
    if ((level !== 'L2' && level !== 'L3') || joined === null || rank === null) return effects;
    const { signatureOf } = await import('./own-key.ts');
    const numbers: Record<string, number> = { ...joined.numbers };
    const answered = this.events.value.findLast((each) => typeof each.election === 'string');
    const result = sealed(effects, {
      level,
      protocol,
      rank,
      forms,
      candidacies: joined.candidacies,
      election: answered?.election ?? election.name,
      others: nodes.map((node) => node.rank).filter((other) => other !== rank),
      sign: (text) => signatureOf(joined.secretKey, text),
      nextNumber(to) {
        const number = (numbers[to] ?? 0) + 1;
        numbers[to] = number;
        return number;
      },
    });
    this.#keep({ ...joined, numbers });
    return result;
  }

  #keep(joined: Joined): void {
    sessionStorage.setItem(this.#key, JSON.stringify(joined));
    this.joined.value = joined;
  }

  /** Forgets the node, which stays in the election. */
  leave(): void {
    sessionStorage.removeItem(this.#key);
    this.joined.value = null;
    this.events.value = [];
  }
}

/** A nonce for a fresh claim. */
async function nonceOfServer(): Promise<string> {
  const { nonce } = await answerOf(api.POST('/v1/challenges', { params: once() }));
  return nonce;
}
