/**
 * @module
 * Refusals of a request that point at the member with the fault, by schemas and by further checks.
 */

import { z } from '@hono/zod-openapi';

import type { FlagFault } from '../../src/election/definition/flags.ts';
import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { jsonPointer, LabError } from '../../src/errors.ts';
import { meantText, suggestion } from '../../src/experiment/reading/nearest.ts';
import { isRaw, namesIn, ruleOf } from '../../src/schema.ts';

type Issue = z.core.$ZodIssue;

/** A refusal of the member at a JSON pointer. */
export function faultAt(code: ErrorCode, pointer: string, detail: string): LabError {
  return new LabError(code, `${pointer}: ${detail}`, [{ pointer, detail }]);
}

/** The refusal of a member that the schema would refuse if it knew the others. */
export function schemaFault(pointer: string, detail: string): LabError {
  return faultAt('schema', pointer, detail);
}

/** Makes every LabError of `work` point at a member; `changed` replaces its code or its detail. */
export function pointingAt<T>(
  pointer: string,
  work: () => T,
  changed: { readonly code?: ErrorCode; readonly detail?: string } = {},
): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw faultAt(changed.code ?? error.code, pointer, changed.detail ?? error.message);
  }
}

/** The error with other pointers, if it is a refusal that points at one member. */
export function repointed(error: unknown, change: (pointer: string) => string): unknown {
  const [fault] = error instanceof LabError ? error.faults : [];
  if (!(error instanceof LabError) || fault === undefined) return error;
  return faultAt(error.code, change(fault.pointer), fault.detail);
}

/** The part of a request that a schema refused, as Hono names it. */
type SchemaTarget = 'json' | 'param' | 'query' | 'header' | 'cookie' | 'form';

/** Faults that an answer lists. Similar names are searched only for these. */
export const FAULTS_SHOWN_MAX = 16;

/** The refusal of `value`, a part of a request with these issues. Only members of a body have pointers. */
export function schemaError(
  target: SchemaTarget,
  issues: readonly Issue[],
  value: unknown,
): LabError {
  const bare = target === 'json' && bareModelFault(issues);
  const faults = bare ? [bare] : faultsIn(issues, value);
  const first = faults[0] ?? { pointer: '', detail: 'not accepted' };
  if (target !== 'json') {
    const part = target === 'param' ? 'path' : target;
    const name = first.pointer.slice(1);
    const isRepeated = target === 'query' && Array.isArray(memberAt(value, [name]));
    const detail = isRepeated ? 'must be given once' : first.detail;
    return new LabError('schema', `${part} parameter ${name}: ${detail}`);
  }
  const where = first.pointer === '' ? 'the body' : first.pointer.slice(0, POINTER_LENGTH_MAX);
  const others = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  return new LabError('schema', `${where}: ${first.detail}${others}`, faults);
}

function faultsIn(issues: readonly Issue[], value: unknown): InputFault[] {
  const faults: InputFault[] = [];
  for (const issue of issues) {
    for (const fault of faultsOf(issue, value, FAULTS_SHOWN_MAX - faults.length))
      faults.push(fault);
  }
  return faults;
}

/** A similar name is searched for the first `searched` faults. */
function faultsOf(issue: Issue, value: unknown, searched: number): InputFault[] {
  const pointer = jsonPointer(issue.path);
  if (issue.code === 'invalid_union') {
    // The message of a union says more than its most likely branch.
    const given = memberAt(value, issue.path);
    const branch = issue.message === NO_MESSAGE ? nearestBranch(issue.errors, given) : [];
    if (branch.length > 0) {
      return faultsIn(
        branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        value,
      );
    }
  }
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(issue);
    return issue.keys.map((key, index) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: known === null ? issue.message : unknownText(key, index < searched ? known : []),
    }));
  }
  return [{ pointer, detail: detailOf(issue, value, searched > 0) }];
}

/** What is wrong with a member that is missing, or has a wrong value. */
function detailOf(issue: Issue, value: unknown, isSearched: boolean): string {
  const rule = ruleOf(issue);
  const given = memberAt(value, issue.path);
  if (given === undefined && issue.path.length > 0) {
    return rule.startsWith('must ') ? `is missing: it ${rule}` : 'is missing';
  }
  if (!isSearched || typeof given !== 'string' || given.length > NAME_LENGTH_MAX) return rule;
  // A long list of names is shortened at its end.
  const meant = meantText(namesIn(issue), given);
  return meant === '' ? rule : `${JSON.stringify(given)} is not known${meant}: it ${rule}`;
}

function unknownText(key: string, known: readonly string[]): string {
  const near = key.length > NAME_LENGTH_MAX ? '' : suggestion(known, key);
  return `not a member that is known here${near}`;
}

/** The names after KNOWN; null if the schema has a message of its own. */
function knownNames({ message }: Issue): string[] | null {
  if (message.startsWith(KNOWN)) return message.slice(KNOWN.length).split(' ');
  return isRaw(message) ? [] : null;
}

/** Begins the message with the names that an object may have. An issue has only those that it may not have. */
const KNOWN = 'Unrecognized beside ';

// zod has one configuration. A schema with a message of its own does not use it.
z.config({
  customError: ({ code, inst }) =>
    code === 'unrecognized_keys' && inst instanceof z.ZodObject
      ? `${KNOWN}${Object.keys(inst.shape).join(' ')}`
      : undefined,
});

/** The value at a path; undefined if there is none. */
function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const part of path) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part);
    // An object with this member.
    found = isThere ? (found as Record<PropertyKey, unknown>)[part] : undefined;
  }
  return found;
}

/** Longer names are like none. */
const NAME_LENGTH_MAX = 64;

/** The refusal of a threat model in the place of a body that contains one; null for every other body. */
function bareModelFault(issues: readonly Issue[]): InputFault | null {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) continue;
    const isModel = MODEL_MEMBERS.some((name) => issue.keys.includes(name));
    if (!isModel || knownNames(issue)?.includes('threatModel') !== true) continue;
    const detail =
      'is a threat model itself: send it as {"threatModel": …}, or in YAML with Content-Type: application/yaml';
    return { pointer: '', detail };
  }
  return null;
}

/** Members of threat models that no request has. */
const MODEL_MEMBERS = ['adversaries', 'network', 'expect'];

/** zod's message if a schema has none. */
const NO_MESSAGE = 'Invalid input';

/**
 * The branch that the caller most likely intended: for a value of this type, without unknown names, and with the
 * fewest faults.
 */
function nearestBranch(branches: readonly (readonly Issue[])[], given: unknown): readonly Issue[] {
  const cost = (branch: readonly Issue[]) =>
    branch.length +
    (branch.some(isUnknownName) ? UNKNOWN_NAME_COST : 0) +
    (branch.some((issue) => isOtherType(issue, given)) ? OTHER_TYPE_COST : 0);
  return branches.toSorted((left, right) => cost(left) - cost(right))[0] ?? [];
}

/** Whether a branch is for values of another type than the given one. */
function isOtherType(issue: Issue, given: unknown): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_value') {
    return issue.values.every((value) => typeof value !== typeof given);
  }
  return issue.code === 'invalid_type' && !(issue.expected === 'int' && typeof given === 'number');
}

function isUnknownName(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0;
}

/** More than the number of issues of any branch. */
const UNKNOWN_NAME_COST = 1000;
const OTHER_TYPE_COST = 2 * UNKNOWN_NAME_COST;

const POINTER_LENGTH_MAX = 100;

/** The refusal of a flag in the member `flags` of a body. */
export function flagRefusal({ flag, detail }: FlagFault): LabError {
  return schemaFault(jsonPointer(['flags', flag]), detail);
}
