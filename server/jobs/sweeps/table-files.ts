/**
 * @module
 * The files of finished tables and their digests, which are stored with the job. A table is read completely
 * before the first byte of it is sent, unless the same file was read before. Each piece is compared with its
 * digest again before it is sent, so that a change between both ends the answer, and no wrong byte is sent.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LabError } from '../../../src/errors.ts';
import { codeOf } from '../../../src/runtime/files/file-sink.ts';

/** A table as it was written. */
export interface TableFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 in hex of each piece of `PIECE_BYTES`; the last piece may be shorter. */
  readonly digests: readonly string[];
}

const PIECE_BYTES = 256 * 1024;

/** The table in a file. */
export function tableFileAt(path: string): TableFile {
  const digests: string[] = [];
  const piece = new Uint8Array(PIECE_BYTES);
  let bytes = 0;
  const file = openSync(path, 'r');
  try {
    for (;;) {
      let length = 0;
      for (let read = -1; read !== 0 && length < PIECE_BYTES; length += read) {
        read = readSync(file, piece, length, PIECE_BYTES - length, null);
      }
      if (length === 0) break;
      digests.push(digestOf(piece.subarray(0, length)));
      bytes += length;
    }
  } finally {
    closeSync(file);
  }
  return { name: basename(path), bytes, digests };
}

function digestOf(piece: Uint8Array): string {
  return createHash('sha256').update(piece).digest('hex');
}

/** The files that were read completely and found intact, by the tables they have. */
const INTACT = new WeakMap<TableFile, string>();

/** Throws LabError `sweep.damaged` unless the folder has the table as it was written. */
export async function assertIntact(folder: string, table: TableFile): Promise<void> {
  const file = await opened(folder, table);
  try {
    const identity = await identityOf(file);
    if (INTACT.get(table) === identity) return;
    for await (const _piece of piecesOf(file, table));
    INTACT.set(table, identity);
  } finally {
    await file.close();
  }
}

/** The bytes of the table. Throws LabError `sweep.damaged` instead of the first piece that was changed. */
export async function* intactPieces(folder: string, table: TableFile): AsyncGenerator<Uint8Array> {
  const file = await opened(folder, table);
  try {
    yield* piecesOf(file, table);
  } finally {
    await file.close();
  }
}

async function opened(folder: string, { name }: TableFile): Promise<FileHandle> {
  try {
    return await open(join(folder, name));
  } catch (error) {
    throw damaged(name, codeOf(error) === 'ENOENT' ? 'is missing' : 'cannot be read');
  }
}

/** Changes whenever the file is replaced or written to. */
async function identityOf(file: FileHandle): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join();
}

async function* piecesOf(
  file: FileHandle,
  { name, bytes, digests }: TableFile,
): AsyncGenerator<Uint8Array> {
  const { size } = await file.stat();
  if (size < bytes) throw damaged(name, `was cut off: ${bytes - size} bytes are missing`);
  if (size > bytes) throw damaged(name, `is ${size - bytes} bytes too long`);
  for (const digest of digests) {
    const piece = await nextPiece(file, name);
    if (digestOf(piece) !== digest) throw damaged(name, 'was changed');
    yield piece;
  }
}

async function nextPiece(file: FileHandle, name: string): Promise<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  let length = 0;
  while (length < PIECE_BYTES) {
    const { bytesRead } = await file.read(piece, length).catch((error: unknown) => {
      throw damaged(name, `cannot be read (${codeOf(error)})`);
    });
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return piece.subarray(0, length);
}

function damaged(name: string, what: string): LabError {
  return new LabError('sweep.damaged', `the table ${name} of this sweep ${what}`);
}
