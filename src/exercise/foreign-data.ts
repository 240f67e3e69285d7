/**
 * @module
 * Whose data a submission has, besides that of its student.
 */

import type { BoundGoal } from './goals/goal.ts';
import type { Submission } from './submission.ts';

/** Another student with the goal of its instance, which may have to be made. */
export interface Other {
  readonly name: string;
  readonly goal: () => BoundGoal;
}

/**
 * The other students whose data a submission has. It pauses after each comparison, which may verify a signature. Every
 * claim of a submission is compared: a damaged or an own one beside it hides nothing.
 */
export function* foreignOwners(
  submission: Submission,
  { own, others }: { readonly own: BoundGoal; readonly others: Iterable<Other> },
): Generator<void, readonly string[]> {
  const parts: Submission[] = [];
  for (const part of partsOf(submission)) {
    if (!own.isOfOne || !own.isOf(part)) parts.push(part);
    yield;
  }
  const owners: string[] = [];
  if (parts.length === 0) return owners;
  for (const { name, goal } of others) {
    for (const part of parts) {
      const isOwner = goal().isOf(part);
      if (isOwner) owners.push(name);
      yield;
      if (isOwner) break;
    }
  }
  return owners;
}

/** A submission with one claim for each that it has, or as it is. */
function partsOf(submission: Submission): readonly Submission[] {
  if (submission.type !== 'claims') return [submission];
  return submission.claims.map((claim) => ({ ...submission, claims: [claim] }));
}
