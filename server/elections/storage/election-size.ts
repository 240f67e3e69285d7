/**
 * @module
 * The size of an election, in memory and in the file together, for the storage budget of its owner. The
 * weights are above the measured sizes, so that nothing has to be walked.
 */

import type { ElectionPlan } from '../live/plan.ts';

/** Bytes of each election and of each of its nodes. Raft with 5 nodes took 56 KiB, Bully with 100 took 506. */
export const ELECTION_BYTES = 32 * 1024;
export const NODE_BYTES = 6 * 1024;

/** The part of an election that determines its size. */
export interface Sized {
  readonly request: Pick<ElectionPlan, 'owner' | 'options'>;
  readonly actionCharacters: number;
}

/** Bytes of an election with actions of this length. */
export function bytesToKeep({ options }: Sized['request'], actionCharacters: number): number {
  return ELECTION_BYTES + options.nodes * NODE_BYTES + actionCharacters;
}

/** Bytes of all elections of an owner; `undefined` owns those without an owner. */
export function bytesKept(elections: Iterable<Sized>, owner: string | undefined): number {
  let bytes = 0;
  for (const { request, actionCharacters } of elections) {
    if (request.owner === owner) bytes += bytesToKeep(request, actionCharacters);
  }
  return bytes;
}
