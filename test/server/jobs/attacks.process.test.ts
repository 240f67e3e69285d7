/**
 * @module
 * Attacks and matrices over HTTP: the same results as on the command line, refusals that point at a member,
 * tables in every form, and what a cancelled job keeps.
 */

import { describe, expect, it } from 'vitest';
import { attackInThreads } from '../../../server/jobs/attacks/attack.ts';
import { matrixInThread } from '../../../server/jobs/matrices/matrix.ts';
import { FAULT_NAMES } from '../../../src/election/definition/fault-row.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { MATRIX_ATTACK_NAMES } from '../../../src/experiment/attack/matrix.ts';
import { argumentsOf, parsed, usurp } from '../../cli/shell.ts';
import { foundRows } from '../../experiment/attack/matrix-found.ts';
import { parquetRows } from '../../runtime/sweep/table-rows.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const executions = { attack: attackInThreads(1), matrix: matrixInThread() };

/** Without what is measured. */
function repeatable({ ledger, ...report }: Record<string, unknown>) {
  const { cpuSeconds: _cpu, wallSeconds: _wall, ...counted } = ledger as Record<string, number>; // By the schema.
  return { ...report, ledger: counted };
}

describe('POST /v1/attacks', () => {
  it.each([
    [{ protocol: 'cr-join', behaviours: ['phantom-id'], seed: '4' }, { succeeded: true }],
    [
      {
        ...{ protocol: 'cr-join', behaviours: ['swallow'], forge: 'successor', level: 'L3' },
        ...{ budget: { attempts: '1e5' }, seed: '1' },
      },
      { forge: 'successor', measured: { keys: 'real' } },
    ],
    [
      { protocol: 'bully-oneshot', forge: 'top', c1: 10, budget: { attempts: 3 }, seed: '1' },
      { succeeded: null, members: [] },
    ],
  ])('gives the report that its replay command prints: %o', async (body, expected) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/attacks', body, WAIT);

    const { result } = json as { readonly result: Record<string, unknown> }; // By the schema.
    expect(status).toBe(202);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^a_[a-z2-7]{16}$/),
      ...{ kind: 'attack', status: 'done', request: { protocol: body.protocol, seed: body.seed } },
    });
    expect(result).toMatchObject({ ...expected, interrupted: false });
    const again = parsed(await usurp([...argumentsOf(String(result.replay)).slice(1), '--json']));
    const replay = again.replay.replace('npx usurp', 'usurp');
    expect(repeatable(result)).toEqual(repeatable({ ...again, replay }));
  });

  it.each([
    [{}, 'schema', '#/protocol'],
    [{ protocol: 'raft', behaviours: ['none'] }, 'schema', '#/behaviours/0'],
    [{ protocol: 'cr-join' }, 'arguments', '#/behaviours'],
    [{ protocol: 'cr-join', behaviours: ['double-vote'] }, 'arguments', '#/behaviours'],
    [{ protocol: 'cr-join', behaviours: ['swallow'], nodes: 65 }, 'schema', '#/nodes'],
    [{ protocol: 'cr-join', behaviours: ['swallow'], c1: 31 }, 'arguments', '#/c1'],
    [{ protocol: 'cr-join', behaviours: ['swallow'], colluders: 5 }, 'arguments', '#/colluders'],
    [
      { protocol: 'cr-join', behaviours: ['swallow'], budget: { attempts: 1 } },
      ...(['arguments', '#/budget'] as const),
    ],
    [
      { protocol: 'cr-join', forge: 'top', budget: { attempts: 1, cpuSeconds: 1 } },
      ...(['schema', '#/budget'] as const),
    ],
    [
      { protocol: 'cr-join', behaviours: ['swallow'], aim: 'outlive-lease' },
      ...(['arguments', '#/aim'] as const),
    ],
    [
      { protocol: 'cr-join', behaviours: ['swallow'], defences: ['beacon-rank'] },
      ...(['arguments', '#/defences'] as const),
    ],
  ])('refuses %o', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/attacks', body);

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
    expect(answer.text).not.toContain('--');
  });

  it('keeps what was finished if it is cancelled', async () => {
    const { post, call, jobs } = labUnderTest({ executions });
    const attack = await post('/v1/attacks', {
      ...{ protocol: 'cr-join', behaviours: ['swallow'], forge: 'successor', level: 'L3' },
      ...{ nodes: 64, c1: 24, seed: '1' },
    });
    const read = async () => (await call('GET', linkOf(attack))).json;
    await expect.poll(async () => (await read()).progress, { timeout: 30_000 }).not.toBeNull();

    await call('POST', `${linkOf(attack)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    expect(await read()).toMatchObject({
      status: 'cancelled',
      result: { interrupted: true, succeeded: null, sentence: /^Interrupted/ },
    });
  });
});

describe('POST /v1/matrices', () => {
  it('runs the faults that apply, with the same result each time, and as a table in every form', async () => {
    const { post, call, app } = labUnderTest({ executions });
    const body = { matrix: 'fault', protocols: ['bully-gm82', 'raft'], runs: 10 };

    const [one, other] = [
      await post('/v1/matrices', body, WAIT),
      await post('/v1/matrices', body, WAIT),
    ];

    const { rows } = one.json.result as { rows: { cells: { fault: string }[] }[] }; // By the schema.
    expect(one.json).toMatchObject({
      ...{ kind: 'matrix', status: 'done', request: body, progress: { done: 2, total: 2 } },
      result: { matrix: 'fault', complete: true, rows: [{ protocol: 'bully-gm82' }, {}] },
    });
    expect(other.json.result).toEqual(one.json.result);
    expect(rows[1]?.cells.map(({ fault }) => fault)).toEqual(
      FAULT_NAMES.filter((name) => rows[1]?.cells.some(({ fault }) => fault === name)),
    );
    const table = async (accept: string) =>
      app.request(`${linkOf(one)}/results/cells`, { headers: { Accept: accept } });
    const cells = (await call('GET', `${linkOf(one)}/results/cells`)).json as unknown as object[];
    const lines = (await (await table('application/jsonl')).text()).trimEnd().split('\n');
    const parquet = await (await table('application/vnd.apache.parquet')).arrayBuffer();
    expect(cells).toHaveLength(rows.reduce((sum, row) => sum + row.cells.length, 0));
    expect(lines.map((line) => JSON.parse(line))).toEqual(cells);
    expect(await parquetRows(parquet)).toEqual(cells);
    expect((await (await table('text/csv')).text()).split('\n')[0]).toMatch(
      /^protocol,fault,stated/,
    );
    expect((await table('text/html')).status).toBe(406);
  });

  it('keeps the rows that were finished if it is cancelled, as the command line prints them', async () => {
    const { post, call, jobs } = labUnderTest({ executions });
    const matrix = await post('/v1/matrices', { matrix: 'attack' });
    const read = async () => (await call('GET', linkOf(matrix))).json;
    const early = await call('GET', `${linkOf(matrix)}/results/cells`);
    const done = async () => ((await read()).progress as { readonly done: number }).done; // By the schema.
    await expect.poll(done, { timeout: 50_000 }).toBeGreaterThan(1);

    await call('POST', `${linkOf(matrix)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { status, result } = (await read()) as { status: string; result: AttackResult }; // By the schema.
    const expected = foundRows().filter(({ protocol }) =>
      result.rows.some((row) => row.protocol === protocol),
    );
    expect(early.json.code).toBe('job.unfinished');
    expect(status).toBe('cancelled');
    expect(result).toMatchObject({ matrix: 'attack', complete: false });
    expect(result.rows.length).toBeGreaterThan(1);
    expect(result.rows.length).toBeLessThan(PROTOCOL_NAMES.length);
    expect(
      result.rows.map(({ cells }) =>
        MATRIX_ATTACK_NAMES.map(
          (attack) => cells.find((cell) => cell.attack === attack)?.byLevel ?? '',
        ),
      ),
    ).toEqual(expected.map(({ cells }) => MATRIX_ATTACK_NAMES.map((attack) => cells[attack])));
  });

  it.each([
    [{}, '#/matrix'],
    [{ matrix: 'all' }, '#/matrix'],
    [{ matrix: 'attack', runs: 5 }, '#/runs'],
    [{ matrix: 'fault', seed: '1' }, '#/seed'],
    [{ matrix: 'fault', runs: 0 }, '#/runs'],
    [{ matrix: 'fault', runs: 4001 }, '#/runs'],
    [{ matrix: 'fault', protocols: [] }, '#/protocols'],
    [{ matrix: 'fault', protocols: ['raft', 'raft'] }, '#/protocols'],
    [{ matrix: 'fault', protocols: ['paxos'] }, '#/protocols/0'],
  ])('refuses %o', async (body, pointer) => {
    const { post } = labUnderTest();

    expect(await post('/v1/matrices', body)).toMatchObject({
      ...{ status: 400, json: { code: 'schema', errors: [{ pointer }] } },
    });
  });
});

interface AttackResult {
  readonly rows: readonly {
    readonly protocol: string;
    readonly cells: readonly { readonly attack: string; readonly byLevel: string }[];
  }[];
}
