/**
 * @module
 * The one error class for input that usurp refuses, and the closed list of its codes (RFC 9457
 * `type`s under `/problems/`). A bug throws TypeError or RangeError instead and is never caught by
 * name. HTTP statuses are chosen in server/contract/problem.ts, exit codes in cli/exit.ts, nowhere else.
 */

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
  'limit.clusters',
  'limit.streams',
  'limit.rate',
  'limit.concurrent',
  'limit.cpu',
  'limit.connections',
  'limit.keys',
  'limit.storage',
  'limit.submissions',
  'check.address',
  'claim.refused',
  'id.exists',
  'election.closed',
  'election.restoring',
  'election.damaged',
  'sweep.damaged',
  'election.conflict',
  'cluster.conflict',
  'class.conflict',
  'exercise.closed',
  'exercise.attempts',
  'exercise.budget',
  'exercise.over',
  'exercise.not_started',
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
  'device.missing',
  'device.failed',
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

/** The names in a JSON Pointer (RFC 6901): what `jsonPointer` has joined. */
export function pathOfPointer(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
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
