/**
 * @module
 * The files of sweeps: damaged tables are refused before their first byte, and nothing is removed that the
 * server did not make.
 */

import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { SweepFolders } from '../../../server/jobs/sweeps/folders.ts';
import {
  assertIntact,
  intactPieces,
  tableFileAt,
} from '../../../server/jobs/sweeps/table-files.ts';
import { tableStream } from '../../../server/jobs/sweeps/tables.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { scratchFolder } from '../../cli/shell.ts';

const FLIPS = Number(process.env.TABLE_FLIPS ?? 50);
const PIECE_BYTES = 256 * 1024;

/** A table of this number of bytes. */
function tableOf(bytes: number) {
  const folder = scratchFolder();
  const path = join(folder, 'rows.csv');
  writeFileSync(
    path,
    Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8)) & 0xff),
  );
  return { folder, path, table: tableFileAt(path) };
}

function flip(path: string, at: number): void {
  const byte = readFileSync(path)[at] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Uint8Array.of(byte ^ 0xff), 0, 1, at);
  closeSync(file);
}

function replaceByLink(path: string): void {
  rmSync(path);
  symlinkSync(tmpdir(), path);
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

describe('the table of a sweep', () => {
  it.each([0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])(
    'has its %i bytes',
    async (bytes) => {
      const { folder, path, table } = tableOf(bytes);

      await assertIntact(folder, table);

      expect((await bytesOf(intactPieces(folder, table))).equals(readFileSync(path))).toBe(true);
    },
  );

  it(`is refused with any of ${FLIPS} bytes flipped, and served again when they are back`, async () => {
    const { folder, path, table } = tableOf(2 * PIECE_BYTES + 1000);
    const random = createRandom(parseSeed('18'));
    await assertIntact(folder, table);

    for (let time = 0; time < FLIPS; time += 1) {
      const at = random.below(table.bytes);
      flip(path, at);
      await expect(assertIntact(folder, table), `byte ${at}`).rejects.toMatchObject({
        code: 'sweep.damaged',
        message: 'the table rows.csv of this sweep was changed',
      });
      flip(path, at);
    }

    await assertIntact(folder, table);
  });

  it.each<readonly [string, (path: string) => void, string]>([
    ['cut', (path) => truncateSync(path, 1000), 'was cut off: 2000 bytes are missing'],
    ['empty', (path) => truncateSync(path), 'was cut off: 3000 bytes are missing'],
    ['longer', (path) => appendFileSync(path, 'x'), 'is 1 bytes too long'],
    ['missing', (path) => rmSync(path), 'is missing'],
    ['in a missing folder', (path) => rmSync(join(path, '..'), { recursive: true }), 'is missing'],
    ['a link to a folder', replaceByLink, 'this sweep'],
  ])('is refused if it is %s', async (_name, change, detail) => {
    const { folder, path, table } = tableOf(3000);
    await assertIntact(folder, table);
    change(path);

    await expect(assertIntact(folder, table)).rejects.toMatchObject({
      code: 'sweep.damaged',
      message: expect.stringContaining(detail),
    });
  });

  it('ends before a piece that was changed while it was sent', async () => {
    const { folder, path, table } = tableOf(3 * PIECE_BYTES);
    const before = readFileSync(path);
    await assertIntact(folder, table);
    const { atime, mtime } = statSync(path);

    const pieces = intactPieces(folder, table);
    const first = await pieces.next();
    flip(path, 2 * PIECE_BYTES + 5);
    utimesSync(path, atime, mtime);
    const second = await pieces.next();

    expect(Buffer.concat([first.value ?? [], second.value ?? []])).toEqual(
      before.subarray(0, 2 * PIECE_BYTES),
    );
    await expect(pieces.next()).rejects.toMatchObject({ code: 'sweep.damaged' });
  });
});

describe('a table as a JSON array', () => {
  it.each<readonly [string, readonly string[]]>([
    ['nothing', []],
    ['one line', ['{"a":1}']],
    [
      'lines with two and four bytes a character',
      Array.from({ length: 36_000 }, () => '{"é":"𝄞"}'),
    ],
    ['a line that ends with its piece', [padded(PIECE_BYTES - 1), '{"b":2}']],
    ['a line that ends before its end of line', [padded(PIECE_BYTES), '{"b":2}']],
    ['lines of several pieces', [padded(3 * PIECE_BYTES + 5), padded(2 * PIECE_BYTES - 1)]],
  ])('is correct for %s', async (_name, lines) => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'rows.jsonl'), lines.map((line) => `${line}\n`).join(''));
    const table = tableFileAt(join(folder, 'rows.jsonl'));

    const text = await new Response(tableStream(folder, table, 'application/json')).text();

    expect(JSON.parse(text)).toEqual(lines.map((line) => JSON.parse(line)));
  });
});

/** A line of this number of bytes, without its end. */
function padded(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}`;
}

/** The folders of a data file that has this identity. */
function foldersOf(path: string, id = 'f'.repeat(32)) {
  return new SweepFolders({ path, id });
}

/** A folder as a sweep leaves it. */
async function filled(folders: SweepFolders, isFinished: boolean): Promise<string> {
  const folder = await folders.make();
  const names = ['rows.csv', 'rows.cells.parquet', 'rows.journal', 'rows.manifest.json'];
  for (const name of names) writeFileSync(join(folder, name), name);
  if (isFinished) await folders.finish(folder);
  return folder;
}

describe('the folders of sweeps beside a data file', () => {
  it('are removed at the start if their tables are unfinished and no job has them', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const folders = foldersOf(path);
    const [kept, unfinished] = [await filled(folders, true), await filled(folders, false)];
    await folders.close();

    const later = foldersOf(path);
    const notes = await later.restore([kept]);

    expect(later.at(kept)).toBe(join(`${path}.sweeps`, basename(kept)));
    expect([existsSync(kept), existsSync(unfinished)]).toEqual([true, false]);
    expect(notes).toEqual([]);
  });

  it('stay if another state of the data file may know them, with a note', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const folder = await filled(foldersOf(path), true);

    const notes = await foldersOf(path).restore([]);

    expect(readdirSync(folder)).toHaveLength(6);
    expect(notes).toEqual([expect.stringContaining(basename(folder))]);
  });

  it('of jobs that are forgotten at the start are removed once, without a note', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const made = Array.from({ length: 20 }, () => filled(foldersOf(path), true));
    const forgotten = await Promise.all(made);
    const folders = foldersOf(path);

    const removals = forgotten.map((folder) => folders.remove(folder));
    const notes = await folders.restore([]);
    await Promise.all(removals);

    expect(readdirSync(`${path}.sweeps`)).toEqual([]);
    expect(notes).toEqual([]);
  });

  it('are removed by two servers that start at the same time', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const made = Array.from({ length: 20 }, () => filled(foldersOf(path), false));
    await Promise.all(made);

    const both = [foldersOf(path), foldersOf(path)];
    await Promise.all(both.map((folders) => folders.restore([])));

    expect(readdirSync(`${path}.sweeps`)).toEqual([]);
  });

  it('stay if the server did not make them: of users, of another data file, copies and links', async () => {
    const path = join(scratchFolder(), 'lab.sqlite');
    const root = `${path}.sweeps`;
    const folders = foldersOf(path);
    const own = await filled(folders, false);
    const others = [await filled(foldersOf(path, 'e'.repeat(32)), false)];
    for (const name of ['sweep-mine', 'sweep-copy', 'sweep-link', 'notes.txt']) {
      others.push(join(root, name));
    }
    mkdirSync(join(root, 'sweep-mine'));
    writeFileSync(join(root, 'sweep-mine', 'rows.csv'), 'mine');
    cpSync(own, join(root, 'sweep-copy'), { recursive: true });
    const elsewhere = join(scratchFolder(), basename(own));
    renameSync(own, elsewhere);
    symlinkSync(elsewhere, join(root, 'sweep-link'));
    writeFileSync(join(root, 'notes.txt'), 'mine');

    const notes = await folders.restore([]);
    for (const other of others) await folders.remove(other);

    expect(others.map((each) => existsSync(each))).toEqual(others.map(() => true));
    expect(readdirSync(join(root, 'sweep-copy'))).toHaveLength(5);
    expect(existsSync(join(elsewhere, 'rows.csv'))).toBe(true);
    expect(notes).toEqual([expect.stringContaining('5 entries')]);
  });

  it('lose only the files of their sweep when they are removed', async () => {
    const folders = foldersOf(join(scratchFolder(), 'lab.sqlite'));
    const folder = await filled(folders, true);
    for (const name of ['notes.txt', 'rows.xlsx']) writeFileSync(join(folder, name), 'mine');

    await folders.remove(folder);

    expect(readdirSync(folder)).toEqual(['notes.txt', 'rows.xlsx']);
  });
});

describe('temporary folders of sweeps', () => {
  it('are removed, also those of a killed process, but no others', async () => {
    const host = hostname().replaceAll(/[^\w.]/g, '_');
    const folderOf = (name: string) => join(tmpdir(), `usurp-sweeps-${name}`);
    const dead = folderOf(`${host}-4194305-abc`);
    const owned = (root: string) => {
      for (const path of [root, join(root, 'sweep-1')]) {
        mkdirSync(path);
        writeFileSync(join(path, 'usurp-owner'), `usurp-sweeps-${host}- ${basename(path)}\n`);
      }
      writeFileSync(join(root, 'sweep-1', 'rows.csv'), 'rows');
    };
    const others = [folderOf(`${host}-${process.pid}-abc`), folderOf('elsewhere-4194305-abc')];
    const unmarked = folderOf(`${host}-4194305-mine`);
    for (const root of [dead, ...others]) owned(root);
    mkdirSync(unmarked);
    const folders = new SweepFolders();
    const own = await filled(folders, true);

    await folders.restore([]);
    const [isDeadThere, isOwnThere] = [existsSync(dead), existsSync(own)];
    await folders.close();

    expect([isDeadThere, isOwnThere, existsSync(join(own, '..'))]).toEqual([false, true, false]);
    expect([...others, unmarked].map((path) => existsSync(path))).toEqual([true, true, true]);
    for (const path of [...others, unmarked]) rmSync(path, { recursive: true });
  });
});
