/**
 * @module
 * Routes about claims. Asking whether a claim is good is a question: it is answered 200 whether the
 * claim is good or not, and 400 only when the question itself is malformed.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { claimSchema } from '../../src/identity/claim.ts';
import { CHECK_NAMES, policySchema } from '../../src/identity/policy.ts';
import { puzzleHashes } from '../../src/identity/puzzles/puzzle-function.ts';
import { callerOf } from '../callers/caller.ts';
import type { AnswerKnown } from '../contract/json-body.ts';
import { jsonBody } from '../contract/json-body.ts';
import { bodyRefusals } from '../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../contract/router.ts';
import { IDEMPOTENCY_HEADER } from '../idempotency/idempotency.ts';
import type { Services } from '../services.ts';
import type { CacheLimits } from './bounded-cache.ts';
import { BoundedCache } from './bounded-cache.ts';

/** Evaluations of a puzzle's primitive that one claim may cost: about 10 ms of a thread. */
const PUZZLE_HASHES_MAX = 2 ** 13;

const questionSchema = z
  .strictObject({
    claim: claimSchema,
    policy: policySchema
      .refine(({ puzzle }) => puzzleHashes(puzzle) <= PUZZLE_HASHES_MAX, {
        path: ['puzzle'],
        message: `costs more than ${PUZZLE_HASHES_MAX} evaluations, too many for a server that others wait for; verify it with: usurp verify`,
      })
      .optional()
      .meta({ description: 'What to demand; without it what GET /v1/params names.' }),
    all: z
      .boolean()
      .default(false)
      .meta({ description: 'Make every check, also after the first refusal.' }),
  })
  .meta({ id: 'VerifyQuestion' });

const checkSchema = z
  .object({
    check: z.enum(CHECK_NAMES),
    ok: z.boolean(),
    code: z.enum(REFUSAL_CODES).optional(),
    detail: z.string().optional(),
    requiredBits: z.int().optional(),
    measuredBits: z.int().optional(),
  })
  .meta({
    id: 'Check',
    example: {
      check: 'static',
      ok: false,
      code: 'pow.insufficient',
      requiredBits: 16,
      measuredBits: 11,
    },
  });

/** Of `usurp mine --c1 8 --seed 1`, whose secret everybody knows. */
const CLAIM_EXAMPLE = {
  scheme: 'ed25519',
  publicKey: '182da74f38a18929c6bb6915a2a89c6990c64b84a01a712bfb7f5cf91c584cfa',
  nodeId: '21a1cdeb87a5489d1bb70521c5636be193b636c7cdc601baf6b15a8800d63343',
  solution: null,
  signature:
    'f65603577347a15d7790805d8da0334ff09ba2ee9220415f9ec1e3d7760d53842f0e0c1fb3a5207774d53421a75959cd14d3bc8c3c349326ba1176aefefaa907',
};

const verifyRoute = (answerKnown: AnswerKnown) =>
  createRoute({
    method: 'post',
    path: '/v1/identities/verify',
    operationId: 'verifyIdentity',
    tags: ['identities'],
    summary: 'Is this claim good?',
    description:
      'Takes a question or a bare claim. Stops at the first refusal unless `all` is true.',
    middleware: jsonBody(answerKnown),
    request: {
      query: NO_QUERY,
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z.union([questionSchema, claimSchema]),
            examples: {
              question: { value: { claim: CLAIM_EXAMPLE, policy: { c1: 8 }, all: true } },
              bare: { value: CLAIM_EXAMPLE },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The verdict and the checks that were made, in their order.',
        content: {
          'application/json': {
            schema: z
              .object({ valid: z.boolean(), checks: z.array(checkSchema) })
              .meta({ id: 'Verdict' }),
          },
        },
      },
      ...bodyRefusals(503),
    },
  });

/** The routes about identities. */
export function identityRoutes({ policy, admission }: Services) {
  // A verdict is made of the claim and the policy alone, so of the question, whatever its blanks.
  const answered = new BoundedCache<string>(ANSWERS_KEPT);
  const answerKnown: AnswerKnown = (c, text) => {
    const answer = isPlain(c) ? answered.find(text) : undefined;
    return answer === undefined ? null : c.body(answer, 200, JSON_CONTENT);
  };
  return createRouter().openapi(verifyRoute(answerKnown), async (c) => {
    const body = c.req.valid('json');
    const question = 'claim' in body ? body : { claim: body, policy: undefined, all: false };
    const verdict = await admission.admit(question.claim, question.policy ?? policy, {
      all: question.all,
      caller: callerOf(c),
    });
    const answer = { valid: verdict.admitted, checks: [...verdict.checks] };
    keepAnswer(answered, JSON.stringify(await c.req.json()), JSON.stringify(answer));
    return c.json(answer, 200);
  });
}

/** Whether nothing but the body can decide the answer: no query to refuse, no key to compare. */
function isPlain(c: Context): boolean {
  return !c.req.url.includes('?') && c.req.header(IDEMPOTENCY_HEADER) === undefined;
}

function keepAnswer(answered: BoundedCache<string>, text: string, answer: string): void {
  if (text.length > TEXT_LENGTH_MAX) return;
  answered.keep(text, answer, ENTRY_BYTES + 2 * (text.length + answer.length));
}

const JSON_CONTENT = { 'Content-Type': 'application/json' };
/** Some two kilobytes each. */
const ANSWERS_KEPT: CacheLimits = { entries: 8_192, bytes: 16 * 1024 ** 2 };
/** Far above the longest question without blanks. */
const TEXT_LENGTH_MAX = 4_096;
const ENTRY_BYTES = 128;
