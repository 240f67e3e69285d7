/**
 * @module
 * The basis of the fuzzing: values drawn from a schema fit it, mutated ones usually do not, and the judge
 * notices every fault of an answer.
 */

import { z } from '@hono/zod-openapi';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { OpenApiDocument, Operation, Schema } from '../../../server/contract/openapi/shape.ts';
import { Judge } from './judge.ts';
import { brokenTexts } from './mutations.ts';
import { boundsIn, valuesOf } from './schema-values.ts';

const document: OpenApiDocument = {
  ...{ openapi: '3.1.0', info: { title: '', version: '', description: '' }, tags: [], paths: {} },
  components: { schemas: { Name: { type: 'string', pattern: '^[a-z]{2,4}$' } } },
};

const SCHEMAS: readonly Schema[] = [
  { const: 7 },
  { enum: ['a', 'b', 3] },
  { type: 'string', minLength: 3, maxLength: 5 },
  { type: 'string', pattern: '^(?:[0-9a-f]{2}){2,3}$', maxLength: 4 },
  { type: 'string', format: 'uuid' },
  { type: 'string', format: 'date-time' },
  { type: 'integer', minimum: -3, maximum: 500 },
  { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 3 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: ['string', 'null'], maxLength: 2 },
  { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1, uniqueItems: true },
  { type: 'array', prefixItems: [{ type: 'number' }, { type: 'boolean' }], items: false },
  { oneOf: [{ type: 'string', maxLength: 3 }, { type: 'integer' }] },
  { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Name' }] },
  {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      { properties: { b: { type: 'boolean' } }, required: ['b'] },
    ],
  },
  {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { $ref: '#/components/schemas/Name' } },
    required: ['a'],
    additionalProperties: false,
  },
  {
    type: 'object',
    propertyNames: { type: 'string', pattern: '^x' },
    additionalProperties: { type: 'integer' },
    minProperties: 1,
  },
];

const zodOf = (schema: Schema) =>
  z.fromJSONSchema(
    JSON.parse(
      JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
        '#/components/schemas/',
        '#/$defs/',
      ),
    ),
  );

describe('values of a schema', () => {
  it.each(SCHEMAS)('fit %j', (schema) => {
    const zod = zodOf(schema);

    fc.assert(
      fc.property(valuesOf(schema, { document }), (value) => {
        expect(zod.safeParse(JSON.parse(JSON.stringify(value))).error?.issues ?? []).toEqual([]);
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  it.each(SCHEMAS)('usually do not fit %j after a change', (schema) => {
    const zod = zodOf(schema);

    const texts = fc.sample(brokenTexts(valuesOf(schema, { document }), boundsIn(schema)), {
      seed: 1,
      numRuns: 60,
    });

    expect(texts.filter((text) => !fits(zod, text)).length).toBeGreaterThan(30);
  });
});

describe('the judge', () => {
  const operation: Operation = {
    ...{ operationId: 'x', tags: [], summary: '' },
    responses: {
      200: {
        description: '',
        content: {
          'application/json': {
            schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
          },
        },
      },
      204: { description: '' },
      500: { description: '', content: { 'application/problem+json': { schema: {} } } },
      503: { description: '', content: { 'application/problem+json': { schema: {} } } },
    },
  };
  const judge = new Judge({ v31: document, v32: document });
  const faultsOf = (status: number, text: string, headers: Record<string, string> = {}) => {
    const json = status < 400 ? 'application/json' : 'application/problem+json';
    const all = { 'Content-Type': json, 'X-Request-Id': 'r', ...headers };
    const given = { status, text, isWhole: true, headers: new Headers(all) };
    return judge.faultsOf({ method: 'GET', path: '/x', operation }, given);
  };

  it('finds nothing if the answer is as documented', () => {
    expect(faultsOf(200, '{"a":1}')).toEqual([]);
    expect(faultsOf(204, '')).toEqual([]);
    expect(faultsOf(503, '{}', { 'Retry-After': '3' })).toEqual([]);
  });

  it.each<[string, RegExp, number, string, Record<string, string>?]>([
    ['an undocumented status', /undocumented status 404/, 404, '{}'],
    ['an undocumented media type', /media type/, 200, 'x', { 'Content-Type': 'text/plain' }],
    ['a body that its schema refuses', /refuses a/, 200, '{"a":"1"}'],
    ['an undocumented body', /undocumented body/, 204, 'x'],
    ['a failure', /failed with 500/, 500, '{}'],
    ['no Retry-After', /Retry-After/, 503, '{}'],
    ['a stack', /internals/, 500, '{"detail":"at run (/x.ts:3)"}'],
    ['SQL', /internals/, 500, '{"detail":"SQLITE_BUSY"}'],
    ['no request id', /X-Request-Id/, 200, '{"a":1}', { 'X-Request-Id': '' }],
  ])('notices %s', (_what, fault, status, text, headers) => {
    expect(faultsOf(status, text, headers).join()).toMatch(fault);
  });
});

function fits(zod: z.ZodType, text: string): boolean {
  try {
    return zod.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
