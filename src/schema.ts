/**
 * @module
 * Reads foreign JSON by a schema, and words what is wrong with it. No message of the validation library
 * reaches a user.
 */

import type { z } from 'zod';

import type { InputFault } from './errors.ts';
import { jsonPointer, LabError } from './errors.ts';
import { withArticle } from './printable.ts';

type Issue = z.core.$ZodIssue;

/** A document with more faults than this is refused with the first ones. */
const FAULTS_MAX = 20;

/** Parses foreign JSON by a schema. Throws LabError `schema`, which names the first fault. */
export function parseBySchema<S extends z.ZodType>(
  schema: S,
  json: unknown,
  what: string,
): z.output<S> {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw schemaError(what, result.error.issues.flatMap(faultsOfIssue).slice(0, FAULTS_MAX));
}

/** Parses the text of foreign JSON by a schema. Throws LabError `json.syntax` or `schema`. */
export function parseTextBySchema<S extends z.ZodType>(
  schema: S,
  text: string,
  what: string,
): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new LabError('json.syntax', `this is not ${withArticle(what)}: it is no JSON`);
  }
  return parseBySchema(schema, json, what);
}

/** The refusal of a value that is not `what`, in one line with the first of its faults. */
export function schemaError(what: string, faults: readonly InputFault[]): LabError {
  const [first] = faults;
  const where = first === undefined ? '' : `: ${first.pointer || '(the whole)'} ${first.detail}`;
  return new LabError('schema', `this is not ${withArticle(what)}${where}`, faults);
}

/** An unknown member is pointed at itself, not at the object that contains it. */
function faultsOfIssue(issue: Issue): readonly InputFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'is not a known member',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: ruleOf(issue) }];
}

/** What is right, in the words of the schema, or of this file if the schema has none. */
export function ruleOf(issue: Issue): string {
  return isRaw(issue.message) ? wordingOf(issue) : issue.message;
}

/** Whether a message is one of the validation library. */
export function isRaw(message: string): boolean {
  return RAW.test(message);
}

/** How the validation library begins its own messages. Those of the schemas begin otherwise. */
const RAW = /^(?:Invalid |Too big|Too small|Unrecognized )/;

/** The names that a member accepts, if it accepts only names. */
export function namesIn(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code !== 'invalid_union' || !('options' in issue)) return [];
  return (issue.options ?? []).map(String);
}

/** What is right, for a fault whose schema has no message of its own. */
function wordingOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'too_big':
      return `must ${LIMITED[issue.origin] ?? 'be'} at most ${issue.maximum}`;
    case 'too_small':
      return `must ${LIMITED[issue.origin] ?? 'be'} at least ${issue.minimum}`;
    case 'invalid_format':
      return issue.pattern === undefined
        ? `must have the form ${issue.format}`
        : `must match ${issue.pattern}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return 'has a member that is not known here';
    case 'invalid_key':
      return 'has a name that is not accepted here';
    case 'invalid_union':
      return namesIn(issue).length > 0
        ? `must be one of ${namesIn(issue).join(', ')}`
        : 'has none of the accepted forms';
    case 'invalid_element':
    case 'custom':
      return 'is not accepted';
    default:
      return issue satisfies never;
  }
}

/** Types as a person calls them. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

/** How a limit is said, by what it limits. */
const LIMITED: Readonly<Record<string, string>> = {
  string: 'have a length of',
  array: 'have a length of',
  set: 'have a length of',
};
