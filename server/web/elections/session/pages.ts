/**
 * @module
 * Lists of an election that have several pages.
 */

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { allPages } from '../../api/pages.ts';

/** More messages in flight than a person acts on. */
const FLIGHT_PAGES_MAX = 2;

/** All nodes by rank. */
export async function nodesOf(id: string): Promise<Schema<'ElectionNode'>[]> {
  const nodes = await allPages((query) =>
    answerOf(api.GET('/v1/elections/{id}/nodes', { params: { path: { id }, query } })),
  );
  return nodes.toSorted((one, other) => one.rank - other.rank);
}

/** The first messages in flight. */
export function flightsOf(id: string): Promise<readonly Schema<'MessageInFlight'>[]> {
  return allPages(
    (query) =>
      answerOf(api.GET('/v1/elections/{id}/messages', { params: { path: { id }, query } })),
    FLIGHT_PAGES_MAX,
  );
}
