/**
 * @module
 * The events of jobs over streams that are read, closed, and opened again. Executions are staged.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { kindOf } from '../../../server/jobs/all-jobs.ts';
import {
  EVENTS_KEPT_MAX,
  FIRST_EVENT_AFTER_RESTART,
  JobFeed,
  jobSource,
  PROGRESS_INTERVAL_MS,
} from '../../../server/jobs/job-feed.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { STALLED_MS } from '../../../server/streams/pulled-stream.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { REPORT } from '../fuzz/staged-results.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface JobEvent {
  readonly seq?: number;
  readonly event: string;
  readonly status?: string;
  readonly [member: string]: unknown;
}

/** The events of the run of a lab. */
function feedOf({ jobs, path }: Awaited<ReturnType<typeof withRun>>): JobFeed<unknown> {
  const id = path.slice('/v1/jobs/'.length);
  return kindOf(jobs.kinds, id).feed(id, SERVER);
}

/** A lab with one run, whose progress and end the test controls. */
async function withRun(): Promise<
  LabUnderTest & {
    readonly path: string;
    readonly progress: (done: number) => void;
    readonly finish: () => Promise<void>;
  }
> {
  let progress: (done: number) => void = () => undefined;
  const { promise, resolve } = Promise.withResolvers<RunReport>();
  const execute: Execute<OperationJob> = (_request, { onProgress, signal }) => {
    progress = (done) => onProgress({ now: 'runs', done, total: 50 });
    signal.addEventListener('abort', () => resolve(REPORT));
    return promise;
  };
  const lab = labUnderTest({ execute });
  const { json } = await lab.post('/v1/runs', { threatModel: 'top-id', runs: 50, seed: '1' });
  const finish = async () => {
    resolve(REPORT);
    await settle();
  };
  return { ...lab, path: `/v1/jobs/${json.id}`, progress, finish };
}

const SSE = { Accept: 'text/event-stream' };
const JSONL = { Accept: 'application/jsonl' };

const follow = ({ app }: LabUnderTest, path: string, headers: Record<string, string> = SSE) =>
  app.request(`${path}/events`, { headers });

/** The data of server-sent events, whose other fields must agree with it. */
function eventsOf(text: string): JobEvent[] {
  const blocks = text.split('\n\n').filter((block) => block.includes('event: '));
  return blocks.map((block) => {
    const events: JobEvent = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null');
    expect(/^event: (.*)$/m.exec(block)?.[1]).toBe(events.event);
    const { seq = events.after } = events;
    const id = seq === -1 ? '' : seq?.toString();
    expect(/^id: ?(.*)$/m.exec(block)?.[1]).toBe(id);
    return events;
  });
}

const linesOf = (text: string): JobEvent[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

afterEach(() => {
  vi.useRealTimers();
});

describe('GET /v1/jobs/{id}/events', () => {
  it('sends the progress of a run without gaps, and ends with the run', async () => {
    const run = await withRun();
    const response = await follow(run, run.path);
    run.progress(20);
    await run.finish();

    const text = await response.text();

    const events = eventsOf(text);
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(text).toMatch(/^retry: 3000\n: open\n\n/);
    expect(events.map(({ seq, event, status }) => [seq, event, status])).toEqual([
      [0, 'progress', 'queued'],
      [1, 'progress', 'running'],
      [2, 'progress', 'running'],
      [3, 'done', 'done'],
    ]);
    expect(events[2]).toMatchObject({ v: 1, progress: { done: 20, total: 50 } });
    expect(events[3]?.final).toEqual((await run.call('GET', run.path)).json);
    expect(run.elections.streams.open).toBe(0);
    expect(feedOf(run).listeners).toBe(0);
    expect(run.lifecycle.listeners).toBe(0);
  });

  it('sends the same as JSON lines, also after the run', async () => {
    const run = await withRun();
    await run.finish();

    const lines = linesOf(await (await follow(run, run.path, JSONL)).text());

    expect(lines).toEqual(eventsOf(await (await follow(run, run.path)).text()));
    expect(lines.map(({ event }) => event)).toEqual(['progress', 'progress', 'done']);
  });

  it.each([
    [{}, ''],
    [{ Accept: '*/*' }, ''],
    [{ Accept: 'application/*' }, ''],
    [{ Accept: 'application/jsonl;q=0, */*' }, ''],
    [JSONL, '?follow=false'],
    [SSE, '?follow=false'],
  ])('ends after the events so far: %j %s', async (headers, query) => {
    const run = await withRun();

    const response = await run.app.request(`${run.path}/events${query}`, { headers });
    const text = await response.text();

    expect(response.status).toBe(200);
    expect(text.match(/"seq":/g)).toHaveLength(2);
    expect(run.elections.streams.open).toBe(0);
  });

  it.each([
    [JSONL, ''],
    [{ Accept: 'text/html;q=0.1, application/jsonl' }, ''],
    [{}, '?follow=true'],
  ])(
    'follows JSON lines that the caller names or asks to follow: %j %s',
    async (headers, query) => {
      const run = await withRun();
      const response = await run.app.request(`${run.path}/events${query}`, { headers });
      await run.finish();

      const lines = linesOf(await response.text());

      expect(lines.map(({ event }) => event)).toEqual(['progress', 'progress', 'done']);
    },
  );

  it('continues after the last event that the caller has, and answers 204 after the end', async () => {
    const run = await withRun();
    await run.finish();

    const rest = await follow(run, run.path, { ...SSE, 'Last-Event-ID': '0' });
    const over = await follow(run, run.path, { ...SSE, 'Last-Event-ID': '2' });
    const strange = await follow(run, run.path, { ...SSE, 'Last-Event-ID': '57' });

    expect(eventsOf(await rest.text()).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(over.status).toBe(204);
    expect(
      eventsOf(await strange.text()).map(({ event, seq, after }) => [event, seq ?? after]),
    ).toEqual([
      ['resync', -1],
      ['progress', 0],
      ['progress', 1],
      ['done', 2],
    ]);
  });

  it.each([
    ['server-sent events', SSE, eventsOf],
    ['JSON lines', JSONL, linesOf],
  ])('begins %s with a notice if older events are not kept', async (_name, headers, read) => {
    const run = await withRun();
    const feed = feedOf(run);
    const newest = feed.at(feed.last);
    if (newest === undefined) throw new TypeError('"newest" expected an event, got none');
    while (feed.first < 3) feed.push(newest);
    const whole = await run.app.request(`${run.path}/events?follow=false`, { headers });
    const rest = await run.app.request(`${run.path}/events?follow=false`, {
      headers: { ...headers, 'Last-Event-ID': '2' },
    });

    const events = read(await whole.text());

    expect(events[0]).toMatchObject({ event: 'resync', after: 2 });
    expect(events.slice(1).map(({ seq }) => seq)).toEqual(
      Array.from({ length: EVENTS_KEPT_MAX }, (_, index) => 3 + index),
    );
    expect(read(await rest.text())).toEqual(events.slice(1));
  });

  it('sends the notice to a caller that falls behind, also if it began with the first event', async () => {
    const run = await withRun();
    const feed = feedOf(run);
    const newest = feed.at(feed.last);
    if (newest === undefined) throw new TypeError('"newest" expected an event, got none');
    const source = kindOf(run.jobs.kinds, run.path.slice('/v1/jobs/'.length)).source(
      run.path.slice('/v1/jobs/'.length),
      SERVER,
      {
        ...{ form: 'jsonl', after: -1, end: 'over' },
      },
    );
    const first = linesOf((await source.next(() => false))?.text ?? '');
    while (feed.first < 5) feed.push(newest);

    const later = linesOf((await source.next(() => false))?.text ?? '');

    expect(first.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(later[0]).toMatchObject({ event: 'resync', after: 4 });
    expect(later[1]).toMatchObject({ event: 'progress', seq: 5 });
  });

  it('ends when the run is cancelled, and with a notice when the server stops', async () => {
    const [cancelled, stopped] = await Promise.all([withRun(), withRun()]);
    const streams = [await follow(cancelled, cancelled.path), await follow(stopped, stopped.path)];
    await cancelled.call('POST', `${cancelled.path}/cancel`);
    stopped.lifecycle.drain();

    const events = await Promise.all(streams.map(async (each) => eventsOf(await each.text())));

    expect(events[0]?.map(({ status }) => status)).toEqual([
      ...['queued', 'running', 'cancelling', 'cancelled'],
    ]);
    expect(events[1]?.at(-1)).toMatchObject({ event: 'closing', retryAfterS: 10 });
  });

  it('sends comments while nothing happens, and disconnects a caller that takes nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const run = await withRun();
    const stream = await follow(run, run.path);
    const reader = stream.body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    const begun = [await read(), await read()];

    const silence = read();
    await vi.advanceTimersByTimeAsync(15_000);
    const ping = await silence;
    run.progress(1);
    await settle();
    await vi.advanceTimersByTimeAsync(STALLED_MS);

    expect(begun[1]).toContain('running');
    expect(ping).toBe(': ping\n\n');
    expect(run.elections.streams.open).toBe(0);
    await expect(read().then(read)).rejects.toThrow('takes nothing');
  });

  it('refuses unknown runs and other media types, and counts as a stream', async () => {
    const run = await withRun();

    const missing = await run.call('GET', '/v1/jobs/r_2222222222222222/events');
    const form = await run.call('GET', `${run.path}/events`, { headers: { Accept: 'text/html' } });
    const head = await run.call('HEAD', `${run.path}/events`);
    const stream = await follow(run, run.path);

    expect([missing.status, form.status, head.status]).toEqual([404, 406, 200]);
    expect(run.elections.streams.open).toBe(1);
    await stream.body?.cancel();
    expect(run.elections.streams.open).toBe(0);
  });
});

describe('the events of other jobs', () => {
  it.each([
    ['mine', '/v1/forgeries', { c1: 8 }],
    ['sweep', '/v1/sweeps', { threatModel: 'top-id', axes: { 'network.honest': [4, 8] } }],
  ])('of a %s have the same form and contain no secrets', async (kind, path, body) => {
    let secret = 'of no forgery';
    const lab = labUnderTest({
      executions: {
        operation: ({ secretSeed = secret }, { signal }) => {
          secret = secretSeed;
          return untilAborted(signal);
        },
        sweep: (_request, { signal }) => untilAborted(signal),
      },
    });
    const { json } = await lab.post(path, body);
    await lab.call('POST', `/v1/jobs/${json.id}/cancel`);
    await settle();

    const text = await (await follow(lab, `/v1/jobs/${json.id}`)).text();

    const events = eventsOf(text);
    expect(events.map((each) => [each.event, each.kind])).toEqual([
      ...Array.from({ length: 3 }, () => ['progress', kind]),
      ['done', kind],
    ]);
    expect(events.at(-1)?.final).toEqual((await lab.call('GET', `/v1/jobs/${json.id}`)).json);
    expect(text).not.toContain(secret);
  });
});

describe('the events of a job', () => {
  it('contain the newest progress of a fast job, and every status', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const feed = new JobFeed<string>();
    feed.push('queued');
    for (let done = 0; done < 50; done += 1) feed.pushSoon(`${done}`);
    vi.advanceTimersByTime(PROGRESS_INTERVAL_MS);
    feed.pushSoon('50');
    feed.push('cancelling');
    feed.pushSoon('51');

    feed.end('cancelled');
    vi.advanceTimersByTime(10 * PROGRESS_INTERVAL_MS);
    feed.pushSoon('52');

    const events = Array.from({ length: feed.last + 1 }, (_, number) => feed.at(number));
    expect(events).toEqual(['queued', '0', '49', 'cancelling', 'cancelled']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begin with a notice after a restart, because their numbers do', async () => {
    const feed = new JobFeed<string>(FIRST_EVENT_AFTER_RESTART);
    feed.end('interrupted');
    const viewOf = (status: string) => ({ event: 'done', members: { status } });
    const read = async (after: number) => {
      const source = jobSource({ job: 'r_1', feed, form: 'jsonl', after, end: 'over', viewOf });
      return linesOf((await source.next(() => false))?.text ?? '');
    };

    const [whole, rest] = [await read(-1), await read(3)];

    const before = FIRST_EVENT_AFTER_RESTART - 1;
    expect(whole.map(({ event, seq, after }) => [event, seq ?? after])).toEqual([
      ['resync', before],
      ['done', before + 1],
    ]);
    expect(rest).toEqual(whole);
    expect(await read(before)).toEqual(whole.slice(1));
  });

  it('are kept up to a limit, with their numbers', () => {
    const feed = new JobFeed<number>();

    for (let number = 0; number < EVENTS_KEPT_MAX + 3; number += 1) feed.push(number);

    expect([feed.first, feed.last]).toEqual([3, EVENTS_KEPT_MAX + 2]);
    expect([feed.at(2), feed.at(3), feed.at(feed.last)]).toEqual([undefined, 3, feed.last]);
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new Error('aborted')));
  return promise;
}
