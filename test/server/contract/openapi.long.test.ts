/**
 * @module
 * The OpenAPI document as a structure, its examples sent to the API, and bodies mutated from valid
 * ones.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import { IS_WHOLE } from '../../sample.ts';
import { shownCourse } from '../exercises/shown-class.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { OPERATIONS } from '../operations.ts';
import { VALID_BODIES } from './valid-bodies.ts';

const refuse = () => Promise.reject(new LabError('document', 'not executed here'));
const { call, post, faults } = labUnderTest({
  course: shownCourse(),
  execute: refuse,
  executions: {
    operation: refuse,
    sweep: refuse,
  },
});
const send = (method: string, path: string, body: unknown) =>
  call(method.toUpperCase(), path, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const { json: document, text } = await call('GET', '/openapi.json');

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, Media> };
  readonly responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

// The document's own shape, as far as these tests look into it.
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

describe('the OpenAPI document', () => {
  it('is version 3.1 and lists every operation of the API', () => {
    const listed = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

    expect(document.openapi).toBe('3.1.0');
    expect(listed.toSorted()).toEqual(OPERATIONS);
  });

  it('gives each operation one id, a listed tag and a summary', () => {
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);

    const ids = operations.map(({ operationId }) => operationId);

    expect(new Set(ids).size).toBe(operations.length);
    for (const { operationId, tags: own, summary } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(tags).toEqual(expect.arrayContaining([...own]));
      expect(summary).toMatch(/\S/);
    }
  });

  it('declares every parameter of a path', () => {
    for (const { path, parameters = [] } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((parameter) => parameter.in === 'path');

      expect(declared.map(({ name }) => name)).toEqual(inPath);
    }
  });

  it('names every member and every query parameter in camelCase', () => {
    // The names of protocols are data: a record by them has their names as members.
    const data: readonly string[] = PROTOCOL_NAMES;
    const parameters = operations.flatMap(({ parameters = [] }) =>
      parameters.filter((parameter) => parameter.in !== 'header').map(({ name }) => name),
    );
    const names = [...membersIn(document), ...parameters].filter((name) => !data.includes(name));

    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  it('requires every body and gives its schema', () => {
    const bodies = operations.flatMap(({ requestBody }) => requestBody ?? []);

    // A challenge is the same for every request, and so are an instance, a new token and a cancel.
    const posts = operations.filter(({ method }) => method === 'post' || method === 'put');
    const empty = posts.filter(({ requestBody }) => !requestBody).map(({ path }) => path);
    expect(empty.toSorted()).toEqual([
      '/v1/challenges',
      '/v1/class/decisions/{number}/undo',
      '/v1/class/join-codes',
      '/v1/class/members/{name}/join-code',
      '/v1/class/reload',
      '/v1/class/token',
      '/v1/elections/{id}/participants/{participant}/token',
      '/v1/exercises/{name}/hints/{number}',
      '/v1/exercises/{name}/instances',
      '/v1/jobs/{id}/cancel',
    ]);
    expect(bodies).toHaveLength(posts.length - empty.length);
    expect(
      posts
        .flatMap(({ path, requestBody }) =>
          'application/yaml' in (requestBody?.content ?? {}) ? path : [],
        )
        .toSorted(),
    ).toEqual(['/v1/defence-comparisons', '/v1/runs', '/v1/sweeps']);
    for (const { required, content } of bodies) {
      expect(required).toBe(true);
      // A threat model may also be a YAML document.
      const isModel = 'application/yaml' in content;
      expect(Object.keys(content)).toEqual([
        ...['application/json', ...(isModel ? ['application/yaml'] : [])],
      ]);
      expect(content['application/json']?.schema).toBeDefined();
    }
  });

  it('answers refusals of every operation with problem documents', () => {
    for (const { path, responses } of operations) {
      const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);

      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['400', '500']));
      for (const [, { content }] of refusals) {
        expect(content).toEqual({
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        });
      }
    }
  });

  it('refers only to its own components', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);

    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      expect(resolve(String(reference)), String(reference)).toBeTypeOf('object');
    }
  });

  it('has only examples of bodies that the API accepts', async () => {
    const body = { protocol: 'cr-join', nodes: 5, level: 'L0' };
    const election = await post('/v1/elections', body);
    const untouched = await post('/v1/elections', body);
    const cluster = await post('/v1/clusters', { protocol: 'bully-oneshot' });
    const objectAt = (path: string) => {
      if (path.startsWith('/v1/clusters')) return cluster;
      return path.endsWith('/nodes') ? untouched : election;
    };
    // Requests of nodes from outside need their tokens; live/outside.test.ts sends them.
    // Codes and tokens are random; callers/sign-in.test.ts sends them.
    const isKnown = (path: string) => !path.includes('{node}') && path !== '/v1/sessions';
    const known = operations.filter(({ path }) => isKnown(path));
    const examples = known.flatMap(({ path, method, requestBody }) => {
      const media = requestBody?.content['application/json'];
      const many = Object.values(media?.examples ?? {}).map(({ value }) => value);
      const all = media?.example === undefined ? many : [media.example, ...many];
      return all.map((example) => ({
        path: path
          .replace('{name}', 'predict-cost')
          .replace('{id}', String(objectAt(path).json.id)),
        method,
        example,
      }));
    });

    // An election is shared before it has a join code.
    const first = examples.toSorted((one) => (one.method === 'put' ? -1 : 0));
    for (const { path, method, example } of first) {
      const answer = await send(method, path, example);

      expect(answer.status, path).toBeLessThan(300);
    }
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });
});

describe('no body', () => {
  it.each(VALID_BODIES)(
    'sent to %s makes the server fail: mutations of %j',
    async (path, valid) => {
      const seen = new Set<number>();
      await fc.assert(
        fc.asyncProperty(mutationOf(valid), async (body) => {
          const answer = await post(path, body);

          expectNoFailure(answer);
          seen.add(answer.status);
          const { id } = answer.json;
          if (typeof id === 'string' && id.startsWith('e_'))
            await call('DELETE', `/v1/elections/${id}`);
        }),
        { seed: 42, numRuns: IS_WHOLE ? 300 : 40 },
      );
      const successes = [...seen].filter((status) => status < 300);
      expect(seen).toContain(400);
      expect(successes).toHaveLength(1);
    },
  );

  it('sent as an action makes the server fail', async () => {
    const { json } = await post('/v1/elections', { protocol: 'bully-oneshot', nodes: 4 });
    const actions = [
      { type: 'start', nodes: [1, 2] },
      { type: 'crash', rank: 4 },
      { type: 'recover', rank: 4 },
      { type: 'suspect', rank: 4, by: [1] },
      { type: 'partition', cut: 'isolate:2' },
      { type: 'heal' },
      { type: 'deliver', message: 3 },
      { type: 'drop', message: 4 },
      { type: 'delay', message: 5, ticks: 9 },
      { type: 'advance', until: 'idle', events: 3 },
      { type: 'advance', until: 7 },
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...actions).chain(mutationOf), async (action) => {
        expectNoFailure(await post(`/v1/elections/${json.id}/actions`, action));
      }),
      { seed: 43, numRuns: 500 },
    );
  });

  it('of arbitrary bytes makes the server fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        const headers = { 'Content-Type': 'application/json' };

        expectNoFailure(
          await call('POST', '/v1/elections', { headers, body: new Uint8Array(bytes) }),
        );
      }),
      { seed: 44, numRuns: 300 },
    );
  });
});

/** 503 reports an exceeded limit. It is not a failure. */
function expectNoFailure(answer: Answer): void {
  expect(answer.status === 503 || answer.status < 500, answer.text).toBe(true);
  expect(faults).toEqual([]);
}

/** The value with some members or elements replaced, dropped or added, at any depth. */
function mutationOf(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...HOSTILE));
  if (Array.isArray(value)) {
    const parts = fc.tuple(...value.map(mutationOf));
    return fc.oneof({ weight: 5, arbitrary: parts }, { weight: 1, arbitrary: other });
  }
  if (typeof value !== 'object' || value === null) {
    return fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
  }
  const members = Object.entries(value).map(
    ([name, member]) => [name, mutationOf(member)] as const,
  );
  const mutated = fc
    .record({
      kept: fc.record(Object.fromEntries(members), { requiredKeys: [] }),
      filled: fc.boolean(),
      added: fc.oneof(
        { weight: 4, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(NAME, other, { maxKeys: 1 }) },
      ),
    })
    .map(({ kept, filled, added }) => ({ ...(filled && value), ...kept, ...added }));
  return fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: other });
}

const NAME = fc.constantFrom('type', 'constructor', 'seed', 'nodes', 'a', '', 'é');
const HOSTILE = [
  0,
  -1,
  1.5,
  2 ** 53 - 1,
  1e300,
  '',
  '0',
  'idle',
  'all',
  'highest',
  '\u0000',
  "'; drop",
  [],
  {},
  [[]],
  null,
];

/** The names of all members of all objects that the schemas in a value describe. */
function membersIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as { readonly properties?: unknown }; // any object may have it
  const isSchema = typeof properties === 'object' && properties !== null && 'type' in value;
  const own = isSchema ? Object.keys(properties) : [];
  return [...own, ...Object.values(value).flatMap(membersIn)];
}

function resolve(reference: string): unknown {
  const parts = reference.replace(/^#\//, '').split('/');
  return parts.reduce<unknown>((node, part) => {
    return typeof node === 'object' && node !== null
      ? Object.entries(node).find(([name]) => name === part)?.[1]
      : undefined;
  }, document);
}
