/**
 * @module
 * The instance of a student: the exercise with everything in it that differs from student to student. It is created
 * again whenever it is needed.
 */

import type { Policy } from '../identity/policy.ts';
import type { Seed } from '../random.ts';
import { createRandom } from '../random.ts';
import { exerciseKey, instanceId, instanceKey, partSeed } from './derivation.ts';
import type { Exercise } from './document.ts';
import type { BoundGoal } from './goals/goal.ts';
import { goalNamed } from './goals/registry.ts';
import type { Submission } from './submission.ts';

export interface Instance {
  /** Public. It reveals neither the student nor a seed. */
  readonly id: string;
  /** The policy of the set-up, with the context of the instance. */
  readonly policy: Policy;
  /** The bodies of POST /v1/elections, by name. */
  readonly elections: Readonly<Record<string, ElectionBody>>;
  /** The seed of a labelled part. */
  readonly seed: (label: string) => Seed;
  readonly goal: BoundGoal;
}

type ElectionBody = Readonly<Record<string, unknown>> & { readonly seed: Seed };

/** Contexts of policies that begin with this belong to instances. */
const CONTEXT_PREFIX = 'exercise/';

/** The instance of a student under the secret of the course. */
export function createInstance(
  exercise: Exercise,
  { secret, student }: { readonly secret: Uint8Array; readonly student: string },
): Instance {
  const { name, version, setUp, goal } = exercise;
  const key = instanceKey({ secret, student, exercise: name, version });
  const id = instanceId(key);
  const seed = (label: string) => partSeed(key, label);
  const seedForAll = (label: string) =>
    partSeed(exerciseKey({ secret, exercise: name, version }), label);
  const policy = { ...setUp.policy, context: `${CONTEXT_PREFIX}${name}/${id}` };
  const { budgetAttempts } = setUp;
  const elections = Object.entries(setUp.elections).map(([part, body]) => {
    const label = `election/${part}`;
    return [part, { ...drawn(body, seed(`${label}/draws`)), seed: seed(label) }] as const;
  });
  return {
    id,
    policy,
    seed,
    elections: Object.fromEntries(elections),
    goal: goalNamed(goal.type).bind(goal, { policy, budgetAttempts, seed, seedForAll }),
  };
}

/** The name of the exercise that a context belongs to; null for the contexts of other policies. */
export function exerciseOfContext(context: string): string | null {
  return context.startsWith(CONTEXT_PREFIX) ? (context.split('/')[1] ?? '') : null;
}

/** A body with a number in place of every `{draw: [low, high]}`. */
function drawn(body: Readonly<Record<string, unknown>>, seed: Seed): Record<string, unknown> {
  const members = Object.entries(body).map(([name, value]) => [name, drawnIn(value, seed, name)]);
  return Object.fromEntries(members);
}

function drawnIn(value: unknown, seed: Seed, path: string): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => drawnIn(entry, seed, `${path}/${index}`));
  }
  if (typeof value !== 'object' || value === null) return value;
  const bounds: unknown = 'draw' in value ? value.draw : null;
  if (!Array.isArray(bounds)) {
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, member]) => [name, drawnIn(member, seed, `${path}/${name}`)]),
    );
  }
  const [low, high] = bounds.map(Number);
  if (low === undefined || high === undefined) return value;
  return low + createRandom(seed, path).below(high - low + 1);
}

/** Another student with the goal of its instance, which may have to be made. */
interface Other {
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
