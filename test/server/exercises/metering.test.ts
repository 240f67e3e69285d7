/**
 * @module
 * Metered forgeries: whose budget they are charged to, requests at the same time, what a goal receives of them, and
 * what remains after a restart.
 */

import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { openLogs } from '../../../server/lab.ts';
import type { Exercise } from '../../../src/exercise/document.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { UNFOUND } from '../fuzz/staged-results.ts';
import { bearer, classUnderTest, EXERCISES, SECRET } from './class.ts';
import { operationHere } from './operation-here.ts';

const NAME = 'forge-top-id';
const BUDGET = 200_000;
const exercise = EXERCISES.find(({ name }) => name === NAME) as Exercise;

const policyOf = (student: string, c1 = 4) => ({
  ...createInstance(exercise, { secret: SECRET, student }).policy,
  c1,
});

/** A class whose forgeries the test executes; by default they never end. */
function meteredClass(
  forgery: Execute<OperationJob> = () => new Promise(() => undefined),
  options: Parameters<typeof classUnderTest>[0] = {},
) {
  const lab = classUnderTest({ ...options, executions: { operation: forgery } });
  const forge = (name: string, body: object) =>
    lab.post('/v1/forgeries', { policy: policyOf(name), ...body }, bearer(name));
  const leftOf = async (name: string) => (await lab.instance(name, NAME)).json.attemptsLeft;
  return { ...lab, forge, leftOf };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a metered forgery', () => {
  it('reserves its attempts, and is charged for those of its ledger', async () => {
    const end = Promise.withResolvers<OperationJob['result']>();
    const { forge, leftOf } = meteredClass(() => end.promise);

    const { json } = await forge('student-0', { attempts: 50_000 });
    const reserved = await leftOf('student-0');
    end.resolve(UNFOUND);
    await settle();

    expect(json.request).toMatchObject({ attempts: 50_000 });
    expect(reserved).toBe(BUDGET - 50_000);
    expect(await leftOf('student-0')).toBe(BUDGET - 1_234);
    expect(await leftOf('student-1')).toBe(BUDGET);
  });

  it('may spend the rest of the budget by default', async () => {
    const { forge, leftOf } = meteredClass();

    const { json } = await forge('student-0', {});

    expect(json.request).toMatchObject({ attempts: BUDGET });
    expect(await leftOf('student-0')).toBe(0);
  });

  it.each([10, 100])('is one of ten of %i at once that the budget pays for', async (requests) => {
    const { forge, leftOf } = meteredClass();

    const answers = await Promise.all(
      Array.from({ length: requests }, () => forge('student-0', { attempts: BUDGET / 10 })),
    );

    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ json }) => json.code))).toEqual(
      new Set(requests > 10 ? ['exercise.budget'] : []),
    );
    expect(await leftOf('student-0')).toBe(0);
  });

  it('that asks for more than is left is refused, and one for as much as is left is not', async () => {
    const { forge } = meteredClass();

    const more = await forge('student-0', { attempts: BUDGET + 1 });
    const all = await forge('student-0', { attempts: BUDGET });
    const none = await forge('student-0', {});

    expect(more.json).toMatchObject({ status: 409, code: 'exercise.budget' });
    expect(all.status).toBe(202);
    expect(none.json).toMatchObject({ status: 409, code: 'exercise.budget' });
  });

  it.each([{ seed: '1' }, { strategy: 'stockpile' }])(
    'with %j is refused, because keys would be free',
    async (member) => {
      const { forge, leftOf } = meteredClass();

      const { status, json } = await forge('student-0', member);

      expect({ status, code: json.code }).toEqual({ status: 400, code: 'schema' });
      expect(await leftOf('student-0')).toBe(BUDGET);
    },
  );

  it('does not reveal its seed, and each has another one', async () => {
    const seeds: string[] = [];
    const { forge, get } = meteredClass(async ({ secretSeed = '' }) => {
      seeds.push(secretSeed);
      return UNFOUND;
    });

    const { json } = await forge('student-0', { attempts: 10 });
    await forge('student-0', { attempts: 10 });
    await settle();
    const secret = await get('student-0', `/v1/jobs/${json.id}/results/secret`);

    expect(secret.json.seed).toBeNull();
    expect(new Set(seeds).size).toBe(2);
    for (const seed of seeds) expect(JSON.stringify(json) + secret.text).not.toContain(seed);
  });

  it('that was cancelled before it began, or was not accepted, costs nothing', async () => {
    const { forge, leftOf, call } = meteredClass(undefined, { limits: { jobs: 2 } });
    await forge('student-0', { attempts: 10 });
    const { json } = await forge('student-0', { attempts: 100 });

    const third = await forge('student-0', { attempts: 1_000 });
    await call('POST', `/v1/jobs/${json.id}/cancel`, { headers: bearer('student-0') });

    expect(third.status).toBe(429);
    expect(await leftOf('student-0')).toBe(BUDGET - 10);
  });

  it('is none of a policy with another context', async () => {
    const { post, leftOf } = meteredClass();

    const { status } = await post('/v1/forgeries', { c1: 4, seed: '1' }, bearer('student-0'));

    expect({ status, left: await leftOf('student-0') }).toEqual({ status: 202, left: BUDGET });
  });

  it('cannot be made for another student', async () => {
    const { post, leftOf } = meteredClass();

    const policy = policyOf('student-1');
    const { json } = await post('/v1/forgeries', { policy }, bearer('student-0'));

    expect(json.code).toBe('exercise.closed');
    expect(await leftOf('student-1')).toBe(BUDGET);
  });
});

describe('after a restart', () => {
  it('the budget is as before, what was found still counts, and what was interrupted is free', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const logs = openLogs(data, () => undefined);
    const before = meteredClass(operationHere, { logs });
    const { json } = await before.forge('student-0', { attempts: 10_000 });
    await settle();
    await before.call('DELETE', `/v1/jobs/${json.id}`, { headers: bearer('student-0') });
    const left = await before.leftOf('student-0');
    logs.elections.close();
    const killed = openLogs(data, () => undefined);
    const during = meteredClass(undefined, { logs: killed });
    await during.forge('student-0', {});
    const none = await during.leftOf('student-0');
    killed.elections.close();

    const later = openLogs(data, () => undefined);
    const after = meteredClass(undefined, { logs: later });
    await after.jobs.restore();
    after.course.meter.restored();

    expect(none).toBe(0);
    expect(await after.leftOf('student-0')).toBe(left);
    const [kept] = after.course.meter.list({ student: 'student-0', exercise: NAME, version: 1 });
    expect(kept).toMatchObject({ isOver: true, claims: [{ scheme: 'ed25519' }] });
    later.elections.close();
  });
});
