/**
 * @module
 * What keeping an election costs, for the budget of whoever it belongs to: in memory and in the file
 * together, by weights that are above what was measured, so that neither is walked to count it.
 */

import type { ElectionPlan } from '../live/plan.ts';

/** Of an election, whatever it is, and of each of its nodes: Raft among 5 took 56 KiB, Bully among 100 took 506. */
export const ELECTION_BYTES = 32 * 1024;
export const NODE_BYTES = 6 * 1024;

/** An election as far as its size goes. */
export interface Kept {
  readonly request: Pick<ElectionPlan, 'owner' | 'options'>;
  readonly actionCharacters: number;
}

/** Bytes of a new election with actions that long. */
export function bytesToKeep({ options }: Kept['request'], actionCharacters: number): number {
  return ELECTION_BYTES + options.nodes * NODE_BYTES + actionCharacters;
}

/** Bytes of all elections of one owner; undefined owns what belongs to nobody. */
export function bytesKept(elections: Iterable<Kept>, owner: string | undefined): number {
  let bytes = 0;
  for (const { request, actionCharacters } of elections) {
    if (request.owner === owner) bytes += bytesToKeep(request, actionCharacters);
  }
  return bytes;
}
