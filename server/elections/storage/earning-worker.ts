/**
 * @module
 * The thread that mines the honest nodes of one election with the strategy of honest nodes: one key for each
 * candidate, and a separate solution for each key.
 */

import { bytesToHex } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { SEARCH_NOT_BEGUN } from '../../../src/mining/phases.ts';
import { mine } from '../../../src/mining/search.ts';
import { HONEST_STRATEGY } from '../../../src/mining/strategies.ts';
import type { Seed } from '../../../src/random.ts';
import { deriveSeed } from '../../../src/random.ts';
import { plainVerifier } from '../../../src/runtime/openssl/plain-verifier.ts';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { answerJob } from '../../jobs/worker-job.ts';
import type { EarnedNode } from '../live/plan.ts';

/** What the thread receives. */
export interface EarningOrder {
  readonly policy: Policy;
  readonly nodes: number;
  readonly seed: Seed;
  /** Longest mining, in seconds. */
  readonly seconds: number;
}

/**
 * A few keys are made one by one. They have seeds, with which OpenSSL can sign, and loading the kernels would
 * take longer.
 */
const FRESH_ATTEMPTS_MAX = 2 ** 9;

await answerJob<EarningOrder, never, readonly EarnedNode[]>(async (order) => {
  const deadlineMs = performance.now() + 1000 * order.seconds;
  // Short IDs may occur twice, but no two nodes have the same.
  for (let wanted = order.nodes; ; wanted += order.nodes) {
    const found = mineNodes(order, wanted, deadlineMs);
    if (found.length >= order.nodes) return found.slice(0, order.nodes);
  }
});

/** The first identities, without repeated IDs. */
function mineNodes(
  { policy, nodes, seed, seconds }: EarningOrder,
  wanted: number,
  deadlineMs: number,
): EarnedNode[] {
  const task = {
    scheme: 'ed25519',
    policy,
    goal: { type: 'count', identities: wanted },
    strategy: wanted * 2 ** policy.c1 <= FRESH_ATTEMPTS_MAX ? 'fresh' : HONEST_STRATEGY,
    dynamicStrategy: 'dynamic',
    seed: deriveSeed(seed, 'honest'),
    budget: { wallSeconds: Math.max(deadlineMs - performance.now(), 1) / 1000 },
  } as const;
  const { found, identities } = mine(
    task,
    threadClocks,
    kernelSource(),
    SEARCH_NOT_BEGUN,
    plainVerifier,
  );
  if (!found) {
    const detail = `the IDs of ${nodes} honest nodes were not found in ${seconds} s; use fewer nodes or bits, or set honest to drawn`;
    throw new LabError('job.size', detail);
  }
  const byId = new Map<string, EarnedNode>();
  for (const { claim, secret } of identities) {
    const nodeId = bytesToHex(claim.nodeId);
    const own = { form: secret.form, hex: bytesToHex(secret.bytes) };
    if (byId.has(nodeId)) continue;
    byId.set(nodeId, { nodeId, publicKey: bytesToHex(claim.publicKey), secret: own });
  }
  return [...byId.values()];
}
