/**
 * @module
 * What a server answers to a submission, as far as the command line reads it.
 */

import { z } from 'zod';

const findingSchema = z.looseObject({
  criterion: z.string(),
  met: z.boolean(),
  detail: z.string(),
});

export type Finding = z.output<typeof findingSchema>;

/** The answer to a submission. */
export const gradedSchema = z.looseObject({
  status: z.enum(['correct', 'partial', 'incorrect', 'already_solved']),
  points: z.number(),
  credited: z.number(),
  score: z.number(),
  submissionsLeft: z.number(),
  flag: z.string().nullable(),
  findings: z.array(findingSchema),
});

/** A submission in a list. */
export const submissionSchema = z.looseObject({
  created: z.string(),
  status: z.string(),
  points: z.number(),
  findings: z.array(findingSchema),
});

export type Submission = z.output<typeof submissionSchema>;
