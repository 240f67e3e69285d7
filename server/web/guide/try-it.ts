/**
 * @module
 * Continues a guide: makes the election of one of its moments on the server, with the same parameters and the same
 * actions so far.
 */

import type { ClaimJson } from '../../../src/identity/claim.ts';
import { answerOf, api } from '../api/client.ts';
import { once } from '../api/jobs.ts';
import { act, join, writeOutbox } from '../race/requests.ts';
import type { GuideAction, GuideElection } from './guide.ts';

/** Creates the election and carries out the actions. Returns its id. */
export async function openElection(
  { request }: GuideElection,
  actions: readonly GuideAction[],
  claim: ClaimJson | null,
): Promise<string> {
  const { id } = await answerOf(api.POST('/v1/elections', { params: once(), body: request }));
  const member = claim === null ? null : await join(id, claim);
  for (const action of actions) {
    if (action.type !== 'outbox') await act(id, action);
    else if (member !== null) await writeOutbox(id, member, [...action.effects]);
  }
  return id;
}
