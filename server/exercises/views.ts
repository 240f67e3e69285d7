/**
 * @module
 * Exercises, instances and submissions as callers receive them. No view has the content of a hint, a goal or a
 * solution.
 */

import { z } from '@hono/zod-openapi';

import { bytesToHex } from '../../src/bytes.ts';
import { creditedPoints } from '../../src/exercise/class/schedule.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { exerciseSchema, limitOf } from '../../src/exercise/document.ts';
import { goalNamed } from '../../src/exercise/goals/registry.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import { answerJsonSchema } from '../../src/exercise/submission.ts';
import { policySchema } from '../../src/identity/policy.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import { createdSchema, timeText } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import type { Course } from './course.ts';
import type { Evaluated, Suspicion } from './submission-store.ts';

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

/** An exercise beside the others that its reader sees. */
export function exerciseView(
  exercise: Exercise,
  shown: readonly Pick<Exercise, 'name'>[],
): z.output<typeof exerciseViewSchema> {
  const { name, title, version, category, points, difficulty, statement, submission } = exercise;
  const { setUp, goal } = exercise;
  const { evaluated, per, inAll } = limitOf(exercise);
  return {
    name,
    title,
    version,
    category,
    points,
    difficulty,
    statement,
    submission,
    answer: answerJsonSchema(submission, goalNamed(goal.type).answer),
    requires: exercise.requires.filter((required) => shown.some((each) => each.name === required)),
    teaches: [...exercise.teaches],
    hints: exercise.hints.map(({ title: about, cost }) => ({ title: about, cost })),
    closed: [...setUp.closed],
    budgetAttempts: setUp.budgetAttempts,
    submissions: { evaluated, perSeconds: per, inAll },
    links: linksOf(name),
  };
}

function linksOf(name: string) {
  const self = `/v1/exercises/${name}`;
  return {
    self,
    instances: `${self}/instances`,
    submissions: `${self}/submissions`,
    suspicions: `${self}/suspicions`,
  };
}

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

/** What is not derived from the secret of the course. */
interface InstanceState {
  /** The id of each election, by its name. */
  readonly elections: Readonly<Record<string, string>>;
  readonly attemptsLeft: number | null;
}

export function instanceView(
  { name, version, setUp }: Exercise,
  { id, policy, goal }: Instance,
  { elections, attemptsLeft }: InstanceState,
): z.output<typeof instanceSchema> {
  const { self, submissions } = linksOf(name);
  const paths = Object.entries(elections).map(([part, election]) => {
    return [part, `/v1/elections/${election}`] as const;
  });
  return {
    // The starter client of sh reads the first member of a name: that of the task, not of the policy.
    id,
    exercise: name,
    version,
    given: { ...goal.given },
    policy,
    challenge: bytesToHex(challengeOf(policy)),
    budgetAttempts: setUp.budgetAttempts,
    attemptsLeft,
    closed: [...setUp.closed],
    elections: Object.fromEntries(paths),
    links: { exercise: self, submissions },
  };
}

const findingSchema = z.object({
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
    created: createdSchema,
    status: z.enum(['correct', 'partial', 'incorrect']),
    ...evaluatedMembers,
  })
  .meta({ id: 'EvaluatedSubmission' });

export function submissionView({
  id,
  createdMs,
  status,
  points,
  findings,
}: Evaluated): z.output<typeof submissionViewSchema> {
  return { id, created: timeText(createdMs), status, points, findings: [...findings] };
}

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

/** The answer to a submission; `evaluated` is null if the exercise was solved before. */
export function gradedView(
  course: Course,
  exercise: Exercise,
  { evaluated, principal }: { readonly evaluated: Evaluated | null; readonly principal: Principal },
): z.output<typeof gradedSchema> {
  const work = course.workOf(exercise, principal);
  const { submissions } = course;
  const solution = submissions.solutionOf(work);
  const { self, submissions: list } = linksOf(exercise.name);
  return {
    id: (evaluated ?? solution)?.id ?? '',
    status: evaluated?.status ?? 'already_solved',
    points: evaluated?.points ?? 0,
    findings: [...(evaluated?.findings ?? [])],
    credited:
      evaluated === null
        ? 0
        : creditedPoints(
            evaluated.points,
            evaluated.createdMs,
            course.scheduleOf(exercise, work.student),
          ),
    score: course.scoreOf(exercise, work.student).points,
    submissionsLeft: submissions.leftOf(work, limitOf(exercise)),
    flag: solution === undefined ? null : course.flagOf(exercise),
    links: { exercise: self, submissions: list },
  };
}

export const hintSchema = z
  .object({
    number: z.int(),
    title: z.string(),
    content: z.string(),
    cost: z.int(),
    score: z.int().describe('Your points for the exercise now.'),
  })
  .meta({ id: 'Hint' });

export const suspicionSchema = z
  .object({
    created: createdSchema,
    exercise: z.string(),
    version: z.int(),
    student: z.string().describe('Who submitted.'),
    of: z.string().describe('Whose data was submitted.'),
  })
  .meta({ id: 'Suspicion' });

export function suspicionView({
  createdMs,
  exercise,
  version,
  student,
  of,
}: Suspicion): z.output<typeof suspicionSchema> {
  return { created: timeText(createdMs), exercise, version, student, of };
}
