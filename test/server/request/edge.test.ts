/**
 * @module
 * Facts about every answer: request ids, security headers, 404 and 405, ids in paths, hosts, faults.
 */

import { describe, expect, it } from 'vitest';

import { PROBLEM_EXAMPLES } from '../../../server/contract/problem-examples.ts';
import { servedHosts } from '../../../server/socket/listen.ts';
import { ERROR_CODES } from '../../../src/errors.ts';
import { REFUSAL_CODES } from '../../../src/identity/admit.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { app, call, post } = labUnderTest();

describe('every answer', () => {
  it('has its own request id, and a refusal the URN of it, also if the caller sends an id', async () => {
    const headers = { 'X-Request-Id': '8e03978e-40d5-43dd-bc93-6894a57f9324' };
    const first = await call('GET', '/nowhere', { headers });
    const second = await call('GET', '/nowhere', { headers });

    expect(first.json.instance).toBe(`urn:uuid:${first.headers.get('X-Request-Id')}`);
    expect(second.json.instance).toBe(`urn:uuid:${second.headers.get('X-Request-Id')}`);
    expect(second.json.instance).not.toBe(first.json.instance);
  });

  it.each(['x'.repeat(65), 'a b', '<script>', 'é'])(
    'does not repeat the request id %j of a caller',
    async (id) => {
      const answer = await call('GET', '/nowhere', { headers: { 'X-Request-Id': id } });

      expect(answer.text).not.toContain(id);
    },
  );

  it.each(['/healthz', '/nowhere', '/v1/elections/e_none'])(
    'at %s forbids pages to run, sniff or embed it',
    async (path) => {
      const { headers } = await call('GET', path);

      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    },
  );
});

describe('paths and methods', () => {
  it.each(['/v1/', '/v1/elections/', '/healthz/', '/V1/params', '/v1/elections//x'])(
    'answers 404 at %s',
    async (path) => {
      const answer = await call('GET', path);

      expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
    },
  );

  it.each([
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['PUT', '/v1/params', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['GET', '/v1/identities/verify', 'POST'],
    ['DELETE', '/v1/elections', 'GET, HEAD, POST'],
    ['PATCH', '/v1/elections/e_1', 'DELETE, GET, HEAD'],
    ['GET', '/v1/elections/e_1/actions', 'POST'],
    ['PUT', '/v1/threat-models', 'GET, HEAD'],
    ['GET', '/v1/designs', 'POST'],
    ['POST', '/v1/jobs/r_1', 'DELETE, GET, HEAD'],
    ['OPTIONS', '/v1/designs', 'POST'],
    ['PROPFIND', '/v1/jobs', 'GET, HEAD'],
    ['POST', '/problems/schema', 'GET, HEAD'],
  ])('answers %s %s with 405 and allows %s', async (method, path, allow) => {
    const answer = await call(method, path);

    expect(answer).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
    expect(answer.headers.get('Allow')).toBe(allow);
  });

  it('answers HEAD like GET without the body', async () => {
    const answer = await app.request('/v1/params', { method: 'HEAD' });

    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });

  it('ignores a header that names another method', async () => {
    const answer = await post('/v1/elections', '{"protocol":"cr-join","nodes":1}', {
      'X-HTTP-Method-Override': 'DELETE',
    });

    expect(answer.status).toBe(201);
  });

  it.each([
    '%zz',
    '%00',
    '%2F',
    '%252e%252e',
    'A',
    'e.1',
    'e%201',
    'é',
    'x'.repeat(65),
    "'--",
    '%5c',
  ])('refuses the id %s', async (id) => {
    const answers = [
      await call('GET', `/v1/elections/${id}`),
      await call('DELETE', `/v1/elections/${id}`),
      await call('GET', `/v1/jobs/${id}`),
      await call('DELETE', `/v1/jobs/${id}`),
      await post(`/v1/elections/${id}/actions`, '{"type":"start"}'),
    ];

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    }
  });

  it.each(['e_none', '0', '-', '_', 'constructor', 'x'.repeat(64)])(
    'finds nothing under the id %s',
    async (id) => {
      const answers = [
        await call('GET', `/v1/elections/${id}`),
        await call('DELETE', `/v1/elections/${id}`),
        await call('GET', `/v1/jobs/${id}`),
        await call('DELETE', `/v1/jobs/${id}`),
        await post(`/v1/elections/${id}/actions`, '{"type":"start"}'),
      ];

      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
      }
    },
  );

  it.each(['/v1/params?x=1', '/v1/jobs/r_1?verbose', '/v1/elections/e_1?__proto__=1'])(
    'refuses the unknown parameter in %s',
    async (path) => {
      const answer = await call('GET', path);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );
});

describe('the host of a request', () => {
  it.each(['localhost', 'LOCALHOST:8787', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8787'])(
    'may be %s',
    async (host) => {
      const answer = await call('GET', '/healthz', { headers: { Host: host } });

      expect(answer.status).toBe(200);
    },
  );

  it.each([
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a/b?c',
    'x@localhost',
  ])('is refused if it is %j', async (host) => {
    const answer = await call('GET', '/healthz', { headers: { Host: host } });

    expect(answer).toMatchObject({ status: 400, json: { code: 'host' } });
  });

  it('is also checked in an absolute URL', async () => {
    const response = await app.request('http://evil.example/healthz');

    expect(response.status).toBe(400);
  });

  it.each(['http://evil.example/healthz', 'http://localhost.evil.example/healthz'])(
    'is checked in %s after a request with the same header was served',
    async (url) => {
      const headers = { Host: 'localhost' };
      const served = await call('GET', '/healthz', { headers });

      const response = await app.request(url, { headers });

      expect(served.status).toBe(200);
      expect(response.status).toBe(400);
    },
  );

  it('is refused in the first request if it is empty', async () => {
    const { app: first } = labUnderTest();

    const response = await first.request('/healthz', { headers: { Host: '' } });

    expect(response.status).toBe(400);
  });

  it.each([
    ['127.0.0.1', '192.0.2.7', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['lab.example', 'lab.example', true],
    ['lab.example', 'evil.example', false],
    ['0.0.0.0', '192.0.2.7', true],
    ['::', '2001:db8::7', true],
    ['0.0.0.0', 'evil.example', false],
    ['0.0.0.0', 'localhost', true],
  ])('bound to %s, %s is served: %s', (address, host, served) => {
    const serves = servedHosts(address);

    expect(serves(host)).toBe(served);
  });
});

describe('problems', () => {
  it.each([...ERROR_CODES, ...REFUSAL_CODES])('explains %s', async (code) => {
    const answer = await call('GET', `/problems/${code}`);

    expect(answer).toMatchObject({ status: 200, json: { type: `/problems/${code}`, code } });
    expect(answer.json.remedy).toMatch(/\.$/);
  });

  const whole = Object.entries(PROBLEM_EXAMPLES).flatMap(([code, example]) => {
    const [, method = '', path = '', body] =
      /^([A-Z]+) (\/[^\s,]+)(?: (\{.*\}))?$/.exec(example) ?? [];
    return method === '' || /\/(ID|NAME)/.test(path) ? [] : [{ code, method, path, body }];
  });

  it.each(whole)(
    '$code is the answer to its example',
    async ({ code, method, path, body = '' }) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await call(method, path, body === '' ? {} : { headers, body });

      expect(answer.json).toMatchObject({ code });
    },
  );

  it('has examples of which some are complete requests', () => {
    expect(whole.length).toBeGreaterThan(7);
  });

  it('has no page for a code that does not exist', async () => {
    const answer = await call('GET', '/problems/constructor');

    expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });
});

describe('a fault of the server', () => {
  it('is answered 500 with only the request id, and reported to the operator', async () => {
    const { app: faulty, faults } = labUnderTest();
    const secret = new Error('the secret path /etc/shadow');
    faulty.get('/fault', () => {
      throw secret;
    });

    const response = await faulty.request('/fault');

    const problem = JSON.parse(await response.text());
    expect(response.status).toBe(500);
    expect(problem).toMatchObject({ code: 'internal', status: 500 });
    expect(JSON.stringify(problem)).not.toContain('secret');
    expect(faults).toEqual([{ id: response.headers.get('X-Request-Id'), error: secret }]);
  });
});

describe('the parameters', () => {
  it('contain the policy, its challenge, the closed lists and the limits', async () => {
    const { json } = await call('GET', '/v1/params');

    expect(json).toMatchObject({
      policy: { c1: 2, c2: 0, dynamic: 'concat', epoch: 0, context: 'usurp' },
      challenge: '9e9183025d2227433ac52251d6c1c146f4f487a2a2b30db88caf8a771b18b761',
      hash: 'sha256',
      schemes: ['ed25519', 'secp256k1'],
      protocols: expect.arrayContaining(['bully-oneshot', 'cr-join']),
      limits: { bodyBytes: 65_536, jsonDepth: 8, jsonMembers: 64 },
    });
  });
});
