/**
 * @module
 * This folder contains what every layer of the server needs of a request: its context, its refusals, and
 * whether the server is ready for it. This file defines the context: the bindings that the adapter
 * supplies, and the variables that the outer layers set for the routes.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type ServerEnv = {
  /** What the adapter hands in with each request; calls without a socket hand in nothing. */
  Bindings: {
    readonly incoming?: { readonly socket: Socket };
    readonly outgoing?: ServerResponse;
  };
  Variables: {
    /** Names this request in answers and logs. */
    readonly requestId: string;
    /** Whose token came with the request; undefined where none is demanded. */
    readonly holder: string | undefined;
    /** Whether that token is an admin's. */
    readonly isAdmin: boolean | undefined;
  };
};

/** The part of a request's context that every environment with these variables has. */
export interface RequestContext {
  readonly env: ServerEnv['Bindings'] | undefined;
  get<Name extends keyof ServerEnv['Variables']>(name: Name): ServerEnv['Variables'][Name];
}

/** What the adapter handed in; hono leaves it undefined where a call had no adapter. */
export function bindingsOf(c: RequestContext): ServerEnv['Bindings'] {
  return c.env ?? {};
}
