/**
 * @module
 * Tokens and roles: which requests are accepted, and what each role may do.
 */

import { describe, expect, it } from 'vitest';

import { roleNeeded } from '../../../server/callers/auth.ts';
import { parseTokens, TokenSet } from '../../../server/callers/tokens.ts';
import type { Role } from '../../../server/request/principal.ts';
import { HELD_ROLES, includesRole, ROLES } from '../../../server/request/principal.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';

const TOKENS: Readonly<Record<Exclude<Role, 'participant'>, string>> = {
  reader: 'reader-0123456789',
  student: 'student-0123456789',
  instructor: 'instructor-012345',
  operator: 'operator-0123456',
};
const tokens = new TokenSet(HELD_ROLES.map((role) => ({ name: role, role, token: TOKENS[role] })));
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const ELECTION = { protocol: 'cr-join', nodes: 3 };

describe('a server that requires tokens', () => {
  it.each([
    ['none', {}],
    ['an unknown one', bearer('unknown-0123456789')],
    ['half of one', bearer(TOKENS.operator.slice(0, -1))],
    ['one and more', bearer(`${TOKENS.operator}a`)],
    ['an empty one', { Authorization: 'Bearer ' }],
    ['one of another kind', { Authorization: `Basic ${TOKENS.operator}` }],
    ['one that is no token', bearer('a b')],
  ])('answers a request with %s with 401', async (_name, headers) => {
    const { call } = labUnderTest({ tokens });

    const answer = await call('GET', '/v1/params', { headers });

    expect(answer).toMatchObject({ status: 401, json: { code: 'auth.credential' } });
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="usurp"');
  });

  it('does not reveal paths and methods to an unknown caller', async () => {
    const { app } = labUnderTest({ tokens });

    const statuses = [];
    for (const [method, path] of [
      ['GET', '/v1/nowhere'],
      ['DELETE', '/v1/params'],
      ['POST', '/v1/runs'],
    ] as const) {
      statuses.push((await app.request(path, { method })).status);
    }

    expect(statuses).toEqual([401, 401, 401]);
  });

  it.each(['/', '/v1', '/healthz', '/readyz', '/openapi.json', '/reference', '/problems/schema'])(
    '%s is open to all',
    async (path) => {
      const { app } = labUnderTest({ tokens });

      const response = await app.request(path);

      expect(response.status).toBe(200);
    },
  );

  it.each([
    ['reader', 200, 403, 403],
    ['student', 200, 201, 403],
    ['instructor', 200, 201, 403],
    ['operator', 200, 201, 200],
  ] as const)('a %s may look: %i, make: %i, watch: %i', async (role, look, make, watch) => {
    const { call, post, app } = labUnderTest({ tokens });
    const headers = bearer(TOKENS[role]);

    const looked = await call('GET', '/v1/params', { headers });
    const made = await post('/v1/elections', ELECTION, headers);
    const watched = await app.request('/metrics', { headers });

    expect([looked.status, made.status, watched.status]).toEqual([look, make, watch]);
  });

  it('accepts the scheme in upper or lower case (RFC 9110)', async () => {
    const { call } = labUnderTest({ tokens });

    const answer = await call('GET', '/v1/params', {
      headers: { Authorization: `bearer ${TOKENS.reader}` },
    });

    expect(answer.status).toBe(200);
  });

  it('keeps the idempotency keys of two holders apart, and names the holder in the log', async () => {
    const { post, requests } = labUnderTest({ tokens });
    const key = { 'Idempotency-Key': 'same' };

    const one = await post('/v1/elections', ELECTION, { ...key, ...bearer(TOKENS.student) });
    const other = await post('/v1/elections', ELECTION, { ...key, ...bearer(TOKENS.operator) });

    expect([one.status, other.status]).toEqual([201, 201]);
    expect(other.json.id).not.toBe(one.json.id);
    expect(requests.map(({ caller }) => caller)).toEqual(['student', 'operator']);
  });
});

describe('a server that requires no tokens', () => {
  it('ignores a token', async () => {
    const { call } = labUnderTest();

    const answer = await call('GET', '/v1/params', { headers: bearer('unknown-0123456789') });

    expect(answer.status).toBe(200);
  });
});

describe('roles', () => {
  it('include the roles before them', () => {
    const table = ROLES.map((role) => ROLES.map((asked) => includesRole(role, asked)));

    expect(table).toEqual([
      [true, false, false, false, false],
      [true, true, false, false, false],
      [true, true, true, false, false],
      [true, true, true, true, false],
      [true, true, true, true, true],
    ]);
  });

  it('are declared for every operation that needs one', () => {
    const v31 = documentOf(labUnderTest().app);

    for (const [path, item] of Object.entries(v31.paths)) {
      for (const [method, { security, responses }] of Object.entries(item)) {
        const isGuarded = roleNeeded(method.toUpperCase(), path) !== null;

        // An open operation says so with an empty list.
        expect(security, path).toBeDefined();
        expect((security ?? []).length > 0, path).toBe(isGuarded);
        // Signing in is open, and refuses with both.
        const isRefused = isGuarded || path === '/v1/sessions';
        expect(Object.hasOwn(responses, 401), path).toBe(isRefused);
        expect(Object.hasOwn(responses, 403), path).toBe(isRefused);
      }
    }
  });
});

describe('a file of tokens', () => {
  it('has one token on each line, with comments and empty lines', () => {
    const set = parseTokens(
      '# ours\n\nreader  ann  abcdefghijklmnop\r\noperator bob qrstuvwxyz012345=\n',
      'f',
    );

    expect(set.holderOf('abcdefghijklmnop')).toEqual({ name: 'ann', role: 'reader' });
    expect(set.holderOf('qrstuvwxyz012345=')).toEqual({ name: 'bob', role: 'operator' });
    expect(set.holderOf('ann')).toBeNull();
  });

  it.each([
    ['a role that does not exist', '\nroot ann abcdefghijklmnop', 'f:2'],
    ['a role that only codes give', 'participant ann abcdefghijklmnop', 'f:1'],
    ['a former role', 'admin ann abcdefghijklmnop', 'f:1'],
    ['a short token', 'student ann abcdefghijklmno', 'f:1'],
    ['no token', 'student ann', 'f:1'],
    [
      'a name that is given twice',
      'student ann abcdefghijklmnop\nstudent ann abcdefghijklmnoq',
      'f:2',
    ],
    ['a token of two names', 'student ann abcdefghijklmnop\noperator bob abcdefghijklmnop', 'f:2'],
    ['no tokens', '# none\n', 'f has no tokens'],
  ])('is refused with %s, without revealing the token', (_name, text, where) => {
    const parse = () => parseTokens(text, 'f');

    expect(parse).toThrow(where);
    expect(parse).not.toThrow(/abcdefgh/);
  });
});
