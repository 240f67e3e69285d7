/**
 * @module
 * Submissions are read from folders and archives alike, and nothing that leads outside of them is accepted.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, describe, expect, it } from 'vitest';
import { studentsIn } from '../../../src/runtime/grading/grade-class.ts';
import {
  FILE_BYTES_MAX,
  Listing,
  STUDENT_BYTES_MAX,
  STUDENT_FILES_MAX,
  STUDENT_LISTED_BYTES_MAX,
} from '../../../src/runtime/grading/submission-listing.ts';
import { readSubmissions } from '../../../src/runtime/grading/submitted-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'usurp-tree-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Entry {
  readonly path: string;
  readonly text?: string;
  readonly isLink?: true;
  /** Type and rights in Unix; by default those of a file, or of a link. */
  readonly mode?: number;
  readonly statedBytes?: number;
}

const CLASS: readonly Entry[] = [
  { path: 'class/ada/mine-claim.json', text: '{}' },
  { path: 'class/ada/.git/config', text: 'x' },
  { path: 'class/bob/worst-ring.json', text: '{"type":"ring"}' },
];

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { path, text = '', isLink } of entries) {
    const type = isLink === true ? 'symlink' : 'file';
    archive.entry({ name: path, type, linkname: isLink === true ? '/etc/passwd' : '' }, text);
  }
  archive.finalize();
  return gzipSync(await buffer(archive as AsyncIterable<Buffer>));
}

/** A zip whose entries are not compressed (APPNOTE.TXT 4.3). */
function zipOf(entries: readonly Entry[]): Buffer {
  let offset = 0;
  const parts = entries.map(({ path, text = '', isLink, mode, statedBytes }) => {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(statedBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, content]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode ?? (isLink === true ? 0o120777 : 0o100644)) * 2 ** 16, 6);
    tail.writeUInt32LE(offset, 10);
    const maker = Buffer.from([20, 3]);
    offset += local.length;
    const central = Buffer.concat([Buffer.from('PK\x01\x02'), maker, common, tail, name]);
    return { local, central };
  });
  const directory = Buffer.concat(parts.map(({ central }) => central));
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([
    ...parts.map(({ local }) => local),
    directory,
    Buffer.from('PK\x05\x06'),
    end,
  ]);
}

let written = 0;
function rawTreeOf(bytes: Uint8Array) {
  written += 1;
  const path = join(folder, `archive-${written}`);
  writeFileSync(path, bytes);
  return readSubmissions(path);
}
async function treeOf(bytes: Uint8Array) {
  const tree = await rawTreeOf(bytes);
  return Object.fromEntries([...tree].map(([name, text]) => [name, Buffer.from(text).toString()]));
}

const EXPECTED = { 'ada/mine-claim.json': '{}', 'bob/worst-ring.json': '{"type":"ring"}' };

describe('submissions', () => {
  it('are the same in a folder, a zip and a tar.gz', async () => {
    for (const { path, text = '' } of CLASS) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const read = await readSubmissions(join(folder, 'class'));

    expect([...read.keys()]).toEqual(Object.keys(EXPECTED));
    expect(await treeOf(zipOf(CLASS))).toEqual(EXPECTED);
    expect(await treeOf(await tarOf(CLASS))).toEqual(EXPECTED);
  });

  it.each([
    ['a path to the folder above', '../x/a.json', '"../x/a.json" leads outside of the archive'],
    ['an absolute path', '/etc/a.json', '"/etc/a.json" is an absolute path'],
    ['a path with a drive', 'C:/a.json', '"C:/a.json" is an absolute path'],
  ])('with %s have a reason for it, and the files of all students', async (_what, path, reason) => {
    const zip = zipOf([...CLASS, { path }]);
    const expected = { ...EXPECTED, [path]: reason };

    expect(await treeOf(zip)).toEqual(expected);
    expect(await treeOf(await tarOf([...CLASS, { path }]))).toEqual(expected);
    expect([...studentsIn(await rawTreeOf(zip)).keys()]).toEqual(['ada', 'bob']);
  });

  it.each(['../x.json', '../../x.json', 'a/../../../x.json', 'a//b.json', 'a\\..\\..\\b.json'])(
    'of a student with the path %s are left out, and those of the others are not',
    async (path) => {
      const evil = ['worst-ring.json', path].map((name) => ({ path: `class/evil/${name}` }));
      const reason = expect.stringMatching(/leads outside of the archive|is no plain path/);

      for (const bytes of [zipOf([...evil, ...CLASS]), await tarOf([...evil, ...CLASS])]) {
        expect(await treeOf(bytes)).toEqual({ ...EXPECTED, 'evil/': reason });
      }
    },
  );

  it.each<[string, Entry[], RegExp]>([
    [
      'a link',
      [{ path: 'mallory/b.json', text: '/etc/passwd', isLink: true }],
      /^"mallory\/b\.json" is a link; submit the file itself$/,
    ],
    [
      'a file that is too large',
      [{ path: 'mallory/b.json', text: 'x'.repeat(FILE_BYTES_MAX + 1) }],
      /^"mallory\/b\.json" has more than 1048576 bytes$/,
    ],
    [
      'a file that is there twice',
      [{ path: 'mallory/b.json' }, { path: 'mallory/b.json' }],
      /^"mallory\/b\.json" is there twice$/,
    ],
    [
      'a file that is also a folder',
      ['ada/x.ts-', 'mallory/x.ts', 'mallory/x.ts-', 'mallory/x.ts/y.ts'].map((path) => ({ path })),
      /^"mallory\/x\.ts" is a file and a folder of another file/,
    ],
    [
      'a name that no file system takes',
      [{ path: `mallory/${'ü'.repeat(128)}.ts` }],
      /^"mallory\/[^"]+…" has a name of more than 255 bytes/,
    ],
    [
      'a path that no file system takes',
      [{ path: `mallory/${'folder/'.repeat(500)}x.ts` }],
      /^"mallory\/[^"]+…" has more than 2048 bytes/,
    ],
  ])('with %s have the others, and a reason for it', async (_what, added, reason) => {
    // An entry of a link has no content in a tar.
    const inTar = added.map(({ isLink, ...entry }) =>
      isLink === true ? { path: entry.path, isLink } : entry,
    );
    for (const bytes of [zipOf([...CLASS, ...added]), await tarOf([...CLASS, ...inTar])]) {
      const tree = await rawTreeOf(bytes);
      const texts = [...tree].filter(([, content]) => typeof content === 'string');

      expect(texts.map(([, text]) => text)).toEqual([expect.stringMatching(reason)]);
      expect([...tree.keys()]).toEqual(
        expect.arrayContaining(Object.keys(EXPECTED).map((path) => `class/${path}`)),
      );
    }
  });

  it.each([
    [
      'too many files',
      Array.from({ length: STUDENT_FILES_MAX + 1 }, (_, index) => ({ path: `f${index}` })),
      `"class/evil" has more than ${STUDENT_FILES_MAX} files`,
    ],
    [
      'too many bytes',
      Array.from({ length: STUDENT_BYTES_MAX / FILE_BYTES_MAX + 1 }, (_, index) => ({
        path: `f${index}`,
        text: '0'.repeat(FILE_BYTES_MAX),
      })),
      `the files of "class/evil" have more than ${STUDENT_BYTES_MAX} bytes`,
    ],
  ])('with %s of one student have the files of the others', async (_what, files, reason) => {
    const evil = files.map(({ path, ...entry }) => ({ path: `class/evil/${path}`, ...entry }));

    for (const bytes of [zipOf([...CLASS, ...evil]), await tarOf([...CLASS, ...evil])]) {
      expect(await treeOf(bytes)).toEqual({ ...EXPECTED, 'evil/': reason });
    }
  });

  it('with a million files, or gigabytes, of one student keep nothing of them', () => {
    const listing = new Listing('class.tar.gz', { isOne: false, common: '' });
    const add = (path: string, size = 0) => listing.add({ path, size, type: 'file' });

    add('ada/mine-claim.json');
    add('large/film.json', 5 * 2 ** 30);
    for (let index = 0; index <= 1_000_000; index += 1) add(`evil/${index}/x`);
    add('bob/mine-claim.json');

    expect([...listing.plan().files]).toEqual([
      ['ada/mine-claim.json', null],
      ['large/', `the files of "large" have more than ${STUDENT_LISTED_BYTES_MAX} bytes`],
      ['evil/', `"evil" has more than ${STUDENT_FILES_MAX} files`],
      ['bob/mine-claim.json', null],
    ]);
  });

  it('in a folder with too many folders of one student have the files of the others', async () => {
    const root = join(folder, 'nested');
    mkdirSync(join(root, 'ada'), { recursive: true });
    writeFileSync(join(root, 'ada', 'mine-claim.json'), '{}');
    for (let index = 0; index <= STUDENT_FILES_MAX; index += 1) {
      mkdirSync(join(root, 'evil', `${index}`), { recursive: true });
    }

    expect(Object.keys(Object.fromEntries(await readSubmissions(root)))).toEqual([
      'ada/mine-claim.json',
      'evil/',
    ]);
  });

  it('in a folder with a name that cannot be read have the files of the others', async () => {
    const root = join(folder, 'latin');
    mkdirSync(join(root, 'evil'), { recursive: true });
    // In Latin-1, as old archivers of Windows write names.
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'evil/')), Buffer.from([0xfc])]), '{}');

    expect(Object.fromEntries(await readSubmissions(root))).toEqual({
      'evil/\uFFFD': '"evil/\uFFFD" cannot be read: ENOENT',
    });
  });

  it('in one folder of one folder belong to the student of the outer one', async () => {
    const path = 'ada/bob/worst-ring.json';

    expect(await treeOf(zipOf([{ path, text: '{}' }]))).toEqual({ [path]: '{}' });
  });

  it('with ./ before a path are accepted, and backslashes of a zip are separators', async () => {
    const entries = [
      { path: './ada/mine-claim.json', text: '{}' },
      { path: '././bob/worst-ring.json', text: '{"type":"ring"}' },
    ];
    const windows = CLASS.map((entry) => ({ ...entry, path: entry.path.replaceAll('/', '\\') }));

    expect(await treeOf(zipOf(entries))).toEqual(EXPECTED);
    expect(await treeOf(await tarOf(entries))).toEqual(EXPECTED);
    expect(await treeOf(zipOf(windows))).toEqual(EXPECTED);
  });

  it('with special files or backslashes in a tar or a folder name them as left out', async () => {
    const archive = pack();
    archive.entry({ name: 'class/ada/mine-claim.json' }, '{}');
    archive.entry({ name: 'class/bob/pipe.json', type: 'fifo' });
    archive.entry({ name: 'class/bob/disk.json', type: 'block-device' });
    archive.entry({ name: 'class/bob/folder\\worst-ring.json' }, '{}');
    archive.finalize();
    mkdirSync(join(folder, 'special', 'bob'), { recursive: true });
    writeFileSync(join(folder, 'special', 'bob', 'a\\b.json'), '{}');
    execFileSync('mkfifo', [join(folder, 'special', 'bob', 'pipe.json')]);
    const special = ' is no regular file (a pipe, a socket or a device)';
    const backslash = ' has a backslash in its path; pack the folder with slashes';

    const tar = await treeOf(gzipSync(await buffer(archive as AsyncIterable<Buffer>)));
    const tree = await readSubmissions(join(folder, 'special'));

    expect(tar).toEqual({
      'ada/mine-claim.json': '{}',
      'bob/pipe.json': `"class/bob/pipe.json"${special}`,
      'bob/disk.json': `"class/bob/disk.json"${special}`,
      'bob/folder\\worst-ring.json': `"class/bob/folder\\\\worst-ring.json"${backslash}`,
    });
    expect(Object.fromEntries(tree)).toEqual({
      'bob/a\\b.json': `"bob/a\\\\b.json"${backslash}`,
      'bob/pipe.json': `"bob/pipe.json"${special}`,
    });
  });

  it.each([
    ['pipe', 0o010644],
    ['character device', 0o020644],
    ['block device', 0o060644],
    ['socket', 0o140644],
  ])('with a %s in a zip name it as left out', async (_what, mode) => {
    expect(await treeOf(zipOf([...CLASS, { path: 'class/mallory/b.json', mode }]))).toEqual({
      ...EXPECTED,
      'mallory/b.json': '"class/mallory/b.json" is no regular file (a pipe, a socket or a device)',
    });
  });

  it('with the longest name are accepted', async () => {
    const path = `ada/${'x'.repeat(255)}`;

    expect(await treeOf(zipOf([{ path, text: 'x' }]))).toEqual({ [path]: 'x' });
  });

  it('with a link in a folder have a reason for it, and not what it leads to', async () => {
    mkdirSync(join(folder, 'linked', 'ada'), { recursive: true });
    symlinkSync('/etc/passwd', join(folder, 'linked', 'ada', 'mine-claim.json'));

    const tree = await readSubmissions(join(folder, 'linked'));

    expect([...tree]).toEqual([
      ['ada/mine-claim.json', '"ada/mine-claim.json" is a link; submit the file itself'],
    ]);
  });

  it.each([
    ['a zip', () => zipOf(CLASS)],
    ['a tar.gz', () => tarOf(CLASS)],
    ['a folder', () => null],
  ])('in %s are not read any more after an interrupt', async (_what, make) => {
    const root = mkdtempSync(join(folder, 'stopped-'));
    const path = join(root, 'class');
    const bytes = await make();
    if (bytes === null) mkdirSync(join(path, 'ada'), { recursive: true });
    else writeFileSync(path, bytes);

    const reading = readSubmissions(path, { signal: AbortSignal.abort() });

    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('that are damaged, missing or no archive are refused', async () => {
    const zip = zipOf([{ path: 'a/b.json', text: 'x'.repeat(100), statedBytes: 50 }]);

    await expect(treeOf(zip)).rejects.toThrow(/damaged/);
    await expect(treeOf((await tarOf(CLASS)).subarray(0, 60))).rejects.toThrow(/damaged/);
    await expect(treeOf(Buffer.from('hello'))).rejects.toThrow(/neither a folder nor an archive/);
    await expect(readSubmissions(join(folder, 'absent'))).rejects.toThrow(/does not exist/);
  });
});
