/**
 * @module
 * Lists of an election that have several pages.
 */

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';

const PAGE = '100';
/** More messages in flight than a person acts on. */
const FLIGHT_PAGES_MAX = 2;
const NODE_PAGES_MAX = 20;

/** All nodes by rank. */
export async function nodesOf(id: string): Promise<Schema<'ElectionNode'>[]> {
  const nodes: Schema<'ElectionNode'>[] = [];
  let pageToken: string | null = null;
  for (let page = 0; page < NODE_PAGES_MAX; page += 1) {
    const query = { pageSize: PAGE, ...(pageToken === null ? {} : { pageToken }) };
    const answer: { items: Schema<'ElectionNode'>[]; nextPageToken: string | null } =
      await answerOf(api.GET('/v1/elections/{id}/nodes', { params: { path: { id }, query } }));
    nodes.push(...answer.items);
    pageToken = answer.nextPageToken;
    if (pageToken === null) break;
  }
  return nodes.sort((one, other) => one.rank - other.rank);
}

/** The first messages in flight. */
export async function flightsOf(id: string): Promise<Schema<'MessageInFlight'>[]> {
  const flights: Schema<'MessageInFlight'>[] = [];
  let pageToken: string | null = null;
  for (let page = 0; page < FLIGHT_PAGES_MAX; page += 1) {
    const query = { pageSize: PAGE, ...(pageToken === null ? {} : { pageToken }) };
    const answer: { items: Schema<'MessageInFlight'>[]; nextPageToken: string | null } =
      await answerOf(api.GET('/v1/elections/{id}/messages', { params: { path: { id }, query } }));
    flights.push(...answer.items);
    pageToken = answer.nextPageToken;
    if (pageToken === null) break;
  }
  return flights;
}
