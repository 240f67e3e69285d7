/**
 * @module
 * Limits on the ranks and nodes of an election, when it is created and whenever a node joins.
 */

import type { Level } from '../../../src/election/authentication/authenticated.ts';
import { LabError } from '../../../src/errors.ts';

/** Nodes that sign with real keys: each message costs about two milliseconds. */
export const REAL_KEYS_NODES_MAX = 16;

/** Ranks of an election. Bully sends about n² messages, n²/2 of them in one step if all nodes start. */
export const NODES_MAX = 500;

/** Number of ranks of an election with these nodes, if `newcomers` may join while it runs. */
export function ranksFor(nodes: number, newcomers: number): number {
  return nodes + newcomers * (nodes + 1);
}

/** Throws LabError `job.size` if the election would have too many ranks. */
export function assertRankCount(nodes: number, newcomers: number): void {
  const ranks = ranksFor(nodes, newcomers);
  if (ranks <= NODES_MAX) return;
  const kept = newcomers === 0 ? '' : `, ${newcomers} kept between any two nodes included`;
  throw new LabError('job.size', `it would have ${ranks} ranks${kept}; at most ${NODES_MAX} here`);
}

/** Throws LabError `job.size` if too many nodes would sign with real keys. */
export function assertFewSigners(nodes: number): void {
  if (nodes <= REAL_KEYS_NODES_MAX) return;
  const detail = `${nodes} nodes, newcomers included, would sign with real keys; at most ${REAL_KEYS_NODES_MAX} here: use fewer, or level L0 or L1`;
  throw new LabError('job.size', detail);
}

export function isSigned(level: Level | null | undefined): boolean {
  return level === 'L2' || level === 'L3';
}
