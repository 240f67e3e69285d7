/**
 * @module
 * Honest nodes that earn their IDs: one search for as many identities as there are nodes, with the strategy of honest
 * nodes. The same seed gives the same IDs on a server and in a browser.
 */

import { bytesToHex } from '../bytes.ts';
import { nodeIdBytesOf } from '../identity/ids/node-id.ts';
import type { PlainVerifier } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import type { Seed } from '../random.ts';
import { deriveSeed } from '../random.ts';
import { SEARCH_NOT_BEGUN } from './phases.ts';
import { isKernelPolicy, policyCost } from './policy-cost.ts';
import type { Clocks, MinedIdentity } from './search.ts';
import { mine } from './search.ts';
import { HONEST_STRATEGY } from './strategies.ts';
import type { KernelSource } from './strategy.ts';

/** Expected attempts, or evaluations of the puzzles' primitive, for mining the honest IDs. */
export const EARNED_WORK_MAX = 2 ** 20;
/** The same for a policy that the fast kernel does not support. */
const EARNED_WORK_SLOW_MAX = 2 ** 15;

/** Largest part of the IDs with enough work that may be mined, so that few are found twice. */
const TAKEN_SHARE_MAX = 1 / 8;

/** Why this number of nodes does not earn its IDs under a policy; null if it can. */
export function earningObstacle(policy: Policy, nodes: number): string | null {
  const { honest, real } = policyCost(policy, { ids: nodes });
  const ids = 2 ** (8 * nodeIdBytesOf(policy) - real.c1);
  if (nodes > TAKEN_SHARE_MAX * ids) {
    return `${nodes} honest nodes are too many for about ${ids} IDs that show such work; use fewer nodes or bits, or longer IDs`;
  }
  const work = Math.max(honest.attempts, honest.hashes);
  const most = isKernelPolicy(policy) ? EARNED_WORK_MAX : EARNED_WORK_SLOW_MAX;
  if (work <= most) return null;
  return `IDs of ${nodes} honest nodes take about 2^${Math.ceil(Math.log2(work))} evaluations; at most 2^${Math.log2(most)} are mined here: use fewer nodes or bits, or set honest to drawn`;
}

/** Nodes that earn their IDs. */
export interface EarningOrder {
  readonly policy: Policy;
  readonly nodes: number;
  readonly seed: Seed;
  /** Longest mining, in seconds. */
  readonly seconds: number;
}

/** What a search runs with. */
interface Means {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  readonly plain: PlainVerifier | null;
}

/**
 * A few keys are made one by one. They have seeds, with which OpenSSL can sign, and loading the kernels would
 * take longer.
 */
const FRESH_ATTEMPTS_MAX = 2 ** 9;

/** The identities of honest nodes with different IDs, in the order of their attempts. Null if the time was too short. */
export function earnIdentities(order: EarningOrder, means: Means): readonly MinedIdentity[] | null {
  const { nodes, seconds } = order;
  const startedS = means.clocks.wallSeconds();
  // Short IDs may occur twice, but no two nodes have the same.
  for (let wanted = nodes; ; wanted += nodes) {
    const left = Math.max(seconds - (means.clocks.wallSeconds() - startedS), 1e-3);
    const found = differentIdentities({ ...order, seconds: left }, wanted, means);
    if (found === null || found.length >= nodes) return found?.slice(0, nodes) ?? null;
  }
}

/** The first identities without repeated IDs; null if they were not found in time. */
function differentIdentities(
  { policy, seed, seconds }: EarningOrder,
  wanted: number,
  { clocks, kernels, plain }: Means,
): readonly MinedIdentity[] | null {
  const task = {
    scheme: 'ed25519',
    policy,
    goal: { type: 'count', identities: wanted },
    strategy: wanted * 2 ** policy.c1 <= FRESH_ATTEMPTS_MAX ? 'fresh' : HONEST_STRATEGY,
    dynamicStrategy: 'dynamic',
    seed: deriveSeed(seed, 'honest'),
    budget: { wallSeconds: seconds },
  } as const;
  const { found, identities } = mine(task, clocks, kernels, SEARCH_NOT_BEGUN, plain);
  if (!found) return null;
  const byId = new Map<string, MinedIdentity>();
  for (const identity of identities) {
    const nodeId = bytesToHex(identity.claim.nodeId);
    if (!byId.has(nodeId)) byId.set(nodeId, identity);
  }
  return [...byId.values()];
}
