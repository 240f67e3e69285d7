/**
 * @module
 * The names of the strategies. They are apart from what a strategy is, which needs the kernels.
 */

/** How keys are found, from the slowest to the fastest, and from keys that were made before. */
export const STRATEGY_NAMES = ['fresh', 'walk', 'batch', 'siblings', 'stockpile'] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** How the dynamic puzzle of the found keys is solved. */
export const DYNAMIC_STRATEGY_NAMES = ['dynamic', 'amortised-xor'] as const;
export type DynamicStrategyName = (typeof DYNAMIC_STRATEGY_NAMES)[number];
