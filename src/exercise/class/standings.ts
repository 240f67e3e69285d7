/**
 * @module
 * Scores and ranks. A score counts what was received until a time, so that a frozen scoreboard is the scoreboard of
 * that time.
 */

import type { Schedule } from './schedule.ts';
import { creditedPoints } from './schedule.ts';

/** What a student did for one exercise. */
export interface WorkDone {
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
}

/** The best credited submission less the hints before the solution, and at least 0, of what happened until a time. */
export function scoreOf(
  { submissions, hints }: WorkDone,
  schedule: Schedule,
  untilMs = Number.POSITIVE_INFINITY,
): Score {
  const counted = submissions.filter(({ createdMs }) => createdMs <= untilMs);
  const credits = counted.map(({ points, createdMs }) =>
    creditedPoints(points, createdMs, schedule),
  );
  const solution = counted.find(({ status }) => status === 'correct');
  const lastMs = Math.min(untilMs, solution?.createdMs ?? untilMs);
  const costs = hints.filter(({ takenMs }) => takenMs <= lastMs).map(({ cost }) => cost);
  const spent = costs.reduce((sum, cost) => sum + cost, 0);
  return {
    points: Math.max(0, Math.max(0, ...credits) - spent),
    solvedMs: solution?.createdMs ?? null,
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
  students: readonly { readonly student: string; readonly scores: readonly Score[] }[],
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
