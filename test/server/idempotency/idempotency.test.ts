/**
 * @module
 * Requests that are repeated with their Idempotency-Key have one effect and one answer.
 */

import { describe, expect, it } from 'vitest';

import { ANSWER_HOURS } from '../../../server/idempotency/answer-log.ts';
import { ANSWERS_PER_CALLER_MAX, AnswerStore } from '../../../server/idempotency/answer-store.ts';
import { labUnderTest } from '../lab-under-test.ts';

const BODY = { protocol: 'bully-oneshot', nodes: 4 };
const KEY = { 'Idempotency-Key': 'one' };

async function electionsKept({ app }: ReturnType<typeof labUnderTest>): Promise<number> {
  const text = await (await app.request('/metrics')).text();
  return Number(/^usurp_elections_kept (\d+)$/m.exec(text)?.[1]);
}

describe('an Idempotency-Key', () => {
  it('gives ten requests at once one effect and ten equal answers', async () => {
    const lab = labUnderTest();

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => lab.post('/v1/elections', BODY, KEY)),
    );

    const seen = answers.map(({ status, headers, text }) =>
      JSON.stringify([status, headers.get('Location'), headers.get('Content-Type'), text]),
    );
    const replayed = answers.filter(({ headers }) => headers.has('Idempotency-Replayed'));
    expect(answers[0]?.status).toBe(201);
    expect(new Set(seen).size).toBe(1);
    expect(replayed).toHaveLength(9);
    expect(await electionsKept(lab)).toBe(1);
  });

  it('limits how many requests wait for an answer', async () => {
    const answers = new AnswerStore(() => 0);
    const request = { caller: 'a', key: 'one', fingerprint: 'same' };
    const { promise, resolve } = Promise.withResolvers<null>();
    const first = answers.once(request, () => promise);
    let waiting = 0;
    const wait = () => {
      if (waiting === 2) throw new Error('enough wait');
      waiting += 1;
      return () => {
        waiting -= 1;
      };
    };
    const again = () => answers.once(request, async () => null, wait);
    const others = [again(), again()];

    await expect(again()).rejects.toThrow('enough wait');
    resolve(null);
    await Promise.all([first, ...others]);

    expect(waiting).toBe(0);
  });

  it('repeats the earlier answer with a new request id', async () => {
    const { post } = labUnderTest();
    const first = await post('/v1/elections', BODY, KEY);
    await post(`/v1/elections/${first.json.id}/actions`, { type: 'start' });

    const again = await post('/v1/elections', BODY, KEY);

    expect(again.json).toEqual(first.json);
    expect(again.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'));
  });

  it.each([
    ['another body', '/v1/elections', { ...BODY, nodes: 5 }],
    ['another path', '/v1/runs', BODY],
  ])('with %s is refused without an effect', async (_name, path, body) => {
    const lab = labUnderTest();
    await lab.post('/v1/elections', BODY, KEY);

    const answer = await lab.post(path, body, KEY);

    expect(answer).toMatchObject({ status: 422, json: { code: 'idempotency.mismatch' } });
    expect(await electionsKept(lab)).toBe(1);
  });

  it('is not used up by a request that was refused', async () => {
    const { post } = labUnderTest();
    const refused = await post('/v1/elections', { ...BODY, nodes: 0 }, KEY);

    const answer = await post('/v1/elections', BODY, KEY);

    expect([refused.status, answer.status]).toEqual([400, 201]);
  });

  it('has no influence on requests without a key', async () => {
    const lab = labUnderTest();

    await lab.post('/v1/elections', BODY);
    await lab.post('/v1/elections', BODY);

    expect(await electionsKept(lab)).toBe(2);
  });

  it.each(['', ' ', 'a b', 'é', 'x'.repeat(256)])('may not be %j', async (key) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/elections', BODY, { 'Idempotency-Key': key });

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });

  it('may be 255 characters long', async () => {
    const { post } = labUnderTest();

    const answer = await post('/v1/elections', BODY, { 'Idempotency-Key': 'x'.repeat(255) });

    expect(answer.status).toBe(201);
  });
});

describe('the store of answers', () => {
  const answer = { status: 200, headers: {}, body: '{}' };
  const request = { caller: 'a', key: 'k', fingerprint: 'f' };

  it('forgets an answer when it expires', async () => {
    let now = 0;
    const store = new AnswerStore(() => now);
    await store.once(request, async () => answer);

    now = ANSWER_HOURS * 3_600_000 - 1;
    const kept = await store.once(request, async () => null);
    now += 1;
    const gone = await store.once(request, async () => null);

    expect([kept, gone]).toEqual([{ type: 'answer', answer }, null]);
    expect(store.size).toBe(0);
  });

  it('keeps the keys of callers apart', async () => {
    const store = new AnswerStore(() => 0);
    await store.once(request, async () => answer);

    const other = await store.once({ ...request, caller: 'b', fingerprint: 'g' }, async () => null);

    expect(other).toBeNull();
  });

  it('forgets the oldest answer of a caller with too many, and none of other callers', async () => {
    const store = new AnswerStore(() => 0);
    await store.once({ ...request, caller: 'b' }, async () => answer);
    for (let key = 0; key <= ANSWERS_PER_CALLER_MAX; key += 1) {
      await store.once({ ...request, key: `${key}` }, async () => answer);
    }

    const first = await store.once({ ...request, key: '0' }, async () => null);
    const second = await store.once({ ...request, key: '1' }, async () => null);
    const other = await store.once({ ...request, caller: 'b' }, async () => null);

    const earlier = { type: 'answer', answer };
    expect([first, second, other]).toEqual([null, earlier, earlier]);
  });

  it('forgets the answers of the caller that was idle longest when all are too large', async () => {
    const store = new AnswerStore(() => 0);
    const large = { ...answer, body: 'x'.repeat(6 * 1024 * 1024) };
    for (const caller of ['a', 'b', 'c']) {
      await store.once({ ...request, caller }, async () => large);
    }

    const kept = [];
    for (const caller of ['a', 'b', 'c']) {
      kept.push(await store.once({ ...request, caller }, async () => null));
    }

    const earlier = { type: 'answer', answer: large };
    expect(kept).toEqual([null, earlier, earlier]);
  });

  it('lets the next request work if the first failed', async () => {
    const store = new AnswerStore(() => 0);
    const failing = store.once(request, () => Promise.reject(new Error('not now')));
    const next = store.once(request, async () => answer);
    const last = store.once(request, async () => null);

    await expect(failing).rejects.toThrow('not now');
    expect([await next, await last]).toEqual([null, { type: 'answer', answer }]);
    expect(store.size).toBe(1);
  });
});
