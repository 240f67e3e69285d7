/**
 * @module
 * Requests that are repeated with their Idempotency-Key after the server was killed have one effect.
 */

import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { ANSWER_HOURS, answerLog } from '../../../server/idempotency/answer-log.ts';
import { ANSWERS_PER_CALLER_MAX, AnswerStore } from '../../../server/idempotency/answer-store.ts';
import type { LabLogs } from '../../../server/lab.ts';
import { openLogs } from '../../../server/lab.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { openStore } from '../../../server/store/store-file.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { copyOf } from '../store/store-files.ts';

const BODY = { protocol: 'bully-oneshot', nodes: 4, seed: '1' };
const KEY = { 'Idempotency-Key': 'one' };

const opened: LabLogs[] = [];
afterEach(() => {
  for (const { elections } of opened.splice(0)) elections.close();
});

/** A lab with the data of a file. */
async function labOver(path: string, change: (logs: LabLogs) => LabLogs = (logs) => logs) {
  const logs = change(openLogs(path, () => undefined));
  opened.push(logs);
  const lab = labUnderTest({ logs });
  lab.answers.restore(Date.now());
  await lab.jobs.restore();
  lab.elections.open();
  return { ...lab, path };
}

/** Logs of a server that stops before it stores any answer. */
const answerless = (logs: LabLogs): LabLogs => ({
  ...logs,
  answers: logs.answers && { ...logs.answers, kept: () => undefined },
});

const scratchFile = () => join(scratchFolder(), 'lab.sqlite');

describe('an Idempotency-Key after a kill', () => {
  it('repeats the earlier answer without a second effect', async () => {
    const first = await labOver(scratchFile());
    const before = await first.post('/v1/elections', BODY, KEY);

    const second = await labOver(copyOf(first.path));
    const after = await second.post('/v1/elections', BODY, KEY);
    const other = await second.post('/v1/elections', { ...BODY, nodes: 5 }, KEY);

    expect(after).toMatchObject({ status: 201, text: before.text });
    expect(after.headers.get('Location')).toBe(before.headers.get('Location'));
    expect(after.headers.get('Idempotency-Replayed')).toBe('true');
    expect(other).toMatchObject({ status: 422, json: { code: 'idempotency.mismatch' } });
    expect(second.elections.kept).toBe(1);
  });

  it('answers with the present state if the kill came between effect and answer', async () => {
    const first = await labOver(scratchFile(), answerless);
    const made = await first.post('/v1/elections', BODY, KEY);
    const path = `/v1/elections/${made.json.id}`;
    const acted = await first.post(
      `${path}/actions`,
      { type: 'start' },
      { 'Idempotency-Key': 'a' },
    );
    const forked = await first.post(`${path}/fork`, {}, { 'Idempotency-Key': 'f' });
    const run = await first.post('/v1/runs', { threatModel: 'top-id' }, { 'Idempotency-Key': 'r' });

    const second = await labOver(copyOf(first.path));
    const again = [
      await second.post(`${path}/actions`, { type: 'start' }, { 'Idempotency-Key': 'a' }),
      await second.post(`${path}/fork`, {}, { 'Idempotency-Key': 'f' }),
      await second.post('/v1/runs', { threatModel: 'top-id' }, { 'Idempotency-Key': 'r' }),
      await second.post('/v1/elections', BODY, KEY),
    ];

    expect(again).toMatchObject([
      { status: 200, text: acted.text },
      { status: 201, text: forked.text },
      { status: 202, json: { id: run.json.id, status: 'interrupted' } },
      { status: 201, json: { id: made.json.id } },
    ]);
    expect(again.map(({ headers }) => headers.get('Location'))).toEqual([
      ...[null, forked.headers.get('Location'), run.headers.get('Location'), path],
    ]);
    expect(second.elections.kept).toBe(2);
    expect(second.elections.get(String(made.json.id), SERVER).actions).toBe(1);
  });

  it('says that the answer is lost if the effect was undone since', async () => {
    const first = await labOver(scratchFile(), answerless);
    const made = await first.post('/v1/elections', BODY, KEY);
    await first.call('DELETE', `/v1/elections/${made.json.id}`);

    const second = await labOver(copyOf(first.path));
    const answer = await second.post('/v1/elections', BODY, KEY);

    expect(answer).toMatchObject({ status: 422, json: { code: 'idempotency.lost' } });
    expect(second.elections.kept).toBe(0);
  });

  it('is not used up by a request that was refused', async () => {
    const first = await labOver(scratchFile());
    const made = await first.post('/v1/elections', { ...BODY, run: true });
    const actions = `/v1/elections/${made.json.id}/actions`;
    const refused = await first.post(actions, { type: 'recover', rank: 2 }, KEY);

    const second = await labOver(copyOf(first.path));
    const answer = await second.post(actions, { type: 'crash', rank: 2 }, KEY);

    expect([refused.status, answer.status]).toEqual([409, 200]);
  });

  it('is forgotten with its answer when it expires', async () => {
    const first = await labOver(scratchFile());
    await first.post('/v1/elections', BODY, KEY);
    const file = openStore(copyOf(first.path));

    const later = answerLog(file, () => Date.now() + ANSWER_HOURS * 3_600_000 + 1);

    expect(answerLog(file).read()).toHaveLength(1);
    expect(later.read()).toEqual([]);
    expect(answerLog(file).read()).toEqual([]);
    file.close();
  });

  it('removes the keys that have expired, and no others', async () => {
    const file = openStore(scratchFile());
    const log = answerLog(file);
    let nowMs = 0;
    const store = new AnswerStore(() => nowMs, log);
    const work = (key: string) =>
      store.once({ caller: 'a', key, fingerprint: 'f' }, async (keyed) => {
        file.write(() => log.claim({ status: 201, resource: '/x' }, keyed));
        return { status: 201, headers: {}, body: '{}' };
      });
    for (let key = 0; key < ANSWERS_PER_CALLER_MAX; key += 1) await work(`${key}`);

    await expect(work('new')).rejects.toMatchObject({ code: 'limit.keys' });
    const before = log.read();
    nowMs = ANSWER_HOURS * 3_600_000;
    await work('new');
    const after = log.read();
    file.close();

    expect(before).toHaveLength(ANSWERS_PER_CALLER_MAX);
    expect(after.map(({ key }) => key)).toEqual(['new']);
  });

  it('keeps secrets out of the file', async () => {
    const file = openStore(scratchFile());
    const log = answerLog(file);
    const store = new AnswerStore(() => 0, log);

    await store.once({ caller: 'a', key: 'k', fingerprint: 'f' }, async (keyed) => {
      file.write(() => log.claim({ status: 200, resource: '/x' }, keyed));
      return { status: 201, headers: { 'Cache-Control': 'no-store' }, body: 'a token' };
    });
    const kept = log.read();
    file.close();

    expect(kept).toMatchObject([{ key: 'k', answer: null }]);
  });
});
