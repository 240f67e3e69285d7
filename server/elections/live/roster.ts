/**
 * @module
 * The nodes of an election and their ranks, which follow the rank keys of the node IDs. A node that joins before
 * the first action moves the nodes above it up by one. For later nodes, ranks are kept between any two nodes
 * and at both ends, and a newcomer gets the middle one of those between its neighbours.
 */

import { bytesToHex, compareBytes, hexToBytes } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import { createPopulation } from '../../../src/experiment/runs/inhabitants.ts';
import { byRank, rankKeyOf, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { plainPublicKey } from '../../../src/runtime/openssl/plain-key.ts';
import type { NodeKey } from '../../../src/runtime/openssl/signing-keys.ts';
import type { EarnedNode, ElectionPlan, JoinAction } from './plan.ts';
import { assertRankCount, ranksFor } from './plan.ts';

interface Member {
  /** Null if IDs are drawn, because there are no keys then. */
  readonly key: NodeKey | null;
  /** How it joined; null for a node of the plan. */
  readonly joined: JoinAction | null;
}

/** A node of an election. */
export interface RosterNode extends Member {
  readonly rank: number;
  readonly nodeId: string;
  /** The tick at which it joined. */
  readonly joinedAt: number;
}

interface Candidate extends Member {
  readonly nodeId: Uint8Array;
}

/** The policy that claims must meet, which also orders the nodes. */
export function policyOf(plan: ElectionPlan): Policy {
  return plan.policy ?? STRICT_POLICY;
}

/** The nodes of one election. */
export class Roster {
  /** Number of ranks, with those that are kept. */
  readonly rankCount: number;
  readonly #plan: ElectionPlan;
  readonly #early: readonly JoinAction[];
  #nodes: RosterNode[] | null = null;
  #late = 0;

  /** Throws LabError `id.exists`, or `job.size` for too many nodes. */
  constructor(plan: ElectionPlan, early: readonly JoinAction[] = []) {
    this.#plan = plan;
    this.#early = early;
    const nodes = plan.options.nodes + early.length;
    const { newcomers = 0 } = plan;
    if (early.length > 0) assertRankCount(nodes, newcomers);
    this.rankCount = ranksFor(nodes, newcomers);
  }

  /** Number of nodes. */
  get size(): number {
    const { options } = this.#plan;
    const phantoms = options.phantoms?.length ?? 0;
    return options.nodes - phantoms + this.#early.length + this.#late;
  }

  /** Throws LabError `job.size` if the election would have too many ranks with this number of further nodes. */
  assertRanksFor(more: number): void {
    const { options, newcomers = 0 } = this.#plan;
    assertRankCount(options.nodes + this.#early.length + more, newcomers);
  }

  /** Number of nodes that may still join the running election. */
  get vacancies(): number {
    return (this.#plan.newcomers ?? 0) - this.#late;
  }

  /** Whether ranks are those of the request. */
  get isPlain(): boolean {
    return this.rankCount === this.#plan.options.nodes;
  }

  /** The nodes in the order of their ranks. */
  get nodes(): readonly RosterNode[] {
    this.#nodes ??= this.#rankAll();
    return this.#nodes;
  }

  /** The ranks that are kept for newcomers. */
  get vacantRanks(): readonly number[] {
    const { newcomers = 0 } = this.#plan;
    if (newcomers === 0) return [];
    const ranks = Array.from({ length: this.rankCount }, (_, index) => index + 1);
    return ranks.filter((rank) => rank % (newcomers + 1) !== 0);
  }

  /** The present rank of each node of the request: index `r - 1` has that of requested rank r. */
  requestedRanks(): readonly number[] {
    const { options, newcomers = 0 } = this.#plan;
    if (this.#early.length === 0) {
      return Array.from({ length: options.nodes }, (_, index) => (index + 1) * (newcomers + 1));
    }
    return this.nodes.flatMap(({ rank, joined }) => (joined === null ? [rank] : []));
  }

  /** The rank for a newcomer. Throws LabError `id.exists` or `election.closed`. */
  rankFor(join: JoinAction): number {
    const { nodeId } = join.claim;
    this.#assertNew(join);
    if (this.vacancies <= 0) throw closed('it was made for no more newcomers');
    const key = this.#rankKeyOf(nodeId);
    const above = this.nodes.find((node) => compareBytes(this.#rankKeyOf(node.nodeId), key) > 0);
    const high = above?.rank ?? this.rankCount + 1;
    const low = this.nodes.findLast(({ rank }) => rank < high)?.rank ?? 0;
    if (high - low < 2) throw closed('no rank is left between the neighbours of this ID');
    return Math.floor((low + high) / 2);
  }

  /** Adds a newcomer. */
  enter(join: JoinAction, rank: number, joinedAt: number): void {
    const node = { rank, nodeId: join.claim.nodeId, key: keyOfClaim(join), joined: join, joinedAt };
    this.#nodes = [...this.nodes, node].sort((one, other) => one.rank - other.rank);
    this.#late += 1;
  }

  nodeAt(rank: number): RosterNode | null {
    return this.nodes.find((node) => node.rank === rank) ?? null;
  }

  nodeWithId(nodeId: string): RosterNode | null {
    return this.nodes.find((node) => node.nodeId === nodeId) ?? null;
  }

  /** The roster with one more node, before the first action. Throws as the constructor does. */
  with(join: JoinAction): Roster {
    this.#assertNew(join);
    return new Roster(this.#plan, [...this.#early, join]);
  }

  #rankAll(): RosterNode[] {
    const { newcomers = 0 } = this.#plan;
    const early = this.#early.map((join): Candidate => {
      return { nodeId: hexToBytes(join.claim.nodeId), key: keyOfClaim(join), joined: join };
    });
    const rule = rankRuleOf(policyOf(this.#plan));
    const candidates = byRank([...honestOf(this.#plan), ...early], rule);
    return candidates.map(({ nodeId, key, joined }, index) => {
      const rank = (index + 1) * (newcomers + 1);
      return { rank, nodeId: bytesToHex(nodeId), key, joined, joinedAt: 0 };
    });
  }

  #assertNew({ claim: { nodeId }, by }: JoinAction): void {
    if (this.nodeWithId(nodeId) !== null) {
      throw new LabError('id.exists', `${nodeId} is a member already; mine another ID`);
    }
    const own = by === undefined ? undefined : this.nodes.find(({ joined }) => joined?.by === by);
    if (own === undefined) return;
    const detail = `a participant plays one node, and yours is ${own.nodeId}`;
    throw new LabError('election.conflict', detail);
  }

  #rankKeyOf(nodeId: string): Uint8Array {
    return rankKeyOf(hexToBytes(nodeId), rankRuleOf(policyOf(this.#plan)));
  }
}

function keyOfClaim({ claim }: JoinAction): NodeKey {
  return { scheme: claim.scheme, publicKey: hexToBytes(claim.publicKey), secret: null };
}

function closed(why: string): LabError {
  const detail = `the election accepts no more nodes: it has begun, and ${why}`;
  return new LabError('election.closed', detail);
}

/** Computed once for an election and its replays, which share the plan. */
const HONEST = new WeakMap<ElectionPlan, readonly Candidate[]>();

function honestOf(plan: ElectionPlan): readonly Candidate[] {
  const honest = HONEST.get(plan) ?? plan.earned?.map(earnedCandidate) ?? drawnOf(plan);
  HONEST.set(plan, honest);
  return honest;
}

function drawnOf(plan: ElectionPlan): readonly Candidate[] {
  const { nodes, seed } = plan.options;
  const policy = policyOf(plan);
  const { inhabitants } = createPopulation({ nodes, seed, policy, publicKeyOf: plainPublicKey });
  return inhabitants.map(({ nodeId, key }) => ({ nodeId, key, joined: null }));
}

function earnedCandidate({ nodeId, publicKey, secret }: EarnedNode): Candidate {
  const key: NodeKey = {
    scheme: 'ed25519',
    publicKey: hexToBytes(publicKey),
    secret: { form: secret.form, bytes: hexToBytes(secret.hex) },
  };
  return { nodeId: hexToBytes(nodeId), key, joined: null };
}
