/**
 * @module
 * Records the examples of answers in the OpenAPI document: requests are sent to the API, and their answers are
 * shortened. Ids, tokens and names of requests are random and are replaced by constants, like the version of the code.
 * Measured values stay as they were recorded as long as the form of the answer is the same.
 */

import type { Recorded } from '../../../server/contract/openapi/document.ts';
import type { Media, OpenApiDocument, Operation } from '../../../server/contract/openapi/shape.ts';
import { componentOf, examplesOf } from '../../../server/contract/openapi/shape.ts';
import { typeNameOf } from '../../../server/jobs/operations/operation-job.ts';
import type { Operation as DefinedOperation } from '../../../src/operations/operation.ts';
import { allOperations } from '../../../src/operations/registry.ts';

type Fetch = (path: string, init: RequestInit) => Response | Promise<Response>;

type Json = Readonly<Record<string, unknown>>;

/** The examples of every answer. `kept` are those that were recorded before. */
export async function recordExamples(
  fetch: Fetch,
  document: OpenApiDocument,
  kept: Recorded,
): Promise<Recorded> {
  const recorder = new Recorder(fetch, document, kept);
  await recordCatalogue(recorder);
  await recordExercises(recorder);
  await recordClass(recorder);
  await recordElections(recorder);
  await recordClusters(recorder);
  await recordSharing(recorder);
  await recordJob(recorder, { name: 'sweep', collection: 'sweeps' });
  for (const operation of allOperations()) await recordJob(recorder, operation);
  return { components: sorted(recorder.components), operations: sorted(recorder.operations) };
}

async function recordCatalogue(recorder: Recorder): Promise<void> {
  await recorder.get('/v1');
  await recorder.get('/v1/params');
  await recorder.get('/problems?pageSize=1');
  await recorder.get('/problems/pow.insufficient');
  await recorder.get('/v1/threat-models?pageSize=1');
  await recorder.get('/v1/threat-models/top-id');
  await recorder.post('validateThreatModel', '/v1/threat-model-validations');
  for (const plural of [
    ...[
      'glossary',
      'protocols',
      'behaviours',
      'defences',
      'detectors',
      'scenarios',
      'policies',
      'operations',
    ],
  ]) {
    const page = await recorder.get(`/v1/${plural}?pageSize=1`);
    const [first] = page.items as readonly { readonly name: string }[]; // By the schema.
    await recorder.get(`/v1/${plural}/${first?.name}`);
  }
  await recorder.post('verifyIdentity', '/v1/identities/verify');
  await recorder.send('POST', '/v1/elections', { body: { protocol: 'bully-oneshot', nodes: 'x' } });
}

async function recordExercises(recorder: Recorder): Promise<void> {
  await recorder.get('/v1/exercises?pageSize=1');
  await recorder.get('/v1/exercises/predict-cost');
  await recorder.send('POST', '/v1/exercises/predict-cost/instances');
  await recorder.post('answerExercise', '/v1/exercises/predict-cost/submissions');
  await recorder.send('POST', '/v1/exercises/predict-cost/hints/1');
  await recorder.get('/v1/exercises/predict-cost/submissions');
  await recorder.get('/v1/exercises/predict-cost/suspicions');
}

async function recordClass(recorder: Recorder): Promise<void> {
  for (const path of ['', '/scoreboard', '/progress', '/statistics']) {
    await recorder.get(`/v1/class${path}`);
  }
  await recorder.post('decide', '/v1/class/decisions');
  await recorder.get('/v1/class/decisions');
  await recorder.send('POST', '/v1/class/decisions/1/undo');
  await recorder.send('POST', '/v1/class/members/ann/join-code');
  await recorder.send('POST', '/v1/class/join-codes');
  await recorder.send('POST', '/v1/class/reload');
  await recorder.get('/v1/class/exports/grades', { accept: 'text/csv' });
  for (const accept of ['text/event-stream', 'application/jsonl']) {
    await recorder.get('/v1/class/events?follow=false', { accept });
  }
}

const TRACE_TYPES = ['application/jsonl', 'text/plain', 'image/svg+xml'];

async function recordElections(recorder: Recorder): Promise<void> {
  const played = selfOf(await recorder.post('createElection', '/v1/elections'));
  const { links, token } = await recorder.post('joinElection', `${played}/nodes`);
  const { inbox, outbox } = links as Readonly<Record<'inbox' | 'outbox', string>>; // By the schema.
  const headers = { 'Node-Token': String(token) };
  await recorder.post('actOnElection', `${played}/actions`, 'start');
  await recorder.send('POST', `${played}/actions`, { body: { type: 'advance', waits: false } });
  await recorder.get(inbox, { headers });
  await recorder.post('writeOutbox', outbox, 'nothing', headers);
  await recorder.get(`${played}/messages?pageSize=1`);
  await recorder.send('DELETE', played);
  const run = { ...recorder.exampleOf('createElection'), run: true };
  const self = selfOf(await recorder.send('POST', '/v1/elections', { body: run }));
  const nodes = await recorder.get(`${self}/nodes?pageSize=1`);
  const [node] = nodes.items as readonly { readonly nodeId: string }[]; // By the schema.
  await recorder.get(`${self}/nodes/${node?.nodeId}`);
  await recorder.get('/v1/elections?pageSize=1');
  for (const accept of TRACE_TYPES) await recorder.get(`${self}/trace`, { accept });
  const [first] = await recorder.events(`${self}/events`);
  const last = (await recorder.events(`${self}/events`)).at(-1);
  recorder.components.ElectionEvent = first;
  recorder.components.ElectionNotice = last;
}

async function recordClusters(recorder: Recorder): Promise<void> {
  const self = selfOf(await recorder.post('createCluster', '/v1/clusters'));
  await recorder.post('actOnCluster', `${self}/actions`, 'heal');
  await recorder.get('/v1/clusters?pageSize=1');
  for (const accept of TRACE_TYPES) await recorder.get(`${self}/trace`, { accept });
  await recorder.send('DELETE', self);
  const events = await recorder.events(`${self}/events`);
  recorder.components.ClusterEvent = events[0];
  recorder.components.ClusterNotice = events.at(-1);
}

async function recordSharing(recorder: Recorder): Promise<void> {
  const self = selfOf(await recorder.post('createElection', '/v1/elections'));
  await recorder.send('PUT', `${self}/access`, { body: { mode: 'shared' } });
  const { code } = await recorder.post('createJoinCode', `${self}/join-code`);
  const body = { ...recorder.exampleOf('signIn', 'joinCode'), code };
  const { token } = await recorder.send('POST', '/v1/sessions', { body });
  const headers = { Authorization: `Bearer ${token}` };
  await recorder.get('/v1/sessions/current', { headers });
  const page = await recorder.get(`${self}/participants`);
  const [first] = page.items as readonly { readonly id: string }[]; // By the schema.
  await recorder.send('POST', `${self}/participants/${first?.id}/token`);
  await recorder.get(`${self}/access`);
  await recorder.send('DELETE', self);
}

async function recordJob(
  recorder: Recorder,
  { name: kind, collection }: Pick<DefinedOperation, 'name' | 'collection'>,
): Promise<void> {
  const wait = { Prefer: 'wait=60' };
  const job = await recorder.post(
    `submit${typeNameOf(kind)}`,
    `/v1/${collection}`,
    undefined,
    wait,
  );
  const self = selfOf(job);
  if (kind === 'run') {
    await recorder.events(`${self}/events`);
    await recorder.get('/v1/jobs?pageSize=1');
    await recorder.get(self);
  }
  if (kind === 'mine') {
    recorder.components.Secret = await recorder.get(`${self}/results/secret`);
  }
  if (kind === 'check') {
    await recorder.post('getCheckedWorld', '/v1/checks/worlds');
    recorder.components.Counterexample = await recorder.get(`${self}/results/counterexample`);
    for (const accept of ['image/svg+xml', 'text/plain']) {
      await recorder.get(`${self}/results/counterexample`, { accept });
    }
  }
  if (kind !== 'sweep') return;
  for (const accept of ['application/json', 'text/csv', 'application/jsonl']) {
    await recorder.get(`${self}/results/cells`, { accept });
    await recorder.get(`${self}/results/rows`, { accept });
  }
}

interface SendOptions {
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests, and keeps the example of each answer. */
class Recorder {
  readonly components: Record<string, unknown> = {};
  readonly operations: Record<string, Record<string, unknown>> = {};
  readonly #fetch: Fetch;
  readonly #document: OpenApiDocument;
  readonly #kept: Recorded;

  constructor(fetch: Fetch, document: OpenApiDocument, kept: Recorded) {
    this.#fetch = fetch;
    this.#document = document;
    this.#kept = kept;
  }

  /** The example of an operation's body with a name, or the first. */
  exampleOf(operationId: string, name?: string): Json {
    const operation = this.#operations().find((each) => each.operationId === operationId);
    const media = operation?.requestBody?.content['application/json'] ?? {};
    const named = name === undefined ? undefined : media.examples?.[name]?.value;
    return (named ?? examplesOf(media)[0] ?? {}) as Json; // Examples of bodies are objects.
  }

  get(path: string, options: SendOptions = {}): Promise<Json> {
    return this.send('GET', path, options);
  }

  post(operationId: string, path: string, name?: string, headers = {}): Promise<Json> {
    return this.send('POST', path, { body: this.exampleOf(operationId, name), headers });
  }

  /** The events of a stream, which is recorded in both forms. */
  async events(path: string): Promise<Json[]> {
    const text = await this.#text('GET', path, { accept: 'text/event-stream' });
    await this.get(`${path}?follow=false`, { accept: 'application/jsonl' });
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(normal(data)));
  }

  async send(method: string, path: string, options: SendOptions = {}): Promise<Json> {
    const text = await this.#text(method, path, options);
    return text.startsWith('{') && options.accept === undefined ? JSON.parse(text) : {};
  }

  async #text(method: string, path: string, options: SendOptions): Promise<string> {
    const { body, accept = '*/*', headers } = options;
    const response = await this.#fetch(path, {
      method,
      headers: { Accept: accept, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type')?.replace(/;.*/, '') ?? '';
    const operation = this.#operationAt(method, path);
    const media = operation.responses[response.status]?.content?.[type];
    if (media !== undefined) this.#keep(operation.operationId, { type, media, text });
    return text;
  }

  #keep(
    operationId: string,
    { type, media, text }: { readonly type: string; readonly media: Media; readonly text: string },
  ): void {
    const component = componentOf(media.schema ?? {});
    const example = shortened(normal(text), type);
    const before =
      component === null
        ? this.#kept.operations[operationId]?.[type]
        : this.#kept.components[component];
    const isMeasured = MEASURED.has(component ?? operationId) && isAlike(before, example);
    const shown = isMeasured ? before : example;
    if (component !== null) this.components[component] = shown;
    else this.operations[operationId] = { ...this.operations[operationId], [type]: shown };
  }

  #operations(): Operation[] {
    return Object.values(this.#document.paths).flatMap((item) => Object.values(item));
  }

  #operationAt(method: string, path: string): Operation {
    const [pathname = ''] = path.split('?');
    for (const [template, item] of Object.entries(this.#document.paths)) {
      const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      const operation = item[method.toLowerCase()];
      if (operation !== undefined && pattern.test(pathname)) return operation;
    }
    throw new Error(`no operation ${method} ${path}`);
  }
}

/** Components and operations with measured times, or with the number of the code version. */
const MEASURED: ReadonlySet<string> = new Set([
  ...['SweepJob', 'MineJob', 'CalibrateJob', 'AttackJob', 'followJob', 'listJobs', 'getJobResult'],
]);

/** Lines that are shown of a text. */
const LINES: Readonly<Record<string, number>> = {
  'text/event-stream': 11,
  'application/jsonl': 2,
  'text/csv': 2,
  'text/plain': 4,
  'image/svg+xml': 3,
};

function shortened(text: string, type: string): unknown {
  const lines = LINES[type];
  if (lines !== undefined) return `${text.split('\n').slice(0, lines).join('\n')}\n`;
  const value: unknown = JSON.parse(text, (name, member: unknown) => {
    return name === 'rows' || name === 'cells' ? firstOf(member, 2) : member;
  });
  return firstOf(value, 1);
}

function firstOf(value: unknown, count: number): unknown {
  return Array.isArray(value) ? value.slice(0, count) : value;
}

/** A text with constants in place of what is random. */
function normal(text: string): string {
  return text
    .replaceAll(/\b([a-z][a-z-]*)_[a-z2-7]{16}\b/g, '$1_kq3vj5m2xw7ntb4d')
    .replaceAll(/"code":"[a-z2-7-]{19}"/g, '"code":"k7qd-m2xw-4tbn-ev5j"')
    .replaceAll(/"expires":"[^"]*"/g, '"expires":"2026-10-01T16:00:00.000Z"')
    .replaceAll(/"(created|asked)":"[^"]*"/g, '"$1":"2026-10-01T12:00:00.000Z"')
    .replaceAll(/"codeVersion":"[^"]*"/g, '"codeVersion":"0.1.0+0123456789abcdef"')
    .replaceAll(/"token":"[^"]*"/g, '"token":"BAQa0bU3xkCdGYJ0yGxCv0Q5cO7PzD1m7JXFnWk0Ixo"')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, REQUEST_ID);
}

const REQUEST_ID = '3f1c1d5e-4f0e-4c56-9d0f-0d4a3c2b1a09';

/** Whether two answers have the same form: null is like any value, and texts are compared by their names. */
function isAlike(before: unknown, now: unknown): boolean {
  if (before === null || now === null) return true;
  if (typeof before !== typeof now) return false;
  if (typeof before === 'string') return namesIn(before) === namesIn(String(now));
  if (typeof before !== 'object') return true;
  const members = Object.entries(before);
  const others: Json = { ...(now as object) }; // It has the type of `before`.
  const isSame = Array.isArray(before) || members.length === Object.keys(others).length;
  return (
    isSame &&
    members.every(
      ([name, value]) => name === 'progress' || (name in others && isAlike(value, others[name])),
    )
  );
}

/** The first line with names: of columns, or of members. */
function namesIn(text: string): string {
  const [line = ''] = text.split('\n').filter((each) => /^(data: )?\{|^\w+,/.test(each));
  return [...line.matchAll(/"(\w+)":|^\w+(,\w+)*$/g)].join();
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The path of an object that was created. */
function selfOf({ links }: Json): string {
  return String((links as { readonly self: string }).self); // By the schemas of all created objects.
}
