/**
 * @module
 * Features that only some servers have, and that only some callers may use.
 */

import { signal } from '@preact/signals';

import { answerOf, api } from '../api/client.ts';

/** Whether this server runs clusters of live nodes for this caller. */
export const offersClusters = signal(false);

/** Reads what is offered. A server that does not answer offers nothing. */
export async function readOffers(): Promise<void> {
  try {
    const { links } = await answerOf(api.GET('/v1'));
    if (links['clusters'] === undefined) return;
    const { role } = await answerOf(api.GET('/v1/sessions/current'));
    offersClusters.value = role === null || role === 'operator';
  } catch {
    // A caller who is not known yet signs in first.
    offersClusters.value = false;
  }
}
