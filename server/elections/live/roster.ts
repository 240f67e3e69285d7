/**
 * @module
 * Who is in an election, and at which rank: the honest nodes it was made with, and those that joined.
 * Ranks follow the node IDs. Who joins before anything was done moves those above it up by one; for
 * who joins later places are kept, so many between any two nodes and at both ends, and of those
 * between its neighbours it gets the middle one. Tokens are known by their digests alone.
 */

import { bytesToHex, compareBytes, hexToBytes } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import { createPopulation } from '../../../src/experiment/runs/inhabitants.ts';
import { byRank, rankKeyOf, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { assertPlaces, placesFor } from './joining-limits.ts';
import type { EarnedNode, ElectionPlan, JoinAction } from './plan.ts';
import type { NodeKey } from './signing-keys.ts';

/** A node, and its place. */
export interface Seat {
  readonly rank: number;
  readonly nodeId: string;
  /** Null where IDs are drawn, so that there are no keys. */
  readonly key: NodeKey | null;
  /** How it joined; null for the nodes that the election was made with. */
  readonly joined: JoinAction | null;
  /** The tick at which it came. */
  readonly joinedAt: number;
}

interface Candidate {
  readonly nodeId: Uint8Array;
  readonly key: NodeKey | null;
  readonly joined: JoinAction | null;
}

/** What claims must show, and what orders the nodes. */
export function policyOf(plan: ElectionPlan): Policy {
  return plan.policy ?? STRICT_POLICY;
}

/** The nodes of one election. */
export class Roster {
  /** How many ranks there are, held or kept. */
  readonly places: number;
  readonly #plan: ElectionPlan;
  readonly #early: readonly JoinAction[];
  #seats: Seat[] | null = null;
  #newcomers = 0;

  /** Throws LabError `id.exists`, or `job.size` where they are too many. */
  constructor(plan: ElectionPlan, early: readonly JoinAction[] = []) {
    this.#plan = plan;
    this.#early = early;
    const nodes = plan.options.nodes + early.length;
    const { newcomers = 0 } = plan;
    if (early.length > 0) assertPlaces(nodes, newcomers);
    this.places = placesFor(nodes, newcomers);
  }

  /** How many nodes there are. */
  get nodes(): number {
    const { options } = this.#plan;
    const phantoms = options.phantoms?.length ?? 0;
    return options.nodes - phantoms + this.#early.length + this.#newcomers;
  }

  /** How many more may come while the election goes on. */
  get vacancies(): number {
    return (this.#plan.newcomers ?? 0) - this.#newcomers;
  }

  /** Whether ranks are those of the request. */
  get isPlain(): boolean {
    return this.places === this.#plan.options.nodes;
  }

  /** By rank. */
  get seats(): readonly Seat[] {
    this.#seats ??= this.#seatAll();
    return this.#seats;
  }

  /** The ranks that nobody holds yet. */
  get kept(): readonly number[] {
    const { newcomers = 0 } = this.#plan;
    if (newcomers === 0) return [];
    const ranks = Array.from({ length: this.places }, (_, index) => index + 1);
    return ranks.filter((rank) => rank % (newcomers + 1) !== 0);
  }

  /** Where the nodes of the request are: index `r - 1` is the rank of the one that it calls r. */
  ranks(): readonly number[] {
    const { options, newcomers = 0 } = this.#plan;
    if (this.#early.length === 0) {
      return Array.from({ length: options.nodes }, (_, index) => (index + 1) * (newcomers + 1));
    }
    return this.seats.flatMap(({ rank, joined }) => (joined === null ? [rank] : []));
  }

  /** Where a newcomer belongs. Throws LabError `id.exists` or `election.closed`. */
  rankFor(join: JoinAction): number {
    const { nodeId } = join.claim;
    this.#assertNew(nodeId);
    if (this.vacancies <= 0) throw closed('it was made for no more newcomers');
    const key = this.#keyOf(nodeId);
    const above = this.seats.find((seat) => compareBytes(this.#keyOf(seat.nodeId), key) > 0);
    const high = above?.rank ?? this.places + 1;
    const low = this.seats.findLast(({ rank }) => rank < high)?.rank ?? 0;
    if (high - low < 2) throw closed('no place is left between the neighbours of this ID');
    return Math.floor((low + high) / 2);
  }

  /** Seats a newcomer. */
  enter(join: JoinAction, rank: number, joinedAt: number): void {
    const seat = { rank, nodeId: join.claim.nodeId, key: keyOfClaim(join), joined: join, joinedAt };
    this.#seats = [...this.seats, seat].sort((one, other) => one.rank - other.rank);
    this.#newcomers += 1;
  }

  seatOf(rank: number): Seat | null {
    return this.seats.find((seat) => seat.rank === rank) ?? null;
  }

  seatOfId(nodeId: string): Seat | null {
    return this.seats.find((seat) => seat.nodeId === nodeId) ?? null;
  }

  #seatAll(): Seat[] {
    const policy = policyOf(this.#plan);
    const early = this.#early.map((join): Candidate => {
      return { nodeId: hexToBytes(join.claim.nodeId), key: keyOfClaim(join), joined: join };
    });
    const { newcomers = 0 } = this.#plan;
    const candidates = byRank([...honestOf(this.#plan), ...early], rankRuleOf(policy));
    return candidates.map(({ nodeId, key, joined }, index) => {
      const rank = (index + 1) * (newcomers + 1);
      return { rank, nodeId: bytesToHex(nodeId), key, joined, joinedAt: 0 };
    });
  }

  #assertNew(nodeId: string): void {
    if (this.seatOfId(nodeId) === null) return;
    throw new LabError('id.exists', `${nodeId} is a member already; mine another ID`);
  }

  #keyOf(nodeId: string): Uint8Array {
    return rankKeyOf(hexToBytes(nodeId), rankRuleOf(policyOf(this.#plan)));
  }

  /** The roster with one more node, before anything was done. Throws as the constructor does. */
  with(join: JoinAction): Roster {
    this.#assertNew(join.claim.nodeId);
    return new Roster(this.#plan, [...this.#early, join]);
  }
}

function keyOfClaim({ claim }: JoinAction): NodeKey {
  return { scheme: claim.scheme, publicKey: hexToBytes(claim.publicKey), secret: null };
}

function closed(why: string): LabError {
  const detail = `the election takes no more nodes: something was done to it, and ${why}`;
  return new LabError('election.closed', detail);
}

/** Made once for an election and all its tellings, which share the plan. */
const HONEST = new WeakMap<ElectionPlan, readonly Candidate[]>();

function honestOf(plan: ElectionPlan): readonly Candidate[] {
  const known = HONEST.get(plan);
  if (known !== undefined) return known;
  const honest = plan.earned === undefined ? drawnOf(plan) : plan.earned.map(earnedCandidate);
  HONEST.set(plan, honest);
  return honest;
}

function drawnOf(plan: ElectionPlan): readonly Candidate[] {
  const { nodes, seed } = plan.options;
  const { inhabitants } = createPopulation({ nodes, seed, policy: policyOf(plan) });
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
