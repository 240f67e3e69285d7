/**
 * @module
 * The routes about the class of the server. A server without a class has none: 404.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { LabError } from '../../src/errors.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import type { Cell } from '../../src/exercise/reports.ts';
import { csvOf } from '../../src/exercise/reports.ts';
import type { Sessions } from '../callers/sessions.ts';
import { sessionSecretIn, setSessionCookie } from '../callers/sessions.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { digestOfSecret } from '../callers/tokens.ts';
import { headersNamed } from '../contract/headers.ts';
import { NO_BODY } from '../contract/json-body.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, NO_QUERY } from '../contract/router.ts';
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
import { ClassViews, classViewSchema, progressSchema, standingSchema } from './class-views.ts';
import type { Classroom } from './classroom.ts';
import type { Course } from './course.ts';

/**
 * Exports of a class as CSV: grades, and what the CSV import of CTFd reads (docs.ctfd.io, Imports, CSV). CTFd takes
 * JSON in the columns of flags and hints (since 3.7), so that commas do not split a text, and hints have costs. It
 * ignores prerequisites, which have ids there; the description names them.
 */
const EXPORT_NAMES = ['grades', 'ctfdUsers', 'ctfdChallenges'] as const;

type ExportName = (typeof EXPORT_NAMES)[number];

interface ExportParts {
  readonly course: Course;
  readonly classroom: Classroom;
  readonly views: ClassViews;
}

/** The text of an export. */
function exportOf(name: ExportName, parts: ExportParts): string {
  return csvOf(TABLES[name](parts));
}

const TABLES: Readonly<Record<ExportName, (parts: ExportParts) => readonly (readonly Cell[])[]>> = {
  grades({ course, classroom, views }) {
    const names = course.exercises.map((exercise) => exercise.name);
    const head = ['student', 'full_name', 'groups', ...names, 'total'];
    const rows = classroom.students.map((member) => {
      const { student, fullName, groups, exercises, score } = views.progressOf(member);
      // An empty cell is no submission, and 0 a wrong one.
      const scores = exercises.map((cell) => (cell.status === 'untouched' ? '' : cell.score));
      return [student, fullName ?? '', groups.join(' '), ...scores, score];
    });
    return [head, ...rows];
  },
  // CTFd requires an email address of each user. Mail to .invalid is never delivered (RFC 2606).
  ctfdUsers: ({ classroom }) => [
    ['name', 'email'],
    ...classroom.students.map(({ name }) => [name, `${name}@example.invalid`]),
  ],
  ctfdChallenges: ({ course }) => [
    [
      ...['name', 'category', 'description', 'value', 'type', 'state', 'max_attempts'],
      ...['flags', 'tags', 'hints'],
    ],
    ...course.exercises.map((exercise) => {
      const { title, category, points, difficulty, hints } = exercise;
      const flag = course.flagOf(exercise);
      const flags = flag === null ? [] : [{ type: 'static', content: flag }];
      return [
        ...[title, category, describedFor(exercise, course), points, 'standard', 'hidden', 0],
        JSON.stringify(flags),
        `difficulty ${difficulty}`,
        JSON.stringify(hints.map(({ content, cost }) => ({ content, cost }))),
      ];
    }),
  ],
};

/** The statement, with what CTFd has no column for. */
function describedFor({ name, statement, requires }: Exercise, course: Course): string {
  const titles = course.exercises.filter((each) => requires.includes(each.name));
  const before = titles.map(({ title }) => title).join('; ');
  return [
    // A hyphen at the beginning of a line would be escaped as that of a formula.
    statement.trimEnd().replaceAll(/^( *)- /gm, '$1* '),
    `The name of the exercise in usurp is \`${name}\`.`,
    ...(before === '' ? [] : [`Solve before: ${before}.`]),
  ].join('\n\n');
}

const tags = ['class'];
const path = '/v1/class';
const nameSchema = z.string().regex(/^[a-z0-9._-]{1,64}$/, 'must be the name of a member');
const studentParam = nameSchema.meta({ description: 'The name of a student.', example: 'ann' });
const exerciseParam = z.string().max(64).meta({ example: 'predict-cost' });

const readRoute = createRoute({
  method: 'get',
  path,
  operationId: 'getClass',
  tags,
  summary: 'Get your class: groups, deadlines and your points',
  request: { query: NO_QUERY },
  responses: { 200: jsonAnswer(classViewSchema, 'The class.'), ...refusals(404) },
});

const scoreboardRoute = createRoute({
  method: 'get',
  path: `${path}/scoreboard`,
  operationId: 'getScoreboard',
  tags,
  summary: 'List the scores of the students, the best first',
  description:
    'Students see what the class shows them, as it was when the scoreboard was frozen. Instructors see everything as it is.',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(standingSchema, 'A page of the scoreboard.'),
    ...refusals(404),
  },
});

const progressRoute = createRoute({
  method: 'get',
  path: `${path}/progress`,
  operationId: 'listProgress',
  tags,
  summary: 'List the progress of every student in every exercise, for instructors',
  request: { query: pageQuerySchema },
  responses: { ...pageResponse(progressSchema, 'A page of students.'), ...refusals(404) },
});

const resetRoute = createRoute({
  method: 'delete',
  path: `${path}/progress/{student}/{exercise}`,
  operationId: 'resetExercise',
  tags,
  summary: 'Reset one exercise of a student, for instructors',
  description:
    'Removes submissions, solution, hints and metered forgeries. Suspicions stay. The student makes its elections anew by DELETE and POST …/instances.',
  request: {
    params: z.strictObject({ student: studentParam, exercise: exerciseParam }),
    query: NO_QUERY,
  },
  responses: { 204: { description: 'It was reset.' }, ...refusals(404, 503) },
});

const codeRoute = createRoute({
  method: 'post',
  path: `${path}/members/{name}/join-code`,
  operationId: 'renewJoinCode',
  tags,
  summary: 'Give a member a new join code, for instructors',
  description: 'The token of the member ends at once, with its sessions and open answers.',
  middleware: NO_BODY,
  request: { params: z.strictObject({ name: studentParam }), query: NO_QUERY },
  responses: {
    201: jsonAnswer(
      z
        .object({
          name: z.string(),
          role: z.enum(['student', 'instructor']),
          code: z.string().describe('No later answer contains it.'),
        })
        .meta({ id: 'ClassCode' }),
      'The code. Location is the progress of the class.',
    ),
    ...bodyRefusals(404, 503),
  },
});

const tokenRoute = createRoute({
  method: 'post',
  path: `${path}/token`,
  operationId: 'replaceToken',
  tags,
  summary: 'Replace your own token',
  description:
    'The token ends at once, with the sessions and open answers of the member. A browser that is signed in gets a new cookie.',
  middleware: NO_BODY,
  request: { query: NO_QUERY },
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

const exportRoute = createRoute({
  method: 'get',
  path: `${path}/exports/{name}`,
  operationId: 'exportClass',
  tags,
  summary: 'Export grades, or users and challenges for CTFd, as CSV, for instructors',
  request: {
    params: z.strictObject({
      name: z
        .enum(EXPORT_NAMES, `must be one of ${EXPORT_NAMES.join(', ')}`)
        .meta({ example: 'grades' }),
    }),
    query: NO_QUERY,
  },
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
      ...{ v: 1, seq: 4, event: 'solve', student: 'ann', exercise: 'mine-claim' },
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

const feedRoute = createRoute({
  method: 'get',
  path: `${path}/events`,
  operationId: 'followClass',
  tags,
  summary: 'Follow the solutions of the class',
  description: `${STREAM_RULE} The events are \`solve\`, the oldest first. Students see those that the scoreboard shows them, and their own. \`resync\` precedes the first event if there are fewer than the caller has, after a reset. \`closing\` says that the server is stopping.`,
  request: followInput,
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
      const numbered = rows.map((row, index) => ({ row, key: String(index).padStart(6, '0') }));
      const { items, ...page } = pageOf(numbered, ({ key }) => key, c.req.valid('query'));
      return c.json({ ...page, items: items.map(({ row }) => row) }, 200);
    })
    .openapi(progressRoute, (c) => {
      const { classroom: room, views } = ofClass();
      const { items, ...page } = pageOf(room.students, ({ name }) => name, c.req.valid('query'));
      return c.json({ ...page, items: items.map((member) => views.progressOf(member)) }, 200);
    })
    .openapi(resetRoute, (c) => {
      const { student, exercise } = c.req.valid('param');
      const { name } = ofClass().classroom.member(student);
      course.reset(course.get(exercise, c.get('principal')), name);
      return c.body(null, 204);
    })
    .openapi(codeRoute, (c) => {
      const issued = ofClass().classroom.renew(c.req.valid('param').name);
      c.header('Location', progressRoute.path);
      c.header('Cache-Control', 'no-store');
      return c.json(issued, 201);
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
