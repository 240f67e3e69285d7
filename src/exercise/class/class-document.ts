/**
 * @module
 * This folder contains classes: the document of an instructor, deadlines, and scores. This file is the schema of the
 * document. It is published as JSON Schema for editors.
 */

import { z } from 'zod';
import { integer, oneOf, probability, prose } from '../../experiment/document/wording.ts';
import { quantity } from '../../quantities.ts';
import { limitSchema, nameSchema } from '../document.ts';
import { instantOf, isTimeZone } from './local-time.ts';

/** Students of one class. */
export const STUDENTS_MAX = 500;
const INSTRUCTORS_MAX = 50;
const EXERCISES_MAX = 100;
const GROUPS_MAX = 20;
const SECONDS_MAX = 60 * 24 * 3600;

const MEMBER_ERROR = 'must be 1 to 64 of a-z, 0-9, dots, hyphens and underscores';
const memberSchema = z
  .string({ error: MEMBER_ERROR })
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: MEMBER_ERROR });

const FULL_NAME_ERROR = 'must be 1 to 100 characters without control characters';
const fullNameSchema = z
  .string({ error: FULL_NAME_ERROR })
  .regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, { error: FULL_NAME_ERROR });

const TIME_ERROR = 'must be a time in quotes or without, such as 2026-10-15T23:59';
const timeSchema = z
  .string({ error: TIME_ERROR })
  .max(40, { error: TIME_ERROR })
  .describe('ISO 8601 with an offset, or in the time zone of the class.');

const DURATION_ERROR = 'must be a time from 1s to 1440h, for example 24h';
const durationSchema = quantity('time', { min: 1, max: SECONDS_MAX }, DURATION_ERROR);

const lateSchema = z
  .strictObject({
    until: durationSchema.describe('How long after the deadline submissions are accepted.'),
    deduct: probability().describe('Share of the points that is deducted for each period.'),
    per: durationSchema.describe('The length of a period. A period that has begun counts.'),
  })
  .describe('What late submissions earn. Without it nothing is accepted after a deadline.');

const studentSchema = z.strictObject({
  name: memberSchema.describe('The name in the lab, which others may see.'),
  fullName: fullNameSchema.optional().describe('Shown to instructors.'),
  groups: z.array(nameSchema).max(GROUPS_MAX).default([]),
});

const entrySchema = z.strictObject({
  name: nameSchema.describe('Name of an exercise.'),
  points: integer(1, 1000).optional().describe('In place of the points of the exercise.'),
  opens: timeSchema.optional().describe('Before this time students do not see the exercise.'),
  deadline: timeSchema.optional(),
  extensions: z
    .record(z.string(), timeSchema)
    .default({})
    .describe('Other deadlines, by the name of a group or a student. The latest one applies.'),
  late: lateSchema.nullable().optional().describe('In place of that of the class; null for none.'),
  submissions: limitSchema.optional().describe('In place of the limit of the exercise.'),
});

const scoreboardSchema = z.strictObject({
  visibility: oneOf(['names', 'ranks', 'own'])
    .default('names')
    .describe('What students see of others: names and points, points alone, or nothing.'),
  freeze: timeSchema.optional().describe('After this time students see the scores of this time.'),
});

export const classSchema = z
  .strictObject({
    name: prose('The name of the class.'),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, { error: 'must be the name of a time zone, such as Europe/Berlin' })
      .default('UTC')
      .describe('The zone of all times without an offset.'),
    instructors: z.array(memberSchema).min(1).max(INSTRUCTORS_MAX),
    students: z.array(studentSchema).min(1).max(STUDENTS_MAX),
    exercises: z.array(entrySchema).min(1).max(EXERCISES_MAX),
    late: lateSchema.optional(),
    hints: z.boolean().default(true).describe('Whether students can buy hints.'),
    scoreboard: scoreboardSchema.prefault({}),
    ctfdFlags: z
      .boolean()
      .default(false)
      .describe('Whether a solution earns a flag for CTFd, which is the same for all students.'),
  })
  .superRefine((document, context) => {
    for (const [path, message] of faultsOf(document)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({ title: 'usurp class', description: 'A class with exercises and deadlines.' });

export type ClassDocument = Readonly<z.output<typeof classSchema>>;

type Fault = readonly [path: readonly (string | number)[], message: string];

/** What one member alone does not show. */
function faultsOf({
  instructors,
  students,
  exercises,
  timeZone,
  scoreboard,
}: Pick<
  ClassDocument,
  'instructors' | 'students' | 'exercises' | 'timeZone' | 'scoreboard'
>): readonly Fault[] {
  const members: Fault[] = [
    ...instructors.map((name, index): Fault => [['instructors', index], name]),
    ...students.map(({ name }, index): Fault => [['students', index, 'name'], name]),
  ];
  const names = students.flatMap(({ name, groups }) => [name, ...groups]);
  const times: Fault[] = exercises.flatMap(({ opens, deadline, extensions }, index): Fault[] => {
    const path = ['exercises', index];
    const others = Object.entries(extensions).map(([name, time]): Fault => {
      return [[...path, 'extensions', name], time];
    });
    return [
      ...(opens === undefined ? [] : [[[...path, 'opens'], opens] as const]),
      ...(deadline === undefined ? [] : [[[...path, 'deadline'], deadline] as const]),
      ...others,
    ];
  });
  const { freeze } = scoreboard;
  if (freeze !== undefined) times.push([['scoreboard', 'freeze'], freeze]);
  const entries = exercises.map(({ name }, index): Fault => [['exercises', index, 'name'], name]);
  const strangers = exercises.flatMap(({ extensions }, index) =>
    Object.keys(extensions)
      .filter((name) => !names.includes(name))
      .map((name): Fault => {
        return [['exercises', index, 'extensions', name], 'must be for a group or a student'];
      }),
  );
  return [
    ...repeated(members, 'must differ from the names of all other members'),
    ...repeated(entries, 'must not be listed twice'),
    ...times.flatMap(([path, text]): Fault[] => {
      const instant = isTimeZone(timeZone) ? instantOf(text, timeZone) : 0;
      return typeof instant === 'string' ? [[path, instant]] : [];
    }),
    ...(isTimeZone(timeZone) ? neverOpen(exercises, timeZone) : []),
    ...strangers,
  ];
}

/** Exercises that are over when they open. Times that cannot be read are faults of their own. */
function neverOpen(exercises: ClassDocument['exercises'], timeZone: string): Fault[] {
  return exercises.flatMap(({ opens, deadline }, index): Fault[] => {
    if (opens === undefined || deadline === undefined) return [];
    const [opensMs, deadlineMs] = [opens, deadline].map((text) => instantOf(text, timeZone));
    if (typeof opensMs !== 'number' || typeof deadlineMs !== 'number') return [];
    if (opensMs < deadlineMs) return [];
    return [[['exercises', index, 'opens'], `must be before the deadline, ${deadline}`]];
  });
}

/** The entries whose text an earlier one has. */
function repeated(entries: readonly Fault[], message: string): Fault[] {
  const seen = new Set<string>();
  return entries.flatMap(([path, text]): Fault[] => {
    const isSeen = seen.has(text);
    seen.add(text);
    return isSeen ? [[path, message]] : [];
  });
}
