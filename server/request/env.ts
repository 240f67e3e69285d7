/**
 * @module
 * The context of a request: the bindings that the adapter supplies, and the variables that the outer
 * layers set for the routes.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'hono';
import type { StreamBudget } from '../callers/stream-budget.ts';
import type { AnswerStore } from '../idempotency/answer-store.ts';

export type ServerEnv = {
  /** What the adapter hands in with each request; calls without a socket hand in nothing. */
  Bindings: {
    readonly incoming?: { readonly socket: Socket };
    readonly outgoing?: ServerResponse;
  };
  Variables: {
    /** Names this request in answers and logs. */
    readonly requestId: string;
    /** What was answered to requests with an Idempotency-Key. */
    readonly answers: AnswerStore;
    /** Counts what holds a connection for long. */
    readonly waits: Pick<StreamBudget, 'wait'>;
    /** Asks for a path in the name of who asks now. */
    readonly lookUp: (path: string) => Promise<Response>;
    /** Whose token came with the request; undefined where none is demanded. */
    readonly holder: string | undefined;
    /** Whether that token is an admin's. */
    readonly isAdmin: boolean | undefined;
  };
};

/** What the adapter handed in; hono leaves it undefined where a call had no adapter. */
export function bindingsOf(c: Context<ServerEnv>): ServerEnv['Bindings'] {
  return c.env ?? {};
}
