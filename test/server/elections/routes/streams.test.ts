/**
 * @module
 * The events of an election over streams that are read, left and resumed.
 */

import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { STREAMS_MAX } from '../../../../server/callers/stream-budget.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { PING_MS } from '../../../../server/streams/event-stream.ts';
import { STALLED_MS } from '../../../../server/streams/pulled-stream.ts';
import type { Answer, LabUnderTest } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const lab = labUnderTest();
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const create = (body: object, { post }: LabUnderTest = lab) =>
  post('/v1/elections', { protocol: 'bully-oneshot', nodes: 4, seed: '1', ...body });
const act = (election: Answer, action: object) => lab.post(`${linkOf(election)}/actions`, action);
const JSONL = { Accept: 'application/jsonl' };
const advance = { type: 'advance', until: 'idle' };

interface StreamedEvent {
  readonly id: number | null;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a body of server-sent events. */
function parseEvents(text: string): StreamedEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const fields = new Map(
        block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]),
      ); // Each has a colon.
      const id = fields.get('id');
      return {
        id: id === undefined ? null : Number(id),
        event: fields.get('event') ?? '',
        data: JSON.parse(fields.get('data') ?? 'null'),
      };
    });
}

const numbersOf = (events: readonly StreamedEvent[]) =>
  events.flatMap(({ id }) => (id === null ? [] : [id]));

async function open(election: Answer, headers: Record<string, string> = {}, query = '', of = lab) {
  const response = await of.app.request(`${linkOf(election)}/events${query}`, {
    headers: { Accept: 'text/event-stream', ...headers },
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new TypeError(`"body" expected a stream, got ${response.status}`);
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  const readUntil = async (found: (text: string) => boolean) => {
    let text = '';
    while (!found(text)) {
      const more = await read();
      if (more === null) break;
      text += more;
    }
    return text;
  };
  return { response, read, readUntil, cancel: () => reader.cancel() };
}

const wholeOf = async (election: Answer, headers: Record<string, string> = {}, query = '') =>
  (await open(election, headers, query)).readUntil(() => false);

afterEach(() => {
  vi.useRealTimers();
});

describe('GET /v1/elections/{id}/events', () => {
  it('sends a first byte at once, then all events without gaps, and ends with the verdict', async () => {
    const election = await create({ run: true });

    const stream = await open(election);
    const first = await stream.read();
    const events = parseEvents(await stream.readUntil(() => false));

    expect(stream.response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(stream.response.headers.get('Cache-Control')).toContain('no-store');
    expect(first).toBe('retry: 3000\n: open\n\n');
    const numbers = numbersOf(events);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(events[0]).toMatchObject({ event: 'node.started', data: { v: 1, seq: 0, t: 0 } });
    const time = election.json.time;
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { reason: 'concluded', time, verdict: { value: 'true' } },
    });
  });

  it('follows an election during its actions, and ends when it is concluded', async () => {
    const election = await create({});
    const stream = await open(election);
    await stream.read();

    await act(election, { type: 'start' });
    const begun = await stream.readUntil((text) => text.includes('id: 3\n'));
    await act(election, advance);
    const rest = await stream.readUntil(() => false);

    const events = parseEvents(begun + rest);
    expect(events.slice(0, 4).map(({ event }) => event)).toEqual(Array(4).fill('node.started'));
    expect(numbersOf(events)).toEqual(numbersOf(events).map((_, index) => index));
    expect(events.at(-1)?.event).toBe('done');
  });

  it('sends every event once to a caller that reconnects', async () => {
    const election = await create({ nodes: 9 });
    const all = [];
    const reads = [
      { type: 'start' },
      { type: 'advance', until: 'idle', events: 20 },
      { type: 'crash', rank: 9 },
    ];
    let last: number | null = null;

    for (const action of reads) {
      const headers = last === null ? undefined : { 'Last-Event-ID': String(last) };
      await act(election, action);
      const stream = await open(election, headers);
      const text = await stream.readUntil((read) => parseEvents(read).length > 0);
      await stream.cancel();
      const numbers = numbersOf(parseEvents(text));
      all.push(...numbers);
      last = numbers.at(-1) ?? last;
    }
    await act(election, advance);
    const rest = parseEvents(await wholeOf(election, { 'Last-Event-ID': String(last) }));

    const received = [...all, ...numbersOf(rest)];
    expect(received).toEqual(received.map((_, index) => index));
    expect(received.length).toBeGreaterThan(60);
  });

  it('answers 204 to a caller that has every event of a concluded election', async () => {
    const election = await create({ run: true });
    const last = numbersOf(parseEvents(await wholeOf(election))).at(-1);

    const again = await lab.call('GET', `${linkOf(election)}/events`, {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(last) },
    });
    await act(election, { type: 'crash', rank: 4 });
    await act(election, advance);
    const more = parseEvents(await wholeOf(election, { 'Last-Event-ID': String(last) }));

    expect(again).toMatchObject({ status: 204, text: '' });
    expect(more[0]).toMatchObject({ id: Number(last) + 1, event: 'node.crashed' });
  });

  it('continues on request until the election is deleted', async () => {
    const election = await create({ run: true });
    const stream = await open(election, {}, '?follow=true');
    await stream.readUntil((text) => text.includes('message.delivered'));

    await lab.call('DELETE', linkOf(election));
    const events = parseEvents(await stream.readUntil(() => false));

    expect(events.at(-1)).toMatchObject({ event: 'done', data: { reason: 'deleted' } });
  });

  it('sends resync to a caller that names an event that does not exist', async () => {
    const election = await create({ run: true });
    const last = numbersOf(parseEvents(await wholeOf(election))).at(-1);

    const events = parseEvents(await wholeOf(election, { 'Last-Event-ID': '99999' }));

    expect(events.map(({ event }) => event)).toEqual(['resync', 'done']);
    // A client that reconnects names the id of the last event that had one.
    expect(events[0]).toMatchObject({ id: last, data: { after: last } });
  });

  it('sends an empty id with resync if there is no event, so that a client names none', async () => {
    const election = await create({});
    const stream = await open(election, { 'Last-Event-ID': '7' });

    const text = await stream.readUntil((read) => read.includes('resync'));
    await stream.cancel();

    expect(text).toContain('id:\nevent: resync\n');
  });

  it.each([
    [{}, '', 'application/jsonl'],
    [{ Accept: '*/*' }, '', 'application/jsonl'],
    [{ Accept: 'text/*' }, '', 'text/event-stream'],
    [{ Accept: 'application/*' }, '', 'application/jsonl'],
    [{ Accept: 'application/jsonl' }, '?follow=false', 'application/jsonl'],
    [{ Accept: 'text/event-stream' }, '?follow=false', 'text/event-stream'],
  ])('ends after the events so far: %j %s', async (headers, query, type) => {
    const election = await create({});
    await act(election, { type: 'start' });

    const answer = await lab.app.request(`${linkOf(election)}/events${query}`, { headers });
    const text = await answer.text();

    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe(type);
    expect(text.match(/"seq":/g)).toHaveLength(4);
    expect(lab.elections.streams.open).toBe(0);
  });

  it.each(['-1', 'abc', '1.5', '1'.repeat(16), '1e3'])('refuses Last-Event-ID %s', async (id) => {
    const election = await create({});

    const answer = await lab.call('GET', `${linkOf(election)}/events`, {
      headers: { 'Last-Event-ID': id },
    });

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });

  it.each(['follow=yes', 'after=3', 'follow=true&follow=true'])('refuses ?%s', async (query) => {
    const election = await create({});

    const answer = await lab.call('GET', `${linkOf(election)}/events?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });

  it('refuses unknown media types and unknown elections', async () => {
    const election = await create({});
    const headers = { Accept: 'text/html' };

    const type = await lab.call('GET', `${linkOf(election)}/events`, { headers });
    const id = await lab.call('GET', '/v1/elections/e_nothing/events');

    expect(type).toMatchObject({ status: 406, json: { code: 'not_acceptable' } });
    expect(id).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  it('answers HEAD without a stream', async () => {
    const election = await create({});

    const events = await lab.call('HEAD', `${linkOf(election)}/events`);
    const trace = await lab.call('HEAD', `${linkOf(election)}/trace`);

    expect(events).toMatchObject({ status: 200, text: '' });
    expect(trace).toMatchObject({ status: 200, text: '' });
    expect(lab.elections.streams.open).toBe(0);
  });

  it('sends pings while there are no events', async () => {
    const election = await create({});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = await open(election);
    await stream.read();

    for (let count = 0; count < 3; count += 1) {
      const ping = stream.read();
      await setImmediate();
      vi.advanceTimersByTime(PING_MS);

      expect(await ping).toBe(': ping\n\n');
    }
    await stream.cancel();
  });
});

describe('events as JSON lines', () => {
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('are the same events as server-sent events, and end after the present ones on request', async () => {
    const election = await create({ latency: 5 });
    await act(election, { type: 'start' });
    await act(election, { type: 'advance', until: 5, events: 3 });

    const lines = linesOf(await wholeOf(election, JSONL, '?follow=false'));
    await act(election, advance);
    const all = linesOf(await wholeOf(election, JSONL));

    expect(lines.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(all.slice(0, 7)).toEqual(lines);
    expect(all).toEqual(parseEvents(await wholeOf(election)).map(({ data }) => data));
  });

  it('are empty for an election that was not started', async () => {
    const election = await create({});

    const text = await wholeOf(election, JSONL, '?follow=false');

    expect(text).toBe('');
  });

  it('follow an election for a caller that names them, and end when it is concluded', async () => {
    const election = await create({});
    const stream = await open(election, JSONL);

    await act(election, { type: 'start' });
    const begun = await stream.readUntil((text) => text.includes('"seq":3,'));
    await act(election, advance);
    const lines = linesOf(begun + (await stream.readUntil(() => false)));

    expect(lines.at(-1)).toMatchObject({ event: 'done', reason: 'concluded' });
    const numbers = lines.slice(0, -1).map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it('continue on request', async () => {
    const election = await create({ run: true });
    const stream = await open(election, JSONL, '?follow=true');

    await act(election, { type: 'crash', rank: 4 });
    const text = await stream.readUntil((read) => read.includes('node.crashed'));

    expect(stream.response.headers.get('Content-Type')).toBe('application/jsonl');
    expect(linesOf(text).at(-1)).toMatchObject({ event: 'node.crashed' });
    await stream.cancel();
  });
});

describe('streams whose callers have left', () => {
  it('release their resources: 200 callers connect and disconnect', async () => {
    const fresh = labUnderTest();
    const election = await create({}, fresh);
    const live = fresh.elections.get(String(election.json.id), SERVER);

    for (let count = 0; count < 200; count += 1) {
      const stream = await open(election, count % 2 === 0 ? {} : JSONL, '?follow=true', fresh);
      if (count % 3 > 0) await stream.cancel();
      else {
        const reading = stream.read();
        await stream.cancel();
        await reading;
      }
    }

    expect(live.listeners).toBe(0);
    expect(fresh.elections.streams.open).toBe(0);
    expect(fresh.lifecycle.listeners).toBe(0);
  });

  it('are disconnected if their caller takes nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fresh = labUnderTest();
    const election = await create({ run: true }, fresh);
    const stream = await open(election, {}, '', fresh);
    expect(fresh.elections.streams.open).toBe(1);

    vi.advanceTimersByTime(STALLED_MS);

    expect(fresh.elections.streams.open).toBe(0);
    expect(fresh.elections.get(String(election.json.id), SERVER).listeners).toBe(0);
    await expect(stream.readUntil(() => false)).rejects.toThrow('takes nothing');
    expect(fresh.faults).toEqual([]);
  });

  it('end with a notice when the server stops', async () => {
    const fresh = labUnderTest();
    const election = await create({}, fresh);
    const stream = await open(election, {}, '', fresh);
    await stream.read();

    fresh.lifecycle.drain();
    const events = parseEvents(await stream.readUntil(() => false));

    expect(events).toMatchObject([{ event: 'closing', data: { retryAfterS: 10 } }]);
    expect(fresh.elections.streams.open).toBe(0);
  });

  it('are limited: one more is refused until one ends', async () => {
    const fresh = labUnderTest();
    const election = await create({}, fresh);
    const streams = [];
    for (let count = 0; count < STREAMS_MAX; count += 1) {
      streams.push(await open(election, {}, '', fresh));
    }

    const headers = { Accept: 'text/event-stream' };
    const refused = await fresh.call('GET', `${linkOf(election)}/events`, { headers });
    await streams[0]?.cancel();
    const accepted = await open(election, {}, '', fresh);

    expect(refused).toMatchObject({ status: 503, json: { code: 'limit.streams' } });
    expect(accepted.response.status).toBe(200);
    for (const stream of [...streams, accepted]) await stream.cancel();
    expect(fresh.elections.streams.open).toBe(0);
  });
});
