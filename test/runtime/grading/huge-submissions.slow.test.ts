/**
 * @module
 * A student whose submission has a million files or unpacks to gigabytes is left out alone.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, expect, it } from 'vitest';
import { readSubmissions } from '../../../src/runtime/grading/submitted-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'usurp-huge-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PIECE_BYTES = 2 ** 26;
const PIECES = 65;
const BLOCK_BYTES = 512;

/** The block of a tar before the content of a file. */
async function headerOf(name: string, size: number): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name, size });
  for await (const block of archive as AsyncIterable<Buffer>) return block;
  throw new TypeError('"archive" expected a block');
}

async function tarOf(name: string): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name }, '{}');
  archive.finalize();
  return buffer(archive as AsyncIterable<Buffer>);
}

it('of a class with a million files and 4 GiB of single students are read', async () => {
  const flood = Buffer.concat(Array<Buffer>(1000).fill(await headerOf('class/flood/x', 0)));
  const zeros = gzipSync(Buffer.alloc(PIECE_BYTES));
  const parts = [
    gzipSync((await tarOf('class/ada/mine-claim.json')).subarray(0, 2 * BLOCK_BYTES)),
    ...Array<Buffer>(1001).fill(gzipSync(flood)),
    gzipSync(await headerOf('class/film/film.bin', PIECES * PIECE_BYTES)),
    ...Array<Buffer>(PIECES).fill(zeros),
    gzipSync(await tarOf('class/bob/mine-claim.json')),
  ];
  const path = join(folder, 'class.tar.gz');
  writeFileSync(path, Buffer.concat(parts));

  const tree = await readSubmissions(path);

  const shown = [...tree].map(([name, text]) => [name, Buffer.from(text).toString()]);
  expect(Object.fromEntries(shown)).toEqual({
    'ada/mine-claim.json': '{}',
    'flood/': '"class/flood" has more than 2000 files',
    'film/': 'the files of "class/film" have more than 1073741824 bytes',
    'bob/mine-claim.json': '{}',
  });
}, 600_000);
