/**
 * @module
 * `usurp/mining`: how identities are found, within a budget.
 */

import type { Asking } from './ask.ts';
import { ask } from './ask.ts';
import type { Claim, Policy, PrivateKey } from './identity.ts';

export type { Asking } from './ask.ts';
export type { Claim, Policy, PrivateKey } from './identity.ts';

/** What is sought, and what may be spent. Without a budget the search ends when it has found the goal. */
export interface Search {
  /** The policy that admits the identity; `strict` by default. */
  readonly policy?: Policy;
  /** Bits of the puzzles, instead of those of a named policy. */
  readonly c1?: number;
  readonly c2?: number;
  /** `any` by default, `count:3`, `above:ID`, `between:ID:ID`, or `near:ID` for the XOR-closest one. */
  readonly goal?: string;
  readonly scheme?: Claim['scheme'];
  /** Largest number of candidates (keys). */
  readonly attempts?: number;
  /** Largest number of hash evaluations. */
  readonly hashes?: number;
  /** Seconds of CPU time of all threads together, and seconds on the wall. */
  readonly cpu?: number;
  readonly wall?: number;
  /** Decimal digits. The same seed gives the same keys, so that it is as secret as they are. By default it is drawn. */
  readonly seed?: string;
}

/** What was spent. The attempts, hashes and groupOperations of a seed are the same on every machine. */
export interface Ledger {
  /** Index of the last winner + 1, or the budget. */
  readonly attempts: number;
  readonly hashes: number;
  readonly groupOperations: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Candidates that were tested after the last winner. */
  readonly overshoot: number;
}

/** What a search has found. */
export interface Found {
  /** Whether everything that was sought was found. */
  readonly found: boolean;
  /** Why the search ended: `found`, or the budget that was used up. */
  readonly ending: string;
  /** The claims in the order of their attempts, and the private key of each. */
  readonly claims: readonly Claim[];
  readonly keys: readonly PrivateKey[];
  readonly ledger: Ledger;
  /** Binary logarithm of the expected attempts. Null for a goal that any key meets better or worse. */
  readonly expectedBits: number | null;
}

/**
 * Searches for identities. Throws a Refusal for a search that cannot succeed.
 * @example const { claims, keys } = await mine({ c1: 12, attempts: 1e6 });
 */
export async function mine(search: Search, how: Asking = {}): Promise<Found> {
  let keys: readonly PrivateKey[] = [];
  const { claim, claims, ...found } = await ask<Omit<Found, 'claims'> & Mined>('mine', search, {
    ...how,
    onSecret: (secret) => {
      keys = secret.keys;
    },
  });
  const { ending, ledger, expectedBits } = found;
  const all = claims ?? (claim === null ? [] : [claim]);
  return { found: found.found, ending, claims: all, keys, ledger, expectedBits };
}

interface Mined {
  readonly claim: Claim | null;
  readonly claims?: readonly Claim[];
}
