/**
 * @module
 * What an election can be made of, as the server lists it.
 */

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';

export interface Catalogue {
  readonly protocols: readonly Schema<'Protocol'>[];
  readonly defences: readonly Schema<'Defence'>[];
  readonly detectors: readonly Schema<'Detector'>[];
  readonly behaviours: readonly Schema<'Behaviour'>[];
  readonly scenarios: readonly Schema<'Scenario'>[];
}

/** Reads the lists. */
export async function readCatalogue(): Promise<Catalogue> {
  const params = { query: { pageSize: '100' } };
  const [protocols, defences, detectors, behaviours, scenarios] = await Promise.all([
    answerOf(api.GET('/v1/protocols', { params })),
    answerOf(api.GET('/v1/defences', { params })),
    answerOf(api.GET('/v1/detectors', { params })),
    answerOf(api.GET('/v1/behaviours', { params })),
    answerOf(api.GET('/v1/scenarios', { params })),
  ]);
  return {
    protocols: protocols.items,
    defences: defences.items,
    detectors: detectors.items,
    behaviours: behaviours.items,
    scenarios: scenarios.items,
  };
}
