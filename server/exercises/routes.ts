/**
 * @module
 * The routes about exercises.
 */

import { z } from '@hono/zod-openapi';
import { refusedIn } from '../../src/election/authentication/authenticated.ts';
import { LabError } from '../../src/errors.ts';
import {
  exerciseViewSchema,
  gradedSchema,
  hintSchema,
  instanceSchema,
  submissionViewSchema,
} from '../../src/exercise/answers.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import type { ActionRecord, ElectionRecord } from '../../src/exercise/record.ts';
import { answerSchema } from '../../src/exercise/submission.ts';
import { KEY_WITHOUT_BODY } from '../contract/json-body.ts';
import { newestFirst } from '../contract/members.ts';
import { mapPage, pageInOrder, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../contract/router.ts';
import type { ElectionAction } from '../elections/live/action.ts';
import type { LiveElection } from '../elections/live/live-election.ts';
import type { InstancePart } from '../elections/live/plan.ts';
import { electionRequestSchema, parseElectionRequest } from '../elections/live/request.ts';
import type { ElectionStore } from '../elections/storage/store.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { Principal } from '../request/principal.ts';
import { charged } from '../request/principal.ts';
import type { Course } from './course.ts';
import type { Work } from './submission-store.ts';
import {
  exerciseView,
  gradedView,
  instanceView,
  submissionView,
  suspicionSchema,
  suspicionView,
} from './views.ts';

const route = routesOf('exercises');
const path = '/v1/exercises/{name}';
const params = z.strictObject({ name: z.string().max(64).meta({ example: 'predict-cost' }) });

const listRoute = route('get', '/v1/exercises', {
  operationId: 'listExercises',
  summary: 'List the exercises',
  query: pageQuerySchema,
  responses: { ...pageResponse(exerciseViewSchema, 'A page of exercises.'), ...refusals() },
});

const readRoute = route('get', path, {
  operationId: 'getExercise',
  summary: 'Get an exercise',
  params,
  responses: { 200: jsonAnswer(exerciseViewSchema, 'The exercise.'), ...refusals(404) },
});

const instanceRoute = route('post', `${path}/instances`, {
  operationId: 'createExerciseInstance',
  summary: 'Get your instance of an exercise',
  description:
    'The instance is the same at each request. Its elections are created if they do not exist; after a DELETE of one, this request creates it anew as it was at first.',
  middleware: KEY_WITHOUT_BODY,
  params,
  responses: {
    200: jsonAnswer(instanceSchema, 'The instance.'),
    ...bodyRefusals(404, 409, 429, 503),
  },
});

const submitRoute = route('post', `${path}/submissions`, {
  operationId: 'answerExercise',
  summary: 'Submit an answer, which is graded by the record of the server',
  description:
    'An answer that is one number may be the number alone. A submission to a solved exercise is `already_solved` and is not evaluated. The number of submissions that are evaluated is limited.',
  params,
  body: jsonRequest(answerSchema, { example: { type: 'number', number: 1234 } }),
  responses: {
    200: jsonAnswer(gradedSchema, 'The status, and what is missing.'),
    ...bodyRefusals(404, 409, 429, 503),
  },
});

const listSubmissionsRoute = route('get', `${path}/submissions`, {
  operationId: 'listSubmissions',
  summary: 'List your submissions to an exercise, or as an instructor those of a student',
  params,
  query: pageQuerySchema.extend({
    student: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Student. Only instructors can name another one.' }),
  }),
  responses: {
    ...pageResponse(submissionViewSchema, 'A page of submissions, the newest first.'),
    ...refusals(404),
  },
});

const suspicionsRoute = route('get', `${path}/suspicions`, {
  operationId: 'listSuspicions',
  summary: 'List submissions with data of another student, for instructors',
  params,
  query: pageQuerySchema,
  responses: {
    ...pageResponse(suspicionSchema, 'A page of suspicions, the newest first.'),
    ...refusals(404),
  },
});

const hintRoute = route('post', `${path}/hints/{number}`, {
  operationId: 'takeHint',
  summary: 'Take a hint, which costs points',
  description:
    'It is charged once, however often it is asked for. A hint that is taken after the solution costs nothing.',
  middleware: KEY_WITHOUT_BODY,
  params: params.extend({
    number: z
      .string()
      .regex(/^[1-9][0-9]{0,2}$/, 'must be a number from 1')
      .meta({ description: 'Position of the hint in the exercise, from 1.', example: '1' }),
  }),
  responses: {
    200: jsonAnswer(hintSchema, 'The hint, and your score after it.'),
    ...bodyRefusals(404, 409, 429, 503),
  },
});

export interface ExerciseRouteParts {
  readonly course: Course;
  readonly elections: ElectionStore;
  readonly lifecycle: Lifecycle;
}

/** The routes about exercises. */
export function createExerciseRoutes(parts: ExerciseRouteParts) {
  return createRouter().route('/', catalogueRoutes(parts)).route('/', workRoutes(parts));
}

/** What an exercise has for all its students. */
function catalogueRoutes({ course }: ExerciseRouteParts) {
  return createRouter()
    .openapi(listRoute, (c) => {
      const shown = course.shownTo(c.get('principal'));
      const page = pageInOrder(shown, c.req.valid('query'));
      return c.json(
        mapPage(page, (exercise) => exerciseView(exercise, shown)),
        200,
      );
    })
    .openapi(readRoute, (c) => {
      const principal = c.get('principal');
      const exercise = course.get(c.req.valid('param').name, principal);
      return c.json(exerciseView(exercise, course.shownTo(principal)), 200);
    });
}

/** What belongs to a student. */
function workRoutes({ course, elections, lifecycle }: ExerciseRouteParts) {
  const instanceElections = new InstanceElections(elections);
  return createRouter()
    .openapi(instanceRoute, async (c) => {
      const principal = c.get('principal');
      const exercise = course.get(c.req.valid('param').name, principal);
      const instance = course.instanceOf(exercise, principal);
      course.starts.begin(course.workOf(exercise, principal), course.wallMs());
      const ids = await instanceElections.create(exercise, instance, principal);
      const { budgetAttempts } = exercise.setUp;
      const work = course.workOf(exercise, principal);
      const attemptsLeft = budgetAttempts && course.meter.leftOf(work, budgetAttempts);
      return c.json(
        charged(principal, () =>
          instanceView(exercise, instance, { elections: ids, attemptsLeft }),
        ),
        200,
      );
    })
    .openapi(submitRoute, async (c) => {
      const principal = c.get('principal');
      const exercise = course.get(c.req.valid('param').name, principal);
      const evaluated = await course.submit(exercise, c.req.valid('json'), {
        principal,
        recordOf: async () => ({
          elections: await instanceElections.records(exercise, principal, lifecycle),
          forgeries: course.meter.list(course.workOf(exercise, principal)),
        }),
      });
      return c.json(gradedView(course, exercise, { evaluated, principal }), 200);
    })
    .openapi(hintRoute, (c) => {
      const principal = c.get('principal');
      const { name, number } = c.req.valid('param');
      const exercise = course.get(name, principal);
      const { title, content, cost } = course.takeHint(exercise, Number(number), principal);
      const { student } = course.workOf(exercise, principal);
      const { points } = course.scoreOf(exercise, student);
      return c.json({ number: Number(number), title, content, cost, score: points }, 200);
    })
    .openapi(listSubmissionsRoute, (c) => {
      const principal = c.get('principal');
      const exercise = course.get(c.req.valid('param').name, principal);
      const { student, ...query } = c.req.valid('query');
      const work = course.workOf(exercise, principal);
      if (student !== undefined) assertReadable(student, { work, principal, course });
      const list = course.submissions.list({ ...work, student: student ?? work.student });
      return c.json(mapPage(pageOf(list, newestFirst, query), submissionView), 200);
    })
    .openapi(suspicionsRoute, (c) => {
      const { name } = course.get(c.req.valid('param').name, c.get('principal'));
      const found = course.submissions.suspicionsOf(name);
      const numbered = found.map((each, index) => ({
        ...each,
        id: String(index).padStart(8, '0'),
      }));
      const page = pageOf(numbered, newestFirst, c.req.valid('query'));
      return c.json(mapPage(page, suspicionView), 200);
    });
}

/** Throws LabError `auth.role` for the work of another student, and `not_found` for a student that the class does not have. */
function assertReadable(
  student: string,
  { work, principal, course }: { work: Work; principal: Principal; course: Course },
): void {
  if (student === work.student) return;
  if (principal.access === 'own') {
    throw new LabError('auth.role', 'submissions of another student require the role instructor');
  }
  course.classroom?.member(student);
}

type Document = Pick<Exercise, 'name' | 'version' | 'setUp'>;

/**
 * Finds and creates the elections of instances. The elections of an instance. Their plans say which instance they
 * belong to, so that nothing else is stored: an election that is missing is created again from the instance.
 */
class InstanceElections {
  readonly #elections: ElectionStore;
  /** Elections that are being created, so that requests at the same time create one. */
  readonly #creating = new Map<string, Promise<string>>();

  constructor(elections: ElectionStore) {
    this.#elections = elections;
  }

  /** The id of each election by its name, without those that do not exist. */
  idsOf(exercise: Document, principal: Principal): Readonly<Record<string, string>> {
    const own = this.#elections.list(principal).flatMap(({ id, request }) => {
      const { instance, origin, owner } = request;
      const isOwn =
        owner === principal.owner &&
        origin === undefined &&
        instance?.exercise === exercise.name &&
        instance.version === exercise.version;
      return isOwn ? [[instance.part, id] as const] : [];
    });
    return Object.fromEntries(own);
  }

  /** The same, after those that are missing were created. Throws as `ElectionStore.create`. */
  async create(
    exercise: Document,
    instance: Instance,
    principal: Principal,
  ): Promise<Readonly<Record<string, string>>> {
    const found = this.idsOf(exercise, principal);
    const ids = Object.keys(instance.elections).map(async (part) => {
      const key = `${instance.id}/${part}`;
      const id =
        found[part] ??
        this.#creating.get(key) ??
        this.#make(exercise, instance, { part, principal });
      if (typeof id !== 'string') this.#creating.set(key, id);
      try {
        return [part, await id] as const;
      } finally {
        this.#creating.delete(key);
      }
    });
    return Object.fromEntries(await Promise.all(ids));
  }

  async #make(
    { name, version, setUp }: Document,
    { elections, policy }: Instance,
    { part, principal }: { readonly part: string; readonly principal: Principal },
  ): Promise<string> {
    const body = electionRequestSchema.parse(elections[part]);
    const plan = parseElectionRequest(body, policy);
    const closed: InstancePart['closed'] = setUp.closed.flatMap((endpoint) => CLOSED[endpoint]);
    const instance = { exercise: name, version, part, closed };
    const created = await this.#elections.create(
      { ...plan, instance },
      // The key of the request is for its answer, not for one of the elections.
      { ...principal, keyed: null },
    );
    return created.id;
  }

  /** The record of each election that exists. */
  async records(
    exercise: Document,
    principal: Principal,
    ends: Pick<Lifecycle, 'onDrain'>,
  ): Promise<Readonly<Record<string, ElectionRecord>>> {
    const ids = Object.entries(this.idsOf(exercise, principal));
    const records = ids.map(async ([part, id]) => {
      await this.#elections.restore(id, principal, ends);
      return [part, recordOf(this.#elections.get(id, principal))] as const;
    });
    return Object.fromEntries(await Promise.all(records));
  }
}

/** What each endpoint stands for. Contexts of policies close the others. */
const CLOSED: Readonly<Record<Exercise['setUp']['closed'][number], InstancePart['closed']>> = {
  verifications: [],
  forgeries: [],
  actions: ['conduct'],
  copies: ['examine'],
};

function recordOf({ request, history, stage }: LiveElection): ElectionRecord {
  const { simulation } = stage;
  const { options, initiators } = request;
  const { idle, leader, agreed, messages, ticks, bound } = simulation.status();
  return {
    options: { ...options, initiators },
    actions: history.actions.map(actionOf),
    status: { idle, leader, agreed, messages, ticks, bound },
    nodes: simulation.nodes().map(({ rank, up, leader: followed }) => ({
      rank,
      up,
      leader: followed,
      outside: (stage.roster.nodes.find((node) => node.rank === rank)?.joined ?? null) !== null,
      refusedSeals: refusedSealsIn(refusedIn(simulation.stateOf(rank))),
    })),
    phantoms: simulation.plan.phantoms,
  };
}

function actionOf(action: ElectionAction): ActionRecord {
  const { type } = action;
  switch (type) {
    case 'inject':
      return { type, from: action.from, message: { ...action.message } };
    case 'outbox':
      return { type, sends: action.effects.filter((effect) => effect.type === 'send').length };
    default:
      return { type };
  }
}

function refusedSealsIn(refused: ReturnType<typeof refusedIn>): number {
  return refused === null ? 0 : refused.malformed + refused.signature + refused.candidacy;
}
