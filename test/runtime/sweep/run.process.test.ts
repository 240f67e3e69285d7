/**
 * @module
 * Sweeps into files: the same tables in every form and whatever the order of chunks, resumed without a
 * row computed twice, grown, retried.
 */

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OBSERVATION_NAMES } from '../../../src/experiment/runs/observations.ts';
import { sweepFiles } from '../../../src/runtime/sweep/files.ts';
import type { Script } from './sweeps.ts';
import { csvRows, freshFiles, jsonlRows, rowsExecuted, smallJob, sweepWith } from './sweeps.ts';
import { parquetRows, withMemberNames } from './table-rows.ts';

const SIX_CELLS = ['work=sampled', 'network.honest=4,8', 'network.identity.c1=0,3,6'];

/** A manifest without the rate of this machine, which no two measurements agree on. */
function unmeasured(path: string): string {
  return text(path).replace(/"candidatesPerSecond": [0-9.]+/, '"candidatesPerSecond": null');
}

function text(path: string): string {
  return readFileSync(path, 'utf8');
}

describe('tables', () => {
  it('are complete, in order, and counted in the manifest', async () => {
    const files = freshFiles();

    const result = await sweepWith(await smallJob(), files, { executed: [] });

    const rows = csvRows(files.runs);
    const order = rows.map((row) => 20 * Number(row.cell) + Number(row.repetition));
    expect(order).toEqual([...Array(120).keys()]);
    expect(new Set(rows.map((row) => row.row_id)).size).toBe(120);
    expect(Object.keys(withMemberNames(rows[0] ?? {}))).toEqual(
      expect.arrayContaining([...OBSERVATION_NAMES]),
    );
    expect(result).toMatchObject({ isComplete: true, rows: 120, reused: 0 });
    expect(JSON.parse(text(files.manifest))).toMatchObject({
      command: 'usurp sweep top-id',
      counts: { cells: 6, refused: 0, runs: 20, rows: 120, failed: 0 },
      seeds: { base: '5', rule: 'paired' },
      files: [{ name: 'f.csv' }, { name: 'f.cells.csv' }],
    });
  });

  it('of cells add up the table of runs', async () => {
    const files = freshFiles();

    await sweepWith(await smallJob(), files, { executed: [] });

    const rows = csvRows(files.runs);
    for (const cell of csvRows(files.cells)) {
      const own = rows.filter((row) => row.cell === cell.cell);
      const wins = own.filter((row) => row.won === 'true');
      expect(cell.n).toBe('20');
      expect(cell.k).toBe(String(wins.length));
      expect(Number(cell.p)).toBeCloseTo(wins.length / 20, 12);
      expect(Number(cell.ci_low)).toBeLessThanOrEqual(Number(cell.p));
      expect(Number(cell.ci_high)).toBeGreaterThanOrEqual(Number(cell.p));
      expect(cell.won_seed).toBe(wins[0]?.seed ?? '');
      expect(cell.network_identity_c1).toBe(own[0]?.network_identity_c1);
    }
  });

  it('have a row for each protocol with its own counts', async () => {
    const sets = ['work=mined', 'network.identity.c1=0,1', 'network.honest=3'];
    const files = freshFiles();

    await sweepWith(await smallJob({ sets, runs: 3 }), files, { executed: [] });

    const rows = csvRows(files.runs);
    const cells = csvRows(files.cells);
    const protocols = ['bully-oneshot', 'cr-join'];
    expect(cells.map(({ protocol }) => protocol)).toEqual([...protocols, ...protocols]);
    expect(rows.map(({ protocol }) => protocol)).toEqual(Array(6).fill(protocols).flat());
    expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(12);
    expect(rows.map(({ elections }) => elections)).toEqual(Array(12).fill('1'));
    for (const { cell, protocol, k, messages_mean: mean } of cells) {
      const own = rows.filter((row) => row.cell === cell && row.protocol === protocol);
      expect(Number(k)).toBe(own.filter(({ won }) => won === 'true').length);
      const messages = own.reduce((sum, row) => sum + Number(row.messages), 0);
      expect(Number(mean)).toBeCloseTo(messages / 3, 9);
    }
  });

  it('hold equal data in every form', async () => {
    const csv = freshFiles();
    const jsonl = sweepFiles(csv.runs.replace('.csv', '.jsonl'), undefined);
    const parquet = sweepFiles(csv.runs.replace('.csv', '.parquet'), undefined);
    const job = await smallJob({ sets: ['work=sampled', 'network.honest=4,8,0'] });
    const script = { executed: [], fails: (_: number, row: number) => row === 3 };

    for (const files of [csv, jsonl, parquet]) await sweepWith(job, files, script);

    expect(rowsExecuted(script)).toBe(40);
    for (const table of ['runs', 'cells'] as const) {
      const lines = jsonlRows(jsonl[table]);
      const asTexts = lines.map((line) =>
        Object.fromEntries(
          Object.entries(line).map(([name, value]) => [name, String(value ?? '')]),
        ),
      );
      expect(await parquetRows(readFileSync(parquet[table]))).toEqual(lines);
      expect(csvRows(csv[table]).map(withMemberNames)).toEqual(asTexts);
    }
  });

  it('are the same whatever the order of chunks, and if they come twice', async () => {
    const straight = freshFiles();
    const mixed = freshFiles();

    await sweepWith(await smallJob(), straight, { executed: [] });
    await sweepWith(await smallJob(), mixed, { executed: [], isReversed: true, isDoubled: true });

    expect(text(mixed.runs)).toBe(text(straight.runs));
    expect(text(mixed.cells)).toBe(text(straight.cells));
    expect(unmeasured(mixed.manifest)).toBe(unmeasured(straight.manifest));
  });

  it('are the same written by threads', async () => {
    const here = freshFiles();
    const threaded = sweepFiles(here.runs.replace('.csv', '.2.csv'), undefined);
    const job = await smallJob({ runs: 8_400, sets: [...SIX_CELLS, 'network.identity.c2=0'] });
    const fails = (cell: number, row: number) => cell === 1 && row % 5000 === 1;

    await sweepWith(job, here, { executed: [], fails, rowSeconds: 1e-5 });
    await sweepWith(job, here, { executed: [] }, { retryFailed: true });
    copyFileSync(here.journal, threaded.journal);
    await sweepWith(job, threaded, { executed: [] }, { threads: 2, threadedRowsMin: 1 });

    expect(csvRows(here.cells).map((cell) => cell.failures)).toEqual(Array(6).fill('0'));
    for (const name of ['runs', 'cells'] as const) {
      expect(text(threaded[name]) === text(here[name]), name).toBe(true);
    }
  });

  it('state the mean rate of mined rows, which nothing measures apart', async () => {
    const files = freshFiles();
    const job = await smallJob({ runs: 3, sets: ['work=mined', 'network.identity.c1=3,4'] });

    await sweepWith(job, files, { executed: [] }, { createEngine: undefined, threads: 2 });

    const sum = (name: string) =>
      csvRows(files.runs).reduce((total, row) => total + Number(row[name]), 0);
    const { machine } = JSON.parse(text(files.manifest));
    expect(machine.candidatesPerSecond / (sum('attempts') / sum('wall_s'))).toBeCloseTo(1, 9);
  });

  it('contain refused cells', async () => {
    const files = freshFiles();
    const job = await smallJob({ sets: ['work=sampled', 'network.honest=4,0'] });

    const { counts } = await sweepWith(job, files, { executed: [] });

    expect(counts).toMatchObject({ cells: 2, refused: 1, rows: 20 });
    expect(csvRows(files.cells)[1]).toMatchObject({ n: '0', p: '', verdict: '' });
    expect(csvRows(files.cells)[1]?.refusal).toContain('network.honest');
  });
});

describe('a sweep that goes on', () => {
  it('computes no row twice and ends with the same tables', async () => {
    const whole = freshFiles();
    const cut = freshFiles();
    const parts: Script[] = [2, 5, 9].map((chunksMax) => ({ executed: [], chunksMax }));
    const rest: Script = { executed: [] };

    await sweepWith(await smallJob(), whole, { executed: [] });
    for (const part of parts) {
      const { isComplete } = await sweepWith(await smallJob(), cut, part);
      expect(isComplete).toBe(false);
      expect(existsSync(cut.runs)).toBe(false);
    }
    await sweepWith(await smallJob(), cut, rest);

    const executed = [...parts, rest].reduce((sum, script) => sum + rowsExecuted(script), 0);
    expect(executed).toBe(120);
    expect(text(cut.runs)).toBe(text(whole.runs));
    expect(text(cut.cells)).toBe(text(whole.cells));
  });

  it('is over at once where it was finished', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const again: Script = { executed: [] };

    const result = await sweepWith(await smallJob(), files, again);

    expect(again.executed).toEqual([]);
    expect(result).toMatchObject({ isComplete: true, rows: 120, reused: 120 });
  });

  it('writes a table anew that is missing', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const before = text(files.runs);
    rmSync(files.runs);
    const again: Script = { executed: [] };

    await sweepWith(await smallJob(), files, again);

    expect(text(files.runs)).toBe(before);
    expect(again.executed).toEqual([]);
  });

  it('knows its tables if the process died before the manifest was written', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const before = unmeasured(files.manifest);
    rmSync(files.manifest);
    const again: Script = { executed: [] };

    await sweepWith(await smallJob(), files, again);

    expect(unmeasured(files.manifest)).toBe(before);
    expect(again.executed).toEqual([]);
  });

  it.each(['{"format":"usurp-sweep/1","files":[null]}', '{"counts":null}', 'null', '[]'])(
    'refuses a manifest that is none: %s',
    async (manifest) => {
      const files = freshFiles();
      await sweepWith(await smallJob(), files, { executed: [] });
      writeFileSync(files.manifest, manifest);

      const sweep = sweepWith(await smallJob(), files, { executed: [] });

      await expect(sweep).rejects.toMatchObject({ code: 'file.exists' });
      expect(text(files.manifest)).toBe(manifest);
    },
  );

  it('grows by runs', async () => {
    const small = freshFiles();
    const large = freshFiles();
    await sweepWith(await smallJob({ runs: 8 }), small, { executed: [] });
    const grown: Script = { executed: [] };

    await sweepWith(await smallJob(), small, grown);
    await sweepWith(await smallJob(), large, { executed: [] });

    expect(rowsExecuted(grown)).toBe(6 * 12);
    expect(text(small.runs)).toBe(text(large.runs));
  });

  it('does not shrink', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });

    const shrunk = sweepWith(await smallJob({ runs: 8 }), files, { executed: [] });

    await expect(shrunk).rejects.toThrow('has 20 runs of a cell already');
  });

  it('computes failed rows again only if asked, and only those', async () => {
    const files = freshFiles();
    const clean = freshFiles();
    const first = { executed: [], fails: (cell: number, row: number) => cell === 2 && row > 16 };
    const idle: Script = { executed: [] };
    const again: Script = { executed: [] };

    const { counts } = await sweepWith(await smallJob(), files, first);
    await sweepWith(await smallJob(), files, idle);
    const retried = await sweepWith(await smallJob(), files, again, { retryFailed: true });
    await sweepWith(await smallJob(), clean, { executed: [] });

    expect(counts.failed).toBe(3);
    expect(idle.executed).toEqual([]);
    expect(again.executed).toEqual([17, 18, 19].map((from) => ({ cell: 2, from, count: 1 })));
    expect(retried.counts.failed).toBe(0);
    expect(text(files.runs)).toBe(text(clean.runs));
    expect(text(files.cells)).toBe(text(clean.cells));
  });

  it('leaves nothing beside its files', async () => {
    const files = freshFiles();

    await sweepWith(await smallJob(), files, { executed: [], chunksMax: 3 });
    await sweepWith(await smallJob(), files, { executed: [] });

    const names = ['f.cells.csv', 'f.csv', 'f.journal', 'f.manifest.json'];
    expect(readdirSync(dirname(files.runs)).sort()).toEqual(names);
  });
});
