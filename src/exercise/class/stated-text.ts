/**
 * @module
 * Deadlines and the decisions of instructors as one line of text, for the command line and for the browser. `clock` shows a
 * time of the server.
 */

type Clock = (iso: string) => string;

interface StatedDeadline {
  readonly phase: 'hidden' | 'open' | 'late' | 'over';
  readonly opens: string | null;
  readonly deadline: string | null;
  readonly closes: string | null;
}

/** The deadline of an exercise and its phase. */
export function deadlineText(stated: StatedDeadline, clock: Clock): string {
  const { phase, opens, deadline, closes } = stated;
  const end = deadline === null ? 'none' : clock(deadline);
  if (phase === 'hidden' && opens !== null) return `${end}, hidden until ${clock(opens)}`;
  if (phase === 'late' && closes !== null) return `${end}, late until ${clock(closes)}`;
  return phase === 'over' ? `${end}, over` : end;
}

interface Act {
  readonly by: string;
  readonly at: string;
}

/** A decision as the server states it. */
interface StatedDecision {
  readonly type: string;
  readonly student: string | null;
  readonly exercise: string;
  readonly made: Act;
  readonly undone: Act | null;
  readonly points: number | null;
  readonly deadline: string | null;
  readonly comment: string | null;
  readonly submissions: number | null;
  readonly changes: readonly object[];
}

/** The text of a decision: what an instructor has decided, the name of the instructor, and the time. */
export function decisionText(decision: StatedDecision, clock: Clock): string {
  const { type, student, exercise, made, undone, comment } = decision;
  return [
    `${type} of ${student ?? 'all students'}, ${exercise}: ${effectOf(decision, clock)}`,
    `by ${made.by}, ${clock(made.at)}`,
    ...(comment === null ? [] : [JSON.stringify(comment)]),
    ...(undone === null ? [] : [`undone by ${undone.by}, ${clock(undone.at)}`]),
  ].join('; ');
}

function effectOf(decision: StatedDecision, clock: Clock): string {
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
