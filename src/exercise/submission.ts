/**
 * @module
 * The kinds of submissions. A submission has an answer and nothing else: no member of it states a score, a result or
 * a trace.
 */

import { z } from 'zod';
import { DEFENCE_NAMES } from '../election/defences/registry.ts';
import { RESOURCE_KINDS } from '../election/lease/stores/resource.ts';
import { claimJsonSchema } from '../identity/claim.ts';
import { CHECK_NAMES } from '../identity/policy.ts';
import { parseBySchema } from '../schema.ts';

/** Claims, and nodes, that one answer may name. */
const ENTRIES_MAX = 64;

/** Claims of one answer. The signature of each is verified while other requests wait, in about two milliseconds. */
export const CLAIMS_MAX = 16;

/** Far above the answer of any exercise. */
const NUMBER_MAX = 1e15;
const NUMBER_RULE = `must be a number from 0 to ${NUMBER_MAX}`;

const NODE_ID_RULE = 'must be a node ID in lower-case hex of 32 bytes';
const nodeIdSchema = z.string(NODE_ID_RULE).regex(/^[0-9a-f]{64}$/, NODE_ID_RULE);

/** Longest path through the worlds of a check. */
const ADDRESS_MAX = 200;
/** An index as in the addresses of POST /v1/checks/worlds. */
const ACTION_INDEX = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

const TICK_MAX = 100_000;
const TICK_RULE = `must be a tick from 0 to ${TICK_MAX}`;
const tickSchema = z.int(TICK_RULE).min(0, TICK_RULE).max(TICK_MAX, TICK_RULE);
const RANK_MAX = 500;
const RANK_RULE = `must be a rank from 1 to ${RANK_MAX}`;
const rankSchema = z.int(RANK_RULE).min(1, RANK_RULE).max(RANK_MAX, RANK_RULE);

/** A time in which a node is down or paused. */
const spellSchema = z
  .strictObject({ rank: rankSchema, from: tickSchema, to: tickSchema })
  .refine(({ from, to }) => from < to, 'must begin before it ends');

const SETTING_RULE = `must be a number of at most ${NUMBER_MAX}, text, or true or false`;

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
  claims: z
    .strictObject({
      type: z.literal('claims'),
      claims: z.array(claimJsonSchema).min(1).max(CLAIMS_MAX),
    })
    .describe('Several claims.'),
  settings: z
    .strictObject({
      type: z.literal('settings'),
      settings: z.record(
        z.string().max(128),
        z.union(
          [z.number().min(-NUMBER_MAX).max(NUMBER_MAX), z.string().max(128), z.boolean()],
          SETTING_RULE,
        ),
      ),
    })
    .describe(
      'Members of the threat model of the instance by their dotted paths, which the server runs.',
    ),
  scenario: z
    .strictObject({
      type: z.literal('scenario'),
      crashes: z.array(spellSchema).max(ENTRIES_MAX).default([]),
      pauses: z.array(spellSchema).max(ENTRIES_MAX).default([]),
      defences: z
        .array(z.enum(DEFENCE_NAMES, `must be one of ${DEFENCE_NAMES.join(', ')}`))
        .max(DEFENCE_NAMES.length)
        .default([]),
      changes: z
        .array(z.int().min(0).max(TICK_MAX))
        .max(DEFENCE_NAMES.length)
        .default([])
        .describe('How often the leader changes with each of the defences.'),
      resource: z
        .enum(RESOURCE_KINDS, `must be one of ${RESOURCE_KINDS.join(', ')}`)
        .default('unfenced'),
    })
    .describe(
      'Faults of nodes, and what protects against them, with which the server holds the election of the instance again.',
    ),
  counterexamples: z
    .strictObject({
      type: z.literal('counterexamples'),
      byHand: z.array(ACTION_INDEX).max(ADDRESS_MAX).default([]),
      byCheck: z.array(ACTION_INDEX).max(ADDRESS_MAX).default([]),
    })
    .describe(
      'Addresses of worlds of the checks of the instance: for each action its index among the actions that were possible.',
    ),
  elections: z
    .strictObject({ type: z.literal('elections') })
    .describe('The elections of the instance as they are now, of which the server has the record.'),
} as const;

/** Kinds of definitions that are submitted as files. Their code runs only in the sandbox of `usurp grade`. */
export const FILE_KINDS = ['protocol', 'behaviour', 'defence'] as const;

export type FileKind = (typeof FILE_KINDS)[number];

export type SubmissionKind = keyof typeof KINDS | FileKind;

export const SUBMISSION_KINDS: readonly SubmissionKind[] = [
  // Object.keys loses the names.
  ...(Object.keys(KINDS) as readonly (keyof typeof KINDS)[]),
  ...FILE_KINDS,
];

/** Whether submissions of this kind are files. */
export function isFileKind(kind: string): kind is FileKind {
  return FILE_KINDS.some((each) => each === kind);
}

const KIND_RULE = `must be one of ${Object.keys(KINDS).join(', ')}; a ${FILE_KINDS.join(', ')} is a file that your instructor grades with usurp grade`;

export const submissionSchema = z
  .discriminatedUnion(
    'type',
    [
      KINDS.number,
      KINDS.checks,
      KINDS.claim,
      KINDS.ring,
      KINDS.claims,
      KINDS.settings,
      KINDS.scenario,
      KINDS.counterexamples,
      KINDS.elections,
    ],
    { error: ({ code }) => (code === 'invalid_union' ? KIND_RULE : undefined) },
  )
  .meta({ id: 'Submission' });

/** A submission as a caller may send it: an answer that is one number may be the number alone. */
export const answerSchema = z.union([
  // Otherwise the contract would list its members without the one that distinguishes them.
  z.lazy(() => submissionSchema),
  KINDS.number.shape.number.transform((number) => ({ type: 'number' as const, number })),
]);

/** The submission that a file contains, which may be a number alone. Throws LabError `schema`. */
export function parseAnswer(json: unknown): Submission {
  const submission = typeof json === 'number' ? { type: 'number', number: json } : json;
  return parseBySchema(submissionSchema, submission, 'submission');
}

/** The JSON Schema of an answer; null if the answer is a file. `own` is the schema of the goal, if it has a narrower one. */
export function answerJsonSchema(
  kind: SubmissionKind,
  own: z.ZodType | undefined,
): Record<string, unknown> | null {
  if (isFileKind(kind)) return null;
  return z.toJSONSchema(own ?? KINDS[kind], { io: 'input' });
}

/** A submission over HTTP, or a file, whose definition is in the record. */
export type Submission = z.output<typeof submissionSchema> | { readonly type: FileKind };

export type SubmissionOf<Kind extends SubmissionKind> = Kind extends FileKind
  ? { readonly type: Kind }
  : Extract<Submission, { type: Kind }>;
