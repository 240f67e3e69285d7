/**
 * @module
 * How many nodes an election may have once others can join it: the limits that hold when it is made
 * and whenever somebody joins.
 */

import type { Level } from '../../../src/election/authenticated.ts';
import { LabError } from '../../../src/errors.ts';

/** Where nodes sign with real keys: each message costs about two milliseconds. */
export const REAL_KEYS_NODES_MAX = 16;

/** Bully sends about n² messages, n²/2 of them in one step when all start together. */
export const NODES_MAX = 500;

/** Places of an election with so many nodes, if `newcomers` may come while it goes on. */
export function placesFor(nodes: number, newcomers: number): number {
  return nodes + newcomers * (nodes + 1);
}

/** Refuses more places than an election has here: LabError `job.size`. */
export function assertPlaces(nodes: number, newcomers: number): void {
  const places = placesFor(nodes, newcomers);
  if (places <= NODES_MAX) return;
  const kept = newcomers === 0 ? '' : `, ${newcomers} kept between any two nodes included`;
  throw new LabError(
    'job.size',
    `it would have ${places} places${kept}; at most ${NODES_MAX} here`,
  );
}

/** Refuses more nodes than can sign with real keys here: LabError `job.size`. */
export function assertFewSigners(nodes: number): void {
  if (nodes <= REAL_KEYS_NODES_MAX) return;
  const detail = `${nodes} nodes, newcomers included, would sign with real keys; at most ${REAL_KEYS_NODES_MAX} here: ask for fewer, or for level L0 or L1`;
  throw new LabError('job.size', detail);
}

export function isSigned(level: Level | null | undefined): boolean {
  return level === 'L2' || level === 'L3';
}
