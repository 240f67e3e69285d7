/**
 * @module
 * Exercises, instances and submissions as callers receive them. No view has the content of a hint, a goal or a
 * solution.
 */

import { z } from '@hono/zod-openapi';
import { bytesToHex } from '../../src/bytes.ts';
import type {
  exerciseViewSchema,
  gradedSchema,
  instanceSchema,
  submissionViewSchema,
} from '../../src/exercise/answers.ts';
import { creditedPoints } from '../../src/exercise/class/schedule.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { limitOf } from '../../src/exercise/document.ts';
import { goalNamed } from '../../src/exercise/goals/registry.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import { answerJsonSchema } from '../../src/exercise/submission.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import { createdSchema, timeText } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import type { Course } from './course.ts';
import type { Evaluated, Suspicion } from './submission-store.ts';

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

export function submissionView({
  id,
  createdMs,
  status,
  points,
  findings,
}: Evaluated): z.output<typeof submissionViewSchema> {
  return { id, created: timeText(createdMs), status, points, findings: [...findings] };
}

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
