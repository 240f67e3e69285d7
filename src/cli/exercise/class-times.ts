/**
 * @module
 * The deadlines of the class of a server for the caller, and what late submissions earn. Times are shown in the time zone of
 * the class, which is named.
 */

import { z } from 'zod';

import { LabError } from '../../errors.ts';
import { localText } from '../../exercise/class/class-document.ts';
import type { Remote } from './remote.ts';

const assignmentSchema = z.looseObject({
  name: z.string(),
  phase: z.enum(['hidden', 'open', 'late', 'over']),
  opens: z.iso.datetime().nullable(),
  deadline: z.iso.datetime().nullable(),
  closes: z.iso.datetime().nullable(),
  late: z.looseObject({ deduct: z.number(), perSeconds: z.number() }).nullable(),
  score: z.number(),
});

type Assignment = z.output<typeof assignmentSchema>;

const classSchema = z.looseObject({
  timeZone: z.string(),
  now: z.iso.datetime(),
  hints: z.boolean(),
  exercises: z.array(assignmentSchema),
});

/** The class, as far as the command line shows it. */
export type ClassOfCaller = z.output<typeof classSchema>;

/** Refusals of a server without a class, and of callers who are not in one. */
const WITHOUT_CLASS: readonly string[] = ['not_found', 'auth.credential', 'auth.role'];

/** The class of the server as the caller sees it; null without a class. */
export async function classOf(remote: Remote): Promise<ClassOfCaller | null> {
  try {
    return await remote.call('GET', '/v1/class', { schema: classSchema });
  } catch (error) {
    if (error instanceof LabError && WITHOUT_CLASS.includes(error.code)) return null;
    throw error;
  }
}

/** What the class has about an exercise; undefined without a class. */
export function assignmentIn(ofClass: ClassOfCaller | null, name: string): Assignment | undefined {
  return ofClass?.exercises.find((each) => each.name === name);
}

/** The deadline of an exercise and its phase, in the time zone of the class. */
export function deadlineText(assignment: Assignment | undefined, zone: string): string {
  if (assignment === undefined) return '-';
  const { phase, opens, deadline, closes } = assignment;
  const end = deadline === null ? 'none' : timeIn(deadline, zone);
  if (phase === 'hidden' && opens !== null) return `${end}, hidden until ${timeIn(opens, zone)}`;
  if (phase === 'late' && closes !== null) return `${end}, late until ${timeIn(closes, zone)}`;
  return phase === 'over' ? `${end}, over` : end;
}

/** Until when late submissions are accepted, and what they earn; null if no late one is. */
export function latenessText({ closes, late }: Assignment, zone: string): string | null {
  if (late === null || closes === null) return null;
  const share = `${roundedTo2(100 * late.deduct)} %`;
  const period = `${roundedTo2(late.perSeconds / 3_600)} h`;
  return `until ${timeIn(closes, zone)}, less ${share} for each ${period} that has begun`;
}

function roundedTo2(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** A time of the server as a clock in the zone shows it. */
export function timeIn(iso: string, zone: string): string {
  return localText(Date.parse(iso), zone);
}
