/**
 * @module
 * What an election is made of, and what is kept of those who join it: plain data, as it is stored.
 */

import type { ClaimJson } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';

/** Everything an election is made of, with nothing left to choose. */
export interface ElectionPlan {
  readonly options: SimulationOptions;
  /** Who starts when no ranks are named; undefined is every live node. */
  readonly initiators: readonly number[] | undefined;
  /** Whether it starts and advances at once. */
  readonly runs: boolean;
  /** Of a copy: of which election, after which of its events; null is after all. */
  readonly origin?: { readonly election: string; readonly at: number | null } | undefined;
  /** What claims of those who join must show; left out, what nobody fails who shows no work. */
  readonly policy?: Policy | undefined;
  /** Whether the nodes' IDs are mined; then they are below, or it cannot be played yet. */
  readonly honest?: 'drawn' | 'earned' | undefined;
  readonly earned?: readonly EarnedNode[] | undefined;
  /** How many may join while it goes on. */
  readonly newcomers?: number | undefined;
  /** Whether nodes sign with real keys, where they sign; as soon as somebody joins they do. */
  readonly keys?: 'real' | undefined;
  /** What signatures are for: the id of the election that this one was, or was copied from. */
  readonly name?: string | undefined;
  /** Whose it is; left out, everybody's. */
  readonly owner?: string | undefined;
}

/** A node that joins: its claim is admitted before it is written down. */
export interface JoinAction {
  readonly type: 'join';
  readonly claim: ClaimJson;
  /** How long virtual time waits for its answers, at most; 0 is not at all. */
  readonly waitMs: number;
  /** SHA-256 of the token that its player has, in hex. */
  readonly tokenDigest: string;
}

/** An honest node whose ID was mined, as it is stored. */
export interface EarnedNode {
  readonly nodeId: string;
  readonly publicKey: string;
  readonly secret: { readonly form: Secret['form']; readonly hex: string };
}
