/**
 * @module
 * A client of the API for TypeScript (Hono's `hc`): paths, parameters, bodies and answers have the types of
 * the server's own routes, of which nothing is loaded.
 */

import { hc } from 'hono/client';

import type { apiRoutes } from './api.ts';

type Api = ReturnType<typeof apiRoutes>;

/** A client of the server at this address; `headers` go with every request. */
export function createApiClient(url: string, headers: Readonly<Record<string, string>> = {}) {
  return hc<Api>(url, { headers: { ...headers } });
}
