/**
 * @module
 * The one error class for input that usurp refuses, and the closed list of its codes (RFC 9457
 * `type`s under `/problems/`). A bug throws TypeError or RangeError instead and is never caught by
 * name. HTTP statuses are chosen in server/contract/problem.ts, exit codes in cli/exit.ts, nowhere else.
 */

import type { z } from 'zod';

/** Every code that a refusal may carry. */
export const ERROR_CODES = [
  'arguments',
  'document',
  'schema',
  'json.syntax',
  'json.duplicate_key',
  'json.encoding',
  'json.depth',
  'content_type',
  'content_encoding',
  'body.too_large',
  'host',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'job.size',
  'job.finished',
  'job.unfinished',
  'job.failed',
  'job.memory',
  'job.deadline',
  'job.interrupted',
  'limit.queue',
  'limit.elections',
  'limit.streams',
  'limit.rate',
  'limit.concurrent',
  'limit.cpu',
  'limit.connections',
  'limit.keys',
  'limit.storage',
  'check.address',
  'claim.refused',
  'id.exists',
  'election.closed',
  'election.restoring',
  'election.damaged',
  'sweep.damaged',
  'election.conflict',
  'auth.node',
  'message.signature',
  'message.equivocation',
  'storage.unavailable',
  'server.unready',
  'auth.credential',
  'auth.role',
  'auth.access',
  'auth.origin',
  'name.taken',
  'idempotency.mismatch',
  'idempotency.lost',
  'file.missing',
  'file.unreadable',
  'file.exists',
  'file.unwritable',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One place in the input that is wrong: a JSON pointer and what would be right there. */
export interface InputFault {
  readonly pointer: string;
  readonly detail: string;
}

/** The pointer of a path (RFC 6901): `['ring', 3]` is `/ring/3`; the whole document is ''. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Refused input: what is wrong (`detail`, in words that name the remedy) and where. */
export class LabError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly InputFault[];

  constructor(code: ErrorCode, detail: string, faults: readonly InputFault[] = []) {
    super(detail);
    this.name = 'LabError';
    this.code = code;
    this.faults = faults;
  }
}

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

/** The refusal of a value that is not `what`, in one line with the first of its faults. */
export function schemaError(what: string, faults: readonly InputFault[]): LabError {
  const [first] = faults;
  const where = first === undefined ? '' : `: ${first.pointer || '(the whole)'} ${first.detail}`;
  return new LabError('schema', `this is not a ${what}${where}`, faults);
}

/** An unknown member is pointed at itself, not at the object that contains it. */
function faultsOfIssue(issue: z.core.$ZodIssue): readonly InputFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      detail: 'is not a known member',
    }));
  }
  return [{ pointer: jsonPointer(issue.path), detail: issue.message }];
}
