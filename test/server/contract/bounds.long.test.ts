/**
 * @module
 * The bounds in the document are those that the server enforces: for each number, text and list in the body of a
 * request, the value at the bound is accepted as this member, and the next one is refused. Cases are derived from
 * the document, and put into its examples: each in the first one that has the member, and in the slow suite in all.
 */

import { afterAll, describe, expect, it } from 'vitest';

import type { Media, OpenApiDocument, Parameter } from '../../../server/contract/openapi/shape.ts';
import { componentOf, examplesOf } from '../../../server/contract/openapi/shape.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { ATTACKED_NODES } from '../../../src/experiment/attack/attack.ts';
import { BUDGET_SECONDS_MAX } from '../../../src/experiment/document/limits.ts';
import { IS_WHOLE } from '../../sample.ts';
import { boundCases, unboundedIn } from '../fuzz/bound-cases.ts';
import { stagedLab } from '../fuzz/staged-lab.ts';

const lab = stagedLab();
afterAll(() => lab.remove());

// The API describes itself with this shape.
const document = (await lab.call('GET', '/openapi.json')).json as unknown as OpenApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);
const withBody = operations.flatMap(({ operationId, path, method, requestBody }) => {
  const media: Media | undefined = requestBody?.content['application/json'];
  return media?.schema === undefined ? [] : [{ operationId, path, method, media }];
});

describe('the body of', () => {
  it.each(withBody)('$operationId has the bounds that are enforced', async (operation) => {
    const { operationId, path, method, media } = operation;
    const wrong: string[] = [];
    const tried = new Set<string>();
    for (const example of examplesOf(media)) {
      for (const bound of boundCases(media.schema ?? {}, document, example)) {
        const { pointer, value, body, fits } = bound;
        const name = JSON.stringify([pointer, value]);
        if (tried.has(name) && !IS_WHOLE) continue;
        tried.add(name);
        const whole =
          fits && isRecord(body) ? { ...body, ...COMPANIONS[`${operationId}${pointer}`] } : body;
        const refused = await refusedMembers(await pathOf(path), method, whole);
        const isRefused = refused.some(
          (each) => each === '#/' || `${each}/`.startsWith(`#${pointer}/`),
        );
        if (isRefused === fits) wrong.push(`${pointer}: ${JSON.stringify(body).slice(0, 120)}`);
      }
    }

    expect(wrong).toEqual([]);
  });

  it.each(withBody)('$operationId has bounds at every number, text and list', ({ media }) => {
    const open = unboundedIn(media.schema ?? {}, document);

    expect(open.filter((pointer) => !OPEN.some((pattern) => pattern.test(pointer)))).toEqual([]);
  });
});

it('every text in a path, a query or a header has bounds', () => {
  const unbounded = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.flatMap((given) => {
      const name = componentOf({ ...given });
      const shared = name === null ? undefined : document.components.parameters?.[name];
      const parameter: Parameter | undefined = 'name' in given ? given : shared;
      const open = unboundedIn(parameter?.schema ?? {}, document);
      return open.map(() => `${operationId} ${parameter?.name}`);
    }),
  );

  expect(unbounded).toEqual([]);
});

/** Other members without which the value at a bound is refused, because both do not fit together. */
const COMPANIONS: Readonly<Record<string, object>> = {
  'submitRun/maxRuns': { untilDecided: true },
  'submitMine/stockpile': { strategy: 'stockpile' },
  'submitCheck/bounds/lies': { byzantine: ['1'] },
  'submitDesign/preparation': {
    time: BUDGET_SECONDS_MAX,
    window: 1,
  },
  // The machines are a factor of the advantage.
  'submitDesign/machines': { advantage: [1e12] },
  'submitCompare/machines': { advantage: [1e9] },
  'submitLookups/forged': { attempts: ['1000'] },
  'submitLookups/keys': { attempts: ['1000'] },
  'submitLookups/loss': { latency: '1' },
  'submitLookups/left': { latency: '1' },
  'submitLookups/timeout': { latency: '1' },
  'submitCheck/depth': { walks: 10 },
  'submitCheck/spread': { protocol: 'raft' },
  'getCheckedWorld/depth': { walks: 10 },
  'getCheckedWorld/spread': { protocol: 'raft' },
  'submitCheapestAttack/colluders': { nodes: 1 },
  'submitAttack/attempts': { forge: 'top' },
  'submitAttack/cpu': { forge: 'top' },
  'submitAttack/c1': { nodes: ATTACKED_NODES.min },
  'submitAttack/colluders': { nodes: ATTACKED_NODES.max },
};

function isRecord(body: unknown): body is object {
  return typeof body === 'object' && body !== null;
}

/** Values of members whose bounds are those of the members that their names stand for. */
const OPEN = [/^\/set\//, /^\/axes\//];

/** The pointers of the members that an answer refuses whatever the state and the other members are. */
async function refusedMembers(path: string, method: string, body: unknown): Promise<string[]> {
  const init = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const { status, json } = await lab.call(method.toUpperCase(), path, init);
  await lab.tick();
  for (const { id } of lab.elections.list(SERVER)) lab.elections.delete(id, SERVER);
  if (status === 413) return ['#/'];
  if (status !== 400 || (json.code !== 'schema' && json.code !== 'arguments')) return [];
  const errors = (json.errors ?? []) as readonly { readonly pointer: string }[]; // By the schema.
  return errors.map(({ pointer }) => pointer);
}

/** The path with the id of a new election. */
async function pathOf(template: string): Promise<string> {
  if (!template.includes('{id}')) return template;
  const { json } = await lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes: 3 });
  return template.replace('{id}', String(json.id)).replace(/\{node\}/, 'ab'.repeat(32));
}
