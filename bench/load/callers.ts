/**
 * @module
 * One stretch of load: streams are opened, requests sent at a fixed rate whether or not those before them
 * were answered, and at the end everything that was made is deleted. It keeps what was measured.
 */

import { setTimeout as delay } from 'node:timers/promises';

import type { Asked } from './client.ts';
import { ask, askJson } from './client.ts';
import type { Customer, Operation } from './mix.ts';
import { ADVANCE, acting, deletion, learn, Mix, START, schedule, WATCHED } from './mix.ts';
import type { Caller } from './server.ts';
import { Follower } from './streams.ts';

/** One request as its caller saw it. */
export interface Sample {
  readonly operation: Operation;
  /** When it was meant to be sent, from the beginning. */
  readonly atMs: number;
  /** From when it was meant to be sent to the last byte of its answer. */
  readonly ms: number;
  /** 0 where the connection broke. */
  readonly status: number;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly perSecond: number;
}

/** What came over the streams. */
export interface Followed {
  readonly events: number;
  /** Events that came twice, too early or never, and streams that broke. */
  readonly faults: number;
  readonly lagsMs: readonly number[];
}

interface Watched {
  readonly id: string;
  readonly caller: Caller;
  readonly followers: Follower[];
}

/** Each holder's elections; its streams are shared out over them. */
const ELECTIONS_PER_HOLDER = 2;
const SETTLE_MS = 500;

/** Callers of one server and what they have. */
export class Load {
  readonly #url: string;
  readonly #holders: readonly Caller[];
  readonly #customers: readonly Customer[];
  readonly #mix = new Mix();
  #watched: readonly Watched[] = [];
  /** Of each operation, so that each goes round all callers. */
  readonly #sent = new Map<Operation, number>();

  constructor(url: string, holders: readonly Caller[], customers: readonly Caller[]) {
    this.#url = url;
    this.#holders = holders;
    this.#customers = customers.map((caller) => ({ caller, elections: [], run: null }));
  }

  /** Makes the elections that are watched and opens the streams. */
  async open(streams: number): Promise<void> {
    const holders = this.#holders.flatMap((caller) =>
      Array.from({ length: ELECTIONS_PER_HOLDER }, () => caller),
    );
    const watched: Watched[] = [];
    for (const [index, caller] of holders.entries()) {
      const body = JSON.stringify({ ...WATCHED, seed: String(index + 1) });
      const made = await askJson(this.#url, caller, post('/v1/elections', body));
      const id = String(made.id);
      await askJson(this.#url, caller, acting(id, START));
      const share = Math.floor((streams + index) / holders.length);
      const followers = Array.from({ length: share }, () => new Follower(this.#url, caller, id));
      await Promise.all(followers.map(({ opened }) => opened));
      watched.push({ id, caller, followers });
    }
    this.#watched = watched;
  }

  /** Sends requests at their times and resolves when the last one is answered. */
  async run({ seconds, perSecond }: LoadOptions): Promise<Sample[]> {
    const operations = schedule(seconds * perSecond);
    this.#mix.prepare(operations.filter((each) => each === 'verify new').length);
    const answers: Promise<Sample>[] = [];
    const beganMs = performance.now() + SETTLE_MS;
    for (const [index, operation] of operations.entries()) {
      const atMs = beganMs + (index * 1000) / perSecond;
      const waitMs = atMs - performance.now();
      if (waitMs > 0) await delay(waitMs);
      answers.push(this.#send(operation, atMs).then((each) => ({ ...each, atMs: atMs - beganMs })));
    }
    return Promise.all(answers);
  }

  /** What the streams have brought; those of one election should have brought the same. */
  async followed(): Promise<Followed> {
    await delay(SETTLE_MS);
    const followers = this.#watched.flatMap((each) => each.followers);
    let faults = 0;
    for (const { followers: same } of this.#watched) {
      const most = Math.max(0, ...same.map(({ events }) => events));
      for (const { events, gaps, isOver } of same) faults += most - events + gaps + Number(isOver);
    }
    return {
      events: followers.reduce((sum, { events }) => sum + events, 0),
      faults,
      lagsMs: followers.flatMap(({ lagsMs }) => lagsMs),
    };
  }

  /** Deletes everything, upon which the streams end; how many did not say so. */
  async close(): Promise<number> {
    for (const { caller, elections } of this.#customers) {
      for (const id of elections.splice(0)) await askJson(this.#url, caller, deletion(id));
    }
    let silent = 0;
    for (const { caller, id, followers } of this.#watched) {
      await askJson(this.#url, caller, deletion(id));
      await Promise.race([Promise.all(followers.map(({ ended }) => ended)), delay(END_MS)]);
      silent += followers.filter(({ isDone }) => !isDone).length;
      for (const follower of followers) follower.hangUp();
    }
    this.#watched = [];
    return silent;
  }

  async #send(operation: Operation, atMs: number): Promise<Omit<Sample, 'atMs'>> {
    const turn = this.#sent.get(operation) ?? 0;
    this.#sent.set(operation, turn + 1);
    const { customer, asked } = this.#next(operation, { turn, atMs });
    const outcome = await ask(this.#url, customer.caller, asked).catch(() => null);
    const ms = performance.now() - atMs;
    const { status = 0, text = '' } = outcome ?? {};
    if (status >= 200 && status < 300) learn(customer, asked, text);
    return { operation, ms, status };
  }

  #next(
    operation: Operation,
    { turn, atMs }: { readonly turn: number; readonly atMs: number },
  ): { customer: Customer; asked: Asked } {
    const customer = this.#customers[turn % this.#customers.length];
    if (customer === undefined) throw new RangeError('"customers" expected some, got none');
    if (operation !== 'watched') return { customer, asked: this.#mix.next(operation, customer) };
    const watched = this.#watched[turn % this.#watched.length];
    if (watched === undefined) return { customer, asked: this.#mix.next('read', customer) };
    for (const follower of watched.followers) follower.expect(atMs);
    const { id, caller } = watched;
    return { customer: { caller, elections: [], run: null }, asked: acting(id, ADVANCE) };
  }
}

/** Streams end at once when their election is deleted. */
const END_MS = 5_000;

function post(path: string, body: string): Asked {
  return { method: 'POST', path, body };
}
