/**
 * @module
 * This folder serves coursework: exercises, the instances of students, and the grading of their submissions. This
 * file is the course of one server: its exercises, its secret and its students.
 */

import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { LRUCache } from 'lru-cache';

import { LabError } from '../../src/errors.ts';
import { localText } from '../../src/exercise/class/class-document.ts';
import type { Phase, Schedule, Score } from '../../src/exercise/class/schedule.ts';
import {
  ALWAYS_OPEN,
  exercisesOf,
  phaseAt,
  scheduleOf,
  scoreOf,
} from '../../src/exercise/class/schedule.ts';
import { COURSE_SECRET_BYTES, courseFlag } from '../../src/exercise/derivation.ts';
import type { ClosedEndpoint, Exercise } from '../../src/exercise/document.ts';
import { limitOf } from '../../src/exercise/document.ts';
import { goalNamed } from '../../src/exercise/goals/registry.ts';
import type { Grade } from '../../src/exercise/grading.ts';
import { grade } from '../../src/exercise/grading.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import { createInstance, exerciseOfContext, foreignOwners } from '../../src/exercise/instance.ts';
import type { ServerRecord } from '../../src/exercise/record.ts';
import type { Submission } from '../../src/exercise/submission.ts';
import { isFileKind } from '../../src/exercise/submission.ts';
import type { ClaimJson } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import type { Goal } from '../../src/mining/goal.ts';
import type { Seed } from '../../src/random.ts';
import type { TokenHolders } from '../callers/tokens.ts';
import { inTurns } from '../callers/work-turns.ts';
import { schemaError, schemaFault } from '../contract/faults.ts';
import type { Principal } from '../request/principal.ts';
import { charged } from '../request/principal.ts';
import type { Classroom } from './classroom.ts';
import { Decisions } from './decisions.ts';
import { Hints, Starts } from './hints.ts';
import { Meter } from './meter.ts';
import { SolveFeed } from './solve-feed.ts';
import type { Evaluated, Work } from './submission-store.ts';
import { SubmissionStore } from './submission-store.ts';

/** The student of a server without tokens. */
const LOCAL_STUDENT = 'local';

/** Instances that are kept, of some kilobytes each. */
const INSTANCES_KEPT_MAX = 1_024;

export interface CourseParts {
  readonly exercises: readonly Exercise[];
  /** By default a random one: the instances are others after a restart. */
  readonly secret?: Uint8Array | undefined;
  /** The holders of tokens, who are the students; null if there is one local student. */
  readonly tokens?: Pick<TokenHolders, 'names'> | null;
  /** The class, whose students then are the only ones. */
  readonly classroom?: Classroom | null;
  readonly submissions?: SubmissionStore;
  readonly meter?: Meter;
  readonly hints?: Hints;
  readonly starts?: Starts;
  readonly decisions?: Decisions;
  readonly wallMs?: () => number;
}

/** Reads the server's record of a student's work on an exercise. */
export type ReadRecord = (exercise: Exercise) => Promise<ServerRecord>;

export class Course {
  #exercises: readonly Exercise[];
  readonly submissions: SubmissionStore;
  readonly meter: Meter;
  readonly #secret: Uint8Array;
  readonly hints: Hints;
  readonly starts: Starts;
  readonly decisions: Decisions;
  readonly solves = new SolveFeed();
  readonly classroom: Classroom | null;
  readonly wallMs: () => number;
  readonly #tokens: Pick<TokenHolders, 'names'> | null;
  /** The schedules of members only. A time in a zone takes some 50 µs to compute. */
  readonly #schedules = new Map<string, Schedule>();
  readonly #instances = new LRUCache<string, Instance>({ max: INSTANCES_KEPT_MAX });

  constructor({ exercises, secret, tokens = null, classroom = null, ...parts }: CourseParts) {
    this.classroom = classroom;
    this.#exercises = classroom === null ? exercises : exercisesOf(classroom.document, exercises);
    this.wallMs = parts.wallMs ?? Date.now;
    this.submissions = parts.submissions ?? new SubmissionStore();
    this.meter = parts.meter ?? new Meter();
    this.hints = parts.hints ?? new Hints();
    this.starts = parts.starts ?? new Starts();
    this.decisions = parts.decisions ?? new Decisions();
    this.#secret = secret ?? randomBytes(COURSE_SECRET_BYTES);
    this.#tokens = tokens;
  }

  /** Reads what is stored. Throws LabError `file.unreadable`. */
  open(): void {
    this.submissions.open();
    this.meter.open();
    this.hints.open();
    this.starts.open();
    this.decisions.open();
    for (const { work, solvedMs } of this.submissions.solutions()) this.solves.add(work, solvedMs);
  }

  /** The exercises, in the order of the class. */
  get exercises(): readonly Exercise[] {
    return this.#exercises;
  }

  /** The time zone of the class. */
  get timeZone(): string {
    return this.classroom?.document.timeZone ?? 'UTC';
  }

  /** Replaces the exercises, after the document of the class was replaced. What was submitted stays. */
  update(exercises: readonly Exercise[]): void {
    const { document } = this.classroom ?? {};
    this.#exercises = document === undefined ? exercises : exercisesOf(document, exercises);
    this.#schedules.clear();
    this.#instances.clear();
  }

  /** The exercises that a principal may see: instructors see those that have not opened yet. */
  shownTo(principal: Principal): readonly Exercise[] {
    return this.exercises.filter((exercise) => this.#phaseFor(exercise, principal) !== 'hidden');
  }

  /** Whether the course has an exercise of this name that a principal may see. */
  shows(name: string, principal: Principal): boolean {
    const found = this.exercises.find((exercise) => exercise.name === name);
    return found !== undefined && this.#phaseFor(found, principal) !== 'hidden';
  }

  /** Throws LabError `not_found`, also for an exercise that the principal may not see. */
  get(name: string, principal: Principal): Exercise {
    const found = this.shownTo(principal).find((exercise) => exercise.name === name);
    if (found === undefined) throw new LabError('not_found', `there is no exercise ${name}`);
    return found;
  }

  /** When an exercise is open for a student, by default with the extension that an instructor has given. */
  scheduleOf(
    { name }: Pick<Exercise, 'name'>,
    student: string,
    extensionMs = this.decisions.extensionOf(student, name),
  ): Schedule {
    if (this.classroom === null) return ALWAYS_OPEN;
    const key = JSON.stringify([name, student, extensionMs]);
    const kept = this.#schedules.get(key);
    if (kept !== undefined) return kept;
    const groups = this.classroom.members.get(student)?.groups ?? [];
    const member = { name: student, groups, extensionMs };
    const schedule = scheduleOf(this.classroom.document, name, member);
    if (this.classroom.members.has(student)) this.#schedules.set(key, schedule);
    return schedule;
  }

  /** The score of some work, of what was received until a time; by default of its submissions as they are. */
  scoreOf(
    exercise: Pick<Exercise, 'name' | 'version' | 'points'>,
    student: string,
    of: { readonly untilMs?: number | undefined; readonly submissions?: readonly Evaluated[] } = {},
  ): Score {
    const work = { student, exercise: exercise.name, version: exercise.version };
    const { untilMs, submissions = this.submissions.list(work) } = of;
    const set = this.decisions.gradeOf(student, exercise.name, untilMs);
    // The class may have lowered the points of the exercise since then.
    const manual = set && Math.min(set, exercise.points);
    const schedule = this.scheduleOf(exercise, student);
    const done = { submissions, hints: this.hints.list(work) };
    return scoreOf(done, { schedule, manual, ...(untilMs !== undefined && { untilMs }) });
  }

  /** The flag of an exercise for CTFd; null if the class has none, or no submission earns it here. */
  flagOf({ name: exercise, version, submission }: Exercise): string | null {
    if (this.classroom?.document.ctfdFlags !== true || isFileKind(submission)) return null;
    return courseFlag({ secret: this.#secret, exercise, version });
  }

  /** Takes a hint. Throws LabError `not_found` or `exercise.over`. */
  takeHint(exercise: Exercise, number: number, principal: Principal): Exercise['hints'][number] {
    const hint = exercise.hints[number - 1];
    if (hint === undefined) {
      const isWithout = this.classroom?.document.hints === false;
      const detail = isWithout
        ? 'the class has no hints'
        : `${exercise.name} has no hint ${number}`;
      throw new LabError('not_found', detail);
    }
    const work = this.workOf(exercise, principal);
    const isTaken = this.hints.list(work).some((taken) => taken.number === number);
    if (!isTaken) this.#assertNotOver(exercise, work.student);
    this.hints.take({ work, number, takenMs: this.wallMs(), cost: hint.cost });
    return hint;
  }

  /** What the principal works on. */
  workOf({ name, version }: Exercise, { owner }: Principal): Work {
    return { student: owner ?? LOCAL_STUDENT, exercise: name, version };
  }

  instanceOf(exercise: Exercise, principal: Principal): Instance {
    return this.instanceFor(exercise, this.workOf(exercise, principal).student);
  }

  /**
   * Evaluates a submission by the server's record. Null if the exercise is solved. Throws LabError `schema` for another
   * kind of submission than that of the exercise or an answer that its goal does not read, `exercise.over` after its end,
   * `exercise.not_started` without its elections, as `assertVerifiable`, or as `SubmissionStore.evaluate`.
   */
  async submit(
    exercise: Exercise,
    submission: Submission,
    { principal, recordOf }: { readonly principal: Principal; readonly recordOf: ReadRecord },
  ): Promise<Evaluated | null> {
    if (isFileKind(exercise.submission)) {
      const rule = `must be a file for this exercise: save a ${exercise.submission} as ${exercise.name}.ts, and hand it in to your instructor, who grades it with usurp grade`;
      throw schemaFault('/type', rule);
    }
    if (submission.type !== exercise.submission) {
      throw schemaFault('/type', `must be ${exercise.submission} for this exercise`);
    }
    const { error } = goalNamed(exercise.goal.type).answer?.safeParse(submission) ?? {};
    if (error !== undefined) throw schemaError('json', error.issues, submission);
    const work = this.workOf(exercise, principal);
    this.#assertNotOver(exercise, work.student);
    // The findings say which check a claim fails.
    for (const claim of claimsIn(submission)) this.assertVerifiable(claim, null, principal);
    const evaluated = await this.submissions.evaluate(work, limitOf(exercise), {
      submission,
      grade: async () => {
        const record = await recordOf(exercise);
        assertStarted(exercise, record);
        const instance = this.instanceFor(exercise, work.student);
        return charged(principal, () => {
          const graded = grade(exercise, instance, { submission, record });
          return graded.passed
            ? graded
            : this.#withOrigin(graded, submission, { exercise, principal });
        });
      },
      owners: () => {
        const owners = this.#ownersOf(exercise, submission, work.student);
        return inTurns(owners, { lane: 'body', principal });
      },
    });
    if (evaluated?.status === 'correct') this.solves.add(work, evaluated.createdMs);
    return evaluated;
  }

  /**
   * Throws LabError `exercise.closed` if the policy has the context of an instance, and the exercise closes the
   * endpoint or the instance is not one of the principal. An exercise that it may not see is like one that does not exist.
   */
  assertOpen(endpoint: ClosedEndpoint, { context }: Policy, principal: Principal): void {
    const name = exerciseOfContext(context);
    if (name === null) return;
    const exercise = this.shownTo(principal).find((each) => each.name === name);
    const isOwn =
      exercise !== undefined && this.instanceOf(exercise, principal).policy.context === context;
    if (isOwn && !exercise.setUp.closed.includes(endpoint)) return;
    const why = isOwn
      ? `the exercise ${name} closes ${endpoint}`
      : 'it is not that of your instance';
    throw new LabError('exercise.closed', `not with the context ${context}: ${why}`);
  }

  /**
   * Throws LabError `exercise.closed` for a forgery that the course does not allow, as `assertOpen`. A key that meets the
   * static puzzle meets it under every context. So in a class with an exercise that closes forgeries, students forge
   * only for a budget of attempts.
   */
  assertForgeable(policy: Policy, goal: Goal['type'], principal: Principal): void {
    this.assertOpen('forgeries', policy, principal);
    if (this.classroom?.members.get(principal.caller)?.role !== 'student') return;
    if (!this.exercises.some(({ setUp }) => setUp.closed.includes('forgeries'))) return;
    const exercise = this.exercises.find(({ name }) => name === exerciseOfContext(policy.context));
    const isMetered = exercise !== undefined && exercise.setUp.budgetAttempts !== null;
    const isOwn = isMetered && isLike(policy, this.instanceOf(exercise, principal).policy);
    if (isOwn && (goal === 'any' || goal === 'above')) return;
    throw new LabError('exercise.closed', FORGERY_RULE);
  }

  /**
   * Throws LabError `exercise.closed` if a verdict on the claim would answer an exercise that closes verifications: the
   * policy has the context of an instance of it, or the claim has a key or a node ID that the instance gives the student.
   * `policy` is null if the caller does not choose it.
   */
  assertVerifiable(
    { nodeId, publicKey }: Pick<ClaimJson, 'nodeId' | 'publicKey'>,
    policy: Policy | null,
    principal: Principal,
  ): void {
    for (const exercise of this.shownTo(principal)) {
      if (!exercise.setUp.closed.includes('verifications')) continue;
      const { name } = exercise;
      if (policy !== null && exerciseOfContext(policy.context) === name) {
        const detail = `the exercise ${name} closes verifications: a claim under the policy of its instance is not checked for you`;
        throw new LabError('exercise.closed', detail);
      }
      if (principal.access === 'all') continue;
      const given = JSON.stringify(this.instanceOf(exercise, principal).goal.given);
      if (!given.includes(nodeId) && !given.includes(publicKey)) continue;
      const detail = `the exercise ${name} closes verifications: this claim is data of your instance`;
      throw new LabError('exercise.closed', detail);
    }
  }

  /** The work that a forgery under this policy is metered for; null if it is not metered. */
  meteredWork({ context }: Policy, principal: Principal): Work | null {
    const name = exerciseOfContext(context);
    const exercise = this.exercises.find((each) => each.name === name);
    if (exercise === undefined || exercise.setUp.budgetAttempts === null) return null;
    return this.workOf(exercise, principal);
  }

  /**
   * Reserves the attempts of a metered forgery, and derives its seed, which the student cannot know before. Throws as
   * `Meter.begin`.
   */
  beginForgery(
    work: Work,
    asked: number | null,
  ): { readonly number: number; readonly attempts: number; readonly seed: Seed } {
    const exercise = this.exercises.find(({ name }) => name === work.exercise);
    if (exercise === undefined) throw new TypeError(`"work" expected an exercise of the course`);
    const budgetAttempts = exercise.setUp.budgetAttempts ?? 0;
    const begun = this.meter.begin(work, { budgetAttempts, asked });
    return {
      ...begun,
      seed: this.instanceFor(exercise, work.student).seed(`forgery/${begun.number}`),
    };
  }

  #phaseFor({ name }: Exercise, { owner = '', access }: Principal): Phase {
    if (access === 'all') return 'open';
    return phaseAt(this.scheduleOf({ name }, owner), this.wallMs());
  }

  /** By the time at which the request is received. */
  #assertNotOver(exercise: Exercise, student: string): void {
    const nowMs = this.wallMs();
    const schedule = this.scheduleOf(exercise, student);
    if (phaseAt(schedule, nowMs) !== 'over') return;
    const end = localText(schedule.closesMs ?? nowMs, this.timeZone);
    throw new LabError('exercise.over', `${exercise.name} was open until ${end} ${this.timeZone}`);
  }

  /** The instance of a student. A kept one has its task, whose keys take some milliseconds. */
  instanceFor(exercise: Exercise, student: string): Instance {
    const key = JSON.stringify([exercise.name, exercise.version, student]);
    const kept = this.#instances.get(key);
    if (kept !== undefined) return kept;
    const instance = createInstance(exercise, { secret: this.#secret, student });
    this.#instances.set(key, instance);
    return instance;
  }

  /** The grade, which says so if the submission has data of another exercise of the student. */
  #withOrigin(
    graded: Grade,
    submission: Submission,
    { exercise, principal }: { readonly exercise: Exercise; readonly principal: Principal },
  ): Grade {
    const others = this.shownTo(principal).filter(
      ({ name, submission: kind }) => name !== exercise.name && kind === submission.type,
    );
    const origin = others.find((each) => this.instanceOf(each, principal).goal.isOf(submission));
    const at = graded.findings.findIndex(({ met }) => !met);
    const finding = graded.findings[at];
    if (origin === undefined || finding === undefined) return graded;
    const detail = `${finding.detail}; the submission has data of your instance of ${origin.name}`;
    return { ...graded, findings: graded.findings.with(at, { ...finding, detail }) };
  }

  /** Other students whose data a submission has. */
  #ownersOf(exercise: Exercise, submission: Submission, student: string) {
    const names = this.classroom?.students.map(({ name }) => name) ?? this.#tokens?.names ?? [];
    const others = names.filter((name) => name !== student);
    return foreignOwners(submission, {
      own: this.instanceFor(exercise, student).goal,
      others: others.map((name) => ({ name, goal: () => this.instanceFor(exercise, name).goal })),
    });
  }
}

const FORGERY_RULE =
  'students of this class forge only for an exercise with a budget of attempts: with the policy of your instance, in which only c1 may differ, and the goal any, top or above';

/** Whether two policies differ in nothing but c1. */
function isLike(policy: Policy, other: Policy): boolean {
  return isDeepStrictEqual({ ...policy, c1: 0 }, { ...other, c1: 0 });
}

/** Throws LabError `exercise.not_started` if the goal needs an election of the instance that does not exist. */
function assertStarted({ name, goal, setUp }: Exercise, { elections }: ServerRecord): void {
  if (!goalNamed(goal.type).needs.includes('elections')) return;
  const missing = Object.keys(setUp.elections).find((part) => elections[part] === undefined);
  if (missing === undefined) return;
  const detail = `your instance has no election ${missing}: usurp exercise start ${name} makes it`;
  throw new LabError('exercise.not_started', detail);
}

function claimsIn(submission: Submission): readonly ClaimJson[] {
  if (submission.type === 'claim') return [submission.claim];
  return submission.type === 'claims' ? submission.claims : [];
}
