/**
 * @module
 * This folder contains the goals of exercises: each is one definition with all its facts. This file is the contract
 * of a goal.
 */

import { z } from 'zod';
import type { Policy } from '../../identity/policy.ts';
import type { Random, Seed } from '../../random.ts';
import { ruleOf } from '../../schema.ts';
import type { RecordPart, ServerRecord } from '../record.ts';
import type { Submission, SubmissionKind, SubmissionOf } from '../submission.ts';

/** What a goal derives the task of a student from. */
export interface Setting {
  /** The policy of the set-up, with the context of the instance. */
  readonly policy: Policy;
  /** Attempts that the student may spend; null without a budget. */
  readonly budgetAttempts: number | null;
  /** The seed of a labelled part of the instance. */
  readonly seed: (label: string) => Seed;
  /** The seed of a labelled part of the exercise, which is the same for all students. */
  readonly seedForAll: (label: string) => Seed;
}

/** A condition of a goal. It is met or not met, and earns its share of the points. */
interface Criterion {
  readonly weight: number;
  /** What is required, as a sentence. */
  readonly meaning: string;
}

/** Data that an answer may contain. */
export type Given = Readonly<Record<string, unknown>>;

interface GoalDefinition<
  Name extends string,
  Parameters extends z.ZodRawShape,
  Kind extends SubmissionKind,
  Task,
  Criteria extends string,
  Answer extends SubmissionOf<Kind>,
> {
  readonly name: Name;
  /** What the goal requires, for authors. */
  readonly summary: string;
  /** The kind of submission that it judges. */
  readonly submission: Kind;
  /** The schema of its answers, if it is narrower than that of the kind. Forms show it, and `judge` receives no other. */
  readonly answer?: z.ZodType<Answer>;
  /** The parts of the server's record that it needs. */
  readonly needs: readonly RecordPart[];
  /** The members of the goal in a document, besides `type`. */
  readonly parameters: Parameters;
  readonly criteria: Readonly<Record<Criteria, Criterion>>;
  /** Derives the task of a student. It may contain the solution. */
  readonly task: (parameters: z.output<z.ZodObject<Parameters>>, setting: Setting) => Task;
  /** What the student receives of the task. */
  readonly given: (task: Task) => Given;
  /**
   * What is missing for each criterion; null if it is met. A total function of its arguments. The texts must not
   * contain the solution.
   */
  readonly judge: (
    task: Task,
    submission: Answer,
    record: ServerRecord,
  ) => Readonly<Record<Criteria, string | null>>;
  /**
   * Whether a submission has data of this instance, which no other student can have by chance. Always false for
   * answers that can coincide, such as counts.
   */
  readonly isOf: (task: Task, submission: Answer) => boolean;
  /**
   * Given if a submission, or each of its claims, with data of one instance has none of another. The other instances are
   * not searched then, which verifies a signature for each. Default: false.
   */
  readonly isOfOne?: true;
}

/** One criterion after grading. */
export interface Judged extends Criterion {
  readonly criterion: string;
  /** What is missing; null if it is met. */
  readonly missing: string | null;
}

/** A goal with the task of one student. */
export interface BoundGoal {
  /** The parts of the server's record that it needs. */
  readonly needs: readonly RecordPart[];
  readonly criteria: readonly (Criterion & { readonly criterion: string })[];
  /** Made at each look, because it may need keys. */
  readonly given: Given;
  judge(submission: Submission, record: ServerRecord): readonly Judged[];
  isOf(submission: Submission): boolean;
  readonly isOfOne: boolean;
}

export type Goal = ReturnType<typeof defineGoal>;

/** A goal whose types are hidden, so that all goals have the same type. */
export function defineGoal<
  const Name extends string,
  Parameters extends z.ZodRawShape,
  Kind extends SubmissionKind,
  Task,
  Criteria extends string,
  Answer extends SubmissionOf<Kind> = SubmissionOf<Kind>,
>(goal: GoalDefinition<Name, Parameters, Kind, Task, Criteria, Answer>) {
  const { name, summary, submission: kind, needs, criteria } = goal;
  const own = z.strictObject(goal.parameters);
  const answer = goal.answer ?? z.custom<Answer>();
  const read = (submission: Submission): Answer | string => {
    if (submission.type !== kind) return `send a submission of the type ${kind}`;
    const { data, error } = answer.safeParse(submission);
    return data ?? faultIn(error?.issues);
  };
  const bind = ({ type: _type, ...parameters }: Given, setting: Setting): BoundGoal => {
    const task = goal.task(own.parse(parameters), setting);
    return {
      needs,
      criteria: Object.entries<Criterion>(criteria).map(([criterion, facts]) => {
        return { criterion, ...facts };
      }),
      get given() {
        return goal.given(task);
      },
      judge(submission, record) {
        const isRun = record.definition !== undefined || !needs.includes('definition');
        const found = read(submission);
        const reason =
          typeof found === 'string' ? found : (record.fault ?? 'a file is graded by `usurp grade`');
        const missing = typeof found !== 'string' && isRun ? goal.judge(task, found, record) : null;
        // Object.entries loses the names of the criteria.
        const entries = Object.entries(criteria) as [Criteria, Criterion][];
        return entries.map(([criterion, facts]) => {
          const text = missing === null ? reason : null;
          return { criterion, ...facts, missing: text ?? missing?.[criterion] ?? null };
        });
      },
      isOf(submission) {
        const found = read(submission);
        return typeof found !== 'string' && goal.isOf(task, found);
      },
      isOfOne: goal.isOfOne ?? false,
    };
  };
  const schema = z.strictObject({ type: z.literal(name), ...goal.parameters });
  return { name, summary, submission: kind, answer: goal.answer, needs, schema, bind };
}

/** What is wrong with an answer: its first fault. */
function faultIn([issue]: readonly z.core.$ZodIssue[] = []): string {
  if (issue === undefined) return 'is not accepted';
  if (issue.code === 'unrecognized_keys') return `${issue.keys[0]} is not yours to choose`;
  return `${String(issue.path.at(-1))} ${ruleOf(issue)}`;
}

/** The schema of an answer that has exactly these settings. */
export function settingsOf<Members extends z.ZodRawShape>(members: Members) {
  return z.strictObject({ type: z.literal('settings'), settings: z.strictObject(members) });
}

/** The schema of the smallest and the largest value of a number that is drawn for each student. */
export function range(low: number, high: number) {
  return z.tuple([z.int().min(low).max(high), z.int().min(low).max(high)]);
}

/** A number of such a range. */
export function drawn(random: Random, [low, high]: readonly [number, number]): number {
  return low + random.below(high - low + 1);
}

/** A number of each of these ranges, in the order of their names. */
export function drawnIn<Name extends string>(
  random: Random,
  bounds: Readonly<Record<Name, readonly [number, number]>>,
): Readonly<Record<Name, number>> {
  const entries = Object.entries<readonly [number, number]>(bounds).toSorted();
  const numbers = entries.map(([name, each]) => [name, drawn(random, each)]);
  // Object.fromEntries loses the names.
  return Object.fromEntries(numbers) as Record<Name, number>;
}
