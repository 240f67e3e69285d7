/**
 * @module
 * Adversaries that buy identities in a network with churn. What they can spend grows with time, and what they do not
 * spend stays with them.
 */

export interface ChurnAdversary {
  readonly name: string;
  readonly summary: string;
  /** Whether it solves the puzzles of purges and periods for its IDs. */
  readonly keeps: boolean;
  /** Whether it buys only where no recent join raises the price. If not, its own joins no longer do when it buys again. */
  readonly bargains: boolean;
  /** Whether each ID leaves at once, which counts as a departure. */
  readonly leaves: boolean;
  /** Share of an iteration that it leaves to honest nodes. */
  readonly leftShare: number;
}

export const CHURN_ADVERSARIES = [
  {
    name: 'join',
    summary:
      'joins as often as it can pay, in bursts while the entrance is cheap, and gives its IDs up at each purge',
    keeps: false,
    bargains: false,
    leaves: false,
    leftShare: 0,
  },
  {
    name: 'keep',
    summary: 'joins with what it does not need to keep its IDs through the next purge',
    keeps: true,
    bargains: false,
    leaves: false,
    leftShare: 0,
  },
  {
    name: 'hold',
    summary:
      'fills an iteration soon after its purge, leaves the last twentieth to honest nodes, and keeps its IDs',
    keeps: true,
    bargains: false,
    leaves: false,
    leftShare: 1 / 20,
  },
  {
    name: 'return',
    summary: 'joins and leaves at once, so that each ID counts twice towards the next purge',
    keeps: false,
    bargains: false,
    leaves: true,
    leftShare: 0,
  },
  {
    name: 'bargain',
    summary: 'joins only where an entrance is as cheap as without recent joins, and keeps its IDs',
    keeps: true,
    bargains: true,
    leaves: false,
    leftShare: 0,
  },
] as const satisfies readonly ChurnAdversary[];

/** The number of IDs that cost at most this much, where the first has a price and each raises that of the next. */
export function affordable(price: number, rise: number, purse: number): number {
  if (!(purse >= price)) return 0;
  if (rise === 0) return Math.floor(purse / price);
  const half = price - 0.5;
  const root = Math.floor(Math.sqrt(half * half + 2 * purse) - half);
  // The root is rounded.
  return costOf(price, rise, root) > purse ? root - 1 : root;
}

/** What this number of IDs costs. */
export function costOf(price: number, rise: number, count: number): number {
  return count * price + (rise * count * (count - 1)) / 2;
}
