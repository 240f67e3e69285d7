/**
 * @module
 * The elections of one run, held again on the server from what its report contains. They are the same elections:
 * the number of messages must be that of the run; otherwise nothing is shown.
 */

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';

/** Why the runs of a report cannot be opened as elections; null if they can. */
export function obstacleOf({ elections, results }: RunReport): string | null {
  if (elections.held > 0) return null;
  return results.some(({ protocols }) => protocols.length > 0)
    ? 'its elections would be too large, and the winner of each run was drawn'
    : 'it asks about IDs, or about many epochs, and held no single election';
}

/** An election of a run, as it was held again. */
export interface OpenedElection {
  readonly protocol: string;
  readonly id: string;
}

/** An election in the report of a single run. */
type RunElection = NonNullable<RunReport['results'][number]['elections']>[number];

/**
 * Holds the elections again that these protocols held in the only run under this seed. Throws Error if they are
 * not those of the run, and ProblemError.
 */
export async function openElections(
  document: Record<string, unknown>,
  seed: string,
  protocols: readonly string[],
): Promise<readonly OpenedElection[]> {
  const job = await answerOf(
    api.POST('/v1/runs', {
      params: { header: { ...once().header, prefer: 'wait=30' } },
      body: { threatModel: document, runs: 1, seed },
    }),
  );
  const own = job.result?.results.find((each) => each.protocols.join(' ') === protocols.join(' '));
  if (own === undefined) throw new Error('The run is not over yet. Try again.');
  const { elections = [], observations } = own;
  if (elections.length === 0) throw new Error('This run held no election.');
  const made = [];
  for (const election of elections) made.push(await openSaved(election));
  const sent = made.reduce((sum, each) => sum + (each.messages.total ?? 0), 0);
  if (sent === observations?.messages) return made.map(({ protocol, id }) => ({ protocol, id }));
  for (const { id } of made) {
    await answerOf(api.DELETE('/v1/elections/{id}', { params: { path: { id } } }));
  }
  const run = observations?.messages ?? 'no number of';
  throw new Error(`The elections sent ${sent} messages, the run ${run}. They are not shown.`);
}

/** Holds a saved election to the tick at which its run ended it, or until it rests. */
export async function openSaved({ saved, until }: RunElection): Promise<Schema<'Election'>> {
  const body = { saved, run: until === 'idle' };
  const made = await answerOf(api.POST('/v1/elections', { params: once(), body }));
  if (until === 'idle') return made;
  const params = { path: { id: made.id }, ...once() };
  await answerOf(api.POST('/v1/elections/{id}/actions', { params, body: { type: 'start' } }));
  return answerOf(
    api.POST('/v1/elections/{id}/actions', {
      params: { path: { id: made.id }, ...once() },
      body: { type: 'advance', until },
    }),
  );
}

/** The job of a run, and its report. */
export type RunJob = Schema<'RunJob'>;
export type RunReport = NonNullable<RunJob['result']>;
