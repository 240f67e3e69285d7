/**
 * @module
 * A class as its members receive it: the class of a student, the scoreboard, and the progress of all students. What
 * students see of others is decided here alone.
 */

import { z } from '@hono/zod-openapi';
import type {
  progressCellSchema,
  progressSchema,
  statisticsSchema,
  statusSchema,
} from '../../src/exercise/answers.ts';
import { assignmentSchema, timeSchema } from '../../src/exercise/answers.ts';

import { instantOf } from '../../src/exercise/class/class-document.ts';
import type { Standing } from '../../src/exercise/class/schedule.ts';
import { phaseAt, standingsOf } from '../../src/exercise/class/schedule.ts';
import { statisticsOf } from '../../src/exercise/class/statistics.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { limitOf } from '../../src/exercise/document.ts';
import { attemptsSpent } from '../../src/exercise/record.ts';
import { timeText } from '../contract/members.ts';
import type { Principal } from '../request/principal.ts';
import { EXPORT_NAMES } from './class-exports.ts';
import type { Classroom, Member } from './classroom.ts';
import type { Course } from './course.ts';
import type { Seen, Solve } from './solve-feed.ts';

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
      statistics: z.string().nullable(),
      decisions: z.string().nullable(),
      exports: z
        .array(z.object({ name: z.enum(EXPORT_NAMES), path: z.string() }))
        .describe('All exports; none for students.'),
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

/** A class with its course, for the answers to its members. */
export class ClassViews {
  readonly #course: Course;
  readonly #classroom: Classroom;

  constructor(course: Course, classroom: Classroom) {
    this.#course = course;
    this.#classroom = classroom;
  }

  /** The document can be replaced. */
  get #freezeMs(): number | null {
    const { timeZone, scoreboard } = this.#classroom.document;
    const { freeze } = scoreboard;
    return freeze === undefined ? null : Number(instantOf(freeze, timeZone));
  }

  /** The class of a member, or of an operator. */
  classOf(principal: Principal): z.output<typeof classViewSchema> {
    const { name, timeZone, hints, scoreboard } = this.#classroom.document;
    const student = principal.caller;
    const exercises = this.#course.shownTo(principal);
    const assignments = exercises.map((exercise) => this.#assignmentOf(exercise, student));
    return {
      name,
      timeZone,
      hints,
      now: timeText(this.#course.wallMs()),
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

  statisticsOf({ name: exercise, version }: Exercise): z.output<typeof statisticsSchema> {
    const { submissions, hints, starts } = this.#course;
    const works = this.#classroom.students.map(({ name: student }) => {
      const work = { student, exercise, version };
      const startedMs = starts.of(work);
      return { student, startedMs, submissions: submissions.list(work), hints: hints.list(work) };
    });
    const { hints: taken, missing, wrongAnswers, ...counts } = statisticsOf(works);
    const lists = { hints: [...taken], missing: [...missing], wrongAnswers: [...wrongAnswers] };
    return { exercise, ...counts, ...lists };
  }

  progressOf({ name, fullName, email, lmsId, groups }: Member): z.output<typeof progressSchema> {
    const exercises = this.#course.exercises.map((exercise) => this.#cellOf(exercise, name));
    return {
      student: name,
      fullName,
      email,
      lmsId,
      groups: [...groups],
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
        scores: exercises.map((exercise) => this.#course.scoreOf(exercise, name, { untilMs })),
      })),
    );
  }

  #assignmentOf(exercise: Exercise, student: string): z.output<typeof assignmentSchema> {
    const { name, title, points, version } = exercise;
    const work = { student, exercise: name, version };
    const schedule = this.#course.scheduleOf(exercise, student);
    const { opensMs, deadlineMs, closesMs, late } = schedule;
    const score = this.#course.scoreOf(exercise, student);
    return {
      name,
      title,
      points,
      phase: phaseAt(schedule, this.#course.wallMs()),
      opens: timeOrNull(opensMs),
      deadline: timeOrNull(deadlineMs),
      closes: timeOrNull(closesMs),
      late: late && { deduct: late.deduct, perSeconds: late.perMs / 1_000 },
      status: this.#statusOf(exercise, student),
      score: score.points,
      isManual: score.isManual,
      comment: this.#course.decisions.commentOf('grade', student, name),
      deadlineComment: this.#course.decisions.commentOf('extension', student, name),
      hintsTaken: this.#course.hints.list(work).map(({ number }) => number),
      submissionsLeft: this.#course.submissions.leftOf(work, limitOf(exercise)),
      exercise: `/v1/exercises/${name}`,
    };
  }

  #cellOf(exercise: Exercise, student: string): z.output<typeof progressCellSchema> {
    const work = { student, exercise: exercise.name, version: exercise.version };
    const { points, solvedMs, lateMs, isManual } = this.#course.scoreOf(exercise, student);
    const { submissions, hints, meter } = this.#course;
    return {
      exercise: exercise.name,
      status: this.#statusOf(exercise, student),
      score: points,
      isManual,
      lateSeconds: Math.ceil(lateMs / 1_000),
      deadline: timeOrNull(this.#course.scheduleOf(exercise, student).deadlineMs),
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
    statistics: forInstructors('statistics'),
    decisions: forInstructors('decisions'),
    exports:
      access === 'own'
        ? []
        : EXPORT_NAMES.map((name) => ({ name, path: `${path}/exports/${name}` })),
  };
}
