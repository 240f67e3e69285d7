/**
 * @module
 * Attacks and matrices over HTTP: the same results as on the command line, refusals that point at a member,
 * tables in every form, and what a cancelled job keeps.
 */

import { describe, expect, it } from 'vitest';
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
        ...{ attempts: '1e5', seed: '1' },
      },
      { forge: 'successor', measured: { keys: 'real' } },
    ],
    [
      { protocol: 'bully-oneshot', forge: 'top', c1: 10, attempts: 3, seed: '1' },
      { succeeded: null, members: [] },
    ],
  ])('gives the report that its replay command prints: %o', async (body, expected) => {
    const { post } = labUnderTest();

    const { status, json } = await post('/v1/attacks', body, WAIT);

    const { result } = json as { readonly result: Record<string, unknown> }; // By the schema.
    expect(status).toBe(202);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^attack_[a-z2-7]{16}$/),
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
      { protocol: 'cr-join', behaviours: ['swallow'], attempts: 1 },
      ...(['arguments', '#/attempts'] as const),
    ],
    [
      { protocol: 'cr-join', forge: 'top', attempts: 1, cpu: 1 },
      ...(['arguments', '#/cpu'] as const),
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
    const { post, call, jobs } = labUnderTest();
    const attack = await post('/v1/attacks', {
      ...{ protocol: 'cr-join', behaviours: ['swallow'], forge: 'successor', level: 'L3' },
      ...{ nodes: 64, c1: 24, seed: '1' },
    });
    const read = async () => (await call('GET', linkOf(attack))).json;
    await expect
      .poll(async () => (await read()).progress, { timeout: 60_000 })
      .toMatchObject({ now: expect.stringMatching(/^mining/) });

    await call('POST', `${linkOf(attack)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    expect(await read()).toMatchObject({
      status: 'cancelled',
      result: {
        ...{ interrupted: true, succeeded: null },
        sentence: expect.stringMatching(/^Interrupted/),
      },
    });
  });
});

describe('matrices over HTTP', () => {
  it('runs the faults that apply, with the same result each time, and as a table in every form', async () => {
    const { post, call, app } = labUnderTest();
    const body = { protocols: ['bully-gm82', 'raft'], runs: 10 };

    const [one, other] = [
      await post('/v1/fault-matrices', body, WAIT),
      await post('/v1/fault-matrices', body, WAIT),
    ];

    const { rows } = one.json.result as { rows: Rows }; // By the schema.
    expect(one.json).toMatchObject({
      ...{ kind: 'fault-matrix', status: 'done', request: body },
      result: { complete: true, rows: [{ protocol: 'bully-gm82' }, {}] },
    });
    expect(other.json.result).toEqual(one.json.result);
    expect(rows[1]?.cells.map(({ fault }) => fault)).toEqual(
      FAULT_NAMES.filter((name) => rows[1]?.cells.some(({ fault }) => fault === name)),
    );
    const table = async (accept: string) =>
      app.request(`${linkOf(one)}/results/rows`, { headers: { Accept: accept } });
    const cells = (await call('GET', `${linkOf(one)}/results/rows`)).json as unknown as object[];
    const lines = (await (await table('application/jsonl')).text()).trimEnd().split('\n');
    const parquet = await (await table('application/vnd.apache.parquet')).arrayBuffer();
    const shown = rows.flatMap((row) => row.cells.map(({ seen }) => Math.max(1, seen.length)));
    expect(cells).toHaveLength(shown.reduce((sum, lines) => sum + lines, 0));
    expect(lines.map((line) => JSON.parse(line))).toEqual(cells);
    expect(await parquetRows(parquet)).toEqual(cells);
    expect((await (await table('text/csv')).text()).split('\n')[0]).toMatch(
      /^protocol,fault,stated/,
    );
    expect((await table('text/html')).status).toBe(406);
  });

  it('keeps the rows that were finished if it is cancelled, as the command line prints them', async () => {
    const { post, call, jobs } = labUnderTest();
    const matrix = await post('/v1/attack-matrices', {});
    const read = async () => (await call('GET', linkOf(matrix))).json;
    const early = await call('GET', `${linkOf(matrix)}/results/rows`);
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
    expect(result).toMatchObject({ complete: false });
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
    ['attack', { runs: 5 }, '#/runs'],
    ['fault', { seed: '1' }, '#/seed'],
    ['fault', { runs: 0 }, '#/runs'],
    ['fault', { runs: 4001 }, '#/runs'],
    ['fault', { protocols: [] }, '#/protocols'],
    ['fault', { protocols: ['raft', 'raft'] }, '#/protocols'],
    ['fault', { protocols: ['paxos'] }, '#/protocols/0'],
  ])('refuses for the %s matrix %o', async (which, body, pointer) => {
    const { post } = labUnderTest();

    expect(await post(`/v1/${which}-matrices`, body)).toMatchObject({
      ...{ status: 400, json: { code: 'schema', errors: [{ pointer }] } },
    });
  });
});

type Rows = readonly {
  readonly cells: readonly { readonly fault: string; readonly seen: readonly object[] }[];
}[];

interface AttackResult {
  readonly rows: readonly {
    readonly protocol: string;
    readonly cells: readonly { readonly attack: string; readonly byLevel: string }[];
  }[];
}
