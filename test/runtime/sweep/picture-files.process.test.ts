/**
 * @module
 * Pictures as files of a sweep: drawn with the tables and listed in the manifest, drawn again where one
 * is missing, never in the place of a file that is somebody else's.
 */

import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';

import type { SweepFiles } from '../../../src/runtime/sweep/files.ts';
import { fileDigest } from '../../../src/runtime/sweep/files.ts';
import { freshFiles, rowsExecuted, smallJob, sweepWith } from './sweeps.ts';

const DRAWN = { pictures: true };
const CURVE = 'win-probability';

function text(path: string): string {
  return readFileSync(path, 'utf8');
}

function picture({ stem }: SweepFiles, name = CURVE): string {
  return `${stem}.${name}.svg`;
}

async function drawn(files = freshFiles()): Promise<SweepFiles> {
  await sweepWith(await smallJob(), files, { executed: [] }, DRAWN);
  return files;
}

describe('the pictures of a sweep', () => {
  it('lie beside its tables and are in the manifest with their digests', async () => {
    const files = freshFiles();

    const result = await sweepWith(await smallJob(), files, { executed: [] }, DRAWN);

    const { files: entries } = JSON.parse(text(files.manifest));
    expect(result.pictures).toEqual([picture(files), files.page]);
    expect(entries.slice(2)).toEqual(
      result.pictures.map((path) => ({ name: basename(path), sha256: fileDigest(path) })),
    );
    expect(text(picture(files))).toContain('f.cells.csv');
    expect(text(picture(files))).toContain('usurp sweep top-id');
  });

  it('are not drawn unless they are wanted', async () => {
    const files = freshFiles();

    await sweepWith(await smallJob(), files, { executed: [] });

    expect(existsSync(files.page)).toBe(false);
  });

  it('are replaced together with the tables when the sweep grows', async () => {
    const files = await drawn();
    const before = text(files.page);

    await sweepWith(await smallJob({ runs: 40 }), files, { executed: [] }, DRAWN);

    expect(text(files.page)).not.toBe(before);
    expect(text(files.page)).toContain('40 runs of each of 6 cells');
  });

  it('go when the tables grow without them', async () => {
    const files = await drawn();

    await sweepWith(await smallJob({ runs: 40 }), files, { executed: [] });

    expect([existsSync(files.page), existsSync(picture(files))]).toEqual([false, false]);
  });

  it('are left alone when the sweep is finished', async () => {
    const files = await drawn();
    const before = [files.page, files.manifest].map((path) => statSync(path).mtimeMs);

    const again = await sweepWith(await smallJob(), files, { executed: [] }, DRAWN);

    expect([files.page, files.manifest].map((path) => statSync(path).mtimeMs)).toEqual(before);
    expect(again.pictures).toEqual([picture(files), files.page]);
  });

  it('are drawn again where one is missing, without a row computed and others written', async () => {
    const files = await drawn();
    const [before, manifest] = [text(picture(files)), text(files.manifest)];
    const page = statSync(files.page).ino;
    rmSync(picture(files));
    const script = { executed: [] };

    const again = await sweepWith(await smallJob(), files, script, DRAWN);

    expect(again).toMatchObject({ isComplete: true, rows: 120, reused: 120 });
    expect(rowsExecuted(script)).toBe(0);
    expect([text(picture(files)), text(files.manifest)]).toEqual([before, manifest]);
    expect(statSync(files.page).ino).toBe(page);
  });

  it('are drawn of a finished sweep that has none', async () => {
    const files = freshFiles();
    await sweepWith(await smallJob(), files, { executed: [] });
    const rows = statSync(files.runs).ino;

    await sweepWith(await smallJob(), files, { executed: [] }, DRAWN);

    expect(existsSync(picture(files))).toBe(true);
    expect(JSON.parse(text(files.manifest)).files).toHaveLength(4);
    expect(statSync(files.runs).ino).toBe(rows);
  });

  it('are its own also if the process died before the manifest was written', async () => {
    const files = await drawn();
    rmSync(files.manifest);

    await sweepWith(await smallJob({ runs: 30 }), files, { executed: [] }, DRAWN);

    expect(text(files.page)).toContain('30 runs');
  });
});

describe('files of others', () => {
  it.each([
    ['the page', (files: SweepFiles) => files.page],
    ['a picture', (files: SweepFiles) => picture(files, 'frontier-2')],
  ])('are refused before a row is computed: %s', async (_name, pathOf) => {
    const files = freshFiles();
    writeFileSync(pathOf(files), 'mine');
    const script = { executed: [] };
    const job = await smallJob();

    const refused = sweepWith(job, files, script, DRAWN);

    await expect(refused).rejects.toMatchObject({ code: 'file.exists' });
    expect([rowsExecuted(script), text(pathOf(files))]).toEqual([0, 'mine']);
    await sweepWith(job, files, script);
    expect(text(pathOf(files))).toBe('mine');
  });

  it('are replaced if that is forced, and those of the sweep before go', async () => {
    const files = freshFiles();
    const sets = ['work=sampled', 'network.honest=4,8', 'network.identity.c1=0,4'];
    sets.push('adversaries.main.budget.attempts=16,64');
    await sweepWith(await smallJob({ sets }), files, { executed: [] }, DRAWN);
    appendFileSync(files.page, 'a word of mine');

    await sweepWith(await smallJob(), files, { executed: [] }, { ...DRAWN, force: true });

    expect(existsSync(picture(files, 'frontier'))).toBe(false);
    expect(text(files.page)).not.toContain('a word of mine');
  });
});
