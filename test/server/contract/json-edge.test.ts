/**
 * @module
 * How every route with a body answers bodies that are malformed, mislabelled, oversized or
 * poisoned. For an operation that needs none, an empty object is as no body.
 */

import { describe, expect, it } from 'vitest';

import { BODY_BYTES_MAX } from '../../../server/contract/json-body.ts';
import { labUnderTest } from '../lab-under-test.ts';

const PATHS = ['/v1/elections', '/v1/runs', '/v1/identities/verify'] as const;
const { call, post } = labUnderTest();
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ELECTION = '{"protocol":"cr-join","nodes":3}';

describe.each(PATHS)('the JSON edge of %s', (path) => {
  it.each(['{a}', '{"nodes":3', '{"nodes":3,}', '{"nodes":NaN}', '{} // x', '', ' ', '{}{}'])(
    'refuses %j as json.syntax',
    async (body) => {
      const answer = await post(path, body);

      expect(answer).toMatchObject({ status: 400, json: { code: 'json.syntax' } });
      expect(answer.json.detail).toMatch(/^line \d+, column \d+: expected /);
    },
  );

  it.each(['{"vote":1,"vote":2}', '{"vote":1,"\\u0076ote":2}'])(
    'refuses %s as json.duplicate_key and points at it',
    async (body) => {
      const answer = await post(path, body);

      expect(answer).toMatchObject({
        status: 400,
        json: { code: 'json.duplicate_key', errors: [{ pointer: '#/vote' }] },
      });
    },
  );

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['a code point above U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['UTF-16 with a mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ['UTF-16LE', [0x7b, 0x00, 0x7d, 0x00]],
    ['UTF-16BE', [0x00, 0x7b, 0x00, 0x7d]],
  ])('refuses %s as json.encoding', async (_name, bytes) => {
    const answer = await call('POST', path, { headers: JSON_TYPE, body: new Uint8Array(bytes) });

    expect(answer).toMatchObject({ status: 400, json: { code: 'json.encoding' } });
  });

  it('refuses 30 000 nested arrays as json.depth', async () => {
    const answer = await post(path, '['.repeat(30_000) + ']'.repeat(30_000));

    expect(answer).toMatchObject({ status: 400, json: { code: 'json.depth' } });
  });

  it.each(['null', 'true', '1', '"x"', '[]', '[{}]', '{}'])(
    'refuses %s as schema',
    async (body) => {
      const answer = await post(path, body);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );

  it.each([
    '{"__proto__":{"role":"instructor"}}',
    '{"constructor":{"prototype":{"role":"instructor"}}}',
    '{"prototype":{"role":"instructor"}}',
    '{"a":{"__proto__":{"role":"instructor"}}}',
    '{"set":{"__proto__":{"role":"instructor"}}}',
    '{"toString":1,"hasOwnProperty":2}',
  ])('refuses %s as schema and poisons no prototype', async (body) => {
    const answer = await post(path, body);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).not.toHaveProperty('role');
  });

  it('refuses many members and a long name within the size, without repeating the name', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `"${index}":0`).join(',');

    const members = await post(path, `{${many}}`);
    const name = await post(path, `{"${'x'.repeat(60_000)}":0}`);

    expect(members).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(name).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(name.text.length).toBeLessThan(2000);
  });

  it('refuses a name without a UTF-8 form like other unknown names', async () => {
    const answer = await post(path, '{"\\ud800":1}');

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });

  it.each([
    [undefined],
    [''],
    ['text/plain'],
    ['text/json'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; profile=x'],
    ['application/jsonp'],
    ['application/problem+json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json, text/plain'],
  ])('refuses the content type %s', async (type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };

    const answer = await call('POST', path, { headers, body: new TextEncoder().encode('{}') });

    expect(answer).toMatchObject({ status: 415, json: { code: 'content_type' } });
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x'])(
    'refuses the content encoding %s',
    async (encoding) => {
      const answer = await post(path, '{}', { 'Content-Encoding': encoding });

      expect(answer).toMatchObject({ status: 415, json: { code: 'content_encoding' } });
    },
  );

  it('refuses a body one byte over the limit, and accepts one at the limit', async () => {
    const atLimit = await post(path, `{}${' '.repeat(BODY_BYTES_MAX - 2)}`);
    const over = await post(path, `{}${' '.repeat(BODY_BYTES_MAX - 1)}`);

    expect(atLimit).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(over).toMatchObject({ status: 413, json: { code: 'body.too_large' } });
    expect(over.headers.get('Connection')).toBe('close');
  });

  it('refuses an announced length over the limit without reading the body', async () => {
    const unread = new ReadableStream({
      pull() {
        throw new Error('the body was read');
      },
    });
    const headers = { ...JSON_TYPE, 'Content-Length': String(BODY_BYTES_MAX + 1) };

    const init = { headers, body: unread, duplex: 'half' } as RequestInit; // lib.dom lacks duplex.
    const answer = await call('POST', path, init);

    expect(answer).toMatchObject({ status: 413, json: { code: 'body.too_large' } });
  });
});

describe('the JSON edge', () => {
  it.each([
    'application/json',
    'application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
  ])('takes the content type %s', async (type) => {
    const answer = await post('/v1/elections', ELECTION, { 'Content-Type': type });

    expect(answer.status).toBe(201);
  });

  it('accepts every escape of JSON in names and values', async () => {
    const answer = await post(
      '/v1/elections',
      '\t{"\\u0070rotocol" :\r\n"cr\\u002djoin", "nodes":3}\n',
    );

    expect(answer.status).toBe(201);
  });

  it.each([
    '1e400',
    '-0',
    '-0.0',
    '12345678901234567890',
    '0.1',
    '3.0000001',
    '-1',
    '0',
    '"three"',
    'true',
  ])('refuses %s as a number of nodes', async (number) => {
    const answer = await post('/v1/elections', `{"protocol":"cr-join","nodes":${number}}`);

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'schema', errors: [{ pointer: '#/nodes' }] },
    });
  });
});

/** The last exist nowhere, which is known after the body. */
const NONE = '/v1/elections/e_kq3vj5m2xw7ntb4d/participants/p_kq3vj5m2xw7ntb4d/token';
const BODILESS = ['/v1/challenges', '/v1/jobs/r_kq3vj5m2xw7ntb4d/cancel', NONE] as const;

describe.each(BODILESS)('the optional body of %s', (path) => {
  const expected = path === '/v1/challenges' ? 200 : 404;

  it.each([undefined, '', '{}', ' { } '])('takes %j', async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await call('POST', path, { headers, ...(body !== undefined && { body }) });

    expect(status).toBe(expected);
  });

  it.each([
    ['{"epoch":1}', 400, 'schema'],
    ['[]', 400, 'schema'],
    ['null', 400, 'schema'],
    ['{', 400, 'json.syntax'],
    ['{"a":1,"a":1}', 400, 'json.duplicate_key'],
    [`"${'x'.repeat(70_000)}"`, 413, 'body.too_large'],
  ])('refuses %.20s', async (body, status, code) => {
    expect(await post(path, body)).toMatchObject({ status, json: { code } });
  });

  it('refuses a body of another type', async () => {
    const text = await post(path, 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' });

    expect(text).toMatchObject({ status: 415, json: { code: 'content_type' } });
  });
});

it('an optional body that is refused names the member, and nothing is done', async () => {
  const { json } = await post('/v1/calibrations', {});

  const refused = await post(`/v1/jobs/${json.id}/cancel`, { force: true });

  const after = await call('GET', `/v1/jobs/${json.id}`);
  const errors = [{ pointer: '#/force', detail: 'not a member that is known here' }];
  expect(refused).toMatchObject({ status: 400, json: { errors } });
  expect(after.json.status).toMatch(/^(queued|running)$/);
});
