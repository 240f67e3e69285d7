/**
 * @module
 * What a server answers about exercises, submissions and classes. The server states its answers with these schemas, and the
 * command line reads them with the same.
 */

import { z } from 'zod';

import { policySchema } from '../identity/policy.ts';
import { exerciseSchema } from './document.ts';

const { shape } = exerciseSchema;
const closedSchema = z
  .array(z.string())
  .describe('Endpoints that are refused for instances of this exercise.');
const budgetSchema = z
  .int()
  .nullable()
  .describe('Attempts of metered forgeries in all; null without a budget.');

export const exerciseViewSchema = z
  .object({
    name: z.string().meta({ example: 'predict-cost' }),
    title: z.string(),
    version: z.int(),
    category: shape.category,
    points: z.int(),
    difficulty: z.int().describe('From 1, easy, to 6.'),
    requires: z
      .array(z.string())
      .describe('Exercises to solve before, of those that the class has and shows.'),
    teaches: z.array(z.string()),
    statement: z.string().describe('The task, in Markdown.'),
    hints: z.array(z.object({ title: z.string(), cost: z.int() })).describe('Unopened hints.'),
    closed: closedSchema,
    budgetAttempts: budgetSchema,
    submission: shape.submission,
    answer: z
      .looseObject({})
      .nullable()
      .describe('JSON Schema of an answer; null if the answer is a file.'),
    submissions: z.object({
      evaluated: z.int().describe('Number of submissions of a student that are evaluated.'),
      perSeconds: z.number().describe('The time in which the number applies, in seconds.'),
      inAll: z.int().nullable().describe('Number that is evaluated in all; null without a limit.'),
    }),
    links: z.object({
      self: z.string(),
      instances: z.string(),
      submissions: z.string(),
      suspicions: z.string(),
    }),
  })
  .meta({ id: 'Exercise' });

export const instanceSchema = z
  .object({
    id: z.string().meta({ example: '0f1d5ad9c2c58b16a3ce' }),
    exercise: z.string(),
    version: z.int(),
    given: z.looseObject({}).describe('Data of the task. Its members depend on the exercise.'),
    policy: policySchema.describe('The policy of the instance; its context is bound to you.'),
    challenge: z.string().describe('The challenge of the policy.'),
    budgetAttempts: budgetSchema,
    attemptsLeft: z.int().nullable().describe('Attempts that are neither spent nor reserved.'),
    closed: closedSchema,
    elections: z.record(z.string(), z.string()).describe('Paths of your elections, by name.'),
    links: z.object({ exercise: z.string(), submissions: z.string() }),
  })
  .meta({ id: 'ExerciseInstance' });

export const findingSchema = z.object({
  criterion: z.string(),
  met: z.boolean(),
  points: z.int(),
  detail: z.string().describe('What was required if it is met, else what is missing.'),
});

const evaluatedMembers = {
  points: z.int().describe('Points of this submission.'),
  findings: z.array(findingSchema),
};

export const submissionViewSchema = z
  .object({
    id: z.string().meta({ example: 'u_kq3vj5m2xw7ntb4d' }),
    created: z.iso.datetime().describe('When it was created, in UTC (RFC 3339).'),
    status: z.enum(['correct', 'partial', 'incorrect']),
    ...evaluatedMembers,
  })
  .meta({ id: 'EvaluatedSubmission' });

export const gradedSchema = z
  .object({
    id: z.string().describe('Id of the submission; of the solution if it was already solved.'),
    status: z.enum(['correct', 'partial', 'incorrect', 'already_solved']),
    ...evaluatedMembers,
    credited: z.int().describe('Points of this submission after the deduction if it is late.'),
    score: z.int().describe('Points of your best submission, without those of your hints.'),
    submissionsLeft: z.int().describe('Number of submissions that are evaluated now.'),
    flag: z
      .string()
      .nullable()
      .describe('The flag for CTFd, if the exercise is solved and the class has flags.'),
    links: z.object({ exercise: z.string(), submissions: z.string() }),
  })
  .meta({ id: 'GradedSubmission' });

export const hintSchema = z
  .object({
    number: z.int(),
    title: z.string(),
    content: z.string(),
    cost: z.int(),
    score: z.int().describe('Your points for the exercise now.'),
  })
  .meta({ id: 'Hint' });

export const timeSchema = (description: string) =>
  z.iso.datetime().nullable().describe(description);
export const statusSchema = z.enum(['solved', 'tried', 'untouched']);
const pointsSchema = z.int().describe('Points after deductions for lateness and hints.');

export const assignmentSchema = z.object({
  name: z.string(),
  title: z.string(),
  points: z.int().describe('Points of a complete solution in time.'),
  phase: z.enum(['hidden', 'open', 'late', 'over']).describe('Only instructors see hidden ones.'),
  opens: timeSchema('Null if it is open from the start.'),
  deadline: timeSchema('Your deadline; null if there is none.'),
  closes: timeSchema('The last moment for late submissions.'),
  late: z
    .object({ deduct: z.number(), perSeconds: z.number() })
    .nullable()
    .describe('The share that each period begun after the deadline deducts.'),
  status: statusSchema,
  score: pointsSchema,
  isManual: z.boolean().describe('Whether an instructor has set the score.'),
  comment: z.string().nullable().describe('What an instructor says about your work.'),
  deadlineComment: z
    .string()
    .nullable()
    .describe('What an instructor says about the deadline that you have been given.'),
  hintsTaken: z.array(z.int()),
  submissionsLeft: z.int().describe('Number of submissions that are evaluated now.'),
  exercise: z.string().describe('Path of the exercise.'),
});

export const progressCellSchema = z.object({
  exercise: z.string(),
  status: statusSchema,
  score: pointsSchema,
  isManual: z.boolean().describe('Whether an instructor has set the score.'),
  lateSeconds: z.int().describe('How late the submission was that counts; 0 in time.'),
  deadline: timeSchema('The deadline of the student; null if there is none.'),
  solved: timeSchema('When it was solved.'),
  submissions: z.int().describe('Number of submissions that were evaluated.'),
  hints: z.int().describe('Number of hints that were taken.'),
  attempts: z.int().describe('Attempts of metered forgeries.'),
});

export const progressSchema = z
  .object({
    student: z.string(),
    fullName: z.string().nullable(),
    email: z.string().nullable(),
    lmsId: z.string().nullable().describe('ID in the learning management system.'),
    groups: z.array(z.string()),
    hasJoined: z.boolean().describe('Whether the class code was exchanged.'),
    score: z.int(),
    exercises: z.array(progressCellSchema),
  })
  .meta({ id: 'Progress' });

const spreadSchema = (description: string) =>
  z
    .object({
      lowerQuartile: z.number(),
      median: z.number(),
      upperQuartile: z.number(),
      most: z.number(),
    })
    .nullable()
    .describe(`${description}, by the nearest rank. Null if no student solved it.`);

export const statisticsSchema = z
  .object({
    exercise: z.string(),
    students: z.int(),
    started: z.int().describe('Students who asked for their instance, took a hint or submitted.'),
    tried: z.int().describe('Students with a submission that was evaluated.'),
    solved: z.int(),
    attempts: spreadSchema('Submissions until the solution'),
    seconds: spreadSchema('Seconds from the start to the solution'),
    hints: z
      .array(z.object({ number: z.int(), students: z.int() }))
      .describe('Number of students who took each hint.'),
    missing: z
      .array(z.object({ criterion: z.string(), students: z.int(), submissions: z.int() }))
      .describe('Criteria that submissions did not meet, those of most students first.'),
    wrongAnswers: z
      .array(z.object({ answer: z.string().describe('As JSON.'), students: z.int() }))
      .describe('Wrong answers that several students gave, at most 10.'),
  })
  .meta({ id: 'ExerciseStatistics' });

const actSchema = z.object({ by: z.string(), at: z.iso.datetime() });

export const decisionSchema = z
  .object({
    number: z.int().describe('Position among all decisions of the class, from 1.'),
    type: z.enum(['grade', 'extension', 'reset', 'regrade']),
    student: z.string().nullable().describe('Null for all students.'),
    exercise: z.string(),
    made: actSchema.describe('Who made it, and when.'),
    undone: actSchema.nullable().describe('Who took it back, and when; null if it holds.'),
    points: z.int().nullable().describe('The points of a grade.'),
    deadline: z.iso.datetime().nullable().describe('The deadline of an extension.'),
    comment: z.string().nullable(),
    submissions: z
      .int()
      .nullable()
      .describe('Number of submissions that a reset removed, or a regrade graded.'),
    changes: z
      .array(z.object({ student: z.string(), before: z.int(), after: z.int() }))
      .describe('The points that a regrade changed.'),
  })
  .meta({
    id: 'Decision',
    example: {
      number: 3,
      type: 'grade',
      student: 'ann',
      exercise: 'predict-cost',
      made: { by: 'eve', at: '2026-10-12T09:30:00.000Z' },
      undone: null,
      points: 15,
      deadline: null,
      comment: 'The derivation is right.',
      submissions: null,
      changes: [],
    },
  });

export const codeSchema = z
  .object({
    name: z.string(),
    role: z.enum(['student', 'instructor']),
    fullName: z.string().nullable(),
    email: z.string().nullable(),
    code: z.string().describe('No later answer contains it.'),
  })
  .meta({ id: 'ClassCode' });

export const reloadSchema = z
  .object({
    added: z.array(z.string()).describe('Names of new members.'),
    removed: z.array(z.string()).describe('Names of members whose tokens have ended.'),
    changed: z.array(z.string()).describe('Names of new and of changed exercises.'),
    codes: z.array(codeSchema).describe('The class codes of new members.'),
  })
  .meta({ id: 'ClassReload' });

/** What a submission met, or what it lacks. */
export type Finding = z.output<typeof findingSchema>;
/** An exercise of a class, as one of its members sees it. */
export type Assignment = z.output<typeof assignmentSchema>;
/** What an instructor has decided. */
export type Decision = z.output<typeof decisionSchema>;
/** A member with its class code. */
export type CodeOfMember = z.output<typeof codeSchema>;
