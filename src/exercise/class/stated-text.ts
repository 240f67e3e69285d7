/**
 * @module
 * Deadlines and the decisions of instructors as one line of text, for the command line and for the browser. `clock` shows a
 * time of the server.
 */

import type { Assignment, Decision } from '../answers.ts';

type Clock = (iso: string) => string;

/** The deadline of an exercise and its phase. */
export function deadlineText(
  stated: Pick<Assignment, 'phase' | 'opens' | 'deadline' | 'closes'>,
  clock: Clock,
): string {
  const { phase, opens, deadline, closes } = stated;
  const end = deadline === null ? 'none' : clock(deadline);
  if (phase === 'hidden' && opens !== null) return `${end}, hidden until ${clock(opens)}`;
  if (phase === 'late' && closes !== null) return `${end}, late until ${clock(closes)}`;
  return phase === 'over' ? `${end}, over` : end;
}

/** The text of a decision: what an instructor has decided, the name of the instructor, and the time. */
export function decisionText(decision: Decision, clock: Clock): string {
  const { type, student, exercise, made, undone, comment } = decision;
  return [
    `${type} of ${student ?? 'all students'}, ${exercise}: ${effectOf(decision, clock)}`,
    `by ${made.by}, ${clock(made.at)}`,
    ...(comment === null ? [] : [JSON.stringify(comment)]),
    ...(undone === null ? [] : [`undone by ${undone.by}, ${clock(undone.at)}`]),
  ].join('; ');
}

function effectOf(decision: Decision, clock: Clock): string {
  const { type, points, deadline, submissions, changes } = decision;
  if (type === 'grade')
    return points === null ? 'points of the submissions' : counted(points, 'point');
  if (type === 'extension')
    return deadline === null ? 'deadline of the class' : `until ${clock(deadline)}`;
  const count = counted(submissions ?? 0, 'submission');
  return type === 'reset'
    ? `${count} removed`
    : `${count} graded, ${counted(changes.length, 'score')} changed`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
