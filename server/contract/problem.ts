/**
 * @module
 * Refusals as problem documents (RFC 9457). A problem contains the text of a LabError only. Other exceptions
 * are faults of the server: the operator receives them, and the caller receives the request id.
 */

import { createHash } from 'node:crypto';

import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';

import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { ERROR_CODES, LabError } from '../../src/errors.ts';
import type { RefusalCode } from '../../src/identity/admit.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { CHECK_NAMES } from '../../src/identity/policy.ts';
import { ClaimRefusal, OverloadError } from '../request/refusals.ts';
import { FAULTS_SHOWN_MAX } from './faults.ts';
import { PROBLEM_EXAMPLES } from './problem-examples.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const problemSchema = z
  .object({
    type: z.string().describe('Path of a page that explains the code.'),
    code: z.enum(ERROR_CODES).meta({ description: 'The kind of problem.', example: 'schema' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('What is wrong with this request, and what is right.'),
    instance: z
      .string()
      .regex(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      .describe(
        'Identifies the refused request, by the UUID of its X-Request-Id, or the job that failed.',
      ),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .readonly()
      .optional()
      .describe('Each wrong member of the body, by JSON pointer in fragment form.'),
    retryAfterS: z
      .int()
      .min(1)
      .optional()
      .describe('Seconds until a retry can succeed, also in Retry-After.'),
    check: z.enum(CHECK_NAMES).optional().describe('For a claim: the first failed check.'),
    refusal: z.enum(REFUSAL_CODES).optional().describe('For a claim: why the check failed.'),
    requiredBits: z.int().optional().describe('Bits that a puzzle requires.'),
    measuredBits: z.int().optional().describe('Bits that the claim shows.'),
  })
  .meta({ id: 'Problem', description: 'A refusal (RFC 9457).' });

export interface Problem extends z.output<typeof problemSchema> {
  readonly status: ProblemStatus;
}

/** The problem document of an error of a request, or of a job, with this id. */
export function problemOf(error: unknown, id: string): Problem {
  const refusal = refusalOf(error);
  const { code, faults } = refusal;
  const { status, title } = PROBLEM_KINDS[code];
  return {
    type: `/problems/${code}`,
    code,
    title,
    status,
    detail: refusal.message,
    instance: instanceOf(id),
    ...(faults.length > 0 && { errors: shownFaults(faults) }),
    ...(refusal instanceof OverloadError && { retryAfterS: refusal.retryAfterS }),
    ...(refusal instanceof ClaimRefusal && shownCheck(refusal.check)),
  };
}

/** The headers of the answer with the problem. */
export function problemHeaders({ code, status, retryAfterS }: Problem): Record<string, string> {
  return {
    'Content-Type': PROBLEM_MEDIA_TYPE,
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="usurp"' }),
    // The rest of a large body would be read as the next request. A client of a server that is not ready
    // should connect again.
    ...((status === 413 || code === 'server.unready') && { Connection: 'close' }),
  };
}

/** The refusals of an operation. Every operation has 400 and 500. */
export function refusals<const Status extends ProblemStatus>(...statuses: readonly Status[]) {
  const listed = [400, 500, ...statuses] as const;
  const entries = listed.map((status) => [status, problemAnswer(MEANINGS[status])] as const);
  // Object.fromEntries loses the keys.
  return Object.fromEntries(entries) as Record<
    Status | 400 | 500,
    ReturnType<typeof problemAnswer>
  >;
}

/** The refusals of an operation with a JSON body. */
export function bodyRefusals<const Status extends ProblemStatus>(...statuses: readonly Status[]) {
  return refusals<Status | 413 | 415>(413, 415, ...statuses);
}

function problemAnswer(description: string) {
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema: problemSchema } } };
}

/** What each status means. */
export const MEANINGS: Readonly<Record<ProblemStatus, string>> = {
  400: 'The request is malformed: host, path, JSON or schema.',
  401: 'A token is required, and no known one was sent.',
  403: 'The role of the token does not suffice.',
  404: 'There is no such object.',
  405: 'The path has no such method; Allow lists its methods.',
  406: 'None of the media types in Accept is available.',
  409: 'The request conflicts with the state of the object.',
  413: 'The body is too large.',
  415: 'The content type or encoding of the body is not accepted.',
  422: 'The request is well-formed, but false, or contradicts an earlier request.',
  429: 'A budget of this caller is used up; Retry-After says when to try again.',
  500: 'The server has a fault.',
  503: 'A limit of the server is reached; Retry-After says when to try again.',
};

/** Any error but a refusal is a fault of the server and is reported without details. */
function refusalOf(error: unknown): LabError {
  if (error instanceof LabError) return error;
  // Hono refuses media types and bodies that its validators cannot read.
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

/** The faults that an answer names: the first of them, with pointers in fragment form. */
export function shownFaults(faults: readonly InputFault[]): InputFault[] {
  return faults.slice(0, FAULTS_SHOWN_MAX).map(shownFault);
}

function shownFault(fault: InputFault): InputFault {
  // Half of a surrogate pair has no UTF-8 form and would throw.
  const pointer = fault.pointer.slice(0, POINTER_LENGTH_MAX).toWellFormed();
  // A JSON pointer as a URI fragment (RFC 6901 section 6), as in the examples of RFC 9457.
  const fragment = `#${pointer.split('/').map(encodeURIComponent).join('/')}`;
  return { pointer: fragment, detail: shortened(fault.detail) };
}

/** A long text ends with a whole word. */
function shortened(text: string): string {
  if (text.length <= DETAIL_LENGTH_MAX) return text;
  const cut = text.slice(0, DETAIL_LENGTH_MAX - 2);
  const end = cut.lastIndexOf(' ');
  return `${cut.slice(0, end > 0 ? end : cut.length)} …`.toWellFormed();
}

/** Limits on what an answer repeats of a request. */
const POINTER_LENGTH_MAX = 200;
const DETAIL_LENGTH_MAX = 500;

/**
 * The kinds of problems: HTTP status, title and remedy of each error code, and of the codes of refused claims. No
 * other file gives an error code its status.
 */
type ProblemStatus =
  | (400 | 401 | 403 | 404 | 405 | 406 | 409)
  | (413 | 415 | 422 | 429 | 500 | 503);

interface ProblemKind {
  readonly status: ProblemStatus;
  readonly title: string;
  readonly remedy: string;
}

function kind(status: ProblemStatus, title: string, remedy: string): ProblemKind {
  return { status, title, remedy };
}

const JSON_REMEDY = 'Send one JSON text (RFC 8259) in UTF-8 without a byte order mark.';
const LATER = 'Try again after Retry-After.';
const LATER_OR_LIMITS = `${LATER} GET /v1/params has the limits of a caller.`;
const END_OR_LATER = 'End one of yours, or try again after Retry-After.';
const DEVICE_KIND = kind(
  500,
  'Device fault',
  'The server has no such device, or it failed; search without it.',
);
const FILE_KIND = kind(500, 'File fault', 'A file of the server has a fault; its log names it.');

/** The kind of each error code. */
const PROBLEM_KINDS: Readonly<Record<ErrorCode, ProblemKind>> = {
  arguments: kind(400, 'Bad argument', 'The detail names the value and what is allowed.'),
  document: kind(400, 'Bad document', 'The detail names the member and what is allowed.'),
  schema: kind(400, 'Request does not match the schema', 'Each of `errors` points at a member.'),
  'json.syntax': kind(400, 'Not JSON', JSON_REMEDY),
  'json.duplicate_key': kind(400, 'A name is given twice', 'Give each member of an object once.'),
  'json.encoding': kind(400, 'Not UTF-8', JSON_REMEDY),
  'json.depth': kind(400, 'Nested too deeply', 'GET /v1/params has `limits.jsonDepth`.'),
  content_type: kind(415, 'Content type not accepted', 'Send Content-Type: application/json.'),
  content_encoding: kind(415, 'Content encoding not accepted', 'Send no Content-Encoding.'),
  'body.too_large': kind(413, 'Body too large', 'GET /v1/params has `limits.bodyBytes`.'),
  host: kind(400, 'Host not served here', 'Call the address that `usurp serve` printed.'),
  not_found: kind(404, 'Not found', 'The path or the id does not exist, or was deleted.'),
  method_not_allowed: kind(405, 'Method not allowed', 'The Allow header lists the methods.'),
  not_acceptable: kind(406, 'No such media type', 'Accept one of the types in the detail.'),
  'job.size': kind(400, 'Job too large', 'Use smaller values. GET /v1/params has the limits.'),
  'job.finished': kind(409, 'Job already finished', 'It cannot be cancelled. DELETE removes it.'),
  'job.unfinished': kind(409, 'Job not over', 'Wait for its end, or POST …/cancel to stop it.'),
  'job.failed': kind(500, 'Job failed', 'The server has a fault. Its log names the job.'),
  'job.memory': kind(500, 'Job used up its memory', 'Submit a smaller job.'),
  'job.interrupted': kind(500, 'Job interrupted', 'The server stopped. Submit the same job again.'),
  'job.deadline': kind(500, 'Job took too long', 'GET /v1/params has `limits.jobSeconds`.'),
  'limit.queue': kind(503, 'Queue full', END_OR_LATER),
  'limit.elections': kind(409, 'Too many elections kept', 'DELETE one that is not needed.'),
  'limit.clusters': kind(409, 'Too many live nodes', 'DELETE a cluster that is not needed.'),
  'limit.streams': kind(503, 'Too many streams', END_OR_LATER),
  'limit.rate': kind(429, 'Too many requests of one caller', LATER_OR_LIMITS),
  'limit.concurrent': kind(429, 'Too many jobs of one caller', END_OR_LATER),
  'limit.cpu': kind(429, 'Processor time of one caller used up', LATER_OR_LIMITS),
  'limit.connections': kind(429, 'Too many streams or requests of one caller', END_OR_LATER),
  'limit.keys': kind(429, 'Too many Idempotency-Keys of one caller', LATER_OR_LIMITS),
  'limit.storage': kind(413, 'Storage of one caller used up', 'DELETE what is not needed.'),
  'limit.submissions': kind(
    429,
    'Too many submissions to an exercise',
    'Try again after Retry-After. GET /v1/exercises/{name} has the limit.',
  ),
  'check.address': kind(
    422,
    'No world at this address',
    'Each world lists the indexes of its possible actions. Ask for the world before.',
  ),
  'claim.refused': kind(422, 'Claim not admitted', 'POST /v1/identities/verify shows all checks.'),
  'id.exists': kind(
    409,
    'ID is a member already',
    'Mine another ID, or use the token of this one.',
  ),
  'election.closed': kind(409, 'Election accepts no more nodes', 'Create one with `newcomers`.'),
  'sweep.damaged': kind(
    409,
    'Tables of a sweep are damaged',
    'POST the sweep again with its seed, for the same rows, or restore its files.',
  ),
  'election.conflict': kind(
    409,
    'Not possible in the present state',
    'The detail names the reason.',
  ),
  'cluster.conflict': kind(
    409,
    'Not possible in the present state of the cluster',
    'The detail names the reason; GET the cluster.',
  ),
  'class.conflict': kind(409, 'Not possible for the class now', 'The detail names the reason.'),
  'exercise.closed': kind(
    403,
    'Closed for this exercise',
    'Solve the exercise without it; its `closed` lists what is refused.',
  ),
  'exercise.budget': kind(
    409,
    'Budget of the exercise used up',
    'Ask for no more attempts than `attemptsLeft` of your instance.',
  ),
  'exercise.attempts': kind(
    409,
    'No submission is left',
    'Ask your instructor to reset the exercise for you.',
  ),
  'exercise.over': kind(
    409,
    'Deadline is over',
    'Ask your instructor for an extension; the time of the server counts.',
  ),
  'exercise.not_started': kind(
    409,
    'Exercise not started',
    'Start it: usurp exercise start NAME, or POST …/instances. It was not counted as a submission.',
  ),
  'election.restoring': kind(503, 'Election is being restored', LATER),
  'election.damaged': kind(
    409,
    'Election cannot be restored',
    'DELETE it, or restore a backup of the data.',
  ),
  'auth.node': kind(401, 'No token of this node', 'Send the token from joining as Node-Token.'),
  'message.signature': kind(422, 'Message not signed by this node', 'Sign the text in the detail.'),
  'message.equivocation': kind(409, 'Number used for another message', 'Use a higher number.'),
  'storage.unavailable': kind(503, 'Storage unavailable', LATER),
  'server.unready': kind(503, 'Server not ready', LATER),
  'auth.credential': kind(
    401,
    'No known token',
    'Send a token as Authorization: Bearer, or sign in again.',
  ),
  'auth.role': kind(403, 'Role does not suffice', 'The detail names the required role.'),
  'auth.access': kind(403, 'Not yours to do', 'The detail names who may do it.'),
  'auth.origin': kind(403, 'Request from another site', 'Send it from a page of this server.'),
  'name.taken': kind(409, 'Name is taken', 'Choose another name.'),
  'idempotency.lost': kind(
    422,
    'Carried out, and the answer is lost',
    'GET the path in the detail.',
  ),
  'idempotency.mismatch': kind(422, 'Idempotency key used for another request', 'Use a new key.'),
  'device.missing': DEVICE_KIND,
  'device.failed': DEVICE_KIND,
  'file.missing': FILE_KIND,
  'file.unreadable': FILE_KIND,
  'file.exists': FILE_KIND,
  'file.unwritable': FILE_KIND,
  internal: kind(500, 'Internal error', 'Report `instance` to the operator.'),
};

const CLAIM_KINDS: Readonly<Record<RefusalCode, ProblemKind>> = {
  'id.mismatch': kind(422, 'Node ID is not the hash of the key', 'Use SHA-256 of the public key.'),
  'pow.insufficient': kind(422, 'Too little work', 'Mine until the bits in the check are reached.'),
  'key.encoding': kind(
    422,
    'Key encoding is not canonical',
    'Ed25519: RFC 8032 with y below p. secp256k1: compressed, 33 bytes, prefix 02 or 03.',
  ),
  'key.small_order': kind(
    422,
    'Key of small order',
    'Anyone can sign for it. Derive a key from a secret.',
  ),
  'key.not_torsion_free': kind(
    422,
    'Key with a torsion component',
    'Use the key in the prime-order group.',
  ),
  'signature.invalid': kind(
    422,
    'Possession not proved',
    'Sign "usurp/claim/v1" 0x00, challenge, node ID and X with the key; s must be low.',
  ),
};

const ALL_KINDS = { ...PROBLEM_KINDS, ...CLAIM_KINDS };

/** The explanation of a code. Throws LabError `not_found` for any other text. */
export function problemPage(text: string) {
  const code = [...ERROR_CODES, ...REFUSAL_CODES].find((each) => each === text);
  if (code === undefined) throw new LabError('not_found', 'there is no such error code');
  return {
    type: `/problems/${code}`,
    code,
    ...ALL_KINDS[code],
    refusedRequest: PROBLEM_EXAMPLES[code],
  };
}

/**
 * An id as the URN of a UUID. The id of a job becomes a UUID of version 8 (RFC 9562) with the first bits of its
 * digest.
 */
export function instanceOf(id: string): string {
  if (UUID.test(id)) return `urn:uuid:${id.toLowerCase()}`;
  const digest = createHash('sha256').update(id).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(digest.charAt(16), 16) & 3);
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
  return `urn:uuid:${[...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-')}`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
