/**
 * @module
 * The links of the API. A client that knows only `/` reaches every operation that reads. The index of `/v1` has
 * every path without an id, and each object has a link to every path below its own.
 */

import { afterAll, expect, it } from 'vitest';

import type { Media, OpenApiDocument } from '../../../server/contract/openapi/shape.ts';
import { examplesOf } from '../../../server/contract/openapi/shape.ts';
import { joiningIn, minedIdentity, policyOfJson } from '../elections/joining.ts';
import { stagedLab } from '../fuzz/staged-lab.ts';

const lab = stagedLab();
afterAll(() => lab.remove());

// The API describes itself with this shape.
const { paths } = (await lab.call('GET', '/openapi.json')).json as unknown as OpenApiDocument;
const templates = Object.keys(paths);
const readable = templates.filter((path) => paths[path]?.get !== undefined);

it('lead from / to every path that can be read', async () => {
  const reached = await walk('/', { 'Node-Token': await makeObjects() });

  expect(readable.filter((path) => !reached.has(path))).toEqual([]);
});

it('of /v1 are all paths without an id', async () => {
  const { json } = await lab.call('GET', '/v1');

  const expected = templates.filter((path) => path.startsWith('/v1') && !path.includes('{'));
  expect(valuesOf(json.links).toSorted()).toEqual(expected.toSorted());
});

it('of an election are all paths below it, without those of its nodes and participants', async () => {
  const { json } = await lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes: 2 });

  const own = templates.map((path) => path.replace('{id}', String(json.id)));
  const expected = own.filter(
    (path) => path.includes(`elections/${json.id}`) && !path.includes('{'),
  );
  expect(valuesOf(json.links).toSorted()).toEqual(expected.toSorted());
});

/** Makes an election with a node from outside and a participant, a cluster, and jobs of every kind; returns the node's token. */
async function makeObjects(): Promise<string> {
  const { make, enter, linkOf } = joiningIn(lab);
  const policy = { c1: 0 };
  const election = await make({ policy });
  const { claim } = minedIdentity(policyOfJson(policy), { seed: '99' });
  const joined = await enter(election, claim);
  await lab.call('PUT', `${linkOf(election)}/access`, asJson({ mode: 'shared' }));
  const code = await lab.post(`${linkOf(election)}/join-code`, {});
  await lab.post('/v1/sessions', { type: 'joinCode', code: code.json.code, name: 'Ann' });
  await lab.post('/v1/clusters', { protocol: 'bully-oneshot' });
  for (const [path, body] of Object.entries(submissions())) {
    // Of six staged jobs, at least one is done with everything that its kind can have.
    for (let round = 0; round < 6; round += 1) await lab.post(path, body);
    for (let round = 0; round < 40; round += 1) await lab.tick();
  }
  return String(joined.json.token);
}

/** Reads every path that the answers name, one that succeeds for each template; returns these templates. */
async function walk(start: string, headers: Record<string, string>): Promise<Set<string>> {
  const reached = new Set<string>();
  const seen = new Set<string>();
  const refused = '/v1/elections/e_none';
  for (const queue = [start, refused]; queue.length > 0; ) {
    const path = String(queue.shift());
    const template = templateOf(path);
    if (seen.has(path) || template === null || reached.has(template)) continue;
    seen.add(path);
    const answer = await lab.app.request(path, { headers });
    if (answer.status < 300) reached.add(template);
    const text = await answer.text();
    const isJson = /^application\/(problem\+)?json(;|$)/.test(
      answer.headers.get('Content-Type') ?? '',
    );
    if (isJson) queue.push(...linksIn(path, JSON.parse(text)));
  }
  return reached;
}

/** The links of an answer and of everything in it. An entry of a page without links is below the page. */
function linksIn(path: string, json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return [];
  if (Array.isArray(json)) return json.flatMap((item) => linksIn(path, item));
  return Object.entries(json).flatMap(([name, value]) => {
    if (name === 'links') return valuesOf(value);
    if (name === 'type' && 'instance' in json) return [String(value)];
    const isEntry = !('links' in json) && (name === 'id' || name === 'name');
    return isEntry ? [`${path}/${value}`, ...linksIn(path, value)] : linksIn(path, value);
  });
}

/** An example of the body of each operation that submits a job. */
function submissions(): Readonly<Record<string, unknown>> {
  const posts = templates.flatMap((path) => {
    const { operationId, requestBody } = paths[path]?.post ?? {};
    const media: Media = requestBody?.content['application/json'] ?? {};
    return operationId?.startsWith('submit') === true ? [[path, examplesOf(media)[0]]] : [];
  });
  return Object.fromEntries(posts);
}

/** The paths of links, also of a list of named ones. */
function valuesOf(links: unknown): string[] {
  return Object.values(links ?? {}).flatMap((link) => {
    if (typeof link === 'string') return link.startsWith('/') ? [link] : [];
    return typeof link === 'object' ? valuesOf(link) : [];
  });
}

/** The template of a path; null if the document has none. */
function templateOf(path: string): string | null {
  if (templates.includes(path)) return path;
  const matching = templates.filter((template) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return matching[0] ?? null;
}

function asJson(body: unknown): RequestInit {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
