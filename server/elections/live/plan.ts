/**
 * @module
 * The plan of an election and the actions of nodes that join it: plain data, as it is stored.
 */

import type { ClaimJson } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';

/** Everything that determines an election. */
export interface ElectionPlan {
  readonly options: SimulationOptions;
  /** The nodes that a start without ranks starts; `undefined` is every live node. */
  readonly initiators: readonly number[] | undefined;
  /** Whether it starts and advances at once. */
  readonly runs: boolean;
  /** For a copy: the election that was copied, and after which event; null is after all of them. */
  readonly origin?: { readonly election: string; readonly at: number | null } | undefined;
  /** The policy that a claim must meet to join; the strict policy without work by default. */
  readonly policy?: Policy | undefined;
  /** Whether the IDs of the nodes are mined. `earned` then contains them before the election runs. */
  readonly honest?: 'drawn' | 'earned' | undefined;
  readonly earned?: readonly EarnedNode[] | undefined;
  /** Number of nodes that may join a running election. */
  readonly newcomers?: number | undefined;
  /** Whether nodes that sign use real keys. They also do as soon as a node joins. */
  readonly keys?: 'real' | undefined;
  /** The name in signatures: the id of this election, or of the one that it was copied from. */
  readonly name?: string | undefined;
  /** `undefined` makes it visible to everyone. */
  readonly owner?: string | undefined;
}

/** A node that joins. Its claim is admitted before the action is stored. */
export interface JoinAction {
  readonly type: 'join';
  readonly claim: ClaimJson;
  /** How long virtual time waits for each answer of the node, in ms. */
  readonly waitMs: number;
  /** SHA-256 of the token of the program that plays the node, in hex. */
  readonly tokenDigest: string;
}

/** An honest node with a mined ID, as it is stored. */
export interface EarnedNode {
  readonly nodeId: string;
  readonly publicKey: string;
  readonly secret: { readonly form: Secret['form']; readonly hex: string };
}
