/**
 * @module
 * Budgets and ledgers: what a search may use and what it has used. The ledger of attempts is deterministic: the same
 * seed gives the same attempts, hashes and group operations on any machine with any number of threads. CPU and wall
 * seconds are measured and never decide a grade.
 */

import { z } from 'zod';

/** Upper bounds. The first one that is reached ends the search. An absent one is no bound. */
export interface Budget {
  /** Candidates tested. */
  readonly attempts?: number | undefined;
  /** Hash evaluations for node IDs and puzzles. */
  readonly hashes?: number | undefined;
  /** CPU time of all mining threads together. */
  readonly cpuSeconds?: number | undefined;
  readonly wallSeconds?: number | undefined;
  /** Time in which a device searches. */
  readonly deviceSeconds?: number | undefined;
}

/** `attempts` is the index of the winner + 1, or the budget. `overshoot` are attempts of other threads after it, whose cost only the seconds include. */
export const ledgerSchema = z
  .object({
    attempts: z.number(),
    hashes: z.number(),
    groupOperations: z.number(),
    cpuSeconds: z.number(),
    wallSeconds: z.number(),
    overshoot: z.number(),
    deviceSeconds: z
      .number()
      .optional()
      .describe('Time in which a device searched. Absent if none did.'),
  })
  .meta({ id: 'Ledger' });

export type Ledger = z.output<typeof ledgerSchema>;

/** The sum of the ledgers of two searches. */
export function addLedgers(one: Ledger, other: Ledger): Ledger {
  return {
    attempts: one.attempts + other.attempts,
    hashes: one.hashes + other.hashes,
    groupOperations: one.groupOperations + other.groupOperations,
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    wallSeconds: one.wallSeconds + other.wallSeconds,
    overshoot: one.overshoot + other.overshoot,
    ...sharedDevice(one.deviceSeconds, other.deviceSeconds),
  };
}

function sharedDevice(one: number | undefined, other: number | undefined) {
  return one === undefined && other === undefined
    ? {}
    : { deviceSeconds: (one ?? 0) + (other ?? 0) };
}

/** What is left of a budget. Null if nothing is. */
export function remainingBudget(budget: Budget, spent: Ledger): Budget | null {
  const left = (amount: number | undefined, used: number) =>
    amount === undefined ? undefined : amount - used;
  const rest = {
    attempts: left(budget.attempts, spent.attempts),
    hashes: left(budget.hashes, spent.hashes),
    cpuSeconds: left(budget.cpuSeconds, spent.cpuSeconds),
    wallSeconds: left(budget.wallSeconds, spent.wallSeconds),
    deviceSeconds: left(budget.deviceSeconds, spent.deviceSeconds ?? 0),
  };
  const isSpent = Object.values(rest).some((amount) => amount !== undefined && amount <= 0);
  return isSpent ? null : rest;
}

/** What one attempt of a strategy costs, so that a ledger follows from the attempts alone. */
export interface AttemptCost {
  readonly hashes: number;
  readonly groupOperations: number;
}

/**
 * Time of a group operation, in that of a hash. With the WASM kernel and half an operation for each key, a search for a
 * narrow window of IDs then makes 1.5 times as many keys in a second as one that hashes each puzzle. Measured: 1.4 to 1.55.
 */
const GROUP_OPERATION_HASHES = 2;

/** Time of an attempt, in that of a hash. */
export function attemptTime({ hashes, groupOperations }: AttemptCost): number {
  return hashes + GROUP_OPERATION_HASHES * groupOperations;
}

/** Number of whole attempts that the budget pays for. Infinity if only time bounds it. */
export function affordableAttempts(budget: Budget, cost: AttemptCost): number {
  const { attempts = Number.POSITIVE_INFINITY, hashes } = budget;
  if (hashes === undefined || cost.hashes === 0) return attempts;
  return Math.min(attempts, Math.floor(hashes / cost.hashes));
}

/**
 * Number of keys that the hashes of a budget pay for if only the best ID is wanted. All keys are made first, and their
 * puzzles are evaluated from the best ID on, until the first valid one: after 1/p of them on average. `made` is the cost
 * of a key without its puzzle, and `whole` that with it.
 */
export function affordableSorted(
  budget: Budget,
  { made, whole, probability }: { made: AttemptCost; whole: AttemptCost; probability: number },
): number {
  const { hashes, ...others } = budget;
  const inTurn = affordableAttempts(budget, whole);
  if (hashes === undefined || made.hashes === 0) return inTurn;
  const left = hashes - (whole.hashes - made.hashes) / probability;
  return Math.max(inTurn, affordableAttempts({ ...others, hashes: Math.max(0, left) }, made));
}

/** The seconds that a search has taken. */
export type SpentSeconds = Pick<Ledger, 'cpuSeconds' | 'wallSeconds' | 'deviceSeconds'>;

/** Whether the seconds of a clock in the budget are used up. */
export function isTimeSpent(budget: Budget, spent: SpentSeconds): boolean {
  const clocks = ['cpuSeconds', 'wallSeconds', 'deviceSeconds'] as const;
  return clocks.some((clock) => (spent[clock] ?? 0) >= (budget[clock] ?? Number.POSITIVE_INFINITY));
}
