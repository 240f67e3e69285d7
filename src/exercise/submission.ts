/**
 * @module
 * The kinds of submissions. A submission has an answer and nothing else: no member of it states a score, a result or
 * a trace.
 */

import { z } from 'zod';
import { claimJsonSchema } from '../identity/claim.ts';
import { CHECK_NAMES } from '../identity/policy.ts';

/** Claims, and nodes, that one answer may name. */
const ENTRIES_MAX = 64;

/** Far above the answer of any exercise. */
const NUMBER_MAX = 1e15;
const NUMBER_RULE = `must be a number from 0 to ${NUMBER_MAX}`;

const NODE_ID_RULE = 'must be a node ID in lower-case hex of 32 bytes';
const nodeIdSchema = z.string(NODE_ID_RULE).regex(/^[0-9a-f]{64}$/, NODE_ID_RULE);

/** What a claim of the instance fails, as the student has found it. */
const foundSchema = z.strictObject({
  claim: z.string().regex(/^[0-9a-f]{8}$/, 'must be the label of a claim of the instance'),
  check: z
    .enum([...CHECK_NAMES, 'none'], `must be one of ${CHECK_NAMES.join(', ')}, none`)
    .describe('The first check that fails, or none.'),
  measuredBits: z
    .int('must be a number of bits, or null')
    .min(0)
    .max(256)
    .nullable()
    .describe('The bits that the claim shows, if the check is static or dynamic, else null.'),
});

const KINDS = {
  number: z
    .strictObject({
      type: z.literal('number'),
      number: z.number(NUMBER_RULE).min(0, NUMBER_RULE).max(NUMBER_MAX, NUMBER_RULE),
    })
    .describe('A number.'),
  checks: z
    .strictObject({
      type: z.literal('checks'),
      checks: z.array(foundSchema).min(1).max(ENTRIES_MAX),
    })
    .describe('For each claim of the instance the first check that fails.'),
  claim: z.strictObject({ type: z.literal('claim'), claim: claimJsonSchema }).describe('A claim.'),
  ring: z
    .strictObject({
      type: z.literal('ring'),
      ring: z.array(nodeIdSchema).min(1).max(ENTRIES_MAX),
    })
    .describe('Node IDs in clockwise order.'),
  elections: z
    .strictObject({ type: z.literal('elections') })
    .describe('The elections of the instance as they are now, of which the server has the record.'),
} as const;

export type SubmissionKind = keyof typeof KINDS;

/** Object.keys loses the names: hence the `as`. */
export const SUBMISSION_KINDS = Object.keys(KINDS) as readonly SubmissionKind[];

export const submissionSchema = z
  .discriminatedUnion('type', [
    KINDS.number,
    KINDS.checks,
    KINDS.claim,
    KINDS.ring,
    KINDS.elections,
  ])
  .meta({ id: 'Submission' });

export type Submission = z.output<typeof submissionSchema>;

export type SubmissionOf<Kind extends SubmissionKind> = Extract<Submission, { type: Kind }>;
