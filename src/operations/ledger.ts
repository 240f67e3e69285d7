/**
 * @module
 * What was spent on a search, as outputs have it.
 */

import { z } from 'zod';

export const ledgerSchema = z
  .object({
    attempts: z.number(),
    hashes: z.number(),
    groupOperations: z.number(),
    cpuSeconds: z.number(),
    wallSeconds: z.number(),
    overshoot: z.number(),
  })
  .meta({ id: 'Ledger' });
