/**
 * @module
 * What an operation has found that only the person who asked may have: keys, and the seed that reveals them.
 */

import { z } from 'zod';

export const secretSchema = z
  .object({
    seed: z
      .string()
      .nullable()
      .describe('Null if none was drawn, or if the job counts for the budget of an exercise.'),
    keys: z
      .array(
        z
          .object({ form: z.enum(['seed', 'scalar', 'torsion-scalar']), hex: z.string() })
          .readonly(),
      )
      .readonly()
      .describe('The private keys of the claims, in their order.'),
  })
  .readonly()
  .meta({ id: 'Secret' });

/** Private keys, and the seed of their search. */
export type Secret = z.output<typeof secretSchema>;
