/**
 * @module
 * `Prefer: wait=…` (RFC 7240, section 4.3): an answer about a job waits for its end, for this number of seconds
 * at most. Other preferences are ignored, as the RFC requires.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { StreamBudget } from '../callers/stream-budget.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { JobFeed } from './job-feed.ts';

/** Longest wait of one answer. A longer one that is preferred becomes this one. */
export const JOB_WAIT_SECONDS_MAX = 60;

const PREFER_CHARACTERS_MAX = 1_000;

export const preferHeader = z.object({
  prefer: z
    .string()
    .max(PREFER_CHARACTERS_MAX)
    .optional()
    .meta({
      description: `\`wait=\` and seconds (RFC 7240): the answer waits for the end of the job, ${JOB_WAIT_SECONDS_MAX} s at most.`,
      example: 'wait=10',
    }),
});

/** What waiting answers use. */
export interface WaitParts {
  readonly lifecycle: Pick<Lifecycle, 'onDrain'>;
  readonly streams: Pick<StreamBudget, 'wait'>;
}

/**
 * Calls back when the connection closes, or at once if it has closed. The answer to a request that waits for
 * others of its connection has no socket yet and does not close with it.
 */
function onDisconnect(
  { incoming, outgoing }: ServerEnv['Bindings'],
  listener: () => void,
): () => void {
  const socket = incoming?.socket;
  if (socket?.destroyed === true || outgoing?.destroyed === true) listener();
  // A client may have many requests on one connection.
  socket?.setMaxListeners(0).once('close', listener);
  outgoing?.once('close', listener);
  return () => {
    socket?.off('close', listener);
    outgoing?.off('close', listener);
  };
}

/** The seconds that a caller prefers to wait; null if it states none. */
export function preferredSeconds(prefer: string | undefined): number | null {
  const wait = (prefer ?? '')
    .split(',')
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((seconds) => seconds !== undefined);
  return wait === undefined ? null : Math.min(Number(wait), JOB_WAIT_SECONDS_MAX);
}

/** Resolves when the job is over or the wait is. */
export type WaitForEnd = (feed: Pick<JobFeed<unknown>, 'ended'>) => Promise<void>;

/**
 * Answers with the help of a function that waits as long as the caller prefers. A wait counts as a stream from
 * the beginning, so that it is refused before anything is done. Throws as `StreamBudget.wait`.
 */
export async function answerWaiting<Answer>(
  c: Context<ServerEnv>,
  { lifecycle, streams }: WaitParts,
  answer: (wait: WaitForEnd) => Promise<Answer>,
): Promise<Answer> {
  const seconds = preferredSeconds(c.req.header('Prefer'));
  if (seconds === null) return answer(async () => undefined);
  const free = streams.wait(c.get('principal'), 1000 * seconds);
  const over = new AbortController();
  const end = () => over.abort();
  const timer = setTimeout(end, 1000 * seconds);
  const offDrain = lifecycle.onDrain(end);
  const offClose = onDisconnect(bindingsOf(c), end);
  try {
    return await answer((feed) => {
      c.header('Preference-Applied', `wait=${seconds}`);
      return feed.ended(over.signal);
    });
  } finally {
    offClose();
    offDrain();
    clearTimeout(timer);
    free();
  }
}
