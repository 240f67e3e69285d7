/**
 * @module
 * Signing in: join codes and what they are exchanged for, and their limits.
 */

import { describe, expect, it } from 'vitest';

import { FAILED_SIGN_INS } from '../../../server/callers/caller-budgets.ts';
import { normalCode, randomCode } from '../../../server/callers/tokens.ts';
import { CLAIM_EXAMPLE } from '../../../server/claims/identities.ts';
import { EXCHANGES } from '../../../server/elections/sharing/shared-elections.ts';
import { bearer, sharedLab, TOKENS } from '../elections/sharing/shared-lab.ts';
import type { Answer } from '../lab-under-test.ts';

const WRONG = 'aaaa-bbbb-cccc-dddd';

/** An answer without the parts that differ between any two. */
const alike = ({ status, json }: Answer) => ({ status, json: { ...json, instance: null } });

describe('a join code', () => {
  it('has 80 random bits, which are 16 letters in base 32', () => {
    const codes = Array.from({ length: 2_000 }, randomCode);

    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    // Each of the 32 letters is at each of the 16 positions about 62 times.
    for (let at = 0; at < 16; at += 1) {
      expect(new Set(codes.map((code) => normalCode(code).charAt(at))).size).toBe(32);
    }
  });

  it('gives a token for its election, without an account', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const code = await lab.share(election);

    const answer = await lab.exchange(code, 'Ann');

    expect(answer.status).toBe(201);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.json).toMatchObject({ role: 'participant', name: 'Ann', election });
    expect(Buffer.from(String(answer.json.token), 'base64url')).toHaveLength(32);
    const seen = await lab.ask(String(answer.json.token), 'GET', election);
    expect(seen.status).toBe(200);
  });

  it('may be typed in capitals and without hyphens', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());

    const answer = await lab.exchange(code.toUpperCase().replaceAll('-', ' '));

    expect(answer.status).toBe(201);
  });

  it('that is wrong, expired, replaced, revoked, or of a private or deleted election has one answer', async () => {
    let wallMs = 1e12;
    const lab = sharedLab({ wallMs: () => wallMs });
    const made = async (change: (election: string) => Promise<unknown>) => {
      const election = await lab.made();
      const code = await lab.share(election, { expiresIn: 60 });
      await change(election);
      return lab.exchange(code);
    };
    const asIda = (method: string, path: string, body?: object) =>
      lab.ask(TOKENS.ida, method, path, body);

    const answers = [
      await lab.exchange(WRONG),
      await made((path) => asIda('POST', `${path}/join-code`, {})),
      await made((path) => asIda('DELETE', `${path}/join-code`)),
      await made((path) => asIda('PUT', `${path}/access`, { mode: 'private' })),
      await made((path) => asIda('DELETE', path)),
      await made(async () => {
        wallMs += 60_000;
      }),
    ];

    expect(answers[0]).toMatchObject({ status: 401, json: { code: 'auth.credential' } });
    expect(new Set(answers.map((answer) => JSON.stringify(alike(answer)))).size).toBe(1);
  });

  it('is accepted until it expires', async () => {
    let wallMs = 1e12;
    const lab = sharedLab({ wallMs: () => wallMs });
    const code = await lab.share(await lab.made(), { expiresIn: '1m' });

    wallMs += 59_999;

    expect((await lab.exchange(code)).status).toBe(201);
  });

  it('remains when it is used, and participants remain when it is revoked', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const code = await lab.share(election);
    const ann = await lab.enter(code, 'Ann');
    const bob = await lab.enter(code, 'Bob');

    await lab.ask(TOKENS.ida, 'DELETE', `${election}/join-code`);

    for (const { token } of [ann, bob]) {
      expect((await lab.ask(token, 'GET', election)).status).toBe(200);
    }
  });

  it('admits as many participants as it was made for', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made(), { participantsMax: 2 });

    const statuses = [];
    for (const name of ['A', 'B', 'C']) statuses.push((await lab.exchange(code, name)).status);

    expect(statuses).toEqual([201, 201, 409]);
  });

  it.each(['Ann', 'ann', 'ANN', 'Ann '])('refuses a name like another: %s', async (name) => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());
    await lab.enter(code, 'Ann');

    expect(await lab.exchange(code, name)).toMatchObject({
      ...{ status: 409, json: { code: 'name.taken' } },
    });
  });

  it.each(['', ' Ann', 'a'.repeat(65), 'a\u202eb', '<b>', 'a\u0000', '=1+1'])(
    'refuses the name %j',
    async (name) => {
      const lab = sharedLab();

      expect(await lab.exchange(WRONG, name)).toMatchObject({
        ...{ status: 400, json: { code: 'schema' } },
      });
    },
  );

  it.each(['Zoë', 'Łukasz', 'Γιώργος', 'Анна', '李小龍', "O'Brien-Smith 2"])(
    'accepts the name %s',
    async (name) => {
      const lab = sharedLab();
      const code = await lab.share(await lab.made());

      const answer = await lab.exchange(code, name);

      expect(answer).toMatchObject({ status: 201, json: { name } });
    },
  );
});

describe('exchanges', () => {
  it('of wrong codes are limited for an address, which may soon try again', async () => {
    let nowMs = 0;
    const lab = sharedLab({ nowMs: () => nowMs });
    for (let count = 0; count < FAILED_SIGN_INS.burst; count += 1) await lab.exchange(WRONG);

    const refused = await lab.exchange(WRONG);
    const again = await lab.exchange(WRONG);
    nowMs += 1000 * Number(refused.json.retryAfterS);
    const answered = await lab.exchange(WRONG);

    for (const each of [refused, again]) {
      expect(each).toMatchObject({ status: 429, json: { code: 'limit.rate', retryAfterS: 1 } });
    }
    expect(answered.status).toBe(401);
  });

  it('of wrong codes and tokens are limited for the /64 network of an address, of which one host can use all', async () => {
    const { app } = sharedLab();
    const statusFrom = async (remoteAddress: string, isToken: boolean) => {
      const socket = { incoming: { socket: { remoteAddress } } };
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ type: 'joinCode', code: WRONG, name: 'Ann' });
      const answer = isToken
        ? await app.request('/v1/elections', { headers: bearer('unknown-0123456789') }, socket)
        : await app.request('/v1/sessions', { method: 'POST', headers, body }, socket);
      return answer.status;
    };
    for (let host = 0; host < FAILED_SIGN_INS.burst; host += 1) {
      await statusFrom(`2001:db8::${host}`, host % 2 === 0);
    }

    expect(await statusFrom('2001:db8::99', false)).toBe(429);
    expect(await statusFrom('2001:db8::98', true)).toBe(429);
    expect(await statusFrom('2001:db8:0:1::1', false)).toBe(401);
  });

  it('of right codes and tokens succeed, however many wrong ones their address sends', async () => {
    const lab = sharedLab({ limits: { requestsPerSecond: 30 } });
    const code = await lab.share(await lab.made());
    const origin = { Origin: 'http://localhost' };
    const withToken = (token: string) =>
      lab.post('/v1/sessions', { type: 'token', token, cookie: true }, origin);
    for (let count = 0; count < 2 * FAILED_SIGN_INS.burst; count += 1) await lab.exchange(WRONG);

    const answers = [
      await lab.exchange(WRONG),
      await withToken('unknown-0123456789'),
      await lab.ask('unknown-0123456789', 'GET', '/v1/elections'),
      await lab.exchange(code),
      await withToken(TOKENS.sam),
      await lab.ask(TOKENS.sam, 'GET', '/v1/elections'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 201, 201, 200]);
  });

  it('are not needed to send wrong tokens: these are counted for the address as well', async () => {
    const lab = sharedLab();
    const statuses = [];
    for (let count = 0; count <= FAILED_SIGN_INS.burst; count += 1) {
      statuses.push((await lab.ask(`guess-${count}-0123456789`, 'GET', '/v1/elections')).status);
    }

    expect(statuses.filter((status) => status === 401)).toHaveLength(FAILED_SIGN_INS.burst);
    expect(statuses.at(-1)).toBe(429);
    expect((await lab.call('GET', '/v1/elections')).status).toBe(401);
  });

  it('of right codes are no failures, so that a class at one address can join at once', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());

    const names = Array.from({ length: 40 }, (_, index) => `Student ${index}`);
    const answers = await Promise.all(names.map((name) => lab.exchange(code, name)));

    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  });

  it('are limited for each code', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());
    const other = await lab.share(await lab.made());
    for (let count = 0; count < EXCHANGES.burst; count += 1) {
      await lab.enter(code, `Student ${count}`);
    }

    expect(await lab.exchange(code, 'Bob')).toMatchObject({ status: 429 });
    expect(await lab.exchange(other, 'Bob')).toMatchObject({ status: 201 });
  });

  it('with a name that is taken do not use up the code', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());
    await lab.enter(code, 'Ann');
    for (let count = 0; count <= EXCHANGES.burst; count += 1) {
      expect(await lab.exchange(code, 'Ann')).toMatchObject({ status: 409 });
    }

    expect((await lab.exchange(code, 'Bob')).status).toBe(201);
  });

  it('that take all seats can be undone: the instructor removes participants and makes a new code', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const code = await lab.share(election, { participantsMax: 3 });
    for (const name of ['One', 'Two', 'Three']) await lab.enter(code, name);
    const refused = await lab.exchange(code, 'Ann');
    const list = await lab.ask(TOKENS.ida, 'GET', `${election}/participants`);
    const entered = list.json.items as { links: { self: string }; nodeId: string | null }[];

    const next = await lab.ask(TOKENS.ida, 'POST', `${election}/join-code`, { participantsMax: 3 });
    for (const { links } of entered) await lab.ask(TOKENS.ida, 'DELETE', links.self);

    expect(refused).toMatchObject({ status: 409, json: { code: 'election.closed' } });
    expect(entered.map(({ nodeId }) => nodeId)).toEqual([null, null, null]);
    expect((await lab.exchange(code, 'Two')).status).toBe(401);
    expect((await lab.exchange(String(next.json.code), 'Ann')).status).toBe(201);
  });

  it('have no answer that another caller at the same address could receive by its Idempotency-Key', async () => {
    const lab = sharedLab();
    const code = await lab.share(await lab.made());
    const body = { type: 'joinCode', code, name: 'Ann' };
    const key = { 'Idempotency-Key': '1' };

    const first = await lab.post('/v1/sessions', body, key);
    const second = await lab.post('/v1/sessions', body, key);

    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 409, json: { code: 'name.taken' } });
    expect(second.text).not.toContain(String(first.json.token));
  });
});

describe('an Idempotency-Key', () => {
  it('repeats a join code for the instructor who made it, and for no one else', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    await lab.ask(TOKENS.ida, 'PUT', `${election}/access`, { mode: 'shared' });
    const key = { 'Idempotency-Key': '1' };
    const create = (token: string) =>
      lab.post(`${election}/join-code`, {}, { ...key, ...bearer(token) });

    const [mine, again, other] = [
      await create(TOKENS.ida),
      await create(TOKENS.ida),
      await create(TOKENS.ian),
    ];

    expect(again.json).toEqual(mine.json);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(other.status).toBe(201);
    expect(other.json.code).not.toBe(mine.json.code);
  });

  it('of a participant repeats no node token of another participant', async () => {
    const lab = sharedLab();
    const election = await lab.made();
    const code = await lab.share(election);
    const [ann, bob] = [await lab.enter(code, 'Ann'), await lab.enter(code, 'Bob')];
    const join = (token: string) =>
      lab.post(
        `${election}/nodes`,
        { claim: CLAIM_EXAMPLE },
        { 'Idempotency-Key': '1', ...bearer(token) },
      );

    const [first, other] = [await join(ann.token), await join(bob.token)];

    expect(first.status).toBe(201);
    expect(other).toMatchObject({ status: 409, json: { code: 'id.exists' } });
    expect(other.text).not.toContain(String(first.json.token));
  });
});
