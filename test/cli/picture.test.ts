/**
 * @module
 * The pictures of a sweep as files beside its table.
 */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { savePictures } from '../../src/cli/picture.ts';
import { frontierSweep } from '../runtime/picture-inputs.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usurp-pictures-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the pictures of a sweep', () => {
  it('are a file each and a page of all, named for the table', async () => {
    const out = join(folder, 'f.csv');

    const paths = await savePictures(frontierSweep(), { out, force: false });

    expect((await readdir(folder)).sort()).toEqual([
      'f.frontier.svg',
      'f.html',
      'f.win-probability.svg',
    ]);
    const [frontier = '', , page = ''] = paths;
    expect(await readFile(page, 'utf8')).toContain(await readFile(frontier, 'utf8'));
  });

  it('replace others only if they are told to', async () => {
    const out = join(folder, 'f.csv');
    await savePictures(frontierSweep(), { out, force: false });

    await expect(savePictures(frontierSweep(), { out, force: false })).rejects.toMatchObject({
      code: 'file.exists',
    });
    await expect(savePictures(frontierSweep(), { out, force: true })).resolves.toHaveLength(3);
  });
});
