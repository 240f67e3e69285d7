/**
 * @module
 * The route that verifies a claim. A well-formed question is answered 200, whether the claim is valid or
 * not.
 */

import { randomBytes } from 'node:crypto';

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';

import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { claimSchema, claimToJson, NONCE_BYTES, nonceSchema } from '../../src/identity/claim.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { CHECK_NAMES } from '../../src/identity/policy.ts';
import type { AnswerKnown } from '../contract/json-body.ts';
import { jsonBody, KEY_WITHOUT_BODY } from '../contract/json-body.ts';
import { bodyRefusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../contract/router.ts';
import type { Course } from '../exercises/course.ts';
import { IDEMPOTENCY_HEADER } from '../idempotency/idempotency.ts';
import type { Admission } from './claim-checks.ts';
import type { Nonces } from './nonces.ts';
import { NONCE_SECONDS } from './nonces.ts';
import { requestedPolicySchema } from './requested-policy.ts';

const route = routesOf('identities');

const questionSchema = z
  .strictObject({
    claim: claimSchema,
    policy: requestedPolicySchema
      .optional()
      .describe(
        'The policy that the claim must meet, or the name of one of GET /v1/policies. GET /v1/params has the default.',
      ),
    all: z.boolean().default(false).describe('Make every check, also after the first refusal.'),
    nonce: nonceSchema.optional(),
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

const challengeSchema = z
  .object({
    nonce: nonceSchema,
    expiresInS: z.int().describe('Seconds for which it is accepted.'),
  })
  .meta({ id: 'Challenge' });

const verdictSchema = z
  .object({ valid: z.boolean(), checks: z.array(checkSchema) })
  .meta({ id: 'Verdict' });

const verifyRoute = (answerKnown: AnswerKnown) =>
  route('post', '/v1/identities/verify', {
    operationId: 'verifyIdentity',
    summary: 'Verify a claim',
    description:
      'Takes a question or a bare claim. Stops at the first refusal unless `all` is true.',
    middleware: jsonBody(answerKnown),
    body: jsonRequest(z.union([questionSchema, claimSchema]), {
      examples: {
        question: { value: { claim: CLAIM_EXAMPLE, policy: { c1: 8 }, all: true } },
        bare: { value: CLAIM_EXAMPLE },
      },
    }),
    responses: {
      200: jsonAnswer(verdictSchema, 'The verdict, and the checks that were made, in their order.'),
      ...bodyRefusals(503),
    },
  });

const challengeRoute = route('post', '/v1/challenges', {
  operationId: 'createChallenge',
  summary: 'Get a nonce for a fresh claim',
  description:
    'A claim that signs the nonce shows that its sender has the secret now. Elections with `freshClaims` require it of nodes that join. A nonce is for its caller, for one join, and for a short time.',
  middleware: KEY_WITHOUT_BODY,
  responses: {
    200: jsonAnswer(challengeSchema, 'The nonce.', {
      example: { nonce: '5f'.repeat(NONCE_BYTES), expiresInS: NONCE_SECONDS },
    }),
    ...bodyRefusals(429, 503),
  },
});

export interface IdentityRouteParts {
  readonly nonces: Nonces;
  readonly admission: Admission;
  /** Refuses claims of exercises that are to be verified by hand. */
  readonly course: Pick<Course, 'assertOpen' | 'assertVerifiable'>;
  /** The policy of a question that names none. */
  readonly policy: Policy;
}

export function createIdentityRoutes({ policy, admission, nonces, course }: IdentityRouteParts) {
  // A verdict depends on the question only, so equal questions have equal answers.
  const answered = new LRUCache<string, string>({ ...ANSWERS_KEPT, sizeCalculation: bytesOf });
  const answerKnown: AnswerKnown = (c, text) => {
    const answer = isPlain(c) ? answered.get(text) : undefined;
    return answer === undefined ? null : c.body(answer, 200, JSON_CONTENT);
  };
  const router = createRouter().openapi(challengeRoute, (c) => {
    const nonce = bytesToHex(randomBytes(NONCE_BYTES));
    nonces.add(c.get('principal').caller, nonce);
    c.header('Cache-Control', 'no-store');
    return c.json({ nonce, expiresInS: NONCE_SECONDS }, 200);
  });
  return router.openapi(verifyRoute(answerKnown), async (c) => {
    const body = c.req.valid('json');
    const question =
      'claim' in body ? body : { claim: body, policy: undefined, all: false, nonce: undefined };
    const { caller } = c.get('principal');
    const asked = question.policy ?? policy;
    course.assertOpen('verifications', asked, c.get('principal'));
    course.assertVerifiable(claimToJson(question.claim), asked, c.get('principal'));
    const nonce = question.nonce === undefined ? null : hexToBytes(question.nonce);
    const options = { all: question.all, caller, nonce };
    const verdict = await admission.admit(question.claim, asked, options);
    const answer = { valid: verdict.admitted, checks: [...verdict.checks] };
    const text = JSON.stringify(await c.req.json());
    if (text.length <= TEXT_LENGTH_MAX) answered.set(text, JSON.stringify(answer));
    return c.json(answer, 200);
  });
}

/** Whether only the body decides the answer: there is no query to refuse and no key to compare. */
function isPlain(c: Context): boolean {
  return !c.req.url.includes('?') && c.req.header(IDEMPOTENCY_HEADER) === undefined;
}

function bytesOf(answer: string, text: string): number {
  return ENTRY_BYTES + 2 * (text.length + answer.length);
}

const JSON_CONTENT = { 'Content-Type': 'application/json' };
/** Answers of about two kilobytes each, and their bytes. */
const ANSWERS_KEPT = { max: 8_192, maxSize: 16 * 1024 ** 2 };
/** Far above the longest question without spaces. */
const TEXT_LENGTH_MAX = 4_096;
const ENTRY_BYTES = 128;

/** The claim of `usurp mine --c1 8 --seed 1`, whose seed is public. */
export const CLAIM_EXAMPLE = {
  scheme: 'ed25519',
  publicKey: '182da74f38a18929c6bb6915a2a89c6990c64b84a01a712bfb7f5cf91c584cfa',
  nodeId: '21a1cdeb87a5489d1bb70521c5636be193b636c7cdc601baf6b15a8800d63343',
  solution: null,
  signature:
    'f65603577347a15d7790805d8da0334ff09ba2ee9220415f9ec1e3d7760d53842f0e0c1fb3a5207774d53421a75959cd14d3bc8c3c349326ba1176aefefaa907',
};
