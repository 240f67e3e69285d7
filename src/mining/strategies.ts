/**
 * @module
 * The registry of mining strategies: a name to its strategy.
 */

import { freshStrategy } from './fresh.ts';
import type { Strategy, StrategyName } from './strategy.ts';

export function strategyOf(name: StrategyName): Strategy {
  switch (name) {
    case 'fresh':
      return freshStrategy;
    default:
      return name satisfies never;
  }
}
