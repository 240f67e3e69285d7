/**
 * @module
 * Followers of elections over server-sent events: each knows whether it got every event once and in order,
 * and how long after the action that caused them events began to come.
 */

import type { ClientRequest } from 'node:http';
import { request } from 'node:http';

import type { Caller } from './server.ts';

/** One stream as its reader sees it. */
export class Follower {
  readonly election: string;
  readonly #sent: ClientRequest;
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #lagsMs: number[] = [];
  #askedMs: number | null = null;
  #rest = '';
  #events = 0;
  #gaps = 0;
  #isOver = false;
  #isDone = false;

  constructor(url: string, caller: Caller, election: string) {
    this.election = election;
    const headers = { authorization: `Bearer ${caller.token}`, accept: 'text/event-stream' };
    const path = `/v1/elections/${election}/events?follow=true`;
    this.#sent = request(`${url}${path}`, { headers, agent: false }, (incoming) => {
      if (incoming.statusCode !== 200) {
        this.#opened.reject(new Error(`a stream was answered ${incoming.statusCode}`));
        incoming.resume();
        return;
      }
      this.#opened.resolve();
      incoming.setEncoding('utf8');
      incoming.on('data', (text: string) => this.#read(text));
      incoming.once('close', () => this.#end());
    });
    this.#sent.once('error', (error) => {
      this.#opened.reject(error);
      this.#end();
    });
    this.#sent.end();
  }

  /** Resolves when the server has begun to answer; rejects when it refuses. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get events(): number {
    return this.#events;
  }

  /** Events that came twice, too early or never. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Milliseconds from when an action was meant to be sent to the first event of it. */
  get lagsMs(): readonly number[] {
    return this.#lagsMs;
  }

  /** Whether the stream ended after the event of the end. */
  get isDone(): boolean {
    return this.#isDone && this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something was done to the election that will cause events. */
  expect(atMs: number): void {
    this.#askedMs ??= atMs;
  }

  /** Resolves when the server has ended it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  hangUp(): void {
    this.#sent.destroy();
  }

  #read(text: string): void {
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop() ?? '';
    const before = this.#events;
    for (const part of parts) this.#take(part);
    if (this.#events === before || this.#askedMs === null) return;
    this.#lagsMs.push(performance.now() - this.#askedMs);
    this.#askedMs = null;
  }

  #take(part: string): void {
    if (part.startsWith('event: done')) this.#isDone = true;
    if (!part.startsWith('id: ')) return;
    if (Number.parseInt(part.slice(4), 10) !== this.#events) this.#gaps += 1;
    this.#events += 1;
  }

  #end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }
}
