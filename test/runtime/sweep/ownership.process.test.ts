/**
 * @module
 * Files in the place of a sweep's that are not its own, or were changed: refused before a row is
 * computed, and replaced by force only.
 */

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { sweepFiles } from '../../../src/runtime/sweep/files.ts';
import type { Script } from './sweeps.ts';
import { csvRows, freshFiles, jsonlRows, smallJob, sweepWith } from './sweeps.ts';

function text(path: string): string {
  return readFileSync(path, 'utf8');
}

describe('files of others', () => {
  it.each([
    ['another seed', { seed: '6' }],
    ['other axes', { sets: ['work=sampled', 'network.honest=4,8'] }],
  ])('are left unchanged: %s', async (_name, rest) => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const before = text(files.runs);

    const other = sweepWith(await smallJob(rest), files, { executed: [] });

    await expect(other).rejects.toMatchObject({ name: 'LabError', code: 'file.exists' });
    expect(text(files.runs)).toBe(before);
  });

  it('are replaced by force', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const before = text(files.runs);

    await sweepWith(await smallJob({ seed: '6' }), files, { executed: [] }, { force: true });

    expect(text(files.runs)).not.toBe(before);
    expect(csvRows(files.runs)).toHaveLength(120);
  });

  it.each(['runs', 'journal', 'cells', 'manifest'] as const)(
    'are left unchanged: a strange file (%s)',
    async (name) => {
      const files = freshFiles();
      writeFileSync(files[name], 'precious\n');

      const sweep = sweepWith(await smallJob(), files, { executed: [] });

      await expect(sweep).rejects.toMatchObject({ code: 'file.exists' });
      expect(text(files[name])).toBe('precious\n');
    },
  );

  it.each(['runs', 'cells'] as const)('are tables that were changed by hand: %s', async (name) => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    appendFileSync(files[name], 'mine\n');
    const changed = text(files[name]);
    const script: Script = { executed: [] };

    for (const runs of [20, 40]) {
      const sweep = sweepWith(await smallJob({ runs }), files, script);
      await expect(sweep).rejects.toThrow('was changed since, and was left unchanged');
    }

    expect([text(files[name]), script.executed]).toEqual([changed, []]);
    await sweepWith(await smallJob(), files, script, { force: true });
    expect(text(files[name])).not.toContain('mine');
  });

  it('are refused in a second form of the table', async () => {
    const csv = freshFiles();
    const jsonl = sweepFiles(csv.runs.replace('.csv', '.jsonl'), undefined);
    await sweepWith(await smallJob(), csv, { executed: [] });
    writeFileSync(jsonl.runs, 'foreign\n');

    const refused = sweepWith(await smallJob(), jsonl, { executed: [] });

    await expect(refused).rejects.toMatchObject({ code: 'file.exists' });
    expect(text(jsonl.runs)).toBe('foreign\n');
    rmSync(jsonl.runs);
    await sweepWith(await smallJob(), jsonl, { executed: [] });
    // Either form is its own from then on.
    await sweepWith(await smallJob({ runs: 40 }), csv, { executed: [] });
    await sweepWith(await smallJob({ runs: 40 }), jsonl, { executed: [] });
    expect(jsonlRows(jsonl.runs)).toHaveLength(240);
  });

  it('lose their place for good by force, also if that is interrupted', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const other = await smallJob({ seed: '6' });
    await sweepWith(other, files, { executed: [], chunksMax: 3 }, { force: true });

    const { reused } = await sweepWith(other, files, { executed: [] });

    expect(reused).toBeGreaterThan(0);
    expect(JSON.parse(text(files.manifest)).seeds.base).toBe('6');
  });

  it('aside are left alone, but those of dead processes go', async () => {
    const files = freshFiles();
    const dead = `${files.runs}.${spawnSync(process.execPath, ['--version']).pid}`;
    const stale = `${dead}-0123456789ab.usurp-tmp`;
    const others = [`${files.runs}.tmp`, `${dead}.tmp`, `${files.stem}.lock`];
    for (const path of [stale, ...others]) writeFileSync(path, 'precious\n');

    await sweepWith(await smallJob(), files, { executed: [] });

    expect(existsSync(stale)).toBe(false);
    expect(others.map(text)).toEqual(others.map(() => 'precious\n'));
  });

  it.each(['runs', 'cells', 'manifest', 'journal', 'page'] as const)(
    'cannot be folders: %s',
    async (name) => {
      const files = freshFiles();
      mkdirSync(files[name]);
      const script: Script = { executed: [] };

      for (const force of [false, true]) {
        const refused = sweepWith(await smallJob(), files, script, { force, pictures: true });
        await expect(refused).rejects.toMatchObject({ name: 'LabError' });
        await expect(refused).rejects.toThrow(files[name]);
      }

      expect(script.executed).toEqual([]);
    },
  );

  it('are not shared with a sweep that runs', async () => {
    const files = freshFiles();
    const nested = sweepWith(
      await smallJob(),
      files,
      { executed: [] },
      {
        createEngine: async () => ({
          async execute() {
            await sweepWith(await smallJob(), files, { executed: [] });
          },
          status: () => 'nested',
          close: async () => undefined,
        }),
      },
    );

    await expect(nested).rejects.toThrow('another process is sweeping into these files');
  });
});
