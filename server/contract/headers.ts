/**
 * @module
 * The headers of answers that the document declares. Every answer may also have headers for browsers, caches
 * and proxies.
 */

import { IDEMPOTENCY_HEADER, REPLAYED_HEADER } from '../idempotency/idempotency.ts';

interface Header {
  readonly description: string;
  /** Whether each answer that declares the header has it. */
  readonly required: boolean;
  readonly schema: { readonly type: 'string' | 'integer'; readonly minimum?: number };
  readonly example: string | number;
}

const text = { type: 'string' } as const;

/** The declared headers by name, as components of the document. */
export const HEADERS = {
  Location: {
    description: 'The path of what was created, or of what it belongs to.',
    required: true,
    schema: text,
    example: '/v1/elections/e_kq3vj5m2xw7ntb4d',
  },
  'Retry-After': {
    description: 'Seconds after which a retry can succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'How to send a token.',
    required: true,
    schema: text,
    example: 'Bearer realm="usurp"',
  },
  'X-Request-Id': {
    description: 'The id of the request, which the server chooses.',
    required: true,
    schema: text,
    example: '3f1c1d5e-4f0e-4c56-9d0f-0d4a3c2b1a09',
  },
  [REPLAYED_HEADER]: {
    description: `true if the answer to an earlier request with this ${IDEMPOTENCY_HEADER} is repeated.`,
    required: false,
    schema: text,
    example: 'true',
  },
  'Preference-Applied': {
    description: 'The wait that was applied (RFC 7240), if `Prefer` names one.',
    required: false,
    schema: text,
    example: 'wait=10',
  },
  ETag: {
    description: 'The digest of the text, for If-None-Match.',
    required: true,
    schema: text,
    example: '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"',
  },
  'Set-Cookie': {
    description: 'The cookie of a session, or its removal.',
    required: false,
    schema: text,
    example: 'usurp_session=…; Path=/; HttpOnly; SameSite=Strict',
  },
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof HEADERS;

/** References to declared headers, as the `headers` of an answer. */
export function headersNamed(...names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
