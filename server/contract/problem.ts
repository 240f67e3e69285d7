/**
 * @module
 * Refusals as problem documents (RFC 9457). A problem contains the text of a LabError only. Other exceptions
 * are faults of the server: the operator receives them, and the caller receives the request id.
 */

import { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';

import type { InputFault } from '../../src/errors.ts';
import { ERROR_CODES, LabError } from '../../src/errors.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { CHECK_NAMES } from '../../src/identity/policy.ts';
import { ClaimRefusal, OverloadError } from '../request/refusals.ts';
import { FAULTS_SHOWN_MAX } from './faults.ts';
import { instanceOf } from './instance.ts';
import type { ProblemStatus } from './problem-kinds.ts';
import { PROBLEM_KINDS } from './problem-kinds.ts';

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
