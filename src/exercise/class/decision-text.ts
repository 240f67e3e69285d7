/**
 * @module
 * A decision of an instructor as one line of text, for the command line and for the browser.
 */

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

/** What was decided, by whom and when. `clock` shows a time of the server. */
export function decisionText(decision: StatedDecision, clock: (iso: string) => string): string {
  const { type, student, exercise, made, undone, comment } = decision;
  return [
    `${type} of ${student ?? 'all students'}, ${exercise}: ${effectOf(decision, clock)}`,
    `by ${made.by}, ${clock(made.at)}`,
    ...(comment === null ? [] : [JSON.stringify(comment)]),
    ...(undone === null ? [] : [`undone by ${undone.by}, ${clock(undone.at)}`]),
  ].join('; ');
}

function effectOf(decision: StatedDecision, clock: (iso: string) => string): string {
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
