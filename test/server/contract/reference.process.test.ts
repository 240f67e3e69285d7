/**
 * @module
 * The reference page contains every operation, leads to a page of every schema, is small, loads nothing and runs no
 * scripts, and its command lines work.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { describe, expect, it } from 'vitest';
import { openApiDocuments } from '../../../server/contract/openapi/document.ts';
import {
  curlLines,
  referencePage,
  schemaPages,
} from '../../../server/contract/openapi/reference.ts';
import { SharedText } from '../../../server/contract/openapi/routes.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { app, call } = labUnderTest();
const { v31: document } = openApiDocuments(app, '1.2.3');
const schemas = schemaPages(document);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

describe('the reference page', () => {
  it('has every operation, with a link to it', async () => {
    const page = String(await referencePage(document)('http://localhost'));

    for (const { operationId } of operations) {
      expect(page).toContain(`<article id="${operationId}">`);
      expect(page).toContain(`<a href="#${operationId}">`);
    }
  });

  it('has at most 300 kB, and so has the page of each schema', () => {
    const pages = [referencePage(document)('http://localhost'), ...Object.values(schemas)];

    const sizes = pages.map((page) => Buffer.byteLength(page));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(300_000);
    expect(Object.keys(schemas)).toEqual(Object.keys(document.components.schemas));
  });

  it('leads to the page of each schema, and schemas to each other', async () => {
    const pages = [referencePage(document)('http://localhost'), ...Object.values(schemas)];
    const names = pages.flatMap((page) =>
      [...page.matchAll(/href="\/reference\?schema=([^"]+)"/g)].map(([, name = '']) => name),
    );
    const page = await app.request('/reference?schema=ElectionRequest');
    const missing = await call('GET', '/reference?schema=Nothing');

    expect(new Set(names)).toEqual(new Set(Object.keys(schemas)));
    expect(await page.text()).toContain('<h1>ElectionRequest</h1>');
    expect(missing).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  it('has the meaning of each refusal', () => {
    const page = referencePage(document)('http://localhost');
    const refusals = operations
      .flatMap(({ responses }) => Object.values(responses))
      .filter(({ content = {} }) => 'application/problem+json' in content);

    expect(refusals.length).toBeGreaterThan(operations.length);
    for (const { description } of refusals) expect(page).toContain(description);
  });

  it('links only to its own parts', async () => {
    const page = String(await referencePage(document)('http://localhost'));

    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    const missing = targets.filter((target) => !page.includes(` id="${target}"`));
    expect(targets.length).toBeGreaterThan(operations.length);
    expect(missing).toEqual([]);
  });

  it('loads nothing, runs nothing, and has the style that the policy allows', async () => {
    const response = await app.request('/reference');
    const page = await response.text();

    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    const policy = response.headers.get('Content-Security-Policy');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${digest}'`);
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\bon\w+=|javascript:|@import|url\(/i);
    expect([...page.matchAll(/(?:href|src)="([^"#/][^"]*)"/g)]).toEqual([]);
  });

  it('escapes all texts of the document', async () => {
    const [first] = operations;
    const hostile = `<script>alert("1")</script>'&`;
    const operation = {
      ...first,
      operationId: 'hostile',
      tags: ['service'],
      summary: hostile,
      responses: { 200: { description: hostile } },
      parameters: [{ name: hostile, in: 'query', schema: { pattern: hostile } }],
    };

    const page = String(
      await referencePage({ ...document, paths: { '/"><script>': { get: operation } } })(hostile),
    );

    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;');
  });

  it.each(['/reference', '/openapi.json', '/openapi-3.2.json'])(
    'and its source (%s) are not sent again to a client that has them',
    async (path) => {
      const tag = (await app.request(path)).headers.get('ETag') ?? '';

      const again = await call('GET', path, { headers: { 'If-None-Match': `"other", W/${tag}` } });
      const other = await app.request(path, { headers: { 'If-None-Match': '"other"' } });

      expect(again).toMatchObject({ status: 304, text: '' });
      expect(again.headers.get('ETag')).toBe(tag);
      expect(other.status).toBe(200);
    },
  );

  it('shares its bytes among all answers', () => {
    const text = new SharedText('page', 'text/html');
    const bodies: unknown[] = [];
    const context = {
      req: { header: () => undefined },
      body: (body: unknown) => bodies.push(body),
    };

    for (let count = 0; count < 2; count += 1) text.answer(context as unknown as Context);

    expect(bodies[0]).toBe(bodies[1]);
  });

  it('contains the address that the reader used', async () => {
    const response = await app.request('http://localhost:8787/reference');

    expect(await response.text()).toContain('curl -s http://localhost:8787/healthz');
  });
});

/** Ends the output of a command. */
const MARK = "printf '\\0'";

describe('a command line', () => {
  it('exists for every operation, and a shell reads it as one command', () => {
    const commands = operations.flatMap((operation) => {
      const parameters = (operation.parameters ?? []).flatMap((each) =>
        '$ref' in each ? [] : [each],
      );
      const called = { ...operation, method: operation.method.toUpperCase(), parameters };

      const lines = curlLines(called, 'http://127.0.0.1:8787');

      expect(lines.length).toBeGreaterThanOrEqual(1);
      return lines.map((line) => ({ operationId: operation.operationId, line }));
    });
    // One shell reads all of them. A command that ends early or late changes the output of its neighbours.
    const script = commands.flatMap(({ line }) => [line.replace('curl', "printf '%s\\n'"), MARK]);
    const outputs = execFileSync('sh', { input: script.join('\n'), encoding: 'utf8' }).split('\0');

    expect(outputs).toHaveLength(commands.length + 1);
    for (const [index, { operationId }] of commands.entries()) {
      expect(outputs[index]?.split('\nhttp://127.0.0.1:8787/'), operationId).toHaveLength(2);
    }
  });

  it.each(['readInbox', 'writeOutbox'])(
    'of %s has the token that only participants leave out',
    (operationId) => {
      const operation = operations.find((each) => each.operationId === operationId);
      const parameters = (operation?.parameters ?? []).flatMap((each) =>
        '$ref' in each ? [] : [each],
      );
      if (operation === undefined) throw new TypeError('"operationId" expected an operation');

      const lines = curlLines({ ...operation, parameters }, 'http://127.0.0.1:1');

      for (const line of lines) expect(line).toContain('-H "Node-Token: $NODE_TOKEN"');
      expect(parameters).toContainEqual(
        expect.objectContaining({ name: 'node-token', in: 'header', required: false }),
      );
    },
  );

  it('passes a body unchanged, with its quotes', () => {
    const body = { text: `it's "$HOME" \`id\` \\ !` };
    const operation = {
      operationId: 'x',
      tags: [],
      summary: '',
      method: 'POST',
      path: '/v1/things/{id}',
      parameters: [{ name: 'id', in: 'path' }],
      requestBody: { content: { 'application/json': { example: body } } },
      responses: {},
    };

    const [line = ''] = curlLines(operation, 'http://127.0.0.1:1');

    const words = execFileSync('sh', ['-c', line.replace('curl', "ID=e_1; printf '%s\\n'")]);
    expect(String(words).trimEnd().split('\n')).toEqual([
      '-s',
      'http://127.0.0.1:1/v1/things/e_1',
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify(body),
    ]);
  });
});
