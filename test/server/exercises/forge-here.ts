/**
 * @module
 * Executes forgeries on the thread of the test, with the same result as the threads of the product.
 */

import type { ForgeryJob } from '../../../server/jobs/forgeries/forgery.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import { bytesToHex } from '../../../src/bytes.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import { mine } from '../../../src/mining/search.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { STOPPED_CLOCKS } from '../../mining/tasks.ts';

const kernels = kernelSource();

export const forgeHere: Execute<ForgeryJob> = async ({ task }) => {
  const { found, ending, identities, measured, ledger } = mine(task, STOPPED_CLOCKS, kernels);
  return {
    ...{ found, ending, measured, ledger },
    claims: identities.map(({ claim }) => claimToJson(claim)),
    secrets: identities.map(({ secret: { form, bytes } }) => ({ form, hex: bytesToHex(bytes) })),
  };
};
