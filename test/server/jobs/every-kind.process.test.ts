/**
 * @module
 * Jobs of every kind on a server with a data file, before and after a restart.
 */

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';

import type { AnyJob } from '../../../server/jobs/all-jobs.ts';
import { JOB_KINDS } from '../../../server/jobs/all-jobs.ts';
import { startLab } from '../../../server/lab.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { hasteClock, restoreClock } from '../../runtime/threads/haste.ts';
import { submissionOf } from './submissions.ts';

const HOOK_MS_MAX = 120_000;

interface Job {
  readonly status: string;
  readonly request: object;
  readonly result: unknown;
  readonly links: Readonly<Record<string, string>>;
}

async function start(data: string | null) {
  const faults: unknown[] = [];
  const lab = await startLab(
    { host: '127.0.0.1', port: 0, data, version: '0.0.0-test', policy: STRICT_POLICY },
    (fault) => void faults.push(fault),
  );
  const read = async (path: string, headers = {}) =>
    (await fetch(lab.url + path, { headers })).text();
  const submit = async ([path, body]: readonly [string, object]) => {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(lab.url + path, init);
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBe(202);
    return String(answer.headers.get('Location'));
  };
  const over = async (path: string) => {
    for (;;) {
      const job = JSON.parse(await read(path, { Prefer: 'wait=9' })) as Job; // By its schema.
      if (job.status !== 'queued' && job.status !== 'running') return job;
    }
  };
  /** The job as it was accepted, which is cancelled. */
  const begun = async (path: string) => {
    const job = JSON.parse(await read(path)) as Job; // By its schema.
    await fetch(`${lab.url}${path}/cancel`, { method: 'POST' });
    return job;
  };
  return { ...{ lab, faults, read, submit, over, begun } };
}

const data = join(scratchFolder(), 'lab.sqlite');
let first: Awaited<ReturnType<typeof start>>;
/** The address of a job of each kind that is done. */
const paths = new Map<AnyJob['kind'], string>();

beforeAll(async () => {
  first = await start(data);
  for (const kind of JOB_KINDS) {
    // No figure of these measurements is compared.
    if (['calibrate', 'advantage'].includes(kind)) hasteClock();
    const path = await first.submit(submissionOf(kind));
    const job = await first.over(path).finally(restoreClock);
    expect(job.status, kind).toBe('done');
    paths.set(kind, path);
  }
}, HOOK_MS_MAX);

it('have the body that submits the same job again as request', async () => {
  const { submit, over, begun } = first;
  for (const [kind, done] of paths) {
    const [path, body] = submissionOf(kind);
    // The results of the others are not compared. A calibration takes many seconds.
    const read = REPEATABLE.has(kind) ? over : begun;

    const job = await over(done);
    const second = await read(await submit([path, job.request]));

    expect(job.request, kind).toMatchObject(shownIn(kind, body));
    expect(second.request, kind).toEqual(job.request);
    if (REPEATABLE.has(kind)) expect(second.result, kind).toEqual(job.result);
  }
});

it('are stored, and read with their results after a restart', async () => {
  const texts = new Map<string, string>();
  for (const path of paths.values()) {
    texts.set(path, await first.read(path));
    for (const link of Object.values((await first.over(path)).links)) {
      if (link.includes('/results/')) texts.set(link, await first.read(link));
    }
  }
  await first.lab.close();

  const second = await start(data);
  const after = new Map<string, string>();
  for (const path of texts.keys()) after.set(path, await second.read(path));
  await second.lab.close();

  expect(after).toEqual(texts);
  expect([...texts.keys()].filter((path) => path.includes('/results/'))).not.toEqual([]);
  expect([first.faults, second.faults]).toEqual([[], []]);
});

/** The members of a body as its job shows them: a job of mine has its policy as a whole. */
function shownIn(kind: AnyJob['kind'], body: object): object {
  if (kind !== 'mine' || !('c1' in body)) return body;
  const { c1, ...rest } = body;
  return { ...rest, policy: { c1 } };
}

/** The kinds whose results have no measured times. */
const REPEATABLE: ReadonlySet<AnyJob['kind']> = new Set(
  JOB_KINDS.filter((kind) => !['calibrate', 'advantage', 'mine', 'attack', 'run'].includes(kind)),
);
