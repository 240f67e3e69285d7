/**
 * @module
 * From a zod error to the faults of a LabError: one JSON pointer (RFC 6901) and one sentence for each
 * thing that is wrong, in the order zod found them. An unknown member is pointed at itself, not at
 * the object that holds it, so that a client can underline it.
 */

import type { z } from 'zod';
import type { InputFault } from '../errors.ts';
import { jsonPointer, LabError } from '../errors.ts';

/** A document with more faults than this is refused with the first ones. */
const FAULTS_MAX = 20;

/** Parses foreign JSON by a schema; throws LabError `schema` that says in one line what is wrong. */
export function parseBySchema<S extends z.ZodType>(
  schema: S,
  json: unknown,
  what: string,
): z.output<S> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const faults = faultsOf(result.error);
  const first = faults[0];
  const where = first === undefined ? '' : `: ${first.pointer || '(the whole)'} ${first.detail}`;
  throw new LabError('schema', `this is not a ${what}${where}`, faults);
}

/** The faults of a zod error, pointers relative to the value that was parsed. */
export function faultsOf(error: z.ZodError): readonly InputFault[] {
  return error.issues.flatMap(faultsOfIssue).slice(0, FAULTS_MAX);
}

function faultsOfIssue(issue: z.core.$ZodIssue): readonly InputFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'is not a member that is known here',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: issue.message }];
}
