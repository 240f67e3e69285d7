/**
 * @module
 * Copies of elections: a copy is equal to its election, changes independently, and is restored from the file
 * like any other.
 */

import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { replayed } from '../../../../server/elections/live/live-election.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { ELECTIONS_MAX, ElectionStore } from '../../../../server/elections/storage/store.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { OverloadError } from '../../../../server/request/refusals.ts';
import { parseSeed } from '../../../../src/random.ts';
import { scratchFolder } from '../../../cli/shell.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { openElectionLog } from '../opened-log.ts';

const { call, post } = labUnderTest();
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const PLAN = {
  options: {
    protocol: 'bully-oneshot',
    nodes: 5,
    seed: parseSeed('6'),
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
  },
  initiators: undefined,
  runs: true,
} as const;
const MEDDLING = [
  { type: 'partition', cut: 'isolate:2' },
  { type: 'crash', rank: 5 },
  { type: 'suspect', rank: 5, by: [1, 3] },
  { type: 'advance', until: 'idle', events: 4 },
  { type: 'heal' },
  { type: 'start', nodes: [2] },
  { type: 'advance', until: 'idle' },
  { type: 'recover', rank: 5 },
  { type: 'advance', until: 'idle' },
] as const;

async function meddled(store: ElectionStore) {
  const election = await store.create(PLAN, SERVER);
  for (const action of MEDDLING) await store.act(election.id, action, { principal: SERVER });
  return election;
}

const recordsOf = async (election: Awaited<ReturnType<typeof meddled>>) =>
  (await replayed(election.history, 100_000, SERVER)).records();

describe('POST /v1/elections/{id}/fork', () => {
  it('creates an independent election in the same state', async () => {
    const body = { protocol: 'cr-join', nodes: 6, seed: '3', run: true };
    const source = await post('/v1/elections', body);

    const copy = await post(`${linkOf(source)}/fork`, {});

    expect(copy.status).toBe(201);
    const { id } = source.json;
    const { id: copyId, links, created } = copy.json;
    const own = { id: copyId, links, created, origin: { election: id, at: null }, replay: null };
    expect(copy.json).toEqual({ ...source.json, ...own });
    await post(`${linkOf(copy)}/actions`, { type: 'crash', rank: 6 });
    expect((await call('GET', linkOf(source))).json).toEqual(source.json);
    await call('DELETE', linkOf(source));
    expect((await call('GET', linkOf(copy))).status).toBe(200);
  });

  it('copies an election that was not started', async () => {
    const source = await post('/v1/elections', { protocol: 'cr-join', nodes: 3 });

    const copy = await post(`${linkOf(source)}/fork`, {});

    expect(copy.json).toMatchObject({ status: 'created', time: 0 });
  });

  it.each([
    [{ at: -1 }, 'schema'],
    [{ at: 1.5 }, 'schema'],
    [{ at: '3' }, 'schema'],
    [{ seq: 3 }, 'schema'],
    [[], 'schema'],
  ])('refuses %j', async (body, code) => {
    const made = { protocol: 'cr-join', nodes: 3, run: true };
    const source = await post('/v1/elections', made);

    const answer = await post(`${linkOf(source)}/fork`, body);

    expect(answer).toMatchObject({ status: 400, json: { code } });
  });

  it('refuses an event that has not occurred as a conflict, and points at it', async () => {
    const source = await post('/v1/elections', { protocol: 'cr-join', nodes: 3, run: true });

    const answer = await post(`${linkOf(source)}/fork`, { at: 1_000_000 });

    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'election.conflict', errors: [{ pointer: '#/at' }] },
    });
  });

  it('refuses an election that does not exist', async () => {
    const answer = await post('/v1/elections/e_nothing/fork', {});

    expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });
});

describe('a copy at an event', () => {
  it('has the events up to it, then those of the same step, and can be advanced to the same end', async () => {
    const store = new ElectionStore();
    const source = await meddled(store);
    const records = await recordsOf(source);

    for (let at = 0; at < records.length; at += 3) {
      const copy = await store.fork(source.id, at, SERVER);

      const copied = await recordsOf(copy);
      expect(copied.length).toBeGreaterThan(at);
      expect(records.slice(0, copied.length)).toEqual(copied);
      expect(copy.status().ticks).toBe(records[copied.length - 1]?.t);
      store.delete(copy.id, SERVER);
    }
    expect(records.length).toBeGreaterThan(60);
  });

  it('stops inside an advance', async () => {
    const store = new ElectionStore();
    const source = await store.create(PLAN, SERVER);
    const records = await recordsOf(source);
    const at = Math.floor(records.length / 2);

    const copy = await store.fork(source.id, at, SERVER);
    await store.act(copy.id, { type: 'advance', until: 'idle' }, { principal: SERVER });

    expect(copy.status().messages).toEqual(source.status().messages);
    expect(await recordsOf(copy)).toEqual(records);
  });
});

describe('elections in a file', () => {
  it('are restored exactly as they were, with their copies', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const log = openElectionLog(data);
    const first = new ElectionStore(log);
    const source = await meddled(first);
    const whole = await first.fork(source.id, undefined, SERVER);
    const part = await first.fork(source.id, 20, SERVER);
    const ofCopy = await first.fork(part.id, 10, SERVER);
    await first.act(
      part.id,
      { type: 'drop', message: part.stage.simulation.flights()[0]?.id ?? 0 },
      { principal: SERVER },
    );
    await first.act(
      part.id,
      { type: 'delay', message: part.stage.simulation.flights()[0]?.id ?? 0, ticks: 77 },
      { principal: SERVER },
    );
    const all = [source, whole, part, ofCopy];
    const before = all.map((each) => [
      each.status(),
      each.stage.simulation.flights(),
      each.request.origin,
    ]);
    first.close();

    const second = new ElectionStore(openElectionLog(data));
    const count = second.open();
    await second.restoreAll();

    const after = all
      .map(({ id }) => second.get(id, SERVER))
      .map((each) => [each.status(), each.stage.simulation.flights(), each.request.origin]);
    expect(count).toBe(4);
    expect(after).toEqual(before);
    expect(await recordsOf(second.get(part.id, SERVER))).toEqual(await recordsOf(part));
    second.close();
  });

  it('have no copy if it could not be stored', async () => {
    const refusal = new OverloadError('storage.unavailable', 'disk full', 10);
    let isFull = false;
    const store = new ElectionStore({
      ...EPHEMERAL_LOG,
      created: () => {
        if (isFull) throw refusal;
      },
    });
    const source = await store.create(PLAN, SERVER);
    isFull = true;

    await expect(store.fork(source.id, undefined, SERVER)).rejects.toBe(refusal);

    expect(store.kept).toBe(1);
  });
});

describe('the room for coursework', () => {
  it('is left when other elections, and copies of those of an exercise, have used up theirs', async () => {
    const store = new ElectionStore();
    const options = { ...PLAN.options, nodes: 2 };
    const instance = { exercise: 'a', version: 1, part: 'b', closed: [] };
    const first = await store.create({ ...PLAN, options, instance }, SERVER);
    for (let made = 0; made < ELECTIONS_MAX; made += 1) {
      await store.create({ ...PLAN, options, runs: false }, SERVER);
    }

    const another = store.create({ ...PLAN, options, instance }, SERVER);

    await expect(store.create({ ...PLAN, options }, SERVER)).rejects.toThrow(/at most 1000/);
    await expect(store.fork(first.id, undefined, SERVER)).rejects.toThrow(/at most 1000/);
    expect((await another).request.instance).toEqual(instance);
  });
});
