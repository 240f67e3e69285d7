/**
 * @module
 * A follower of an election that loses its connection at any byte, while the election continues, and
 * reconnects with the last complete id: it receives every event once, in order.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SERVER } from '../../../server/request/principal.ts';

import { labUnderTest } from '../lab-under-test.ts';

const lab = labUnderTest();
const RUNS = Number(process.env.RECONNECTS ?? 20);

/** The actions between two connections, and the number of characters after which the next one is cut. */
interface Leg {
  readonly actions: readonly object[];
  readonly cutAt: number;
  readonly form: 'text/event-stream' | 'application/jsonl';
}

const actions = fc.constantFrom<object>(
  { type: 'start' },
  { type: 'advance', until: 'idle' },
  { type: 'advance', until: 'idle', events: 1 },
  { type: 'advance', until: 'idle', events: 7 },
  { type: 'crash', rank: 5 },
  { type: 'recover', rank: 5 },
  { type: 'suspect', rank: 5, by: [1, 2] },
);

const legs: fc.Arbitrary<Leg> = fc.record({
  actions: fc.array(actions, { maxLength: 3 }),
  cutAt: fc.oneof(fc.nat(600), fc.nat(20_000)),
  form: fc.constantFrom('text/event-stream', 'application/jsonl'),
});

it('a follower receives every event once, wherever it is disconnected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(legs, { minLength: 1, maxLength: 6 }), async (course) => {
      const { json } = await lab.post('/v1/elections', {
        ...{ protocol: 'bully-oneshot', nodes: 5, seed: '1' },
      });
      const path = `/v1/elections/${json.id}`;
      const received: Event[] = [];

      for (const leg of course) {
        for (const action of leg.actions) await lab.post(`${path}/actions`, action);
        received.push(...(await connect(path, leg, received.at(-1)?.seq ?? null)));
      }
      const rest = { cutAt: Number.POSITIVE_INFINITY, form: 'application/jsonl' } as const;
      received.push(...(await connect(path, rest, received.at(-1)?.seq ?? null)));

      const whole = await connect(path, rest, null);
      expect(received).toEqual(whole);
      expect(received.map(({ seq }) => seq)).toEqual(received.map((_, index) => index));
      expect(lab.elections.streams.open).toBe(0);
      expect(lab.elections.get(String(json.id), SERVER).listeners).toBe(0);
      await lab.call('DELETE', path);
    }),
    { seed: 5, numRuns: RUNS },
  );
  expect(lab.faults).toEqual([]);
});

interface Event {
  readonly seq: number;
}

/** The complete events until the connection was cut, or until no more came for a while. */
async function connect(
  path: string,
  { cutAt, form }: Pick<Leg, 'cutAt' | 'form'>,
  last: number | null,
): Promise<Event[]> {
  const headers = { Accept: form, ...(last !== null && { 'Last-Event-ID': String(last) }) };
  const query = form === 'application/jsonl' ? '?follow=false' : '';
  const response = await lab.app.request(`${path}/events${query}`, { headers });
  const reader = response.body?.getReader();
  if (reader === undefined) return [];
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < cutAt) {
    const more = await (form === 'application/jsonl' ? reader.read() : soon(reader.read()));
    if (more === null || more.done) break;
    text += decoder.decode(more.value, { stream: true });
  }
  await reader.cancel();
  return eventsIn(text.slice(0, cutAt), form);
}

/** Events as a client reads them: without its final empty line or line end, an event does not exist. */
function eventsIn(text: string, form: Leg['form']): Event[] {
  const end = form === 'application/jsonl' ? '\n' : '\n\n';
  return text
    .split(end)
    .slice(0, -1)
    .flatMap((block) =>
      form === 'application/jsonl' ? block : (/^data: (.*)$/m.exec(block)?.[1] ?? []),
    )
    .map((json): Event => JSON.parse(json))
    .filter((event) => 'seq' in event);
}

/** The next piece, or null if none comes, because the election may be idle. */
async function soon<T>(promise: Promise<T>): Promise<T | null> {
  const nothing = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return null;
  };
  return Promise.race([promise, nothing()]);
}

const TURNS = 20;
