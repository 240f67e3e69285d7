/**
 * @module
 * What was spent, as answers show it.
 */

import { z } from '@hono/zod-openapi';

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
