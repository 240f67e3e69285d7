/**
 * @module
 * From zod's issues to the refusal a caller sees: one JSON pointer and one sentence for each wrong
 * member of a body. Parameters of path and query have no pointer and are named in the detail.
 */

import type { z } from '@hono/zod-openapi';
import type { InputFault } from '../../src/errors.ts';
import { jsonPointer, LabError } from '../../src/errors.ts';

type Issue = z.core.$ZodIssue;

/** The part of a request that a schema refused, in hono's word. */
export type SchemaTarget = 'json' | 'param' | 'query' | 'header' | 'cookie' | 'form';

/** The refusal of a request part whose validation gave these issues. */
export function schemaError(target: SchemaTarget, issues: readonly Issue[]): LabError {
  const faults = issues.flatMap(faultsOf);
  const first = faults[0] ?? { pointer: '', detail: 'not accepted' };
  if (target !== 'json') {
    const part = target === 'param' ? 'path' : target;
    return new LabError('schema', `${part} parameter ${first.pointer.slice(1)}: ${first.detail}`);
  }
  const place = first.pointer === '' ? 'the body' : first.pointer.slice(0, PLACE_LENGTH_MAX);
  const others = faults.length === 1 ? '' : ` (and ${faults.length - 1} more)`;
  return new LabError('schema', `${place}: ${first.detail}${others}`, faults);
}

function faultsOf(issue: Issue): InputFault[] {
  // A union that states its own demand says more than its likeliest branch.
  if (issue.code === 'invalid_union' && issue.message === UNSTATED) {
    const branch = nearestBranch(issue.errors);
    if (branch.length > 0) {
      return branch.flatMap((inner) =>
        faultsOf({ ...inner, path: [...issue.path, ...inner.path] }),
      );
    }
  }
  if (issue.code === 'invalid_union') {
    const options = 'options' in issue ? (issue.options ?? []) : [];
    const detail = `must be one of ${options.map(String).join(', ')}`;
    if (options.length > 0) return [{ pointer: jsonPointer(issue.path), detail }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'not a member that is known here',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: issue.message }];
}

/** zod's words where a schema states none. */
const UNSTATED = 'Invalid input';

/** The alternative the caller most likely meant: no unknown names first, then the fewest faults. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const cost = (branch: readonly Issue[]) =>
    branch.length + (branch.some(isUnknownName) ? UNKNOWN_NAME_COST : 0);
  return branches.toSorted((left, right) => cost(left) - cost(right))[0] ?? [];
}

function isUnknownName(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0;
}

/** More than a branch ever has issues. */
const UNKNOWN_NAME_COST = 1000;

const PLACE_LENGTH_MAX = 100;
