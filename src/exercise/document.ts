/**
 * @module
 * The schema of an exercise. One zod schema validates documents, gives the type and is published as JSON Schema for
 * editors, as for threat models.
 */

import { z } from 'zod';
import { integer, oneOf, prose } from '../experiment/document/wording.ts';
import { policySchema, STRICT_POLICY } from '../identity/policy.ts';
import { quantity } from '../quantities.ts';
import { goalNamed, goalSchema } from './goals/registry.ts';
import { SUBMISSION_KINDS } from './submission.ts';

const CATEGORIES = ['identity', 'mining', 'election', 'attack', 'defence'] as const;

/** Endpoints that an exercise may close for its instances. */
const CLOSABLE = ['verifications', 'forgeries', 'actions', 'copies'] as const;

export type ClosedEndpoint = (typeof CLOSABLE)[number];

/** Members of goals that name an election of the set-up. */
const ELECTION_MEMBERS: readonly string[] = ['election', 'signed', 'limited'];

const STATEMENT_CHARACTERS_MAX = 8_000;
const SECONDS_MAX = 7 * 24 * 3600;

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const NAME_ERROR = 'must be a name of lower-case letters, digits and hyphens, at most 32';
/** The name of an exercise, a group or a part of a document. */
export const nameSchema = z.string({ error: NAME_ERROR }).regex(NAME, { error: NAME_ERROR });

/** An answer that is one number could be guessed in the time of a course. */
const NUMBERS_IN_ALL = 10;

const WINDOW_ERROR = 'must be a time from 1s to 168h, for example 1h';
const STATEMENT_ERROR = `must be text of 1 to ${STATEMENT_CHARACTERS_MAX} characters`;

/** The limit on the submissions of one student. */
export const limitSchema = z.strictObject({
  evaluated: integer(1, 1000).describe('Number of submissions that are evaluated.'),
  per: quantity('time', { min: 1, max: SECONDS_MAX }, WINDOW_ERROR).describe(
    'The time in which the number applies.',
  ),
  inAll: integer(1, 1000)
    .optional()
    .describe(
      `Number of submissions that are evaluated in all. Without it there are ${NUMBERS_IN_ALL} of an answer that is one number, and no limit of others.`,
    ),
});

const hintSchema = z.strictObject({
  title: prose('What the hint is about.'),
  content: prose('The hint.'),
  cost: integer(0, 1000).describe('Points that it costs.'),
});

const setUpSchema = z
  .strictObject({
    policy: policySchema
      .default(STRICT_POLICY)
      .describe('The policy of claims. Its context is that of the instance.'),
    elections: z
      .record(nameSchema, z.record(z.string(), z.json()))
      .default({})
      .describe(
        'Elections of the instance by name: bodies of POST /v1/elections without a seed. {draw: [5, 9]} in place of a number differs from student to student.',
      ),
    budgetAttempts: integer(1, Number.MAX_SAFE_INTEGER)
      .nullable()
      .default(null)
      .describe('Attempts of metered forgeries in all; null without a budget.'),
    closed: z
      .array(oneOf(CLOSABLE))
      .default([])
      .describe('Endpoints of the server that are refused for the instance.'),
  })
  .describe('What the exercise sets up for each student.');

export const exerciseSchema = z
  .strictObject({
    name: nameSchema.describe('Name of the exercise and of its folder.'),
    title: prose('One line that states the task.'),
    version: integer(1, 1_000_000).describe('A new version gives every student a new instance.'),
    category: oneOf(CATEGORIES),
    points: integer(1, 1000).describe('Points of a complete solution.'),
    difficulty: integer(1, 6).describe('From 1, easy, to 6.'),
    requires: z.array(nameSchema).default([]).describe('Exercises to solve before.'),
    teaches: z.array(prose('A learning goal.')).min(1).describe('Learning goals.'),
    statement: z
      .string({ error: STATEMENT_ERROR })
      .min(1, { error: STATEMENT_ERROR })
      .max(STATEMENT_CHARACTERS_MAX, { error: STATEMENT_ERROR })
      .describe('The task, in Markdown.'),
    hints: z.array(hintSchema).default([]).describe('Hints, which cost points.'),
    setUp: setUpSchema.prefault({}),
    submission: oneOf(SUBMISSION_KINDS).describe('The kind of submission.'),
    submissions: limitSchema.describe('The limit on the submissions of one student.'),
    goal: goalSchema,
    wrongPoints: z
      .record(z.string().regex(/^wrong-[a-z0-9-]+$/), integer(1, 1000))
      .default({})
      .describe(
        'Points that wrong solutions may earn, by the names of their scripts without ending. Others should earn none.',
      ),
  })
  .superRefine(({ goal, submission, setUp }, context) => {
    const { submission: kind, needs } = goalNamed(goal.type);
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (submission !== kind) refuse(['submission'], `must be ${kind} for the goal ${goal.type}`);
    for (const [member, election] of Object.entries(goal)) {
      if (!ELECTION_MEMBERS.includes(member) || typeof election !== 'string') continue;
      if (setUp.elections[election] !== undefined) continue;
      refuse(['goal', member], 'must be the name of an election of setUp.elections');
    }
    if (needs.includes('forgeries') && setUp.budgetAttempts === null) {
      refuse(['setUp', 'budgetAttempts'], `must be given for the goal ${goal.type}`);
    }
  })
  .meta({ title: 'usurp exercise', description: 'An exercise with automatic grading.' });

export type Exercise = Readonly<z.output<typeof exerciseSchema>>;

/** The limit on the submissions of one student; `inAll` is null if their number is not limited. */
export interface SubmissionLimit {
  readonly evaluated: number;
  readonly per: number;
  readonly inAll: number | null;
}

/** The limit on the submissions to an exercise. */
export function limitOf({
  submission,
  submissions,
}: Pick<Exercise, 'submission' | 'submissions'>): SubmissionLimit {
  const { evaluated, per, inAll = submission === 'number' ? NUMBERS_IN_ALL : null } = submissions;
  return { evaluated, per, inAll };
}

/** The JSON Schema of a document as its author writes it. */
export function authoringSchemaOf(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    // zod leaves out the defaults of quantities, because a text of one is transformed into a number.
    override({ zodSchema: { _zod }, jsonSchema }) {
      if (_zod.def.type === 'default') jsonSchema.default = _zod.def.defaultValue;
    },
  });
}
