/**
 * @module
 * What callers see of jobs and of their end: the owner of each job, and answers that wait (`Prefer: wait`).
 */

import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { TokenSet } from '../../../server/callers/tokens.ts';
import { JOB_WAIT_SECONDS_MAX, preferredSeconds } from '../../../server/jobs/job-wait.ts';
import { REPORT } from '../fuzz/staged-results.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { stagedRuns } from './staged-runs.ts';

const RUN = { threatModel: 'top-id', runs: 50, seed: '1' };

const linkOf = (answer: Answer) => String(answer.headers.get('Location'));

function heldTokens(): TokenSet {
  const held = { ann: 'student', bob: 'student', ida: 'instructor', ola: 'operator' } as const;
  return new TokenSet(
    Object.entries(held).map(([name, role]) => ({
      name,
      role,
      token: `${name}-0123456789abcdef`,
    })),
  );
}

describe('the owner of a job', () => {
  it('is shown to the owner, to instructors and to operators, who alone see the job', async () => {
    const lab = labUnderTest({ tokens: heldTokens(), execute: async () => REPORT });
    const as = (name: string) => ({ Authorization: `Bearer ${name}-0123456789abcdef` });
    const run = await lab.post('/v1/runs', RUN, as('ann'));
    await setImmediate();
    const read = (name: string, path: string) => lab.call('GET', path, { headers: as(name) });
    const itemsOf = (answer: Answer) => answer.json.items as { readonly owner: string }[]; // By the schema.

    for (const name of ['ann', 'ida', 'ola']) {
      const one = await read(name, linkOf(run));
      const list = await read(name, '/v1/jobs');
      const path = `${linkOf(run)}/events`;
      const events = await (await lab.app.request(path, { headers: as(name) })).text();
      expect([one.json.owner, itemsOf(list)[0]?.owner], name).toEqual(['ann', 'ann']);
      expect(events).toContain('"owner":"ann"');
    }
    expect(run.json.owner).toBe('ann');
    expect((await read('bob', linkOf(run))).status).toBe(404);
    expect(itemsOf(await read('bob', '/v1/jobs'))).toEqual([]);
  });

  it('alone has the link to the secret of a forgery', async () => {
    const lab = labUnderTest({ tokens: heldTokens(), execute: async () => REPORT });
    const as = (name: string) => ({ Authorization: `Bearer ${name}-0123456789abcdef` });
    const made = await lab.post('/v1/forgeries', { goal: 'any', c1: 8 }, as('ann'));
    const secretOf = async (name: string) => {
      const { json } = await lab.call('GET', linkOf(made), { headers: as(name) });
      return (json.links as { readonly secret: string | null }).secret; // By the schema.
    };

    expect(await secretOf('ann')).toBe(`${linkOf(made)}/results/secret`);
    expect(await secretOf('ida')).toBeNull();
    expect(await secretOf('ola')).toBeNull();
  });

  it('is null if the server needs no tokens', async () => {
    const { post } = stagedRuns();

    expect((await post('/v1/runs', RUN)).json.owner).toBeNull();
  });
});

describe('Prefer: wait', () => {
  it.each([
    ['wait=10', 10],
    ['WAIT = "7"', 7],
    ['respond-async, wait=5; x=1', 5],
    ['wait=0', 0],
    ['wait=999999999999', JOB_WAIT_SECONDS_MAX],
    ['wait=-1', null],
    ['wait', null],
    ['await=5', null],
    ['respond-async', null],
    [undefined, null],
  ])('%s is %s seconds', (prefer, seconds) => {
    expect(preferredSeconds(prefer)).toBe(seconds);
  });

  it('answers a submission and a read when the job is over', async () => {
    const { started, post, call, elections } = stagedRuns();
    const submitted = post('/v1/runs', RUN, { Prefer: 'wait=30' });
    await vi.waitUntil(() => started.length === 1);
    const [item] = (await call('GET', '/v1/jobs')).json.items as { id: string }[]; // By the schema.
    const read = call('GET', `/v1/jobs/${item?.id}`, { headers: { Prefer: 'wait=30' } });
    await setImmediate();
    const during = elections.streams.open;

    started[0]?.resolve(REPORT);
    const answers = await Promise.all([submitted, read]);

    expect(during).toBe(2);
    expect(answers.map(({ status }) => status)).toEqual([202, 200]);
    for (const answer of answers) {
      expect(answer.json).toMatchObject({ status: 'done', result: REPORT });
      expect(answer.headers.get('Preference-Applied')).toBe('wait=30');
    }
    expect(linkOf(answers[0])).toBe(`/v1/jobs/${item?.id}`);
    expect(elections.streams.open).toBe(0);
  });

  it('answers with the job as it is when the time is over, or when the server stops', async () => {
    const { post, lifecycle, elections } = stagedRuns();

    const brief = await post('/v1/runs', RUN, { Prefer: 'wait=0' });
    const long = post('/v1/runs', RUN, { Prefer: 'wait=60' });
    await setImmediate();
    lifecycle.drain();

    expect(brief.json.status).toBe('running');
    expect((await long).json.status).toBe('queued');
    expect([elections.streams.open, lifecycle.listeners]).toEqual([0, 0]);
  });

  it.each(['destroyed before it is answered', 'closed while it waits'])(
    'ends without anything left if its connection is %s, also behind other requests of it',
    async (when) => {
      const { app, started, elections, lifecycle } = stagedRuns();
      const socket = Object.assign(new EventEmitter(), { destroyed: when.startsWith('destroyed') });
      // The adapter supplies these members; a response behind others has no socket and does not close.
      const bindings = { incoming: { socket }, outgoing: new EventEmitter() };
      const wait = async () =>
        app.request(
          '/v1/runs',
          {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Prefer: 'wait=60' },
            body: JSON.stringify(RUN),
          },
          bindings,
        );
      const answers = [wait(), wait()];
      await vi.waitUntil(() => started.length === 1);

      socket.emit('close');
      await Promise.all(answers);

      expect([elections.streams.open, lifecycle.listeners]).toEqual([0, 0]);
      expect(socket.listenerCount('close')).toBe(0);
    },
  );

  it('is refused before anything is done if the caller has too many waits', async () => {
    const tokens = new TokenSet([{ name: 'ann', role: 'student', token: 'ann-0123456789abcdef' }]);
    const lab = stagedRuns({ tokens, limits: { streams: 1 } });
    const headers = { Authorization: 'Bearer ann-0123456789abcdef', Prefer: 'wait=60' };
    const first = lab.post('/v1/runs', RUN, headers);
    await setImmediate();

    const second = await lab.post('/v1/runs', RUN, headers);

    expect(second).toMatchObject({ status: 429, json: { code: 'limit.connections' } });
    expect(lab.jobs.counts().filter(({ count }) => count > 0)).toEqual([
      { kind: 'run', state: 'running', count: 1 },
    ]);
    lab.lifecycle.drain();
    await first;
  });
});
