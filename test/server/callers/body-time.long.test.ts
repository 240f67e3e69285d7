/**
 * @module
 * The time that bodies take: their caller pays for it, also for refused ones, and a caller that has used up its
 * time waits, and others do not.
 */

import { describe, expect, it } from 'vitest';

import { parseTokens } from '../../../server/callers/tokens.ts';
import { PAUSE_MS_MAX } from '../../../server/callers/work-turns.ts';
import { SIGN_IN_BYTES_MAX } from '../../../server/contract/json-body.ts';
import { labUnderTest } from '../lab-under-test.ts';

const tokens = parseTokens(
  'student ann ann-0123456789abcdef\nstudent bob bob-0123456789abcdef\n',
  'tokens',
);
const as = (name: string) => ({ Authorization: `Bearer ${name}-0123456789abcdef` });

const many = (count: number) => Array.from({ length: count }, (_, index) => `[${index}`);
/** Each is refused by another part of the server. */
const BODIES: Readonly<Record<string, readonly [string, unknown]>> = {
  'the JSON edge': ['/v1/runs', `{"a":[${'1,'.repeat(20_000)}1],"a":2}`],
  'the schema': ['/v1/elections', Object.fromEntries(many(4000).map((name) => [name, 1]))],
  'the parser of a kind of job': [
    '/v1/sweeps',
    { threatModel: 'top-id', axes: { 'network.honest': many(5000) } },
  ],
};

/** A lab in which time for bodies is short and does not come back. */
function shortLab() {
  return labUnderTest({
    tokens,
    nowMs: () => 0,
    limits: { electionMsPerSecond: 0.001 },
  });
}

describe('a refused body', () => {
  it.each(Object.entries(BODIES))('by %s uses up the time of its caller', async (_by, order) => {
    const [path, body] = order;
    const { post } = shortLab();
    const first = await post(path, body, as('ann'));
    expect(first.status).toBe(400);

    const beganMs = performance.now();
    await Promise.all([post(path, body, as('ann')), post(path, body, as('ann'))]);
    const ownMs = performance.now() - beganMs;

    // The second of two bodies waits as well. No caller waits longer than this for each.
    expect(ownMs).toBeGreaterThan(PAUSE_MS_MAX);
  });

  it('does not delay the requests of others', async () => {
    const { post, call } = shortLab();
    const [path, body] = BODIES['the schema'] ?? ['', ''];
    await post(path, body, as('ann'));
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);

    const own = post(path, body, as('ann')).then(note('ann'));
    await post('/v1/elections', { protocol: 'cr-join', nodes: 3 }, as('bob')).then(note('bob'));
    await call('GET', '/v1/params', { headers: as('ann') }).then(note('a GET of ann'));
    await own;

    expect(order).toEqual(['bob', 'a GET of ann', 'ann']);
  });

  it('of signing in is short, because its sender is not known', async () => {
    const { post } = shortLab();
    const name = 'A'.repeat(SIGN_IN_BYTES_MAX);

    const answer = await post('/v1/sessions', { type: 'joinCode', code: 'x', name });

    expect(answer).toMatchObject({ status: 413, json: { code: 'body.too_large' } });
  });
});
