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

/** The points of each criterion, in their order. They are whole, and their sum is exactly `most`. */
export function sharesOf(
  most: number,
  criteria: readonly { readonly weight: number }[],
): readonly number[] {
  const all = criteria.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  return criteria.map(({ weight }) => {
    const points = Math.floor((most * (before + weight)) / all) - Math.floor((most * before) / all);
    before += weight;
    return points;
  });
}

/** The points are those of the criteria that are met. */
export function grade(
  { points: most }: Pick<Exercise, 'points'>,
  { goal }: Pick<Instance, 'goal'>,
  { submission, record }: { readonly submission: Submission; readonly record: ServerRecord },
): Grade {
  const judged = goal.judge(submission, record);
  const shares = sharesOf(most, judged);
  const findings = judged.map(({ criterion, meaning, missing }, index): Finding => {
    const points = missing === null ? (shares[index] ?? 0) : 0;
    return { criterion, met: missing === null, points, detail: missing ?? meaning };
  });
  return {
    points: findings.reduce((sum, { points }) => sum + points, 0),
    passed: findings.every(({ met }) => met),
    findings,
  };
}
