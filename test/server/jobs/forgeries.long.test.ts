/**
 * @module
 * Forgeries over HTTP: requests, progress, who receives the secret, and one search in real threads.
 */

import { describe, expect, it } from 'vitest';

import type {
  ForgeryJob,
  ForgeryProgress,
  ForgeryResult,
} from '../../../server/jobs/forgeries/forgery.ts';
import { forgeInThreads } from '../../../server/jobs/forgeries/forgery.ts';
import type { ForgeryRequest } from '../../../server/jobs/forgeries/request.ts';
import {
  FORGERY_IDENTITIES_MAX,
  FORGERY_STOCK_MAX,
} from '../../../server/jobs/forgeries/request.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import { JOBS_QUEUED_PER_CALLER_MAX } from '../../../server/jobs/job-queue.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import { parseClaim } from '../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const LEDGER = {
  ...{ attempts: 1024, hashes: 2048, groupOperations: 512 },
  ...{ cpuSeconds: 0.5, wallSeconds: 1, overshoot: 7 },
};
const PROGRESS: ForgeryProgress = {
  ...{ phase: 'keys', tested: 1024, bestBits: 9, cpuSeconds: 0.5, wallSeconds: 1 },
  ...{ keys: 1, highest: { attempt: 511, nodeId: 'bb'.repeat(32) } },
  ledger: LEDGER,
};
const CLAIM: ClaimJson = {
  scheme: 'ed25519',
  publicKey: 'aa'.repeat(32),
  nodeId: 'bb'.repeat(32),
  solution: null,
  signature: 'cc'.repeat(64),
};
const FOUND: ForgeryResult = {
  ...{ found: true, ending: 'found', claims: [CLAIM], measured: { c1: 10, c2: 0 } },
  ...{ ledger: LEDGER, secrets: [{ form: 'scalar', hex: '5e'.repeat(32) }] },
};
const BODY = { c1: 10, budget: { attempts: 5000 } };
const ID = 'ab'.repeat(32);

const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A lab whose forgeries end when the test says so. */
function stagedLab(nowMs = () => 0) {
  const started: {
    readonly request: ForgeryRequest;
    readonly progress: (progress: ForgeryProgress) => void;
    readonly resolve: (result: ForgeryResult) => void;
  }[] = [];
  const forgery: Execute<ForgeryJob> = (request, { onProgress }) => {
    const { promise, resolve } = Promise.withResolvers<ForgeryResult>();
    started.push({ request, progress: (progress) => onProgress(progress), resolve });
    return promise;
  };
  return { started, ...labUnderTest({ nowMs, executions: { forgery } }) };
}

describe('POST /v1/forgeries', () => {
  it('answers 202 with a Location, and fills in the defaults', async () => {
    const { started, post } = stagedLab();

    const answer = await post('/v1/forgeries', BODY);

    expect(answer).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^f_[a-z2-7]{16}$/),
        ...{ status: 'running', goal: 'any', progress: null },
        links: { self: linkOf(answer) },
      },
    });
    expect(answer.json.request).toEqual({
      ...{ goal: 'any', scheme: 'ed25519', strategy: 'siblings', dynamicStrategy: 'dynamic' },
      policy: { ...STRICT_POLICY, c1: 10 },
      budget: { attempts: 5000, wallSeconds: 3000 },
    });
    expect(started[0]?.request.task.seed).toMatch(/^[0-9]{60,78}$/);
  });

  it('uses the policy of the server and a budget of one minute by default', async () => {
    const { started, post } = stagedLab();

    const answer = await post('/v1/forgeries', {});

    expect(answer.json.request).toMatchObject({ policy: { c1: 2 }, budget: { wallSeconds: 60 } });
    expect(started[0]?.request.task.policy).toEqual({ ...STRICT_POLICY, c1: 2 });
  });

  it('resolves top and near against the given node IDs', async () => {
    const { post } = stagedLab();
    const against = ['11'.repeat(32), 'ee'.repeat(32), '22'.repeat(32)];

    const top = await post('/v1/forgeries', { goal: 'top', against });
    const near = await post('/v1/forgeries', { goal: `near:${ID}`, against });

    expect(top.json.goal).toBe(`above:${'ee'.repeat(32)}`);
    expect(near).toMatchObject({ status: 202, json: { goal: `near:${ID}` } });
  });

  it('refuses while the queue is full, with a Retry-After from the budget or the odds', async () => {
    let now = 0;
    const { started, post } = stagedLab(() => now);
    const body = { c1: 10, budget: { wallSeconds: 10 } };
    for (let count = 0; count <= JOBS_QUEUED_PER_CALLER_MAX; count += 1)
      await post('/v1/forgeries', body);

    now = 4000;
    const byBudget = await post('/v1/forgeries', body);
    started[0]?.progress(PROGRESS);
    const byOdds = await post('/v1/forgeries', body);

    expect(byBudget).toMatchObject({ status: 503, json: { code: 'limit.queue', retryAfterS: 7 } });
    expect(byOdds).toMatchObject({ status: 503, json: { retryAfterS: 4 } });
  });

  // One lab for the whole table, because a refusal changes nothing in it.
  const refusing = stagedLab();

  it.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['schema', '#/goal', { goal: 'topmost' }],
    ['schema', '#/goal', { goal: 'above:AB' }],
    ['schema', '#/goal', { goal: 'above:abcd' }],
    ['schema', '#/goal', { goal: 'count:0' }],
    ['schema', '#/goal', { goal: { type: 'any' } }],
    ['job.size', '#/goal', { goal: `count:${FORGERY_IDENTITIES_MAX + 1}` }],
    ['arguments', '#/goal', { goal: `above:${'ff'.repeat(32)}` }],
    ['schema', '#/against', { goal: 'top' }],
    ['schema', '#/against', { goal: 'any', against: [ID] }],
    ['schema', '#/against', { goal: 'top', against: [] }],
    ['schema', '#/against/1', { goal: 'top', against: [ID, 'abcd'] }],
    ['schema', '#/against/0', { goal: 'top', against: ['xyz'] }],
    ['schema', '#/c1', { c1: 257 }],
    ['schema', '#/c1', { c1: 1.5 }],
    ['schema', '#/c1', { c1: 8, policy: { c1: 8 } }],
    ['schema', '#/c2', { c2: 8, policy: {} }],
    ['schema', '#/policy/c1', { policy: { c1: -1 } }],
    ['schema', '#/policy/dynamics', { policy: { dynamics: 'xor' } }],
    ['schema', '#/scheme', { scheme: '__proto__' }],
    ['schema', '#/scheme', { scheme: 'secp256k1', policy: { idRule: 'yggdrasil' } }],
    ['schema', '#/strategy', { strategy: 'dynamic' }],
    ['schema', '#/dynamicStrategy', { dynamicStrategy: 'siblings' }],
    ['arguments', '', { dynamicStrategy: 'amortised-xor' }],
    ['arguments', '#/stockpile', { stockpile: 5 }],
    ['schema', '#/stockpile', { strategy: 'stockpile', stockpile: FORGERY_STOCK_MAX + 1 }],
    ['schema', '#/budget/attempts', { budget: { attempts: 0 } }],
    ['schema', '#/budget/attempts', { budget: { attempts: 2 ** 53 } }],
    ['schema', '#/budget/hashes', { budget: { hashes: '5s' } }],
    ['schema', '#/budget/cpuSeconds', { budget: { cpuSeconds: -1 } }],
    ['schema', '#/budget/wallSeconds', { budget: { wallSeconds: 3001 } }],
    ['schema', '#/budget/seconds', { budget: { seconds: 5 } }],
    ['arguments', '#/budget/attempts', { goal: `near:${ID}`, c2: 4 }],
    ['schema', '#/seed', { seed: 1 }],
    ['schema', '#/seed', { seed: '0x1' }],
    ['schema', '#/secret', { secret: true }],
  ])('refuses as %s at %s: %j', async (code, pointer, body) => {
    const { started, post } = refusing;

    const answer = await post('/v1/forgeries', body);

    expect(answer).toMatchObject({ status: 400, json: { code } });
    if (pointer !== '') expect(answer.json).toMatchObject({ errors: [{ pointer }] });
    expect(started).toEqual([]);
  });
});

describe('GET /v1/jobs/{id} of a forgery', () => {
  it('shows attempts, rate, best bits and odds, and never a remaining time', async () => {
    const { started, post, call } = stagedLab();
    const forgery = await post('/v1/forgeries', BODY);

    started[0]?.progress(PROGRESS);
    const { json, text } = await call('GET', linkOf(forgery));

    expect(json.progress).toMatchObject({
      ...{ phase: 'keys', tested: 1024, perSecond: 1024, bestBits: 9, ledger: LEDGER },
      ...{ keys: 1, highest: { attempt: 511, nodeId: 'bb'.repeat(32) } },
      odds: {
        ...{ wanted: 1, expectedSeconds: 1 },
        foundProbability: expect.closeTo(1 - (1 - 1 / 1024) ** 1024, 12),
        p50Seconds: expect.closeTo(Math.LN2, 2),
        p95Seconds: expect.closeTo(-Math.log(0.05), 2),
      },
    });
    expect(text).not.toMatch(/remaining|left/i);
  });

  it('has no odds if only the budget ends the search', async () => {
    const { started, post, call } = stagedLab();
    const forgery = await post('/v1/forgeries', { goal: `near:${ID}` });

    started[0]?.progress({ ...PROGRESS, bestBits: -1 });

    const { json } = await call('GET', linkOf(forgery));
    expect(json.progress).toMatchObject({ bestBits: null, odds: null });
  });

  it('shows the claim and the ledger when it is over, and every claim if several were sought', async () => {
    const { started, post, call } = stagedLab();
    const one = await post('/v1/forgeries', BODY);
    const two = await post('/v1/forgeries', { ...BODY, goal: 'count:2' });

    started[0]?.resolve(FOUND);
    await settle();
    started[1]?.resolve({ ...FOUND, claims: [CLAIM, CLAIM] });
    await settle();

    const first = await call('GET', linkOf(one));
    const second = await call('GET', linkOf(two));
    expect(first.json).toMatchObject({
      status: 'done',
      result: { found: true, claim: CLAIM, measured: { c1: 10, c2: 0 }, ledger: LEDGER },
    });
    expect(first.json.result).not.toHaveProperty('claims');
    expect(second.json).toMatchObject({ result: { claim: CLAIM, claims: [CLAIM, CLAIM] } });
  });

  it('sends the secret only to the caller that submitted the forgery, and only on request', async () => {
    const { started, post, call, app, requests } = stagedLab();
    const forgery = await post('/v1/forgeries', BODY);
    started[0]?.resolve(FOUND);
    await settle();
    const seed = String(started[0]?.request.task.seed);
    const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

    const answer = await call('GET', `${linkOf(forgery)}/results/secret`);
    const plain = await call('GET', linkOf(forgery));
    const listed = await call('GET', '/v1/jobs');
    const foreign = await app.request(`${linkOf(forgery)}/results/secret`, {}, from('192.0.2.1'));
    const others = await app.request('/v1/jobs', {}, from('192.0.2.1'));

    expect(answer.json).toEqual({ seed, keys: FOUND.secrets });
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(listed.json.items).toMatchObject([{ id: forgery.json.id, result: { found: true } }]);
    for (const text of [forgery.text, plain.text, listed.text, JSON.stringify(requests)]) {
      expect(text).not.toContain('5e5e5e');
      expect(text).not.toContain(seed);
    }
    expect(foreign.status).toBe(404);
    expect(await others.json()).toEqual({ items: [], nextPageToken: null });
  });

  it.each(['?secret=1', '?secret=', '?secret', '?secret=true&secret=false', '?secrets=true'])(
    'refuses the query %s',
    async (query) => {
      const { post, call } = stagedLab();
      const forgery = await post('/v1/forgeries', BODY);

      const answer = await call('GET', `${linkOf(forgery)}${query}`);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );
});

describe('POST /v1/jobs/{id}/cancel of a forgery', () => {
  it('keeps the ledger', async () => {
    const { started, post, call } = stagedLab();
    const forgery = await post('/v1/forgeries', BODY);

    const first = await call('POST', `${linkOf(forgery)}/cancel`);
    const nothing = { found: false, claims: [], secrets: [], measured: null } as const;
    started[0]?.resolve({ ...nothing, ending: 'cancelled', ledger: LEDGER });
    await settle();
    const second = await call('POST', `${linkOf(forgery)}/cancel`);

    expect(first).toMatchObject({ status: 200, json: { status: 'cancelling' } });
    expect(second).toMatchObject({
      status: 200,
      json: { status: 'cancelled', result: { found: false, claim: null, ledger: LEDGER } },
    });
  });
});

describe('a forgery by threads', () => {
  it('is determined by its seed, and its claim is admitted', async () => {
    const { post, call, jobs } = labUnderTest({ executions: { forgery: forgeInThreads(1) } });
    const body = { c1: 8, c2: 4, seed: '1', budget: { attempts: 100_000 } };

    const forgery = await post('/v1/forgeries', body);
    await expect.poll(() => jobs.queue.executing).toBe(0);
    const { json } = await call('GET', linkOf(forgery));
    const secret = await call('GET', `${linkOf(forgery)}/results/secret`);

    const { found, ledger, claim } = json.result as Record<string, Record<string, unknown>>;
    expect(found).toBe(true);
    expect(json).toMatchObject({ status: 'done', request: { seed: '1' } });
    expect(ledger).toMatchObject({ attempts: expect.any(Number) });
    expect(admit(parseClaim(claim), { ...STRICT_POLICY, c1: 8, c2: 4 }).admitted).toBe(true);
    expect(secret.json).toMatchObject({ seed: '1', keys: [{ hex: expect.any(String) }] });
  });

  it('reports the keys found so far, and the one with the highest rank', async () => {
    const { post, call, jobs } = labUnderTest({ executions: { forgery: forgeInThreads(1) } });
    const body = { c1: 4, goal: 'count:100', seed: '1', budget: { attempts: 400 } };

    const forgery = await post('/v1/forgeries', { ...body, strategy: 'walk' });
    await expect.poll(() => jobs.queue.executing).toBe(0);
    const { json } = await call('GET', linkOf(forgery));

    const { claims } = json.result as { claims: readonly ClaimJson[] };
    const nodeIds = claims.map(({ nodeId }) => nodeId).toSorted();
    expect(nodeIds.length).toBeGreaterThan(5);
    expect(json.progress).toMatchObject({
      keys: nodeIds.length,
      highest: { attempt: expect.any(Number), nodeId: nodeIds.at(-1) },
    });
  });

  it('ends soon after it is cancelled, with its ledger', async () => {
    const { post, call, jobs } = labUnderTest({ executions: { forgery: forgeInThreads(1) } });
    const forgery = await post('/v1/forgeries', { c1: 60 });
    const progress = async () => (await call('GET', linkOf(forgery))).json.progress;
    await expect.poll(progress, { timeout: 20_000 }).not.toBeNull();

    await call('POST', `${linkOf(forgery)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { json } = await call('GET', linkOf(forgery));
    expect(json).toMatchObject({ status: 'cancelled', result: { ending: 'cancelled' } });
    const { ledger } = json.result as { ledger: { attempts: number } }; // As asserted above.
    expect(ledger.attempts).toBeGreaterThan(0);
  });
});
