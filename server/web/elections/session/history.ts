/**
 * @module
 * The events of an election or a cluster as they arrive. Its present state is read again at intervals.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import type { StreamLine } from '../../api/follow.ts';
import { follow } from '../../api/follow.ts';
import { asksForSignIn } from '../../shell/sign-in.tsx';
import type { NodeThen } from '../timeline/moment.ts';
import { Details, Moments } from '../timeline/moment.ts';
import type { ElectionEvent } from '../timeline/timeline.ts';
import { Timeline } from '../timeline/timeline.ts';

export type Line = StreamLine & Partial<Omit<ElectionEvent, 'event' | 'seq'>>;

/** The events as they have arrived. */
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

/** What is followed. Only it changes its signals. */
export abstract class Followed implements History {
  readonly id: string;
  readonly eventsPath: string;
  readonly timeline = new Timeline();
  readonly details = new Details();
  abstract readonly timeUnit: 'tick' | 'ms';
  abstract readonly store: number | null;
  /** Number of events so far. */
  readonly count = signal(0);
  readonly error: Signal<unknown> = signal(null);
  /** Whether the stream has ended, because the object was removed or is no longer shared. */
  readonly isGone = signal(false);
  /** Milliseconds between two readings of the state. */
  protected abstract readonly pollMs: number;
  readonly #controller = new AbortController();
  #moments: { readonly key: string; readonly moments: Moments } | null = null;

  constructor(collection: string, id: string) {
    this.id = id;
    this.eventsPath = `/v1/${collection}/${encodeURIComponent(id)}/events?follow=true`;
  }

  protected get isStopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Reads the present state. It fails only as long as there is none. */
  protected abstract refresh(): Promise<void>;

  protected abstract noteEvent(event: ElectionEvent): void;

  /** The nodes after the first `count` events that the reader receives. */
  abstract readonly nodesAt: (count: number) => readonly NodeThen[];

  /** The nodes after the first `count` events. There are `ranks` nodes. Those in `down` are down before their first event. */
  protected foldedAt(count: number, ranks: number, down: readonly number[]): readonly NodeThen[] {
    const key = `${ranks}:${down.join()}`;
    if (this.#moments?.key !== key) {
      this.#moments = { key, moments: new Moments(this.timeline, ranks, down) };
    }
    return this.#moments.moments.at(Math.min(count, this.timeline.length));
  }

  /** Reads and follows the object until `stop`. */
  async start(): Promise<void> {
    const { signal: aborted } = this.#controller;
    try {
      await this.refresh();
      const timer = setInterval(() => document.hidden || void this.refresh(), this.pollMs);
      aborted.addEventListener('abort', () => clearInterval(timer));
      await follow<Line>({
        path: this.eventsPath,
        after: -1,
        signal: aborted,
        onLines: (lines) => this.receive(lines),
      });
    } catch (error) {
      if (!aborted.aborted && !asksForSignIn(error)) this.error.value = error;
    }
  }

  stop(): void {
    this.#controller.abort();
  }

  protected receive(lines: readonly Line[]): void {
    for (const line of lines) {
      if (line.seq === undefined) {
        if (line.event === 'done') this.isGone.value = true;
        continue;
      }
      // Lines with a number are events. Those of a cluster are like those of an election.
      const event = line as ElectionEvent;
      this.timeline.add(event);
      this.details.add(event);
      this.noteEvent(event);
    }
    this.count.value = this.timeline.length;
  }
}

/** What is followed as long as its view is open. */
export function useFollowed<Watched extends Followed>(id: string, make: () => Watched): Watched {
  const watch = useMemo(make, [id]);
  useEffect(() => {
    void watch.start();
    return () => watch.stop();
  }, [watch]);
  return watch;
}
