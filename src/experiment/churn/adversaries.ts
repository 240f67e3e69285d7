/**
 * @module
 * Adversaries that buy identities in a network with churn. What they can spend grows with time, and what they do not
 * spend stays with them.
 */

/** What an adversary knows when it can buy. */
export interface Market {
  /** What it has, in puzzles of hardness 1. */
  readonly savings: number;
  /** Hardness of the next entrance. */
  readonly price: number;
  /** How much each join raises the price: 1 or 0. */
  readonly rise: number;
  /** Hardness without recent joins. */
  readonly hardness: number;
  /** Joins and departures until a purge follows. Infinity without purges. */
  readonly untilPurge: number;
  /** Joins and departures that lead from one purge to the next. Infinity without purges. */
  readonly iteration: number;
  /** Most IDs that it can keep through a purge. */
  readonly keptMost: number;
}

export interface ChurnAdversary {
  readonly name: string;
  readonly summary: string;
  /** Whether it solves the puzzles of purges and periods for its IDs. */
  readonly keeps: boolean;
  /** Whether it buys only when the IDs that it bought before no longer raise the price. */
  readonly bursts: boolean;
  /** Whether each ID leaves at once, which counts as a departure. */
  readonly leaves: boolean;
  /** How many IDs it wants to buy now. It gets those for which it can pay. */
  wants(market: Market): number;
}

/** Share of an iteration that the adversary `hold` leaves to honest nodes. */
const LEFT_SHARE = 1 / 20;

export const CHURN_ADVERSARIES = [
  {
    name: 'join',
    summary:
      'joins as often as it can pay, in bursts while the entrance is cheap, and gives its IDs up at each purge',
    keeps: false,
    bursts: true,
    leaves: false,
    wants: () => Number.POSITIVE_INFINITY,
  },
  {
    name: 'keep',
    summary: 'joins with what it does not need to keep its IDs through the next purge',
    keeps: true,
    bursts: true,
    leaves: false,
    wants: (market) => affordable(market, market.savings - market.keptMost),
  },
  {
    name: 'hold',
    summary:
      'fills an iteration soon after its purge, leaves the last twentieth to honest nodes, and keeps its IDs',
    keeps: true,
    bursts: true,
    leaves: false,
    wants: (market) =>
      Math.min(
        affordable(market, market.savings - market.keptMost),
        Number.isFinite(market.iteration)
          ? Math.floor(market.untilPurge - market.iteration * LEFT_SHARE)
          : Number.POSITIVE_INFINITY,
      ),
  },
  {
    name: 'return',
    summary: 'joins and leaves at once, so that each ID counts twice towards the next purge',
    keeps: false,
    bursts: true,
    leaves: true,
    wants: () => Number.POSITIVE_INFINITY,
  },
  {
    name: 'bargain',
    summary: 'joins only where an entrance is as cheap as without recent joins, and keeps its IDs',
    keeps: true,
    bursts: false,
    leaves: false,
    wants(market) {
      const most = affordable(market, market.savings - market.keptMost);
      return market.price > market.hardness ? 0 : market.rise === 0 ? most : Math.min(1, most);
    },
  },
] as const satisfies readonly ChurnAdversary[];

/** The number of IDs that cost at most this much: m IDs cost m·price + rise·m(m − 1)/2. */
export function affordable({ price, rise }: Pick<Market, 'price' | 'rise'>, purse: number): number {
  if (!(purse >= price)) return 0;
  if (rise === 0) return Math.floor(purse / price);
  const half = price - 0.5;
  const root = Math.floor(Math.sqrt(half * half + 2 * purse) - half);
  // The root is rounded.
  return costOf({ price, rise }, root) > purse ? root - 1 : root;
}

/** What this number of IDs costs. */
export function costOf({ price, rise }: Pick<Market, 'price' | 'rise'>, count: number): number {
  return count * price + (rise * count * (count - 1)) / 2;
}
