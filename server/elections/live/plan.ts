/**
 * @module
 * The plan of an election and the actions of nodes that join it: plain data, as it is stored.
 */

import { LabError } from '../../../src/errors.ts';
import { POPULATION_KEYS_MAX } from '../../../src/experiment/runs/inhabitants.ts';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { NODES_MAX } from '../../../src/simulation/request/remote-limits.ts';

/** A run of a scenario. */
export interface PlannedScenario {
  readonly name: string;
  readonly run: string;
  readonly nodes: number;
}

/** An instance of an exercise, of the owner of the election. */
export interface InstancePart {
  readonly exercise: string;
  readonly version: number;
  /** Name of the election in the exercise. */
  readonly part: string;
  /** What its owner may not do with it. */
  readonly closed: readonly ('conduct' | 'examine')[];
}

/** Everything that determines an election. */
export interface ElectionPlan {
  readonly options: SimulationOptions;
  /** The nodes that a start without ranks starts; `undefined` is every live node. */
  readonly initiators: readonly number[] | undefined;
  /** Whether it starts and advances at once. */
  readonly runs: boolean;
  /** The run of a scenario that this is. */
  readonly scenario?: PlannedScenario | undefined;
  /** For a copy: the election that was copied, and after which event; null is after all of them. */
  readonly origin?: { readonly election: string; readonly at: number | null } | undefined;
  /** The policy that a claim must meet to join; the strict policy without work by default. */
  readonly policy?: Policy | undefined;
  /** Whether the IDs of the nodes are mined. `earned` then contains them before the election runs. */
  readonly honest?: 'drawn' | 'earned' | undefined;
  readonly earned?: readonly EarnedNode[] | undefined;
  /** Number of nodes that may join a running election. */
  readonly newcomers?: number | undefined;
  /** Whether a claim must sign a nonce of the server to join. */
  readonly freshClaims?: true | undefined;
  /** Whether nodes that sign use real keys. They also do as soon as a node joins. */
  readonly keys?: 'real' | undefined;
  /** The name in signatures: the id of this election, or of the one that it was copied from. */
  readonly name?: string | undefined;
  /** When it was created: the time on the wall in ms since 1970. */
  readonly createdMs?: number | undefined;
  /** `undefined` makes it visible to everyone. */
  readonly owner?: string | undefined;
  /** Given if it belongs to an instance of an exercise, also for copies. */
  readonly instance?: InstancePart | undefined;
}

/** A node that joins. Its claim is admitted before the action is stored. */
export interface JoinAction {
  readonly type: 'join';
  readonly claim: ClaimJson;
  /** How long virtual time waits for each answer of the node, in ms. */
  readonly waitMs: number;
  /** SHA-256 of the token of the program that plays the node, in hex. */
  readonly tokenDigest: string;
  /** Id of the participant that plays the node; absent for callers with tokens of the operator. */
  readonly by?: string | undefined;
}

/** An honest node with a mined ID, as it is stored. */
export interface EarnedNode {
  readonly nodeId: string;
  readonly publicKey: string;
  readonly secret: { readonly form: Secret['form']; readonly hex: string };
}

/**
 * Nodes that sign with real keys. Larger populations have no keys. A node that starts signs a message to each of the
 * others in one turn: `npm run bench -- fairness` measured turns of at most 48 ms.
 */
export const REAL_KEYS_NODES_MAX = POPULATION_KEYS_MAX;

/** Number of ranks of an election with these nodes, if `newcomers` may join while it runs. */
export function ranksFor(nodes: number, newcomers: number): number {
  return nodes + newcomers * (nodes + 1);
}

/** Throws LabError `job.size` if the election would have too many ranks. */
export function assertRankCount(nodes: number, newcomers: number): void {
  const ranks = ranksFor(nodes, newcomers);
  if (ranks <= NODES_MAX) return;
  const kept = newcomers === 0 ? '' : `, ${newcomers} kept between any two nodes included`;
  throw new LabError('job.size', `it would have ${ranks} ranks${kept}; at most ${NODES_MAX} here`);
}

/** Throws LabError `job.size` if too many nodes would sign with real keys. */
export function assertFewSigners(nodes: number): void {
  if (nodes <= REAL_KEYS_NODES_MAX) return;
  const detail = `${nodes} nodes, newcomers included, would sign with real keys; at most ${REAL_KEYS_NODES_MAX} here: use fewer, or level L0 or L1`;
  throw new LabError('job.size', detail);
}
