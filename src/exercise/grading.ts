/**
 * @module
 * The grade of a submission: a total function of the instance, the submitted answer and the server's record. Nothing
 * that a submission states about itself counts.
 */

import type { Exercise } from './document.ts';
import type { Instance } from './instance.ts';
import type { ServerRecord } from './record.ts';
import type { Submission } from './submission.ts';

/** What was found for one criterion of the goal. */
export interface Finding {
  readonly criterion: string;
  readonly met: boolean;
  readonly points: number;
  /** What was required if it is met, else what is missing. */
  readonly detail: string;
}

export interface Grade {
  readonly points: number;
  readonly passed: boolean;
  readonly findings: readonly Finding[];
}

/** Points are whole. Those of an incomplete solution are rounded down. */
export function grade(
  { points: most }: Pick<Exercise, 'points'>,
  { goal }: Pick<Instance, 'goal'>,
  { submission, record }: { readonly submission: Submission; readonly record: ServerRecord },
): Grade {
  const judged = goal.judge(submission, record);
  const all = judged.reduce((sum, { weight }) => sum + weight, 0);
  const met = judged.filter(({ missing }) => missing === null);
  const earned = met.reduce((sum, { weight }) => sum + weight, 0);
  return {
    points: Math.floor((most * earned) / all),
    passed: met.length === judged.length,
    findings: judged.map(({ criterion, weight, meaning, missing }) => ({
      criterion,
      met: missing === null,
      points: missing === null ? Math.floor((most * weight) / all) : 0,
      detail: missing ?? meaning,
    })),
  };
}
