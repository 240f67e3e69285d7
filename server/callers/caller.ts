/**
 * @module
 * Who asks: what is counted, queued or remembered for each caller apart goes by this name. Without
 * a token it is the address that the connection comes from; headers that claim another are not read,
 * since anybody can send them.
 */

import type { RequestContext } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';

/** The name of the caller of a request, that of the token where one is demanded; calls without a socket (tests) are all one caller's. */
export function callerOf(c: RequestContext): string {
  const holder = c.get('holder');
  if (holder !== undefined) return holder;
  return bindingsOf(c).incoming?.socket.remoteAddress ?? 'local';
}

/** Whose jobs a list holds: the caller's own, or null for an admin, who sees everybody's. */
export function listedFor(c: RequestContext): string | null {
  return c.get('isAdmin') === true ? null : callerOf(c);
}
