/**
 * @module
 * Requests that are repeated with their Idempotency-Key have one effect and one answer.
 */

import { describe, expect, it, vi } from 'vitest';

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

  it('forgets no key before it expires, and refuses new keys of a caller with too many', async () => {
    let nowMs = 0;
    const store = new AnswerStore(() => nowMs);
    for (let key = 0; key < ANSWERS_PER_CALLER_MAX; key += 1) {
      await store.once({ ...request, key: `${key}` }, async () => answer);
      nowMs += 1_000;
    }
    const work = vi.fn(async () => answer);
    const fresh = () => store.once({ ...request, key: 'new' }, work);

    await expect(fresh()).rejects.toMatchObject({
      code: 'limit.keys',
      retryAfterS: ANSWER_HOURS * 3_600 - ANSWERS_PER_CALLER_MAX + 1,
    });
    const first = await store.once({ ...request, key: '0' }, async () => null);
    const other = await store.once({ ...request, caller: 'b' }, async () => answer);
    const before = work.mock.calls.length;
    nowMs = ANSWER_HOURS * 3_600_000;
    const later = await fresh();

    expect([first, other, before, later]).toEqual([{ type: 'answer', answer }, null, 0, null]);
    expect(work).toHaveBeenCalledOnce();
  });

  it('counts the keys of requests that are not answered yet', async () => {
    const store = new AnswerStore(() => 0);
    const { promise, resolve } = Promise.withResolvers<null>();
    const all = Array.from({ length: ANSWERS_PER_CALLER_MAX }, (_, key) =>
      store.once({ ...request, key: `${key}` }, () => promise),
    );

    await expect(store.once({ ...request, key: 'new' }, () => promise)).rejects.toMatchObject({
      code: 'limit.keys',
    });
    resolve(null);
    await Promise.all(all);

    expect(await store.once({ ...request, key: 'new' }, () => promise)).toBeNull();
  });

  it('refuses new keys of callers with large answers, and leaves room to the others', async () => {
    const store = new AnswerStore(() => 0);
    const large = { ...answer, body: 'x'.repeat(8 * 1024 * 1024) };
    const callers = ['a', 'b', 'c', 'd'];
    for (const caller of callers) await store.once({ ...request, caller }, async () => large);

    for (const caller of callers) {
      const fresh = store.once({ ...request, caller, key: 'new' }, async () => answer);
      await expect(fresh).rejects.toMatchObject({ code: 'limit.keys' });
    }
    const other = await store.once({ ...request, caller: 'e' }, async () => answer);
    const again = await store.once({ ...request, caller: 'a' }, async () => null);

    expect([other, again]).toEqual([null, { type: 'answer', answer: large }]);
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
