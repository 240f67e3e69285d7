/**
 * @module
 * A class as its members receive it: the class of a student, the scoreboard, and the progress of all students. What
 * students see of others is decided here alone.
 */

import { z } from '@hono/zod-openapi';

import { instantOf } from '../../src/exercise/class/class-document.ts';
import type { Standing } from '../../src/exercise/class/schedule.ts';
import { phaseAt, standingsOf } from '../../src/exercise/class/schedule.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { limitOf } from '../../src/exercise/document.ts';
import { attemptsSpent } from '../../src/exercise/record.ts';
import { timeText } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import type { Classroom, Member } from './classroom.ts';
import type { Course } from './course.ts';
import type { Seen, Solve } from './solve-feed.ts';

const timeSchema = (description: string) => z.iso.datetime().nullable().describe(description);
const statusSchema = z.enum(['solved', 'tried', 'untouched']);
const pointsSchema = z.int().describe('Points after deductions for lateness and hints.');

const assignmentSchema = z.object({
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
  hintsTaken: z.array(z.int()),
  submissionsLeft: z.int().describe('Number of submissions that are evaluated now.'),
  exercise: z.string().describe('Path of the exercise.'),
});

export const classViewSchema = z
  .object({
    name: z.string(),
    timeZone: z.string().describe('The zone of the document. All times here are in UTC.'),
    now: z.iso.datetime().describe('The time of the server, which decides.'),
    member: z.object({
      name: z.string(),
      role: z.enum(['student', 'instructor', 'operator']),
      groups: z.array(z.string()),
    }),
    hints: z.boolean().describe('Whether hints can be taken.'),
    scoreboard: z.object({
      visibility: z.enum(['names', 'ranks', 'own']),
      freeze: timeSchema('After this time students see the scores of this time.'),
    }),
    score: z.int(),
    exercises: z.array(assignmentSchema),
    links: z.object({
      scoreboard: z.string(),
      events: z.string(),
      progress: z.string().nullable().describe('Null for students, as the next ones.'),
      grades: z.string().nullable(),
      ctfdUsers: z.string().nullable(),
      ctfdChallenges: z.string().nullable(),
    }),
  })
  .meta({ id: 'Class' });

export const standingSchema = z
  .object({
    rank: z.int().nullable().describe('Equal points have one rank. Null where ranks are hidden.'),
    student: z.string().nullable().describe('Null where names are hidden.'),
    isYou: z.boolean(),
    points: z.int(),
    solved: z.int(),
  })
  .meta({ id: 'Standing' });

const progressCellSchema = z.object({
  exercise: z.string(),
  status: statusSchema,
  score: pointsSchema,
  solved: timeSchema('When it was solved.'),
  submissions: z.int().describe('Number of submissions that were evaluated.'),
  hints: z.int().describe('Number of hints that were taken.'),
  attempts: z.int().describe('Attempts of metered forgeries.'),
});

export const progressSchema = z
  .object({
    student: z.string(),
    fullName: z.string().nullable(),
    groups: z.array(z.string()),
    hasJoined: z.boolean().describe('Whether the join code was exchanged.'),
    score: z.int(),
    exercises: z.array(progressCellSchema),
  })
  .meta({ id: 'Progress' });

/** A class with its course, for the answers to its members. */
export class ClassViews {
  readonly #course: Course;
  readonly #classroom: Classroom;
  readonly #freezeMs: number | null;

  constructor(course: Course, classroom: Classroom) {
    const { timeZone, scoreboard } = classroom.document;
    const { freeze } = scoreboard;
    this.#course = course;
    this.#classroom = classroom;
    this.#freezeMs = freeze === undefined ? null : Number(instantOf(freeze, timeZone));
  }

  /** The class of a member, or of an operator. */
  classOf(principal: Principal): z.output<typeof classViewSchema> {
    const { name, timeZone, hints, scoreboard } = this.#classroom.document;
    const student = principal.caller;
    const exercises = this.#course.shownTo(principal);
    const assignments = exercises.map((exercise) => this.#assignmentOf(exercise, student));
    return {
      ...{ name, timeZone, hints, now: timeText(this.#course.wallMs()) },
      member: {
        name: student,
        role: this.#classroom.members.get(student)?.role ?? 'operator',
        groups: [...(this.#classroom.members.get(student)?.groups ?? [])],
      },
      scoreboard: {
        visibility: scoreboard.visibility,
        freeze: timeOrNull(this.#freezeMs),
      },
      score: assignments.reduce((sum, { score }) => sum + score, 0),
      exercises: assignments,
      links: linksFor(principal),
    };
  }

  /** The scoreboard as a principal may see it. */
  scoreboard(principal: Principal): readonly z.output<typeof standingSchema>[] {
    const isAll = principal.access === 'all';
    const { visibility } = this.#classroom.document.scoreboard;
    const standings = this.#standings(isAll ? undefined : (this.#freezeMs ?? undefined));
    const rows = standings.map(({ student, rank, points, solved }) => {
      const isYou = student === principal.caller;
      const isNamed = isAll || isYou || visibility === 'names';
      return { rank, student: isNamed ? student : null, isYou, points, solved };
    });
    if (isAll || visibility === 'names') return rows;
    // The order of names would reveal who has equal points.
    if (visibility === 'ranks') return rows.toSorted(byPointsAlone);
    return rows.filter(({ isYou }) => isYou).map((row) => ({ ...row, rank: null }));
  }

  /**
   * What a principal may see of a solve; null if nothing. The exercise must be one that it may see. Students see only
   * solves of present students.
   */
  seen({ student, exercise, solvedMs }: Solve, principal: Principal): Seen | null {
    if (!this.#course.shows(exercise, principal)) return null;
    if (principal.access === 'all' || student === principal.caller) {
      return { student, exercise, solvedMs };
    }
    if (this.#classroom.members.get(student)?.role !== 'student') return null;
    const { visibility } = this.#classroom.document.scoreboard;
    const isFrozen = solvedMs > (this.#freezeMs ?? Number.POSITIVE_INFINITY);
    if (visibility === 'own' || isFrozen) return null;
    return { student: visibility === 'names' ? student : null, exercise, solvedMs };
  }

  progressOf({ name, fullName, groups }: Member): z.output<typeof progressSchema> {
    const exercises = this.#course.exercises.map((exercise) => this.#cellOf(exercise, name));
    return {
      ...{ student: name, fullName, groups: [...groups] },
      hasJoined: this.#classroom.hasJoined(name),
      score: exercises.reduce((sum, { score }) => sum + score, 0),
      exercises,
    };
  }

  #standings(untilMs?: number): readonly Standing[] {
    const { exercises } = this.#course;
    return standingsOf(
      this.#classroom.students.map(({ name }) => ({
        student: name,
        scores: exercises.map((exercise) => this.#course.scoreOf(exercise, name, untilMs)),
      })),
    );
  }

  #assignmentOf(exercise: Exercise, student: string): z.output<typeof assignmentSchema> {
    const { name, title, points, version } = exercise;
    const work = { student, exercise: name, version };
    const schedule = this.#course.scheduleOf(exercise, student);
    const { opensMs, deadlineMs, closesMs, late } = schedule;
    return {
      ...{ name, title, points },
      phase: phaseAt(schedule, this.#course.wallMs()),
      opens: timeOrNull(opensMs),
      deadline: timeOrNull(deadlineMs),
      closes: timeOrNull(closesMs),
      late: late && { deduct: late.deduct, perSeconds: late.perMs / 1_000 },
      status: this.#statusOf(exercise, student),
      score: this.#course.scoreOf(exercise, student).points,
      hintsTaken: this.#course.hints.list(work).map(({ number }) => number),
      submissionsLeft: this.#course.submissions.leftOf(work, limitOf(exercise)),
      exercise: `/v1/exercises/${name}`,
    };
  }

  #cellOf(exercise: Exercise, student: string): z.output<typeof progressCellSchema> {
    const work = { student, exercise: exercise.name, version: exercise.version };
    const { points, solvedMs } = this.#course.scoreOf(exercise, student);
    const { submissions, hints, meter } = this.#course;
    return {
      ...{ exercise: exercise.name, status: this.#statusOf(exercise, student), score: points },
      solved: timeOrNull(solvedMs),
      submissions: submissions.list(work).length,
      hints: hints.list(work).length,
      attempts: attemptsSpent(meter.list(work)),
    };
  }

  #statusOf({ name, version }: Exercise, student: string): z.output<typeof statusSchema> {
    const work = { student, exercise: name, version };
    if (this.#course.submissions.solutionOf(work) !== undefined) return 'solved';
    return this.#course.submissions.list(work).length > 0 ? 'tried' : 'untouched';
  }
}

type Row = Pick<z.output<typeof standingSchema>, 'points' | 'isYou' | 'solved'>;

/** The best row first, of equal points the own one first. Others with equal members cannot be told apart. */
function byPointsAlone(one: Row, other: Row): number {
  return (
    other.points - one.points ||
    Number(other.isYou) - Number(one.isYou) ||
    other.solved - one.solved
  );
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}

function linksFor({ access }: Principal): z.output<typeof classViewSchema>['links'] {
  const path = '/v1/class';
  const forInstructors = (end: string) => (access === 'own' ? null : `${path}/${end}`);
  return {
    scoreboard: `${path}/scoreboard`,
    events: `${path}/events`,
    progress: forInstructors('progress'),
    grades: forInstructors('exports/grades'),
    ctfdUsers: forInstructors('exports/ctfdUsers'),
    ctfdChallenges: forInstructors('exports/ctfdChallenges'),
  };
}
