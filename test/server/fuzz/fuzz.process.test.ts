/**
 * @module
 * Every operation of the OpenAPI document receives what the document describes, and mutations of it. The
 * arbitraries are created from the served document, so that new operations are included automatically.
 */

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { openApiDocuments } from '../../../server/contract/openapi/document.ts';
import { examplesOf } from '../../../server/contract/openapi/shape.ts';
import type { Answer } from '../lab-under-test.ts';
import type { Given } from './judge.ts';
import { Judge } from './judge.ts';
import { KnownNames } from './known-names.ts';
import type { Sent, Target } from './requests.ts';
import { collectionOf, sentOf, sketchesOf, targetsOf } from './requests.ts';
import { stagedLab } from './staged-lab.ts';

/** Requests to each operation. Half of them are mutated. */
const EXAMPLES = Number(process.env.FUZZ_EXAMPLES ?? 8);

const SEED = Number(process.env.FUZZ_SEED ?? 2026);

const lab = stagedLab();
const documents = openApiDocuments(lab.app, '0.0.0-test');
const judge = new Judge(documents);
const known = new KnownNames();
const targets = targetsOf(documents.v31);
const creations = targets.filter(
  ({ method, path }) => method === 'POST' && path.split('/').length === 3,
);
/** The received statuses of each operation. */
const seen = new Map<string, Set<number>>();
afterAll(() => lab.remove());

async function send({ method, path, headers, body }: Sent): Promise<Given> {
  const response = await lab.app.request(path, { method, headers, body });
  const reader = response.body?.getReader();
  const isStream = /event-stream|jsonl/.test(response.headers.get('Content-Type') ?? '');
  const chunks: Uint8Array[] = [];
  let isWhole = true;
  while (reader !== undefined) {
    const more = await (isStream ? Promise.race([reader.read(), aWhile()]) : reader.read());
    if (more === null || chunks.length > CHUNKS_MAX) {
      isWhole = false;
      await reader.cancel();
      break;
    }
    if (more.done) break;
    chunks.push(more.value);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.status, headers: response.headers, text, isWhole };
}

/** Long enough for the events that exist. */
async function aWhile(): Promise<null> {
  for (let turn = 0; turn < 6; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return null;
}

/** Whether the operation removes the object of its path, and not a part of it. */
function isRemoval({ method, path }: Target): boolean {
  return method === 'DELETE' && path.split('/').length === 4;
}

/** Objects of a collection that are enough for a request. A removal takes one of them. */
const ENOUGH = { other: 1, removal: 5 } as const;

/** Creates objects in the collection, so that not every request is answered 404. */
async function replenish(target: Target, isAnew = false): Promise<void> {
  const { path } = target;
  const collection = collectionOf(path);
  const enough = isRemoval(target) ? ENOUGH.removal : ENOUGH.other;
  if (!isAnew && known.of(`id of ${collection}`).length >= enough) return;
  for (const creation of creations.filter((each) => collectionOf(each.path) === collection)) {
    const media = creation.operation.requestBody?.content['application/json'] ?? {};
    for (const example of examplesOf(media)) {
      const { text } = await send({
        ...{ method: 'POST', path: creation.path, body: JSON.stringify(example) },
        headers: { 'Content-Type': 'application/json' },
      });
      known.learn(collection, JSON.parse(text));
    }
  }
}

/** Joins a node that is played from outside, in an election that has begun. */
async function replenishPlayers({ path }: Target, least = 1): Promise<void> {
  const join = targets.find(({ operation }) => operation.operationId === 'joinElection');
  const media = join?.operation.requestBody?.content['application/json'];
  const isEnough = known.players.length >= least;
  if (!path.includes('{node}') || isEnough || media === undefined) return;
  const [example] = examplesOf(media);
  const post = async (to: string, body: object): Promise<Answer['json']> => {
    const headers = { 'Content-Type': 'application/json' };
    const { text } = await send({ method: 'POST', path: to, body: JSON.stringify(body), headers });
    return JSON.parse(text);
  };
  const { id } = await post('/v1/elections', { protocol: 'bully-oneshot', nodes: 3 });
  const joined = await post(`/v1/elections/${id}/nodes`, Object.assign({ waitMs: 0 }, example));
  await post(`/v1/elections/${id}/actions`, { type: 'start' });
  known.learnPlayer(String(id), joined);
}

async function expectSound(target: Target, sent: Sent): Promise<Given> {
  const given = await send(sent);
  const faults = isAtTarget(target, sent.path)
    ? judge.faultsOf(target, given)
    : faultsElsewhere(given);
  expect(faults, `${sent.method} ${sent.path} ${sent.body}`).toEqual([]);
  expect(lab.faults).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
  const statuses = seen.get(target.operation.operationId) ?? new Set();
  seen.set(target.operation.operationId, statuses.add(given.status));
  const collection = collectionOf(target.path);
  if (isRemoval(target) && given.status === 204) forget(collection, sent.path);
  if (given.status < 300 && given.headers.get('Content-Type') === 'application/json') {
    const json = JSON.parse(given.text);
    known.learn(collection, json);
    known.learnPlayer(sent.path.split('/')[3] ?? '', json);
  }
  await lab.tick();
  return given;
}

/** A path with dots or without an id belongs to another operation. */
function isAtTarget({ path }: Target, sentPath: string): boolean {
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return pattern.test(new URL(sentPath, 'http://localhost').pathname);
}

function faultsElsewhere({ status, text }: Given): string[] {
  return status < 500 ? [] : [`failed with ${status}: ${text}`];
}

function forget(collection: string, path: string): void {
  known.forget(collection, path.split('/')[3]?.split('?')[0] ?? '');
}

/** Sends a request to an operation and returns what was answered, which must be what the document describes. */
async function sound(operationId: string, path: string, body: object | null): Promise<Given> {
  const target = targets.find(({ operation }) => operation.operationId === operationId);
  if (target === undefined) throw new RangeError(`"operationId" expected one, got ${operationId}`);
  const { method } = target;
  const headers = { 'Content-Type': 'application/json' };
  return await expectSound(target, { method, path, headers, body: body && JSON.stringify(body) });
}

describe('a shared election', () => {
  // Drawn requests do not know its code.
  it('is joined with its code, and its participant gets a new token and is removed', async () => {
    const created = await sound('createElection', '/v1/elections', {
      protocol: 'cr-join',
      nodes: 3,
    });
    const path = `/v1/elections/${JSON.parse(created.text).id}`;
    await sound('setElectionAccess', `${path}/access`, { mode: 'shared' });
    const { code } = JSON.parse((await sound('createJoinCode', `${path}/join-code`, {})).text);

    const signedIn = await sound('signIn', '/v1/sessions', { type: 'joinCode', code, name: 'Ann' });
    const list = await sound('listParticipants', `${path}/participants`, null);
    const { id } = JSON.parse(list.text).items[0];
    const renewed = await sound('renewParticipantToken', `${path}/participants/${id}/token`, null);
    const removed = await sound('removeParticipant', `${path}/participants/${id}`, null);

    expect([signedIn.status, renewed.status, removed.status]).toEqual([201, 201, 204]);
  });
});

describe.each(targets.map((target) => [target.operation.operationId, target] as const))(
  'fuzzing %s',
  (_name, target) => {
    it.each([
      ['as it is described', false],
      ['broken', true],
    ])('finds nothing that is not documented: %s', async (_how, isBroken) => {
      await fc.assert(
        fc.asyncProperty(sketchesOf(target, documents.v31, isBroken), async (sketch) => {
          await replenish(target);
          await replenishPlayers(target);
          await expectSound(target, sentOf(target, sketch, known));
        }),
        { seed: SEED, numRuns: EXAMPLES / 2 },
      );
    });
  },
);

describe('fuzzing', () => {
  it('reaches an accepted request of every operation', async () => {
    const isStopped = ({ operation: { operationId } }: Target) =>
      [...(seen.get(operationId) ?? [])].every((status) => status >= 400);

    for (const target of targets.filter(isStopped)) {
      // One of these jobs gets all its results, when those before it are over.
      for (let count = 0; count < 5; count += 1) await replenish(target, true);
      for (let ticks = 0; ticks < TICKS_OF_ALL_JOBS; ticks += 1) await lab.tick();
      const sketches = fc.sample(sketchesOf(target, documents.v31, false), {
        seed: SEED,
        numRuns: 400,
      });
      await replenishPlayers(target, Number.POSITIVE_INFINITY);
      for (const sketch of sketches) {
        if (!isStopped(target)) break;
        await expectSound(target, sentOf(target, sketch, known));
      }
    }

    const stopped = targets.filter(isStopped).map(({ operation }) => operation.operationId);
    expect(stopped).toEqual([]);
  });
});

const TICKS_OF_ALL_JOBS = 200;
const CHUNKS_MAX = 4;
