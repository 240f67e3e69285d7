/**
 * @module
 * The lease protocols' part of the registry: leaders by the word of a store that all of them call.
 */

import type { Algorithm } from '../algorithm.ts';

export const LEASE_ALGORITHMS = {} as const satisfies Readonly<Record<string, Algorithm>>;
