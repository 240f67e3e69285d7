/**
 * @module
 * This folder contains what every layer of the server needs of a request: its context, its principal, its
 * refusals, and whether the server is ready for it. This file defines the context: the bindings that the
 * adapter supplies, and the variables that the outer layers set for the routes.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Principal } from './principal.ts';

export type ServerEnv = {
  /** Supplied by the adapter. Calls without a socket have none. */
  Bindings: {
    readonly incoming?: { readonly socket: Socket };
    readonly outgoing?: ServerResponse;
    /** Set only for requests that the server sends to itself, on behalf of this principal. */
    readonly principal?: Principal;
  };
  Variables: {
    /** Identifies this request in answers and logs. */
    readonly requestId: string;
    readonly principal: Principal;
  };
};

/** The part of a request's context that every environment with these variables has. */
export interface RequestContext {
  readonly env: ServerEnv['Bindings'] | undefined;
  get<Name extends keyof ServerEnv['Variables']>(name: Name): ServerEnv['Variables'][Name];
}

/** The bindings of a request. Hono leaves them undefined for a call without an adapter. */
export function bindingsOf(c: RequestContext): ServerEnv['Bindings'] {
  return c.env ?? {};
}
