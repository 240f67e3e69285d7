/**
 * @module
 * The thread that mines the honest nodes of one election.
 */

import { bytesToHex } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import type { EarningOrder } from '../../../src/mining/honest-nodes.ts';
import { earnIdentities } from '../../../src/mining/honest-nodes.ts';
import { plainVerifier } from '../../../src/runtime/openssl/plain-verifier.ts';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { answerJob } from '../../jobs/worker-job.ts';
import type { EarnedNode } from '../live/plan.ts';

await answerJob<EarningOrder, never, readonly EarnedNode[]>(async (order) => {
  const means = { clocks: threadClocks, kernels: kernelSource(), plain: plainVerifier };
  const earned = earnIdentities(order, means);
  if (earned === null) {
    const { nodes, seconds } = order;
    const detail = `the IDs of ${nodes} honest nodes were not found in ${seconds} s; use fewer nodes or bits, or set honest to drawn`;
    throw new LabError('job.size', detail);
  }
  return earned.map(({ claim, secret }) => ({
    nodeId: bytesToHex(claim.nodeId),
    publicKey: bytesToHex(claim.publicKey),
    secret: { form: secret.form, hex: bytesToHex(secret.bytes) },
  }));
});
