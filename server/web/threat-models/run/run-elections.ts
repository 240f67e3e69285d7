/**
 * @module
 * The elections of one run, created again on the server, where that is exact: mined work, all nodes follow the
 * protocol, and nothing fails. A run with behaviours or faults is staged, which a request cannot state. The number
 * of messages must be that of the run; otherwise nothing is shown.
 */

import { deriveSeed, parseSeed } from '../../../../src/random.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { valueAt } from '../draft.ts';
import { isRecord } from '../form/form-schema.ts';
import type { RunReport } from './report.ts';

type ElectionRequest = Schema<'ElectionRequest'>;

/** Why the runs of a document cannot be opened as elections; null if they can. */
export function obstacleOf(
  data: unknown,
  { response }: Pick<RunReport, 'response'>,
): string | null {
  const work = valueAt(data, ['work']) ?? 'mined';
  const election = valueAt(data, ['network', 'election']);
  const staged = ['level', 'detector', 'resource', 'ticks', 'defences', 'flags', 'ring', 'fifo'];
  const adversaries = Object.values(valueAt(data, ['adversaries']) ?? {});
  if (valueAt(data, ['epochs']) !== undefined) return 'runs with epochs hold no single election';
  if (valueAt(data, ['faults']) !== undefined) return 'their faults are staged';
  if (isRecord(election) && staged.some((name) => election[name] !== undefined)) {
    return 'their elections are staged, with more than a request can state';
  }
  const isByzantine =
    response.some(({ behaviours }) => behaviours.length > 0) ||
    adversaries.some((each) => Number(valueAt(each, ['identities']) ?? 0) > 0);
  if (isByzantine) return 'their Byzantine nodes are staged';
  const property = valueAt(data, ['expect', 'property']);
  const isElected = property === 'adversary-leads' || property === 'highest-leads';
  if (!isElected) return 'their property is watched over time';
  return work === 'mined' ? null : 'sampled runs draw the winner';
}

/** An election of a run, as it was created again. */
export interface OpenedElection {
  readonly protocol: string;
  readonly id: string;
}

/**
 * Creates the elections that these protocols held in the only run under this seed. Throws Error if they are not
 * those of the run, and ProblemError.
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
  const { nodes, messages } = own?.observations ?? {};
  if (nodes === undefined) throw new Error('The run did not say how many nodes it had.');
  const latency = latencyOf(valueAt(document, ['network', 'election', 'latency']));
  const made = [];
  for (const protocol of protocols) {
    const election = deriveSeed(deriveSeed(parseSeed(seed), 'run', 0), 'election', protocol);
    // The server listed the protocol.
    const body = { protocol, nodes, latency, seed: election, run: true } as ElectionRequest;
    made.push(await answerOf(api.POST('/v1/elections', { params: once(), body })));
  }
  const sent = made.reduce((sum, each) => sum + (each.messages.total ?? 0), 0);
  if (sent === messages) return made.map(({ protocol, id }) => ({ protocol, id }));
  for (const { id } of made) {
    await answerOf(api.DELETE('/v1/elections/{id}', { params: { path: { id } } }));
  }
  throw new Error(`The elections sent ${sent} messages, the run ${messages}. They are not shown.`);
}

/** By default as in a document, not as in an election. */
function latencyOf(latency: unknown): string | number {
  return typeof latency === 'number' || typeof latency === 'string' ? latency : 'uniform:1:2';
}
