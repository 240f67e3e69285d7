/**
 * @module
 * Refusals as RFC 9457 problem documents: the one place that gives an error code its HTTP status. A
 * problem never carries the text of an exception that is not a LabError; who serves learns of those
 * through `onFault`, the caller gets the request id to ask with.
 */

import { HTTPException } from 'hono/http-exception';
import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';
import type { RefusalCode } from '../../src/identity/admit.ts';
import type { CheckName } from '../../src/identity/policy.ts';
import { ClaimRefusal, OverloadError } from '../request/refusals.ts';
import { pointerFragment } from './json-pointer.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A problem document: the members of RFC 9457 and our extensions, in camelCase. */
export interface Problem {
  readonly type: `/problems/${ErrorCode}`;
  readonly code: ErrorCode;
  readonly title: string;
  readonly status: ProblemStatus;
  readonly detail: string;
  /** The request id, also in the X-Request-Id header. */
  readonly instance: string;
  /** Each place in the body that is wrong. */
  readonly errors?: readonly InputFault[];
  /** Whole seconds after which a retry can succeed; also in the Retry-After header. */
  readonly retryAfterS?: number;
  /** Of a claim: the first check that failed, why, and what it required and measured. */
  readonly check?: CheckName;
  readonly refusal?: RefusalCode;
  readonly requiredBits?: number;
  readonly measuredBits?: number;
}

export type ProblemStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 406
  | 409
  | 413
  | 415
  | 422
  | 429
  | 500
  | 503;

/** The problem document of whatever was thrown. */
export function problemOf(error: unknown, instance: string): Problem {
  const refusal = refusalOf(error);
  const { code, faults } = refusal;
  const { status, title } = PROBLEMS[code];
  return {
    type: `/problems/${code}`,
    code,
    title,
    status,
    detail: refusal.message,
    instance,
    ...(faults.length > 0 && { errors: faults.slice(0, ERRORS_MAX).map(shownFault) }),
    ...(refusal instanceof OverloadError && { retryAfterS: refusal.retryAfterS }),
    ...(refusal instanceof ClaimRefusal && shownCheck(refusal.check)),
  };
}

/** The headers of the answer that carries the problem. */
export function problemHeaders({ code, status, retryAfterS }: Problem): Record<string, string> {
  return {
    'Content-Type': PROBLEM_MEDIA_TYPE,
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="usurp"' }),
    // What is left of an oversized body would otherwise be read as the next request, and a server
    // that starts or stops is better looked for again than held on to.
    ...((status === 413 || code === 'server.unready') && { Connection: 'close' }),
  };
}

/** Status, title and remedy of a code. */
export function kindOf(code: ErrorCode): ProblemKind {
  return PROBLEMS[code];
}

/** Everything that is not a refusal is a fault of ours, told as such and nothing more. */
function refusalOf(error: unknown): LabError {
  if (error instanceof LabError) return error;
  // hono's own refusals: of a media type or of a body that its validators could not read.
  if (error instanceof HTTPException && error.status === 415) {
    return new LabError('content_type', 'send the body as Content-Type: application/json');
  }
  if (error instanceof HTTPException && error.status === 400) {
    return new LabError('schema', 'the request could not be read');
  }
  return new LabError('internal', 'the server failed; the request id finds the cause in its log');
}

function shownCheck({ check, code, requiredBits, measuredBits }: ClaimRefusal['check']) {
  const bits = requiredBits === undefined ? {} : { requiredBits, measuredBits: measuredBits ?? 0 };
  return { check, refusal: code, ...bits };
}

function shownFault(fault: InputFault): InputFault {
  return {
    pointer: pointerFragment(fault.pointer.slice(0, POINTER_LENGTH_MAX)),
    detail: fault.detail.slice(0, DETAIL_LENGTH_MAX),
  };
}

/** Bounds on what an answer repeats of a bad request. */
const ERRORS_MAX = 16;
const POINTER_LENGTH_MAX = 200;
const DETAIL_LENGTH_MAX = 500;

export interface ProblemKind {
  readonly status: ProblemStatus;
  readonly title: string;
  readonly remedy: string;
}

const JSON_REMEDY =
  'Send one JSON text as RFC 8259 defines it, in UTF-8 without a byte order mark.';
const FILE_KIND: ProblemKind = {
  status: 500,
  title: 'File fault',
  remedy: 'A file on the side of the server; its log names it.',
};

const PROBLEMS: Readonly<Record<ErrorCode, ProblemKind>> = {
  arguments: {
    status: 400,
    title: 'Bad argument',
    remedy: 'The detail names the value and what would be right; /openapi.json has every form.',
  },
  document: {
    status: 400,
    title: 'Bad threat model',
    remedy: 'The detail names the place in the document or the setting, and what would be right.',
  },
  schema: {
    status: 400,
    title: 'Request does not fit the schema',
    remedy: 'Each entry of `errors` points at one member; /openapi.json has the schema.',
  },
  'json.syntax': { status: 400, title: 'Not JSON', remedy: JSON_REMEDY },
  'json.duplicate_key': {
    status: 400,
    title: 'A name is given twice',
    remedy: 'Give each member of an object once; readers disagree on which of two counts.',
  },
  'json.encoding': { status: 400, title: 'Not UTF-8', remedy: JSON_REMEDY },
  'json.depth': {
    status: 400,
    title: 'Nested too deeply',
    remedy: 'No request needs more levels than GET /v1/params names under `limits.jsonDepth`.',
  },
  content_type: {
    status: 415,
    title: 'Content type not accepted',
    remedy: 'Send the body as Content-Type: application/json, with charset utf-8 or none.',
  },
  content_encoding: {
    status: 415,
    title: 'Content encoding not accepted',
    remedy: 'Send the body as it is, without Content-Encoding.',
  },
  'body.too_large': {
    status: 413,
    title: 'Body too large',
    remedy: 'GET /v1/params names the limit under `limits.bodyBytes`.',
  },
  host: {
    status: 400,
    title: 'Host not served here',
    remedy: 'Call the address that `usurp serve` printed; other names are refused (DNS rebinding).',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    remedy: 'The path or the id does not exist, or what it named was deleted.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    remedy: 'The Allow header lists the methods of this path.',
  },
  not_acceptable: {
    status: 406,
    title: 'No such media type here',
    remedy: 'The detail lists the media types of this path; name one in Accept, or none.',
  },
  'job.size': {
    status: 400,
    title: 'Job too large',
    remedy: 'Ask for less at once; GET /v1/params has the limits.',
  },
  'job.finished': {
    status: 409,
    title: 'Job already finished',
    remedy: 'A finished job cannot be cancelled; GET it for what came out.',
  },
  'job.unfinished': {
    status: 409,
    title: 'Job not finished',
    remedy: 'GET the job until its status is done; one that was cancelled or failed has no tables.',
  },
  'job.failed': {
    status: 500,
    title: 'Job failed',
    remedy: 'The job ended by a fault of the server, whose log names the job.',
  },
  'job.memory': {
    status: 500,
    title: 'Job used up its memory',
    remedy: 'It was ended before it could harm others. Ask for less at once.',
  },
  'job.interrupted': {
    status: 500,
    title: 'Job interrupted',
    remedy:
      'The server ended while it waited or executed. Ask for it again; with a seed it is the same.',
  },
  'job.deadline': {
    status: 500,
    title: 'Job took too long',
    remedy: 'It was ended after the seconds that GET /v1/params names under `limits.jobSeconds`.',
  },
  'limit.queue': {
    status: 503,
    title: 'Queue full',
    remedy: 'Try again after the seconds in Retry-After, or cancel a job.',
  },
  'limit.elections': {
    status: 409,
    title: 'Too many elections kept',
    remedy: 'They are kept until they are deleted: DELETE one that is no longer needed.',
  },
  'limit.streams': {
    status: 503,
    title: 'Too many streams open',
    remedy: 'Close one that is not needed, or try again after the seconds in Retry-After.',
  },
  'limit.rate': {
    status: 429,
    title: 'Too many requests of one caller',
    remedy: 'Wait for the seconds in Retry-After; GET /v1/params has what a caller may do.',
  },
  'limit.concurrent': {
    status: 429,
    title: 'Too many jobs of one caller',
    remedy: 'Wait for one of yours to end, or cancel one; Retry-After says when to try again.',
  },
  'limit.cpu': {
    status: 429,
    title: 'Processor time of one caller used up',
    remedy:
      'Wait for the seconds in Retry-After; GET /v1/params has what a caller may use an hour.',
  },
  'limit.connections': {
    status: 429,
    title: 'Too many streams or requests of one caller at a time',
    remedy: 'End one of yours, or try again after the seconds in Retry-After.',
  },
  'limit.storage': {
    status: 413,
    title: 'Storage of one caller used up',
    remedy: 'DELETE what is no longer needed; GET /v1/params has what a caller may keep.',
  },
  'claim.refused': {
    status: 422,
    title: 'Claim not admitted',
    remedy: 'The detail names the check that failed; POST /v1/identities/verify shows every one.',
  },
  'id.exists': {
    status: 409,
    title: 'ID is a member already',
    remedy: 'A node ID joins an election once. Mine another, or use the token of the first time.',
  },
  'election.closed': {
    status: 409,
    title: 'Election takes no more nodes',
    remedy: 'Join before anything is done to it, or make one with `newcomers`.',
  },
  'election.conflict': {
    status: 409,
    title: 'Not possible as the election stands',
    remedy:
      'Nothing has changed. The detail names what is in the way; GET the election, …/nodes and …/messages for how it stands.',
  },
  'election.restoring': {
    status: 503,
    title: 'Election is being brought back',
    remedy: 'The server has started anew. Try again after the seconds in Retry-After.',
  },
  'election.damaged': {
    status: 409,
    title: 'Election cannot be brought back',
    remedy:
      'What is stored of it is not as it was written. DELETE it, or have a backup put in the place of the file.',
  },
  'auth.node': {
    status: 401,
    title: 'No token of this node',
    remedy: 'Send the token that the answer to joining carried, as Node-Token.',
  },
  'message.signature': {
    status: 422,
    title: 'Message not signed by this node',
    remedy: 'The detail names what is signed; the signature is over the bytes of the message text.',
  },
  'message.equivocation': {
    status: 409,
    title: 'Number used for another message',
    remedy: 'Give every message to a recipient a number above those before.',
  },
  'storage.unavailable': {
    status: 503,
    title: 'Storage unavailable',
    remedy: 'Nothing was kept. Try again after the seconds in Retry-After.',
  },
  'server.unready': {
    status: 503,
    title: 'Server not ready',
    remedy:
      'It is starting or stopping; GET /readyz says which. Retry-After says when to try again.',
  },
  'auth.credential': {
    status: 401,
    title: 'No token that is known here',
    remedy: 'Send one as Authorization: Bearer; whoever started the server has it.',
  },
  'auth.role': {
    status: 403,
    title: 'Role does not suffice',
    remedy: 'The detail names the role it needs; readers look, users also act, admins see metrics.',
  },
  'idempotency.lost': {
    status: 422,
    title: 'Carried out, and the answer is lost',
    remedy:
      'The server ended before it could answer; the detail names where to see what came of it.',
  },
  'idempotency.mismatch': {
    status: 422,
    title: 'Idempotency key used for another request',
    remedy:
      'Make a new Idempotency-Key for each request; repeat one with the same path and body only.',
  },
  'file.missing': FILE_KIND,
  'file.unreadable': FILE_KIND,
  'file.exists': FILE_KIND,
  'file.unwritable': FILE_KIND,
  internal: {
    status: 500,
    title: 'Internal error',
    remedy: 'A fault of the server; tell its owner the request id in `instance`.',
  },
};
