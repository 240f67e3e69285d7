/**
 * @module
 * A client of the API for TypeScript (Hono's `hc`). Paths, parameters, bodies and answers have the types of
 * the server's routes. No code of the server is loaded.
 */

import { hc } from 'hono/client';

import type { apiRoutes } from './app.ts';

type Api = ReturnType<typeof apiRoutes>;

/** A client of the server at this address. It sends every request with `headers` through `send`. */
export function createApiClient(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  send: typeof fetch = fetch,
) {
  return hc<Api>(url, { headers: { ...headers }, fetch: send });
}
