/**
 * @module
 * The recorded examples of the OpenAPI document are the answers of a server whose jobs run in threads. The
 * headers of these answers are those that the document declares.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import manifest from '../../../package.json' with { type: 'json' };
import type { Recorded } from '../../../server/contract/openapi/document.ts';
import { openApiDocuments, RECORDED } from '../../../server/contract/openapi/document.ts';
import { recordExamples } from './record-examples.ts';
import { recordedLab } from './recorded-lab.ts';
import type { SentAnswer } from './sent-headers.ts';
import { headerFaults } from './sent-headers.ts';

const { app, close } = await recordedLab();
afterAll(close);
const { v31 } = openApiDocuments(app, manifest.version);

describe('the recorded examples', () => {
  const sent: SentAnswer[] = [];
  let examples: Recorded;
  beforeAll(async () => {
    const fetch = async (path: string, init: RequestInit) => {
      const response = await app.request(path, init);
      sent.push({ method: String(init.method), path, response: response.clone() });
      return response;
    };
    examples = await recordExamples(fetch, v31, RECORDED);
  }, 300_000);

  it('are the answers of a server', () => {
    expect(examples, 'if the change is intended: npm run contract').toEqual(RECORDED);
  });

  it('have the headers that the document declares', () => {
    expect(sent.length).toBeGreaterThan(60);
    expect(sent.flatMap((answer) => headerFaults(v31, answer))).toEqual([]);
  });

  it('have a Location if they are 201 or 202, which answers', async () => {
    const made = sent.filter(({ response }) => [201, 202].includes(response.status));
    const others = made.filter(({ response }) => !response.headers.has('Location'));

    expect(made.length).toBeGreaterThan(15);
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it('have members in camelCase, also those of tables', async () => {
    const texts = await Promise.all(sent.map(({ response }) => response.text()));
    const paths = texts.join().match(/\/v1\/jobs\/[\w-]+\/results\/(?:rows|cells|comparison)\b/g);
    const tables = new Set(paths);
    for (const path of tables) {
      for (const Accept of ['application/json', 'application/jsonl']) {
        texts.push(await (await app.request(path, { headers: { Accept } })).text());
      }
    }
    const names = new Set(texts.flatMap(valuesIn).flatMap(membersIn));

    expect(tables.size).toBeGreaterThan(4);
    expect(names.size).toBeGreaterThan(300);
    expect(names).toContain('ciLow');
    // The form of an answer to an exercise is a JSON Schema.
    names.delete('$schema');
    expect([...names].filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  it('is repeated with Idempotency-Replayed, which is declared', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'one' };
    const body = JSON.stringify({ protocol: 'cr-join', nodes: 3 });
    const send = () => app.request('/v1/elections', { method: 'POST', headers, body });
    await send();

    const response = await send();

    expect(response.headers.get('Idempotency-Replayed')).toBe('true');
    expect(headerFaults(v31, { method: 'POST', path: '/v1/elections', response })).toEqual([]);
  });
});

/** The JSON values of an answer: a text, JSON lines, or the data of events. */
function valuesIn(text: string): unknown[] {
  if (!/^(?:[[{]|id:|:|retry:)/.test(text)) return [];
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.split('\n').map((line) => line.replace(/^data: /, ''));
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }
}

/** Members whose names are data: by message type, path of a threat model, name of a protocol, or rank. */
const BY_DATA: ReadonlySet<string> = new Set([
  ...['messages', 'axes', 'set', 'flags', 'responses', 'clock'],
]);

/** The names of the columns for the properties of the fault matrix, as the documents have them. */
const PROPERTIES: ReadonlySet<string> = new Set(['S1', 'S2', 'S3', 'S4', 'S5', 'M', 'L']);

/** The names of all members of a value, except those that are data. */
function membersIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(membersIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = PROPERTIES.has(name) ? [] : [name];
    return BY_DATA.has(name) ? own : [...own, ...membersIn(member)];
  });
}
