/**
 * @module
 * The cookie of browsers, and what is kept of sessions, codes and tokens across restarts.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it } from 'vitest';

import { SESSION_HOURS, SESSIONS_PER_TOKEN_MAX } from '../../../server/callers/sessions.ts';
import { normalCode } from '../../../server/callers/tokens.ts';
import { CLAIM_EXAMPLE } from '../../../server/claims/identities.ts';
import { openLogs } from '../../../server/lab.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { bearer, sharedLab, TOKENS, tokenSet } from '../elections/sharing/shared-lab.ts';

const HOUR_MS = 3_600_000;

describe('the cookie of a browser', () => {
  const own = { Origin: 'http://localhost', 'Content-Type': 'application/json' };
  const signIn = async (lab: ReturnType<typeof sharedLab>, headers: object = own) => {
    const body = { type: 'token', token: TOKENS.sam, cookie: true };
    const answer = await lab.post('/v1/sessions', body, { ...headers });
    const cookie = answer.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    return { answer, cookie };
  };

  it('cannot be read by scripts, is sent to this site only, and replaces the token in the answer', async () => {
    const { answer } = await signIn(sharedLab());

    const attributes = answer.headers.get('Set-Cookie')?.split('; ') ?? [];
    expect(answer).toMatchObject({
      status: 201,
      json: { role: 'student', name: 'sam', token: null },
    });
    expect(attributes[0]).toMatch(/^usurp_session=[\w-]{43}$/);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/']));
    expect(attributes.join()).not.toContain(TOKENS.sam);
  });

  it('is marked Secure with HTTPS', async () => {
    const lab = sharedLab();
    const answer = await lab.app.request('https://127.0.0.1/v1/sessions', {
      method: 'POST',
      headers: { ...own, Origin: 'https://127.0.0.1' },
      body: JSON.stringify({ type: 'token', token: TOKENS.sam, cookie: true }),
    });

    expect(answer.headers.get('Set-Cookie')).toContain('Secure');
  });

  it('changes nothing with HTTPS for a page without it, which anyone on the network can write', async () => {
    const { app } = sharedLab();
    const signedInFrom = async (scheme: string, origin: string) => {
      const { status } = await app.request(`${scheme}://127.0.0.1:8443/v1/sessions`, {
        method: 'POST',
        headers: { ...own, Origin: origin },
        body: JSON.stringify({ type: 'token', token: TOKENS.sam, cookie: true }),
      });
      return status;
    };

    expect(await signedInFrom('https', 'http://127.0.0.1:8443')).toBe(403);
    expect(await signedInFrom('https', 'ftp://127.0.0.1:8443')).toBe(403);
    // A proxy may add TLS.
    expect(await signedInFrom('http', 'https://127.0.0.1:8443')).toBe(201);
  });

  it('lets a browser read and, with the Origin of this server, change something', async () => {
    const lab = sharedLab();
    const { cookie } = await signIn(lab);
    const plan = { protocol: 'cr-join', nodes: 3 };

    const read = await lab.call('GET', '/v1/elections', { headers: { Cookie: cookie } });
    const made = await lab.post('/v1/elections', plan, { Cookie: cookie, ...own });

    expect([read.status, made.status]).toEqual([200, 201]);
    expect(made.json.owner).toBe('sam');
  });

  it.each([
    ['no Origin', {}],
    ['the Origin of another site', { Origin: 'http://evil.example' }],
    ['the Origin of another port', { Origin: 'http://localhost:1' }],
    ['the Origin of a page without one', { Origin: 'null' }],
    ['something else as its Origin', { Origin: 'http://localhost@evil.example' }],
  ])('changes nothing with %s', async (_name, headers) => {
    const lab = sharedLab();
    const { cookie } = await signIn(lab);
    const election = await lab.made();

    const made = await lab.post('/v1/elections', {}, { Cookie: cookie, ...headers });
    const deleted = await lab.call('DELETE', election, { headers: { Cookie: cookie, ...headers } });
    const { answer } = await signIn(lab, headers);

    for (const { status, json } of [made, deleted, answer]) {
      expect({ status, code: json.code }).toEqual({ status: 403, code: 'auth.origin' });
    }
    expect(answer.headers.get('Set-Cookie')).toBeNull();
  });

  it('is not asked for the Origin with a token, which no other site has', async () => {
    const lab = sharedLab();
    const { cookie } = await signIn(lab);
    const headers = { ...bearer(TOKENS.sue), Cookie: cookie, Origin: 'http://evil.example' };

    const made = await lab.post('/v1/elections', { protocol: 'cr-join', nodes: 3 }, headers);

    expect(made).toMatchObject({ status: 201, json: { owner: 'sue' } });
  });

  it('ends when the browser signs out, expires, or signs in too often', async () => {
    let wallMs = 1e12;
    const lab = sharedLab({ wallMs: () => wallMs });
    const statusOf = async (cookie: string) =>
      (await lab.call('GET', '/v1/sessions/current', { headers: { Cookie: cookie } })).status;
    const first = await signIn(lab);
    const second = await signIn(lab);

    const headers = { Cookie: first.cookie, ...own };
    const signedOut = await lab.call('DELETE', '/v1/sessions/current', { headers });
    const afterSignOut = [await statusOf(first.cookie), await statusOf(second.cookie)];
    for (let count = 0; count < SESSIONS_PER_TOKEN_MAX; count += 1) await signIn(lab);
    const last = await signIn(lab);
    const afterMany = [await statusOf(second.cookie), await statusOf(last.cookie)];
    wallMs += SESSION_HOURS * HOUR_MS;

    expect(signedOut.status).toBe(204);
    expect(signedOut.headers.get('Set-Cookie')).toContain('Max-Age=0');
    expect(afterSignOut).toEqual([401, 200]);
    expect(afterMany).toEqual([401, 200]);
    expect(await statusOf(last.cookie)).toBe(401);
  });

  it('stands for a participant as well, until that is removed', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const code = await lab.share(election);
    const body = { type: 'joinCode', code, name: 'Ann', cookie: true };
    const { headers, json } = await lab.post('/v1/sessions', body, own);
    const cookie = { Cookie: headers.get('Set-Cookie')?.split(';')[0] ?? '' };

    const before = await lab.call('GET', `${election}/events`, { headers: cookie });
    await lab.ask(TOKENS.ida, 'DELETE', `${election}/participants/${json.participant}`);
    const after = await lab.app.request(`${election}/events`, { headers: cookie });

    expect(json).toMatchObject({
      token: null,
      name: 'Ann',
      participant: expect.stringMatching(/^p_/),
      election,
    });
    expect([before.status, after.status]).toEqual([200, 401]);
  });

  it('is refused for a token that is not known', async () => {
    const lab = sharedLab();
    const body = { type: 'token', token: 'student-unknown-0000', cookie: true };

    const answer = await lab.post('/v1/sessions', body, own);

    expect(answer).toMatchObject({ status: 401, json: { code: 'auth.credential' } });
  });
});

describe('after a restart', () => {
  it('codes, participants, modes and sessions are there, and the file has none of the secrets', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const begun = (tokens = tokenSet()) => {
      const logs = openLogs(path, () => undefined);
      const lab = sharedLab({ logs, tokens });
      lab.elections.open();
      return { ...lab, end: () => lab.elections.close() };
    };
    const before = begun();
    const election = await before.made();
    const code = await before.share(election, { participantsMax: 7 });
    const ann = await before.enter(code, 'Ann');
    const own = { Origin: 'http://localhost' };
    const cookieOf = async (token: string) => {
      const body = { type: 'token', token, cookie: true };
      const { headers } = await before.post('/v1/sessions', body, own);
      return headers.get('Set-Cookie')?.split(';')[0] ?? '';
    };
    const [sams, sues] = [await cookieOf(TOKENS.sam), await cookieOf(TOKENS.sue)];
    const { json: joined } = await before.ask(ann.token, 'POST', `${election}/nodes`, {
      claim: CLAIM_EXAMPLE,
    });
    before.end();

    const bytes = readFileSync(path, 'latin1');
    // The token of sue is no longer in the file of the operator.
    const after = begun(tokenSet(['sam', 'ida']));
    const statusOf = async (cookie: string) =>
      (await after.call('GET', '/v1/sessions/current', { headers: { Cookie: cookie } })).status;
    const access = await after.ask(TOKENS.ida, 'GET', `${election}/access`);
    const bob = await after.exchange(code, 'Bob');
    const seen = await after.ask(ann.token, 'GET', `${election}/nodes`);
    const sessions = [await statusOf(sams), await statusOf(sues)];
    after.end();

    const secrets = [code, normalCode(code), ann.token, TOKENS.sam, String(joined.token)];
    for (const secret of [...secrets, sams.slice('usurp_session='.length)]) {
      expect(secret.length).toBeGreaterThan(15);
      expect(bytes).not.toContain(secret);
    }
    expect(access.json).toMatchObject({
      ...{ mode: 'shared', participants: 1, joinCode: { participantsMax: 7 } },
    });
    expect(bob.status).toBe(201);
    expect(JSON.stringify(seen.json.items)).toContain('"participant":"Ann"');
    expect(sessions).toEqual([200, 401]);
  });

  it.each([
    "UPDATE shares SET mode = 'public'",
    'UPDATE shares SET expires = expires + 1',
    "UPDATE participants SET name = 'X'",
    'UPDATE sessions SET expires = expires + 1',
  ])('a file with changed rows is refused: %s', async (statement) => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const lab = sharedLab({ logs: openLogs(path, () => undefined) });
    const code = await lab.share(await lab.made());
    const own = { Origin: 'http://localhost' };
    await lab.post('/v1/sessions', { type: 'joinCode', code, name: 'Ann', cookie: true }, own);
    lab.elections.close();
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();

    const logs = openLogs(path, () => undefined);

    const read = () => [logs.sharing.read(), logs.sessions.read()];
    expect(read).toThrow('damaged');
    logs.elections.close();
  });
});
