/**
 * @module
 * Signing in and out. A code is exchanged for a token of one's own, without an account. A browser
 * exchanges a token or a code for a cookie. Codes and tokens are in bodies, never in URLs. The answers are not
 * repeated under an Idempotency-Key: before the exchange, callers at one address cannot be told apart.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { LabError } from '../../../src/errors.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import type { Sessions } from '../../callers/sessions.ts';
import {
  assertOwnOrigin,
  removeSessionCookie,
  sessionSecretIn,
  setSessionCookie,
} from '../../callers/sessions.ts';
import type { Holder, TokenHolders } from '../../callers/tokens.ts';
import { digestOfSecret } from '../../callers/tokens.ts';
import { headersNamed } from '../../contract/headers.ts';
import { SIGN_IN_BODY } from '../../contract/json-body.ts';
import { bodyRefusals, refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { Role } from '../../request/principal.ts';
import { includesRole, ROLES } from '../../request/principal.ts';
import type { SharedElections } from '../sharing/shared-elections.ts';

/** The letters of the most common scripts. Clients of every language can check the same pattern. */
const SCRIPTS = [
  // Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic
  ...['A-Za-z\\u00c0-\\u024f', '\\u0370-\\u03ff', '\\u0400-\\u052f', '\\u0531-\\u0587'],
  ...['\\u05d0-\\u05ea', '\\u0620-\\u064a'],
  // Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala
  ...[
    '\\u0900-\\u097f',
    '\\u0980-\\u09ff',
    '\\u0a00-\\u0a7f',
    '\\u0a80-\\u0aff',
    '\\u0b00-\\u0b7f',
  ],
  ...[
    '\\u0b80-\\u0bff',
    '\\u0c00-\\u0c7f',
    '\\u0c80-\\u0cff',
    '\\u0d00-\\u0d7f',
    '\\u0d80-\\u0dff',
  ],
  // Thai, Lao, Japanese, Korean
  ...[
    '\\u0e00-\\u0e7f',
    '\\u0e80-\\u0eff',
    '\\u3040-\\u30ff\\u4e00-\\u9fff',
    '\\uac00-\\ud7a3\\u4e00-\\u9fff',
  ],
];
const NAMES = SCRIPTS.map((letters) => `[0-9${letters}][0-9${letters} .'-]{0,63}`);
const NAME = new RegExp(`^(?:${NAMES.join('|')})$`);
const NAME_RULE =
  'must be 1 to 64 letters of one script, digits, spaces, dots, hyphens or apostrophes';

const cookieSchema = z
  .boolean()
  .default(false)
  .describe(
    'Whether the answer sets a cookie in place of the token, for a browser. The request then needs the Origin of this server.',
  );

const signInSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('joinCode'),
        code: z.string().min(1).max(64).describe('Capitals, spaces and hyphens do not matter.'),
        name: z
          .string()
          .regex(NAME, NAME_RULE)
          .meta({ description: 'How others see you in the election.', example: 'Ann' }),
        cookie: cookieSchema,
      })
      .meta({ id: 'JoinCodeSignIn', description: 'Become a participant of a shared election.' }),
    z
      .strictObject({
        type: z.literal('classCode'),
        code: z.string().min(1).max(64).describe('Capitals, spaces and hyphens do not matter.'),
        cookie: cookieSchema,
      })
      .meta({ id: 'ClassCodeSignIn', description: 'Join the class of the server, once.' }),
    z
      .strictObject({
        type: z.literal('token'),
        token: z.string().min(1).max(256),
        cookie: z.literal(true),
      })
      .meta({ id: 'TokenSignIn', description: 'Sign in a browser with a token.' }),
  ])
  .meta({ id: 'SignIn' });

const sessionSchema = z
  .object({
    role: z.enum(ROLES).nullable().describe('Null on a server that requires no tokens.'),
    name: z.string().describe('The name of the token. For a participant: the name that it chose.'),
    participant: z
      .string()
      .nullable()
      .describe('For a participant: its id, which is the name of its requests in the log.'),
    election: z.string().nullable().describe('For a participant: the path of its election.'),
    class: z
      .string()
      .nullable()
      .describe('The path of the class; null if the server has none, or none for this role.'),
  })
  .meta({ id: 'Session' });

const signedInSchema = sessionSchema
  .extend({
    token: z
      .string()
      .nullable()
      .describe(
        'For Authorization: Bearer. No later answer contains it. With a cookie it is null, except for a class code, which is exchanged once.',
      ),
    expires: z.iso.datetime().nullable().describe('When the cookie expires.'),
  })
  .meta({ id: 'SignedIn' });

const route = routesOf('sessions');

const signInRoute = route('post', '/v1/sessions', {
  operationId: 'signIn',
  summary: 'Exchange a code for a token, or sign in a browser',
  description:
    'A join code gives a token for one election, in which its holder plays one node. A class code gives a member of the class its token, once, also with a cookie. With `cookie`, a browser receives an HttpOnly, SameSite=Strict cookie, because an EventSource cannot send a header. Wrong codes and tokens have the same answer as expired and revoked ones. An Idempotency-Key has no effect here.',
  middleware: SIGN_IN_BODY,
  body: jsonRequest(signInSchema, {
    examples: {
      joinCode: { value: { type: 'joinCode', code: 'k7qd-m2xw-4tbn-ev5j', name: 'Ann' } },
      classCode: { value: { type: 'classCode', code: 'k7qd-m2xw-4tbn-ev5j' } },
      token: { value: { type: 'token', token: 'student-0123456789', cookie: true } },
    },
  }),
  responses: {
    201: {
      ...jsonAnswer(signedInSchema, 'The token, or the cookie.'),
      headers: headersNamed('Set-Cookie'),
    },
    ...bodyRefusals(401, 403, 409, 429, 503),
  },
});

const readSessionRoute = route('get', '/v1/sessions/current', {
  operationId: 'getSession',
  summary: 'Get the role and the election of the token in this request',
  responses: { 200: jsonAnswer(sessionSchema, 'The holder of the token.'), ...refusals() },
});

const signOutRoute = route('delete', '/v1/sessions/current', {
  operationId: 'signOut',
  summary: 'Sign out a browser; a token remains valid',
  responses: {
    204: { description: 'The cookie is removed.', headers: headersNamed('Set-Cookie') },
    ...refusals(503),
  },
});

/** Exchanges the code of a member of a class for a token; null for a code that is not valid. */
export interface ClassCodes {
  exchange(code: string): { readonly member: Holder; readonly token: string } | null;
}

export interface SessionRouteParts {
  readonly sharing: SharedElections;
  readonly sessions: Sessions;
  readonly tokens: TokenHolders | null;
  readonly budgets: CallerBudgets;
  /** The class of the server; null if there is none. */
  readonly classroom: ClassCodes | null;
}

/** The routes about sessions. */
export function createSessionRoutes({ sharing, sessions, tokens, ...parts }: SessionRouteParts) {
  const { budgets, classroom } = parts;
  const failed = (address: string) => {
    const detail = 'the code or token is not known, is no longer valid, or has been used';
    return budgets.failedSignIn(address, new LabError('auth.credential', detail));
  };
  const signIn = (c: Context, request: z.output<typeof signInSchema>, address: string) => {
    if (request.cookie) assertOwnOrigin(c);
    if (request.type === 'joinCode') {
      const entrance = sharing.exchange(request.code, request.name);
      if (entrance === null) throw failed(address);
      const { participant, token } = entrance;
      const { id, election, name } = participant;
      return { ...partView({ id, election, name }), role: 'participant' as const, token };
    }
    if (request.type === 'classCode') {
      const joined = classroom?.exchange(request.code) ?? null;
      if (joined === null) throw failed(address);
      const { member, token } = joined;
      return { name: member.name, role: member.role, ...NO_PART, token };
    }
    const { token } = request;
    const digest = digestOfSecret(token);
    const participant = sharing.participantWith(digest);
    if (participant !== null) {
      return { ...partView(participant), role: 'participant' as const, token };
    }
    const holder = tokens?.holderWith(digest) ?? null;
    if (holder === null) throw failed(address);
    return { name: holder.name, role: holder.role, ...NO_PART, token };
  };
  const classFor = (role: Role | null) =>
    classroom !== null && role !== null && includesRole(role, 'student') ? '/v1/class' : null;
  return createRouter()
    .openapi(signInRoute, (c) => {
      const request = c.req.valid('json');
      const { token, ...holder } = signIn(c, request, c.get('principal').caller);
      const session = { ...holder, class: classFor(holder.role) };
      c.header('Location', readSessionRoute.path);
      c.header('Cache-Control', 'no-store');
      if (!request.cookie) return c.json({ ...session, token, expires: null }, 201);
      const { secret, expiresMs } = sessions.open(digestOfSecret(token));
      setSessionCookie(c, secret, expiresMs);
      const expires = new Date(expiresMs).toISOString();
      const shown = request.type === 'classCode' ? token : null;
      return c.json({ ...session, token: shown, expires }, 201);
    })
    .openapi(readSessionRoute, (c) => {
      const { caller, role, participant } = c.get('principal');
      const known =
        participant === null ? null : sharing.participant(participant.election, participant.id);
      const view = known === null ? { name: caller, ...NO_PART } : partView(known);
      return c.json({ role, ...view, class: classFor(role) }, 200);
    })
    .openapi(signOutRoute, (c) => {
      const secret = sessionSecretIn(c.req.header('cookie'));
      if (secret !== null) sessions.close(secret);
      removeSessionCookie(c);
      return c.body(null, 204);
    });
}

/** A caller that is no participant. */
const NO_PART = { participant: null, election: null } as const;

function partView({ id, election, name }: Readonly<Record<'id' | 'election' | 'name', string>>) {
  return { name, participant: id, election: `/v1/elections/${election}` };
}
