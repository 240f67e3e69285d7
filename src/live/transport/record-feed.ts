/**
 * @module
 * The records of a live node as server-sent events, for a bounded number of observers.
 */

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { NodeLog } from '../node-log.ts';

/** Observers that follow the records at a time. */
export const FOLLOWERS_MAX = 16;
/** Followers that one member or address can be. */
export const FOLLOWERS_OF_ONE_MAX = 4;
const RECORDS_PER_READ = 500;
/** Characters of the records that are read at once, and kept for an observer that takes them slowly. */
const LENGTH_PER_READ = 256 * 1024;
const FOLLOW_MS = 100;
/** An observer that takes no record for so long loses its place. */
const STALLED_MS_MAX = 10_000;

/** Who follows the records. */
interface Observer {
  /** The member or the address that pays. */
  readonly name: string;
  /** Whether it can pay for one more read. */
  readonly pays: () => boolean;
}

/** Answers requests for the records. */
export function createRecordFeed(log: NodeLog) {
  const followers = new Map<ServerResponse, string>();
  return <Env extends { readonly Bindings: HttpBindings }>(
    context: Context<Env>,
    { name, pays }: Observer,
  ): Response => {
    const { outgoing } = context.env;
    if (context.req.method === 'HEAD') {
      return context.body(null, 200, { 'Content-Type': 'text/event-stream' });
    }
    const own = [...followers.values()].filter((each) => each === name);
    if (followers.size >= FOLLOWERS_MAX || own.length >= FOLLOWERS_OF_ONE_MAX)
      return context.json({ refusal: 'followers' }, 503);
    followers.set(outgoing, name);
    outgoing.once('close', () => followers.delete(outgoing));
    const last = Number(context.req.header('last-event-id') ?? -1);
    let next = Number.isSafeInteger(last) ? Math.max(0, last + 1) : 0;
    return streamSSE(context, async (stream) => {
      while (followers.has(outgoing)) {
        const records = pays() ? log.read(next, RECORDS_PER_READ, LENGTH_PER_READ) : [];
        for (const data of records) {
          const stalled = setTimeout(() => outgoing.destroy(), STALLED_MS_MAX);
          await stream.writeSSE({ id: String(next), event: 'record', data });
          clearTimeout(stalled);
          if (!followers.has(outgoing)) return;
          next += 1;
        }
        if (records.length === 0) await stream.sleep(FOLLOW_MS);
      }
    });
  };
}
