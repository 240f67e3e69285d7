/**
 * @module
 * The records of requests, and the metrics for Prometheus.
 */

import { describe, expect, it } from 'vitest';

import { listen } from '../../../server/socket/listen.ts';
import { Metrics } from '../../../server/socket/metrics.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

async function scrape({ app }: Pick<LabUnderTest, 'app'>): Promise<string[]> {
  const response = await app.request('/metrics');
  expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return (await response.text()).split('\n');
}

/** A sample, a comment, or nothing (Prometheus text format 0.0.4). */
const LINE =
  /^(?:#.*|[a-z_][a-z0-9_]*(?:\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? (?:[-+]?(?:[0-9.e+-]+|Inf)|NaN)|)$/i;

describe('the metrics', () => {
  it('are in the text format, each family once with its type', async () => {
    const lines = await scrape(labUnderTest());

    const families = lines.flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []);
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    expect(new Set(families).size).toBe(families.length);
    expect(families).toEqual(
      expect.arrayContaining([
        'http_requests_total',
        'http_request_duration_seconds',
        'usurp_elections_kept',
        'usurp_jobs',
        'usurp_streams_open',
        'process_resident_memory_bytes',
        'process_cpu_seconds_total',
        'nodejs_heap_size_used_bytes',
        'nodejs_eventloop_lag_p99_seconds',
      ]),
    );
  });

  it('count requests by method, route and status, and never by path', async () => {
    const lab = labUnderTest();
    await lab.call('GET', '/healthz');
    await lab.call('GET', '/healthz');
    await lab.call('GET', '/v1/elections/e_secret');
    await lab.call('GET', '/no/such/secret');
    await lab.call('PUT', '/v1/runs');

    const lines = await scrape(lab);

    const requests = lines.filter((line) => line.startsWith('http_requests_total{'));
    expect(requests.toSorted()).toEqual([
      'http_requests_total{method="GET",route="/healthz",status="200"} 2',
      'http_requests_total{method="GET",route="/v1/elections/{id}",status="404"} 1',
      'http_requests_total{method="GET",route="none",status="404"} 1',
      'http_requests_total{method="PUT",route="none",status="405"} 1',
    ]);
    expect(lines.join('\n')).not.toContain('secret');
    expect(lines).toContain('http_request_duration_seconds_count{method="GET",route="/healthz"} 2');
  });

  it('count the present elections and jobs', async () => {
    const lab = labUnderTest();
    await lab.post('/v1/elections', { protocol: 'cr-join', nodes: 3 });
    await lab.post('/v1/runs', { threatModel: 'top-id', runs: 5 });
    await lab.post('/v1/runs', { threatModel: 'top-id', runs: 5 });

    const lines = await scrape(lab);

    expect(lines).toContain('usurp_elections_kept 1');
    expect(lines).toContain('usurp_jobs{kind="run",state="running"} 1');
    expect(lines).toContain('usurp_jobs{kind="run",state="queued"} 1');
  });

  it('count a stream while it is open', async () => {
    const metrics = new Metrics({
      electionsKept: () => 0,
      jobs: () => [],
      refusals: () => new Map(),
    });

    const end = metrics.onStream();
    const during = await metrics.text();
    end();
    const after = await metrics.text();

    expect(during).toContain('\nusurp_streams_open 1\n');
    expect(after).toContain('\nusurp_streams_open 0\n');
  });
});

describe('the record of a request', () => {
  it('has its id, method, route and status', async () => {
    const { call, requests } = labUnderTest();

    const { headers } = await call('GET', '/v1/jobs/r_none');

    expect(requests).toEqual([
      {
        id: headers.get('X-Request-Id'),
        caller: 'local',
        method: 'GET',
        route: '/v1/jobs/{id}',
        status: 404,
        durationMs: expect.any(Number),
        bytes: null,
        isComplete: true,
      },
    ]);
  });

  it.each([
    ['a foreign host', 'GET', '/healthz', { Host: 'evil.example' }, 400],
    ['a method that the path has not', 'DELETE', '/healthz', {}, 405],
    ['a body that is no JSON', 'POST', '/v1/runs', { 'Content-Type': 'text/plain' }, 415],
  ])('exists for %s', async (_name, method, path, headers, status) => {
    const { call, requests } = labUnderTest();

    await call(method, path, { headers });

    expect(requests).toMatchObject([{ method, status }]);
  });

  it('counts the bytes of each answer on a connection, and ends with the stream', async () => {
    const lab = labUnderTest();
    const enqueue = Promise.withResolvers<void>();
    lab.app.get('/stream', (c) => {
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(': open\n\n'));
          await enqueue.promise;
          controller.close();
        },
      });
      return c.body(body, 200, { 'Content-Type': 'text/event-stream' });
    });
    const listening = await listen({ host: '127.0.0.1', port: 0 }, lab.app, () => {});

    const sizes: number[] = [];
    for (const path of ['/healthz', '/healthz']) {
      const response = await fetch(listening.url + path);
      sizes.push((await response.text()).length);
    }
    const stream = await fetch(`${listening.url}/stream`);
    const open = (await scrape(lab)).filter((line) => line.startsWith('usurp_streams_open'));
    enqueue.resolve();
    await stream.text();
    await listening.close();

    const [first, second] = lab.requests;
    expect(open).toEqual(['usurp_streams_open 1']);
    expect(first?.bytes).toBeGreaterThan(sizes[0] ?? 0);
    expect(second?.bytes).toBe(first?.bytes);
    expect(lab.requests.map(({ route }) => route)).toEqual([
      '/healthz',
      '/healthz',
      '/metrics',
      '/stream',
    ]);
    expect(await scrape(lab)).toContain('usurp_streams_open 0');
  });
});
