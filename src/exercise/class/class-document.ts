/**
 * @module
 * This folder contains classes: the document of an instructor, deadlines, and scores. This file is the schema of the
 * document. It is published as JSON Schema for editors.
 */

import { z } from 'zod';

import { integer, oneOf, probability, prose } from '../../experiment/document/wording.ts';
import { quantity } from '../../quantities.ts';
import { limitSchema, nameSchema } from '../document.ts';

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

const EMAIL_ERROR = 'must be an e-mail address such as ann@example.org';
/** Without quotes, spaces and control characters, so that it is one word in every table. */
const emailSchema = z
  .string({ error: EMAIL_ERROR })
  .max(254, { error: EMAIL_ERROR })
  .regex(/^[^\s\p{Cc}"',;<>()@]+@[^\s\p{Cc}"',;<>()@]+$/u, { error: EMAIL_ERROR });

const LMS_ID_ERROR = 'must be 1 to 100 characters without spaces, in quotes if it is a number';
const lmsIdSchema = z
  .string({ error: LMS_ID_ERROR })
  .regex(/^[^\s\p{Cc}\p{Cs}]{1,100}$/u, { error: LMS_ID_ERROR });

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
  email: emailSchema.optional().describe('Only in exports for instructors.'),
  lmsId: lmsIdSchema
    .optional()
    .describe('ID in the learning management system: SIS ID of Canvas, ID number of Moodle.'),
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
  const identities = (member: 'email' | 'lmsId') =>
    students.flatMap((student, index): Fault[] => {
      const text = student[member];
      return text === undefined ? [] : [[['students', index, member], text.toLowerCase()]];
    });
  return [
    ...repeated(members, 'must differ from the names of all other members'),
    ...repeated(identities('email'), 'must differ from those of all other students'),
    ...repeated(identities('lmsId'), 'must differ from those of all other students'),
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

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;
const FORM = 'must be a time such as 2026-10-15T23:59, or 2026-10-15T23:59+02:00';
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Whether this is the name of a time zone. Times in documents: ISO 8601 with an offset, or in the time zone of the
 * document (a name of the IANA database). A local time that does not exist or occurs twice, because clocks are
 * changed, is refused.
 */
function isTimeZone(name: string): boolean {
  try {
    return formatFor(name) !== null;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Milliseconds since 1970 of a time in a zone, or what is wrong with its text. */
export function instantOf(text: string, zone: string): number | string {
  const [, ...parts] = TIME.exec(text) ?? [];
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0));
  const isValid = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (parts.length === 0 || !isValid || hour > 23 || minute > 59 || second > 59) return FORM;
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const [utc, sign, hours, minutes] = parts.slice(6);
  if (utc !== undefined) return asUtc;
  if (sign === undefined) return inZone(asUtc, zone);
  const offset = 60 * Number(hours) + Number(minutes);
  if (offset > 14 * 60 || Number(minutes) > 59) return FORM;
  return asUtc - Number(`${sign}1`) * offset * MINUTE_MS;
}

/** A moment as a clock in the zone shows it, such as 2026-10-15 23:59, with its offset if the text occurs twice. */
export function localText(ms: number, zone: string): string {
  const { year = '', month, day, hour, minute, second } = shownAt(ms, zone);
  const date = `${year.padStart(4, '0')}-${month}-${day}`;
  const time = `${hour}:${minute}${second === '00' ? '' : `:${second}`}`;
  if (typeof instantOf(`${date}T${time}`, zone) === 'number') return `${date} ${time}`;
  const offset = offsetAt(ms - (ms % 1_000), zone) / HOUR_MS;
  return `${date} ${time} (UTC${offset < 0 ? '' : '+'}${offset} h)`;
}

function inZone(asUtc: number, zone: string): number | string {
  const offsets = [asUtc - DAY_MS, asUtc + DAY_MS].map((ms) => offsetAt(ms, zone));
  const instants = new Set(
    offsets.map((offset) => asUtc - offset).filter((ms) => ms + offsetAt(ms, zone) === asUtc),
  );
  const [instant] = instants;
  if (instant === undefined) return `must exist: clocks in ${zone} skip this time`;
  if (instants.size > 1) return `must have an offset: it occurs twice in ${zone}`;
  return instant;
}

/** What a clock in the zone shows minus UTC, in ms. */
function offsetAt(ms: number, zone: string): number {
  const shown = Object.entries(shownAt(ms, zone)).map(([type, value]) => [type, Number(value)]);
  const {
    year = 0,
    month = 1,
    day = 1,
    hour = 0,
    minute = 0,
    second = 0,
  } = Object.fromEntries(shown);
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
}

/** The digits of a clock in the zone, by their units. */
function shownAt(ms: number, zone: string): Readonly<Record<string, string>> {
  const parts = formatFor(zone).formatToParts(ms);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  });
}

function daysIn(year: number, month: number): number {
  return (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / DAY_MS;
}
