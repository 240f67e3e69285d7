/**
 * @module
 * When an exercise of a class is open for a student, and what late submissions earn. The time is an argument.
 */

import { LabError } from '../../errors.ts';
import type { Exercise } from '../document.ts';
import type { ClassDocument } from './class-document.ts';
import { instantOf } from './class-document.ts';

/** What a late submission earns. */
export interface LatePolicy {
  readonly deduct: number;
  readonly perMs: number;
}

/** The times of one exercise for one student, in ms since 1970. Null without a bound. */
export interface Schedule {
  readonly opensMs: number | null;
  readonly deadlineMs: number | null;
  /** The last moment at which submissions are accepted. */
  readonly closesMs: number | null;
  readonly late: LatePolicy | null;
}

/** Always open, as on a server without a class. */
export const ALWAYS_OPEN: Schedule = {
  opensMs: null,
  deadlineMs: null,
  closesMs: null,
  late: null,
};

export type Phase = 'hidden' | 'open' | 'late' | 'over';

/** The phase of an exercise at a time. A deadline is the last moment in time. */
export function phaseAt({ opensMs, deadlineMs, closesMs }: Schedule, nowMs: number): Phase {
  if (opensMs !== null && nowMs < opensMs) return 'hidden';
  if (deadlineMs === null || nowMs <= deadlineMs) return 'open';
  return closesMs !== null && nowMs <= closesMs ? 'late' : 'over';
}

/** Whole points of a submission that was received at a time. */
export function creditedPoints(
  points: number,
  receivedMs: number,
  { deadlineMs, late }: Schedule,
): number {
  if (deadlineMs === null || receivedMs <= deadlineMs) return points;
  if (late === null) return 0;
  const periods = Math.ceil((receivedMs - deadlineMs) / late.perMs);
  // 3 · 0.1 is above 0.3, which must not cost a point.
  return Math.max(0, Math.floor(points * (1 - periods * late.deduct) + ROUNDING));
}

const ROUNDING = 1e-9;

/** A member of a class with what decides about its deadline. */
interface Scheduled {
  readonly name: string;
  readonly groups: readonly string[];
  /** The deadline that an instructor has given this student alone; null for none. */
  readonly extensionMs?: number | null;
}

/** The schedule of an exercise for a member of a class. Of several deadlines the latest one applies. */
export function scheduleOf(
  document: ClassDocument,
  exercise: string,
  { name, groups, extensionMs = null }: Scheduled,
): Schedule {
  const entry = document.exercises.find((each) => each.name === exercise);
  if (entry === undefined) throw new LabError('not_found', `there is no exercise ${exercise}`);
  const at = (text: string) => Number(instantOf(text, document.timeZone));
  const own = [name, ...groups].flatMap((key) => entry.extensions[key] ?? []);
  const given = extensionMs === null ? [] : [extensionMs];
  const deadlines = [...[entry.deadline ?? [], own].flat().map(at), ...given];
  const deadlineMs =
    deadlines.length === 0 || entry.deadline === undefined ? null : Math.max(...deadlines);
  const policy = entry.late === undefined ? (document.late ?? null) : entry.late;
  const untilMs = policy === null ? 0 : 1_000 * policy.until;
  return {
    opensMs: entry.opens === undefined ? null : at(entry.opens),
    deadlineMs,
    closesMs: deadlineMs === null ? null : deadlineMs + untilMs,
    late: policy && { deduct: policy.deduct, perMs: 1_000 * policy.per },
  };
}

/** The exercises of a class in its order, with what it changes. A class without hints has none. */
export function exercisesOf(
  { exercises, hints: hasHints }: Pick<ClassDocument, 'exercises' | 'hints'>,
  known: readonly Exercise[],
): readonly Exercise[] {
  return exercises.flatMap(({ name, points, submissions }) => {
    const exercise = known.find((each) => each.name === name);
    if (exercise === undefined) return [];
    const { points: usual, submissions: limit } = exercise;
    const hints = hasHints ? exercise.hints : [];
    return { ...exercise, hints, points: points ?? usual, submissions: submissions ?? limit };
  });
}

/**
 * What a student did for one exercise. Scores and ranks. A score counts what was received until a time, so that a
 * frozen scoreboard is the scoreboard of that time.
 */
interface WorkDone {
  readonly submissions: readonly {
    readonly createdMs: number;
    readonly points: number;
    readonly status: string;
  }[];
  /** Hints that were taken, with their costs. */
  readonly hints: readonly { readonly takenMs: number; readonly cost: number }[];
}

export interface Score {
  readonly points: number;
  /** When it was solved; null if it is not. */
  readonly solvedMs: number | null;
  /** When the submission was received that the points are of; null if there is none. */
  readonly countedMs: number | null;
  /** How long after the deadline that was, in ms; 0 in time. */
  readonly lateMs: number;
  /** Whether an instructor has set the points. */
  readonly isManual: boolean;
}

export interface ScoreRules {
  readonly schedule: Schedule;
  readonly untilMs?: number;
  /** Points that an instructor has set, in place of those of the submissions; null for none. */
  readonly manual?: number | null;
}

/** The best credited submission less the hints before the solution, and at least 0, of what happened until a time. */
export function scoreOf(
  { submissions, hints }: WorkDone,
  { schedule, untilMs = Number.POSITIVE_INFINITY, manual = null }: ScoreRules,
): Score {
  const counted = submissions.filter(({ createdMs }) => createdMs <= untilMs);
  const credits = counted.map(({ points, createdMs }) =>
    creditedPoints(points, createdMs, schedule),
  );
  const best = Math.max(0, ...credits);
  // If several submissions have the best credit, the first of them counts.
  const countedMs = counted[credits.indexOf(best)]?.createdMs ?? counted[0]?.createdMs ?? null;
  const solution = counted.find(({ status }) => status === 'correct');
  const lastMs = Math.min(untilMs, solution?.createdMs ?? untilMs);
  const costs = hints.filter(({ takenMs }) => takenMs <= lastMs).map(({ cost }) => cost);
  const spent = costs.reduce((sum, cost) => sum + cost, 0);
  const { deadlineMs } = schedule;
  const isLate = countedMs !== null && deadlineMs !== null;
  return {
    points: manual ?? Math.max(0, best - spent),
    solvedMs: solution?.createdMs ?? null,
    countedMs,
    lateMs: isLate ? Math.max(0, countedMs - deadlineMs) : 0,
    isManual: manual !== null,
  };
}

export interface Standing {
  readonly student: string;
  /** Equal points have one rank. */
  readonly rank: number;
  readonly points: number;
  readonly solved: number;
}

/** All students, the best one first, equal ones by their names. */
export function standingsOf(
  students: readonly {
    readonly student: string;
    readonly scores: readonly Pick<Score, 'points' | 'solvedMs'>[];
  }[],
): readonly Standing[] {
  const totals = students
    .map(({ student, scores }) => ({
      student,
      points: scores.reduce((sum, { points }) => sum + points, 0),
      solved: scores.filter(({ solvedMs }) => solvedMs !== null).length,
    }))
    .toSorted((one, other) => other.points - one.points || (one.student < other.student ? -1 : 1));
  let rank = 0;
  return totals.map((total, index) => {
    if (total.points !== totals[index - 1]?.points) rank = index + 1;
    return { ...total, rank };
  });
}
