/**
 * @module
 * Forgeries over HTTP: requests, progress, who receives the secret, and one search in real threads.
 */

import { describe, expect, it } from 'vitest';

import type { Execute } from '../../../server/jobs/job-kind.ts';
import { JOBS_QUEUED_PER_CALLER_MAX } from '../../../server/jobs/job-queue.ts';
import type {
  OperationJob,
  OperationRequest,
} from '../../../server/jobs/operations/operation-job.ts';
import { operationInThreads } from '../../../server/jobs/operations/operation-job.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import { parseClaim } from '../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { REMOTE_MINING } from '../../../src/operations/identity/members.ts';
import type { MineOutput } from '../../../src/operations/identity/mine-report.ts';
import { FOUND as STAGED, UNFOUND } from '../fuzz/staged-results.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

type Progress = OperationJob['progress'];

const { claim: CLAIM, ledger: LEDGER } = STAGED;
const FOUND: MineOutput & OperationJob['result'] = STAGED;
const SECONDS = { foundProbability: 1 - (1 - 1 / 1024) ** 1024, p50Seconds: 0.7, p95Seconds: 3 };
const PROGRESS: Progress = {
  ...{ now: 'attempts', done: 1024, total: null, likelySeconds: 3 },
  ...{ phase: 'keys', tested: 1024, bestBits: 9, perSecond: 1024, keys: 1, ledger: LEDGER },
  odds: { wanted: 1, expectedSeconds: 1, ...SECONDS },
};
const BODY = { c1: 10, attempts: 5000 };
const ID = 'ab'.repeat(32);

const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A lab whose forgeries end when the test says so. */
function stagedLab(nowMs = () => 0) {
  const started: {
    readonly request: OperationRequest;
    readonly progress: (progress: Progress) => void;
    readonly resolve: (result: OperationJob['result']) => void;
  }[] = [];
  const forgery: Execute<OperationJob> = (request, { onProgress }) => {
    const { promise, resolve } = Promise.withResolvers<OperationJob['result']>();
    started.push({ request, progress: (progress) => onProgress(progress), resolve });
    return promise;
  };
  return { started, ...labUnderTest({ nowMs, executions: { operation: forgery } }) };
}

describe('POST /v1/forgeries', () => {
  it('answers 202 with a Location, and fills in the defaults', async () => {
    const { started, post } = stagedLab();

    const answer = await post('/v1/forgeries', BODY);

    expect(answer).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^mine_[a-z2-7]{16}$/),
        ...{ status: 'running', progress: { now: 'waiting', done: 0, total: null } },
        links: { self: linkOf(answer) },
      },
    });
    expect(answer.json.request).toEqual({
      ...{ goal: 'any', scheme: 'ed25519', strategy: 'siblings', dynamicStrategy: 'dynamic' },
      policy: { ...STRICT_POLICY, c1: 10 },
      ...{ attempts: 5000, wall: 3000 },
    });
    expect(started[0]?.request.secretSeed).toMatch(/^[0-9]{60,78}$/);
  });

  it('uses the policy of the server and a budget of one minute by default', async () => {
    const { post } = stagedLab();

    const answer = await post('/v1/forgeries', {});

    expect(answer.json.request).toMatchObject({ policy: { ...STRICT_POLICY, c1: 2 }, wall: 60 });
  });

  it('accepts top and near with node IDs, and keeps them in the request', async () => {
    const { post } = stagedLab();
    const against = ['11'.repeat(32), 'ee'.repeat(32), '22'.repeat(32)];

    const top = await post('/v1/forgeries', { goal: 'top', against });
    const near = await post('/v1/forgeries', { goal: `near:${ID}`, against });

    expect(top).toMatchObject({ status: 202, json: { request: { goal: 'top', against } } });
    expect(near).toMatchObject({ status: 202, json: { request: { goal: `near:${ID}`, against } } });
  });

  it('refuses while the queue is full, with a Retry-After from the budget or the odds', async () => {
    let now = 0;
    const { started, post } = stagedLab(() => now);
    const body = { c1: 10, wall: 10 };
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
    ['job.size', '#/goal', { goal: `count:${REMOTE_MINING.identities + 1}` }],
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
    ['arguments', '#/dynamicStrategy', { dynamicStrategy: 'amortised-xor' }],
    ['arguments', '#/stockpile', { stockpile: 5 }],
    ['schema', '#/stockpile', { strategy: 'stockpile', stockpile: REMOTE_MINING.stockpile + 1 }],
    ['schema', '#/attempts', { attempts: 0 }],
    ['schema', '#/attempts', { attempts: 2 ** 53 }],
    ['schema', '#/hashes', { hashes: '5s' }],
    ['schema', '#/cpu', { cpu: -1 }],
    ['schema', '#/wall', { wall: 3001 }],
    ['schema', '#/budget', { budget: { attempts: 5 } }],
    ['schema', '#/goal', { goal: 'pair' }],
    ['arguments', '#/attempts', { goal: `near:${ID}`, c2: 4 }],
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
  it('shows the members of its progress, and never a remaining time', async () => {
    const { started, post, call } = stagedLab();
    const forgery = await post('/v1/forgeries', BODY);

    started[0]?.progress(PROGRESS);
    const { json, text } = await call('GET', linkOf(forgery));

    const { likelySeconds: _time, ...shown } = PROGRESS;
    expect(json.progress).toEqual(shown);
    expect(text).not.toMatch(/remaining|left|likely/i);
  });

  it('shows the claim and the ledger when it is over, and every claim if several were sought', async () => {
    const { started, post, call } = stagedLab();
    const one = await post('/v1/forgeries', BODY);
    const two = await post('/v1/forgeries', { ...BODY, goal: 'count:2' });

    started[0]?.resolve(FOUND);
    await settle();
    started[1]?.resolve({ ...STAGED, claims: [CLAIM, CLAIM] } as OperationJob['result']);
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
    const seed = String(started[0]?.request.secretSeed);
    const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

    const answer = await call('GET', `${linkOf(forgery)}/results/secret`);
    const plain = await call('GET', linkOf(forgery));
    const listed = await call('GET', '/v1/jobs');
    const foreign = await app.request(`${linkOf(forgery)}/results/secret`, {}, from('192.0.2.1'));
    const others = await app.request('/v1/jobs', {}, from('192.0.2.1'));

    expect(answer.json).toEqual({ seed, keys: STAGED.secret.keys });
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
    started[0]?.resolve({ ...UNFOUND, ending: 'cancelled' } as OperationJob['result']);
    await settle();
    const second = await call('POST', `${linkOf(forgery)}/cancel`);

    expect(first).toMatchObject({ status: 200, json: { status: 'cancelling' } });
    expect(second).toMatchObject({
      status: 200,
      json: { status: 'cancelled', result: { found: false, claim: null, ledger: UNFOUND.ledger } },
    });
  });
});

describe('a forgery by threads', () => {
  it('is determined by its seed, and its claim is admitted', async () => {
    const { post, call, jobs } = labUnderTest({ executions: { operation: operationInThreads(1) } });
    const body = { c1: 8, c2: 4, seed: '1', attempts: 100_000 };

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
    const { post, call, jobs } = labUnderTest({ executions: { operation: operationInThreads(1) } });
    const body = { c1: 4, goal: 'count:100', seed: '1', attempts: 400 };

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
    const { post, call, jobs } = labUnderTest({ executions: { operation: operationInThreads(1) } });
    const forgery = await post('/v1/forgeries', { c1: 60 });
    const progress = async () => (await call('GET', linkOf(forgery))).json.progress;
    await expect.poll(progress, { timeout: 60_000 }).toMatchObject({ phase: 'keys' });

    await call('POST', `${linkOf(forgery)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { json } = await call('GET', linkOf(forgery));
    expect(json).toMatchObject({ status: 'cancelled', result: { ending: 'cancelled' } });
    const { ledger } = json.result as { ledger: { attempts: number } }; // As asserted above.
    expect(ledger.attempts).toBeGreaterThan(0);
  });
});
