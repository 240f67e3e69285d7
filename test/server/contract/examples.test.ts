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
      sent.push({ method: String(init.method), path, response });
      return response;
    };
    examples = await recordExamples(fetch, v31, RECORDED);
  });

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
