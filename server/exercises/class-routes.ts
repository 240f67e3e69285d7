/**
 * @module
 * The routes about the class of the server. A server without a class has none: 404.
 */

import { z } from '@hono/zod-openapi';
import { LabError } from '../../src/errors.ts';
import { progressSchema, statisticsSchema } from '../../src/exercise/answers.ts';
import type { Sessions } from '../callers/sessions.ts';
import { sessionSecretIn, setSessionCookie } from '../callers/sessions.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { digestOfSecret } from '../callers/tokens.ts';
import { headersNamed } from '../contract/headers.ts';
import { mapPage, pageInOrder, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, routesOf } from '../contract/router.ts';
import { bindingsOf } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { OnFault } from '../request/refusals.ts';
import {
  eventAnswer,
  followed,
  followInput,
  requestedStream,
  STREAM_RULE,
} from '../streams/event-stream.ts';
import { EXPORT_NAMES, exportOf } from './class-exports.ts';
import { ClassViews, classViewSchema, standingSchema } from './class-views.ts';
import type { Member } from './classroom.ts';
import type { Course } from './course.ts';

const route = routesOf('class');
const path = '/v1/class';
const readRoute = route('get', path, {
  operationId: 'getClass',
  summary: 'Get your class: groups, deadlines and your points',
  responses: { 200: jsonAnswer(classViewSchema, 'The class.'), ...refusals(404) },
});

const scoreboardRoute = route('get', `${path}/scoreboard`, {
  operationId: 'getScoreboard',
  summary: 'List the scores of the students, the best first',
  description:
    'Students see what the class shows them, as it was when the scoreboard was frozen. Instructors see everything as it is.',
  query: pageQuerySchema,
  responses: {
    ...pageResponse(standingSchema, 'A page of the scoreboard.'),
    ...refusals(404),
  },
});

const progressRoute = route('get', `${path}/progress`, {
  operationId: 'listProgress',
  summary: 'List the progress of every student in every exercise, for instructors',
  query: pageQuerySchema,
  responses: { ...pageResponse(progressSchema, 'A page of students.'), ...refusals(404) },
});

const statisticsRoute = route('get', `${path}/statistics`, {
  operationId: 'listStatistics',
  summary: 'List what the class did for each exercise, for instructors',
  description:
    'Submissions until the solution, time from the start to the solution, hints, criteria that were not met, and wrong answers that several students gave.',
  query: pageQuerySchema,
  responses: { ...pageResponse(statisticsSchema, 'A page of exercises.'), ...refusals(404) },
});

const tokenRoute = route('post', `${path}/token`, {
  operationId: 'replaceToken',
  summary: 'Replace your own token',
  description:
    'The token ends at once, with the sessions and open answers of the member. A browser that is signed in gets a new cookie.',
  responses: {
    201: {
      ...jsonAnswer(
        z
          .object({ name: z.string(), token: z.string().describe('No later answer contains it.') })
          .meta({ id: 'OwnToken', example: { name: 'ann', token: 'student-0123456789' } }),
        'The new token. Location is the class.',
      ),
      headers: headersNamed('Set-Cookie'),
    },
    ...bodyRefusals(404, 503),
  },
});

const exportRoute = route('get', `${path}/exports/{name}`, {
  operationId: 'exportClass',
  summary: 'Export the class as CSV for another program, for instructors',
  description:
    'Grades: `grades` (all of them), `canvas` and `moodle` for the imports of these programs, `gradescope`, `githubClassroom` and `ctfdScoreboard` in the form of their own exports. Others: `roster` for Gradescope, `ctfdUsers` and `ctfdChallenges` for the CSV import of CTFd.',
  params: z.strictObject({
    name: z
      .enum(EXPORT_NAMES, `must be one of ${EXPORT_NAMES.join(', ')}`)
      .meta({ example: 'grades' }),
  }),
  responses: {
    200: { description: 'The table.', content: { 'text/csv': { schema: z.string() } } },
    ...refusals(404),
  },
});

const solveSchema = z
  .object({
    v: z.literal(1),
    seq: z.int().describe('Number of the event among those that you see, from 0; the id in SSE.'),
    event: z.literal('solve'),
    student: z.string().nullable().describe('Null where names are hidden.'),
    exercise: z.string(),
    solved: z.iso.datetime(),
  })
  .meta({
    id: 'SolveEvent',
    example: {
      v: 1,
      seq: 4,
      event: 'solve',
      student: 'ann',
      exercise: 'mine-claim',
      solved: '2026-10-12T09:30:00.000Z',
    },
  });

const noticeSchema = z
  .object({
    v: z.literal(1),
    event: z.enum(['resync', 'closing']),
    after: z.int().optional().describe('With resync: the number before that of the next event.'),
    retryAfterS: z.int().optional().describe('With closing.'),
  })
  .meta({ id: 'SolveNotice', example: { v: 1, event: 'closing', retryAfterS: 10 } });

const feedRoute = route('get', `${path}/events`, {
  operationId: 'followClass',
  summary: 'Follow the solutions of the class',
  description: `${STREAM_RULE} The events are \`solve\`, the oldest first. Students see those that the scoreboard shows them, and their own. \`resync\` precedes the first event if there are fewer than the caller has, after a reset. \`closing\` says that the server is stopping.`,
  ...followInput,
  responses: {
    200: eventAnswer(z.union([solveSchema, noticeSchema]), ['SolveEvent', 'SolveNotice']),
    ...refusals(404, 406, 429, 503),
  },
});

export interface ClassRouteParts {
  readonly course: Course;
  readonly sessions: Sessions;
  readonly lifecycle: Lifecycle;
  readonly streams: StreamBudget;
  readonly onFault: OnFault;
}

/** The routes about the class. */
export function createClassRoutes(parts: ClassRouteParts) {
  const { course, sessions, lifecycle, streams, onFault } = parts;
  const { classroom } = course;
  const own = classroom === null ? null : { classroom, views: new ClassViews(course, classroom) };
  const ofClass = () => {
    if (own === null) throw new LabError('not_found', 'this server has no class');
    return own;
  };
  return createRouter()
    .openapi(readRoute, (c) => c.json(ofClass().views.classOf(c.get('principal')), 200))
    .openapi(scoreboardRoute, (c) => {
      const rows = ofClass().views.scoreboard(c.get('principal'));
      return c.json(pageInOrder(rows, c.req.valid('query')), 200);
    })
    .openapi(progressRoute, (c) => {
      const { classroom: room, views } = ofClass();
      const students = room.students.toSorted(byName);
      const page = pageInOrder(students, c.req.valid('query'));
      return c.json(
        mapPage(page, (member) => views.progressOf(member)),
        200,
      );
    })
    .openapi(statisticsRoute, (c) => {
      const { views } = ofClass();
      const page = pageInOrder(course.exercises, c.req.valid('query'));
      return c.json(
        mapPage(page, (exercise) => views.statisticsOf(exercise)),
        200,
      );
    })
    .openapi(tokenRoute, (c) => {
      const { caller: name } = c.get('principal');
      const token = ofClass().classroom.replaceToken(name, bindingsOf(c).outgoing);
      const secret = sessionSecretIn(c.req.header('cookie'));
      if (secret !== null) {
        sessions.close(secret);
        const session = sessions.open(digestOfSecret(token));
        setSessionCookie(c, session.secret, session.expiresMs);
      }
      c.header('Location', path);
      c.header('Cache-Control', 'no-store');
      return c.json({ name, token }, 201);
    })
    .openapi(exportRoute, (c) => {
      const { name } = c.req.valid('param');
      const text = exportOf(name, { course, ...ofClass() });
      return c.body(text, 200, { 'Content-Type': 'text/csv' });
    })
    .openapi(feedRoute, (c) => {
      const { views } = ofClass();
      const principal = c.get('principal');
      const { form, after, end, ...request } = requestedStream(c);
      const see = (solve: Parameters<typeof views.seen>[0]) => views.seen(solve, principal);
      const open = () => ({
        free: streams.wait(principal),
        source: course.solves.source({ see, form, after, end }),
      });
      return followed(c, { form, ...request, lifecycle, onFault, open });
    });
}

const NAMES = new Intl.Collator('en', { numeric: true });

/** Numbers in names are compared as numbers, so that s2 is before s10. */
function byName({ name }: Member, other: Member): number {
  return NAMES.compare(name, other.name);
}
