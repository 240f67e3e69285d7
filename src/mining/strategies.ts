/**
 * @module
 * The registry of mining strategies: a name to its strategy, and which one to use when none is named.
 */

import { freshStrategy } from './fresh.ts';
import { batchStrategy, siblingsStrategy } from './kernel-strategies.ts';
import { stockpileStrategy } from './stockpile.ts';
import type { Searcher, SearchSpec, Strategy, StrategyName } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';
import { walkStrategy } from './walk.ts';

/** What a forger uses by default: under every policy none makes more candidates of a second. */
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
    case 'stockpile':
      return stockpileStrategy;
    default:
      return name satisfies never;
  }
}

/** The searcher of a spec that makes candidates, by noble alone, and scans nothing. */
export function searcherOf(spec: SearchSpec): Searcher {
  return strategyOf(spec.strategy).searcher(spec, NO_KERNELS);
}
