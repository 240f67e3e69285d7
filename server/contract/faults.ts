/**
 * @module
 * Refusals of a request that point at the member with the fault, by schemas and by further checks.
 */

import type { z } from '@hono/zod-openapi';

import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { jsonPointer, LabError } from '../../src/errors.ts';

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

/** The refusal of a part of a request with these issues. Only members of a body have pointers. */
export function schemaError(target: SchemaTarget, issues: readonly Issue[]): LabError {
  const faults = issues.flatMap(faultsOf);
  const first = faults[0] ?? { pointer: '', detail: 'not accepted' };
  if (target !== 'json') {
    const part = target === 'param' ? 'path' : target;
    return new LabError('schema', `${part} parameter ${first.pointer.slice(1)}: ${first.detail}`);
  }
  const where = first.pointer === '' ? 'the body' : first.pointer.slice(0, POINTER_LENGTH_MAX);
  const others = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  return new LabError('schema', `${where}: ${first.detail}${others}`, faults);
}

function faultsOf(issue: Issue): InputFault[] {
  const pointer = jsonPointer(issue.path);
  if (issue.code === 'invalid_union') {
    // The message of a union says more than its most likely branch.
    const branch = issue.message === NO_MESSAGE ? nearestBranch(issue.errors) : [];
    if (branch.length > 0) {
      return branch.flatMap((inner) =>
        faultsOf({ ...inner, path: [...issue.path, ...inner.path] }),
      );
    }
    const options = 'options' in issue ? (issue.options ?? []) : [];
    const detail = `must be one of ${options.map(String).join(', ')}`;
    if (options.length > 0) return [{ pointer, detail }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'not a member that is known here',
    }));
  }
  return [{ pointer, detail: RAW.test(issue.message) ? wordingOf(issue) : issue.message }];
}

/** How the validation library begins its own messages. Those of the schemas begin otherwise. */
const RAW = /^(?:Invalid |Too big|Too small|Unrecognized )/;

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
      return 'has none of the accepted forms';
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

/** zod's message if a schema has none. */
const NO_MESSAGE = 'Invalid input';

/** The branch that the caller most likely intended: without unknown names, and with the fewest faults. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const cost = (branch: readonly Issue[]) =>
    branch.length + (branch.some(isUnknownName) ? UNKNOWN_NAME_COST : 0);
  return branches.toSorted((left, right) => cost(left) - cost(right))[0] ?? [];
}

function isUnknownName(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0;
}

/** More than the number of issues of any branch. */
const UNKNOWN_NAME_COST = 1000;

const POINTER_LENGTH_MAX = 100;
