/**
 * @module
 * Following a stream: events arrive once and in order, although the connection breaks off within lines, the server
 * stops answering, and the server forgets events that are too old.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

interface Line {
  readonly event: string;
  readonly seq?: number;
  readonly after?: number;
}

/** Longer than all waits for a lost server together. */
const LONG_MS = 60_000;

type Answer = string | 'lost' | 204;

describe('follow', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('location', { origin: 'http://127.0.0.1' });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('gives each event once, in order, when the stream breaks off', async () => {
    const { lines, requests } = await followed([
      `${event(0)}${event(1)}{"event":"progr`,
      'lost',
      `${event(1)}${event(2)}`,
      `{"event":"done"}\n`,
    ]);

    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, undefined]);
    expect(requests).toEqual([null, '1', '1', '2']);
  });

  it('continues after the number that resync names', async () => {
    const { requests } = await followed([
      `{"event":"resync","after":7}\n${event(8)}`,
      `{"event":"done"}\n`,
    ]);

    expect(requests).toEqual([null, '8']);
  });

  it('ends when it has every event already', async () => {
    const { lines } = await followed([`${event(0)}`, 204]);

    expect(lines).toHaveLength(1);
  });
});

function event(seq: number): string {
  return `${JSON.stringify({ event: 'progress', seq })}\n`;
}

/** Follows a stream whose connections end with these answers, and returns what arrived and what was requested. */
async function followed(answers: readonly Answer[]) {
  const lines: Line[] = [];
  const requests: (string | null)[] = [];
  let count = 0;
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path === '/readyz') return new Response('{}');
    requests.push(new Headers(init?.headers).get('Last-Event-ID'));
    const answer = answers[count];
    count += 1;
    if (answer === 'lost' || answer === undefined) throw new TypeError('no connection');
    return answer === 204 ? new Response(null, { status: 204 }) : new Response(answer);
  });
  const { follow } = await import('../../../server/web/api/follow.ts');
  const { signal } = new AbortController();
  const over = follow<Line>({
    ...{ path: '/v1/jobs/r_1/events', after: -1, signal },
    onLines: (arrived) => void lines.push(...arrived),
  });
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await over;
  return { lines, requests };
}
