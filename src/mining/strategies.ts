/**
 * @module
 * The registry of mining strategies: a name to its strategy, and which one to use when none is named.
 */

import { freshStrategy } from './fresh.ts';
import { batchStrategy, siblingsStrategy } from './kernel-strategies.ts';
import type { Strategy, StrategyName } from './strategy.ts';
import { walkStrategy } from './walk.ts';

/** What a forger uses by default: the strongest that a strict policy lets it use. */
export const STRONGEST_STRATEGY: StrategyName = 'siblings';
/** What an honest node uses: fast, and one identity a point. */
export const HONEST_STRATEGY: StrategyName = 'batch';

export function strategyOf(name: StrategyName): Strategy {
  switch (name) {
    case 'fresh':
      return freshStrategy;
    case 'walk':
      return walkStrategy;
    case 'batch':
      return batchStrategy;
    case 'siblings':
      return siblingsStrategy;
    default:
      return name satisfies never;
  }
}
