/**
 * @module
 * The quorum protocols' part of the registry: leaders by the votes of a majority.
 */

import type { Algorithm } from '../algorithm.ts';

export const QUORUM_ALGORITHMS = {} as const satisfies Readonly<Record<string, Algorithm>>;
