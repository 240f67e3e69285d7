/**
 * @module
 * The contract with callers: the OpenAPI document in the repository is the one that is served, and each
 * operation is described completely. OpenAPI 3.2 is derived from the same routes and not in a file.
 */

import { readFileSync } from 'node:fs';
import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';

import manifest from '../../../package.json' with { type: 'json' };
import { openApiDocuments } from '../../../server/contract/openapi/document.ts';
import type { Media, OpenApiDocument } from '../../../server/contract/openapi/shape.ts';
import { createRouter } from '../../../server/contract/router.ts';
import { ROOT } from '../../cli/shell.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { allExamplesOf, lacksOf } from './contract-lacks.ts';

const { app } = labUnderTest();
const { v31, v32 } = openApiDocuments(app, manifest.version);

describe('the contract', () => {
  it('in OpenAPI 3.1 is the document in server/contract/openapi.json', () => {
    const kept = JSON.parse(readFileSync(`${ROOT}/server/contract/openapi.json`, 'utf8'));

    expect(v31, 'if the change is intended: npm run contract').toEqual(kept);
  });

  it('describes every operation completely', () => {
    expect(lacksOf(v31)).toEqual([]);
    expect(lacksOf(v32)).toEqual([]);
  });

  it('has no description that code generators take for an escape', () => {
    const texts = [
      ...JSON.stringify(v31).matchAll(/"(?:description|summary)":("(?:[^"\\]|\\.)*")/g),
    ];

    const escaped = texts.filter(([, text = '""']) => JSON.parse(text).includes('\\u'));
    expect(escaped.map(([text]) => text)).toEqual([]);
    expect(texts.length).toBeGreaterThan(500);
  });

  it('reports the missing parts of a description', () => {
    const bare = {
      paths: {
        '/x': {
          post: {
            operationId: 'x',
            requestBody: { content: { 'application/json': { schema: {} } } },
            responses: { 200: { description: '', content: { 'text/plain': { example: 1 } } } },
          },
        },
      },
      components: { schemas: {} },
    };

    const lacks = lacksOf(bare as unknown as OpenApiDocument);

    expect(lacks).toEqual([
      'x: no summary',
      'x: no 400 or 500',
      'x: no example of the body (application/json)',
      'x: no schema of 200 (text/plain)',
    ]);
  });

  it.each(examples(v31))(
    'has an example that its schema accepts: %s',
    (_where, schema, example) => {
      const parsed = schema.safeParse(example);

      expect(parsed.error?.issues ?? []).toEqual([]);
    },
  );
});

describe('the two versions', () => {
  it('have the same operations and differ only in streams', () => {
    const withoutStreams = (document: OpenApiDocument) =>
      JSON.parse(
        JSON.stringify({ ...document, openapi: '' }, (_key, value) =>
          isStream(value) ? 'stream' : value,
        ),
      );

    expect(v31.openapi).toBe('3.1.0');
    expect(v32.openapi).toBe('3.2.0');
    expect(JSON.stringify(v31)).not.toContain('itemSchema');
    expect(withoutStreams(v32)).toEqual(withoutStreams(v31));
  });

  it('describe a stream by its items in 3.2 and as text in 3.1', () => {
    const router = createRouter();
    router.openAPIRegistry.registerPath({
      method: 'get',
      path: '/stream',
      operationId: 'getStream',
      summary: 'Get a stream',
      responses: {
        200: {
          description: 'Events.',
          content: { 'text/event-stream': { itemSchema: z.object({ id: z.int() }) } },
        },
      },
    });

    const documents = openApiDocuments(router, '1');

    const media = (document: OpenApiDocument) =>
      document.paths['/stream']?.get?.responses[200]?.content?.['text/event-stream'];
    const item = { type: 'object', properties: { id: { type: 'integer' } } };
    expect(media(documents.v31)).toMatchObject({
      schema: { type: 'string', contentMediaType: 'text/event-stream', contentSchema: item },
    });
    expect(media(documents.v32)).toMatchObject({ itemSchema: item });
    expect(media(documents.v32)).not.toHaveProperty('schema');
  });

  it.each([
    ['/openapi.json', v31],
    ['/openapi-3.2.json', v32],
  ])('are served at %s', async (path, document) => {
    const response = await app.request(path);

    const served = JSON.parse(await response.text());
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(served).toEqual({ ...document, info: { ...document.info, version: '0.0.0-test' } });
  });
});

/** The media objects that may differ. */
function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const schema = 'schema' in value ? value.schema : null;
  const isText = JSON.stringify(schema).startsWith('{"type":"string","contentMediaType":');
  return 'itemSchema' in value || (isText && !('in' in value));
}

type Case = readonly [where: string, schema: z.ZodType, example: unknown];

/** Every example of a body in JSON, with its schema as zod has it. */
function examples(document: OpenApiDocument): Case[] {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  return operations.flatMap(({ operationId, requestBody, responses }) => {
    const media: [string, Media | undefined][] = [
      [`${operationId} body`, requestBody?.content['application/json']],
      ...Object.entries(responses).map(([status, { content }]): [string, Media | undefined] => [
        `${operationId} ${status}`,
        content?.['application/json'],
      ]),
    ];
    return media.flatMap(([where, each]) => casesOf(where, each, document));
  });
}

function casesOf(where: string, media: Media | undefined, document: OpenApiDocument): Case[] {
  if (media?.schema === undefined) return [];
  const schema = zodOf(media.schema, document);
  return allExamplesOf(media, document).map((example, index) => [
    `${where} ${index}`,
    schema,
    example,
  ]);
}

function zodOf(schema: object, document: OpenApiDocument): z.ZodType {
  const whole = { ...schema, $defs: document.components.schemas };
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text));
}
