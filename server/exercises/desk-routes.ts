/**
 * @module
 * The routes with which instructors run a class: their decisions about the work of students, class codes, and reading the file
 * of the class again.
 */

import { isDeepStrictEqual } from 'node:util';
import { z } from '@hono/zod-openapi';
import { LabError } from '../../src/errors.ts';
import { codeSchema, decisionSchema, reloadSchema } from '../../src/exercise/answers.ts';
import type { ClassDocument } from '../../src/exercise/class/class-document.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import { KEY_WITHOUT_BODY } from '../contract/json-body.ts';
import { timeText } from '../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../contract/router.ts';
import { bindingsOf } from '../request/env.ts';
import type { Principal } from '../request/principal.ts';
import type { Classroom, IssuedCode, MemberChanges } from './classroom.ts';
import type { Course } from './course.ts';
import type { Act, Decision } from './decisions.ts';
import { Gradebook } from './gradebook.ts';

const route = routesOf('class');
const path = '/v1/class';
const memberName = z.string().regex(/^[a-z0-9._-]{1,64}$/, 'must be the name of a member');
const studentSchema = memberName.meta({ description: 'The name of a student.', example: 'ann' });
const exerciseSchema = z
  .string()
  .max(64)
  .meta({ description: 'The name of an exercise.', example: 'predict-cost' });
const commentSchema = z
  .string()
  .regex(/^(?:[^\p{Cc}\p{Cs}]|\n){1,1000}$/u, 'must be 1 to 1000 characters of text')
  .nullable()
  .default(null)
  .describe('What the student reads with it.');

const requestSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('grade'),
      student: studentSchema,
      exercise: exerciseSchema,
      points: z
        .int()
        .min(0)
        .max(1000)
        .nullable()
        .describe('In place of the points of the submissions; null for those.'),
      comment: commentSchema,
    }),
    z.strictObject({
      type: z.literal('extension'),
      student: studentSchema,
      exercise: exerciseSchema,
      deadline: z
        .string()
        .max(40)
        .nullable()
        .describe(
          'ISO 8601 with an offset, or in the time zone of the class. The later one of it and the deadline of the class applies. Null takes it back.',
        ),
      comment: commentSchema,
    }),
    z.strictObject({
      type: z.literal('regrade'),
      exercise: exerciseSchema,
      student: studentSchema.optional(),
    }),
  ])
  .meta({ id: 'DecisionRequest' });

const listRoute = route('get', `${path}/decisions`, {
  operationId: 'listDecisions',
  summary: 'List what instructors have decided, for instructors',
  query: pageQuerySchema.extend({
    student: memberName.optional().meta({ description: 'Only decisions about this student.' }),
    exercise: exerciseSchema.optional().meta({ description: 'Only those about this exercise.' }),
  }),
  responses: {
    ...pageResponse(decisionSchema, 'A page of decisions, the newest first.'),
    ...refusals(404),
  },
});

const decideRoute = route('post', `${path}/decisions`, {
  operationId: 'decide',
  summary: 'Set a grade, give an extension, or grade submissions again, for instructors',
  description:
    'A decision is kept with its maker and its time. The last grade and the last extension of a student apply. A regrade grades the submissions by the exercise as it is now; where a goal needs elections, which have gone on, the findings stay and only the points are new.',
  body: jsonRequest(requestSchema, {
    example: { type: 'grade', student: 'ann', exercise: 'predict-cost', points: 15 },
  }),
  responses: {
    201: jsonAnswer(decisionSchema, 'The decision. Location is the list of decisions.'),
    ...bodyRefusals(404, 409, 429, 503),
  },
});

const undoRoute = route('post', `${path}/decisions/{number}/undo`, {
  operationId: 'undoDecision',
  middleware: KEY_WITHOUT_BODY,
  summary: 'Undo a grade, an extension or a reset, for instructors',
  description:
    'A reset gives back the submissions, hints and metered forgeries that it removed, beside what the student did since then. A regrade is not undone.',
  params: z.strictObject({
    number: z
      .string()
      .regex(/^[1-9][0-9]{0,8}$/, 'must be the number of a decision')
      .meta({ example: '3' }),
  }),
  responses: {
    200: jsonAnswer(decisionSchema, 'The decision, which has no effect any more.'),
    ...bodyRefusals(404, 409, 503),
  },
});

const resetRoute = route('delete', `${path}/progress/{student}/{exercise}`, {
  operationId: 'resetExercise',
  summary: 'Reset one exercise of a student, for instructors',
  description:
    'Removes submissions, solution, hints and metered forgeries. It is a decision, which can be undone. Suspicions stay. The student makes its elections anew by DELETE and POST …/instances.',
  params: z.strictObject({ student: studentSchema, exercise: exerciseSchema }),
  responses: { 204: { description: 'It was reset.' }, ...refusals(404, 503) },
});

const codeRoute = route('post', `${path}/members/{name}/join-code`, {
  operationId: 'renewJoinCode',
  middleware: KEY_WITHOUT_BODY,
  summary: 'Give a member a new class code, for instructors',
  description: 'The token of the member ends at once, with its sessions and open answers.',
  params: z.strictObject({ name: studentSchema }),
  responses: {
    201: jsonAnswer(codeSchema, 'The code. Location is the progress of the class.'),
    ...bodyRefusals(404, 503),
  },
});

const codesRoute = route('post', `${path}/join-codes`, {
  operationId: 'renewJoinCodes',
  middleware: KEY_WITHOUT_BODY,
  summary: 'Give a new class code to every member who has not joined, for instructors',
  description: 'Their earlier codes end. Members who have a token keep it.',
  responses: {
    201: jsonAnswer(
      z.object({ items: z.array(codeSchema) }).meta({ id: 'ClassCodes' }),
      'The codes. Location is the progress of the class.',
    ),
    ...bodyRefusals(404, 503),
  },
});

const reloadRoute = route('post', `${path}/reload`, {
  operationId: 'reloadClass',
  middleware: KEY_WITHOUT_BODY,
  summary: 'Read the file of the class and the exercises again, for instructors',
  description:
    'Members, groups, deadlines and exercises are then those of the files with which the server was started. A file with a fault is refused, and nothing changes.',
  responses: {
    200: jsonAnswer(reloadSchema, 'What has changed.'),
    ...bodyRefusals(404, 409, 503),
  },
});

/** Reads the class and the exercises from their files. */
export type ReadClass = () => Promise<{
  readonly document: ClassDocument;
  readonly exercises: readonly Exercise[];
}>;

export interface DeskRouteParts {
  readonly course: Course;
  /** Null if the class is in no file. */
  readonly readClass: ReadClass | null;
}

/** The routes with which instructors run a class. */
export function createDeskRoutes(parts: DeskRouteParts) {
  return createRouter().route('/', decisionRoutes(parts)).route('/', memberRoutes(parts));
}

function decisionRoutes({ course }: DeskRouteParts) {
  const gradebook = new Gradebook(course);
  return createRouter()
    .openapi(listRoute, (c) => {
      classOf(course);
      const { student, exercise, ...query } = c.req.valid('query');
      const decisions = course.decisions
        .list()
        .filter(({ ruling }) => student === undefined || ruling.student === student)
        .filter(({ ruling }) => exercise === undefined || ruling.exercise === exercise);
      return c.json(mapPage(pageOf(decisions, lastFirst, query), decisionView), 200);
    })
    .openapi(decideRoute, async (c) => {
      const principal = c.get('principal');
      const decision = await decide(gradebook, c.req.valid('json'), { course, principal });
      c.header('Location', listRoute.path);
      return c.json(decisionView(decision), 201);
    })
    .openapi(undoRoute, (c) => {
      classOf(course);
      const { number } = c.req.valid('param');
      return c.json(decisionView(gradebook.undo(Number(number), c.get('principal').caller)), 200);
    })
    .openapi(resetRoute, (c) => {
      const { student, exercise } = c.req.valid('param');
      const principal = c.get('principal');
      assertStudent(student, classOf(course));
      gradebook.reset(course.get(exercise, principal), student, principal.caller);
      return c.body(null, 204);
    });
}

function memberRoutes({ course, readClass }: DeskRouteParts) {
  return createRouter()
    .openapi(codeRoute, (c) => {
      const issued = classOf(course).renew(c.req.valid('param').name, bindingsOf(c).outgoing);
      c.header('Location', PROGRESS);
      c.header('Cache-Control', 'no-store');
      return c.json(issued, 201);
    })
    .openapi(codesRoute, (c) => {
      const items = [...classOf(course).renewUnused()];
      c.header('Location', PROGRESS);
      c.header('Cache-Control', 'no-store');
      return c.json({ items }, 201);
    })
    .openapi(reloadRoute, async (c) => {
      const classroom = classOf(course);
      if (readClass === null) throw new LabError('class.conflict', 'the class is in no file');
      const { document, exercises } = await readClass().catch(refuseFile);
      const { added, removed } = updated(classroom, document, bindingsOf(c).outgoing);
      const before = course.exercises;
      course.update(exercises);
      const changed = course.exercises.filter(
        (exercise) => !before.some((each) => isDeepStrictEqual(each, exercise)),
      );
      const names = changed.map(({ name }) => name);
      const codes: IssuedCode[] = [];
      await classroom.issueCodes(async (issued) => void codes.push(...issued));
      c.header('Cache-Control', 'no-store');
      return c.json({ added: [...added], removed: [...removed], changed: names, codes }, 200);
    });
}

/** A fault of a file is one of the class, not of the request or of the server. Throws LabError `class.conflict`. */
function refuseFile(error: unknown): never {
  if (!(error instanceof LabError)) throw error;
  throw new LabError('class.conflict', `nothing was changed: ${error.message}`);
}

function updated(classroom: Classroom, document: ClassDocument, own: unknown): MemberChanges {
  try {
    return classroom.update(document, own);
  } catch (error) {
    return refuseFile(error);
  }
}

const PROGRESS = `${path}/progress`;

function classOf({ classroom }: Course): Classroom {
  if (classroom === null) throw new LabError('not_found', 'this server has no class');
  return classroom;
}

function assertStudent(name: string, classroom: Classroom): void {
  if (classroom.member(name).role === 'student') return;
  throw new LabError('not_found', `${name} is no student`);
}

/** Throws LabError `not_found` for a student or an exercise that the class does not have. */
async function decide(
  gradebook: Gradebook,
  wanted: z.output<typeof requestSchema>,
  { course, principal }: { readonly course: Course; readonly principal: Principal },
): Promise<Decision> {
  const classroom = classOf(course);
  if (wanted.student !== undefined) assertStudent(wanted.student, classroom);
  const exercise = course.get(wanted.exercise, principal);
  const { caller: by } = principal;
  switch (wanted.type) {
    case 'grade':
      return gradebook.setGrade(exercise, wanted, by);
    case 'extension':
      return gradebook.extend(exercise, wanted, by);
    case 'regrade':
      return gradebook.regrade(exercise, wanted.student ?? null, by);
  }
}

function lastFirst({ number }: Decision): string {
  return String(Number.MAX_SAFE_INTEGER - number).padStart(16, '0');
}

function decisionView({ number, made, undone, ruling }: Decision): z.output<typeof decisionSchema> {
  const { type, student, exercise } = ruling;
  return {
    number,
    type,
    student,
    exercise,
    made: actView(made),
    undone: undone && actView(undone),
    points: type === 'grade' ? ruling.points : null,
    deadline:
      type === 'extension' && ruling.deadlineMs !== null ? timeText(ruling.deadlineMs) : null,
    comment: type === 'grade' || type === 'extension' ? ruling.comment : null,
    submissions: submissionsOf(ruling),
    changes: type === 'regrade' ? [...ruling.changes] : [],
  };
}

function submissionsOf(ruling: Decision['ruling']): number | null {
  if (ruling.type === 'reset') return ruling.removed.submissions.length;
  return ruling.type === 'regrade' ? ruling.submissions : null;
}

function actView({ by, atMs }: Act) {
  return { by, at: timeText(atMs) };
}
