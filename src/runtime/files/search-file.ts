/**
 * @module
 * The file of a check that was interrupted: one line of JSON with the request, the version of the code and the state
 * of the search, then the buffers of the visited worlds, then the SHA-256 of all that.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

import { z } from 'zod';

import type { CheckRequest } from '../../checking/check-request.ts';
import { canonicalText } from '../../checking/interner.ts';
import type { Search } from '../../checking/search.ts';
import type { Resumed, Saved } from '../../checking/visited/outcome.ts';
import { LabError } from '../../errors.ts';
import { codeVersion } from './code-version.ts';
import { FileSink } from './file-sink.ts';

const FORMAT = 'usurp-check/1';
const DIGEST_BYTES = 32;
const READ_BYTES = 2 ** 20;
/** Bytes before the JSON: its length in decimal, with spaces before it, and a line end. */
const LENGTH_BYTES = 16;

/** A header is longest if many local steps were numbered. */
const HEADER_BYTES_MAX = 2 ** 30;

const count = z.int().min(0);
const counts = z.array(count).readonly();
const headerSchema = z.object({
  format: z.string(),
  version: z.string(),
  // It is compared with the request of this check.
  request: z.custom<CheckRequest>((value) => typeof value === 'object' && value !== null),
  saved: z.object({
    size: count,
    end: count,
    next: count,
    levelEnd: count,
    depth: count,
    transitions: count,
    stack: counts,
    depths: counts,
    numbering: counts,
    steps: counts,
    witnesses: z.array(z.tuple([z.string(), count]).readonly()).readonly(),
  }),
});
type Header = z.infer<typeof headerSchema>;

/** Writes the file. A file with the name is replaced at the end, at once. Throws LabError `file.unwritable`. */
export function saveSearch(path: string, request: CheckRequest, search: Search): void {
  const sink = new FileSink(path);
  try {
    const hash = createHash('sha256');
    const write = (bytes: Uint8Array) => {
      hash.update(bytes);
      sink.writeBytes(bytes);
    };
    const header: Header = {
      format: FORMAT,
      version: codeVersion(),
      request,
      saved: search.save(),
    };
    const json = Buffer.from(JSON.stringify(header));
    write(Buffer.from(`${String(json.length).padStart(LENGTH_BYTES - 1)}\n`));
    write(json);
    // Threads share the buffers, which files and digests do not take.
    for (const bytes of search.store.contents()) write(Uint8Array.from(bytes));
    sink.writeBytes(hash.digest());
    sink.finish();
    sink.publish();
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** A search to be resumed, and what closes its file. */
export interface OpenedSearch {
  readonly resumed: Resumed;
  readonly close: () => void;
}

/**
 * Opens the file of a search of this request. Throws LabError: `file.missing`; `arguments` if the file is damaged, is
 * of another check or of another version of the code.
 */
export function openSearch(path: string, request: CheckRequest): OpenedSearch {
  const size = sizeOf(path);
  const file = openSync(path, 'r');
  try {
    const { saved, at } = readHeader(path, file, size, request);
    let position = at;
    const fill = (buffer: Uint8Array) => {
      const bytes = Buffer.alloc(buffer.length);
      position += readAt(file, bytes, position);
      buffer.set(bytes);
    };
    return { resumed: { saved, fill }, close: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new LabError('file.missing', `there is no file ${path}`);
  if (!stat.isFile()) throw refused(path, 'is no file of a check');
  return stat.size;
}

/** The header comes first: the digest of a large foreign file takes long. */
function readHeader(path: string, file: number, size: number, request: CheckRequest) {
  const damaged = () => refused(path, 'is damaged, or is no file that --checkpoint wrote');
  const found = headerIn(file, size);
  if (found === null) throw damaged();
  const { header, at } = found;
  if (header.format !== FORMAT || header.version !== codeVersion()) {
    const detail = `was written by version ${header.version} of the code, and this is ${codeVersion()}`;
    throw refused(path, `${detail}; its check must begin again`);
  }
  const strange = Object.entries(header.request).find(
    ([name, value]) => canonicalText(value) !== canonicalText(memberOf(request, name)),
  );
  if (strange !== undefined || canonicalText(header.request) !== canonicalText(request)) {
    const [name, value] = strange ?? ['request', header.request];
    const here = strange === undefined ? request : memberOf(request, name);
    const differ = `its "${name}" is ${canonicalText(value)}, and here it is ${canonicalText(here)}`;
    const remedy = 'give the flags of the check that wrote the file';
    const ring = counts.safeParse(name === 'ring' ? value : null);
    const example = ring.success ? `, such as ${ringFlag(ring.data)}` : '';
    throw refused(path, `is of another check: ${differ}; ${remedy}${example}`);
  }
  if (!fits(header.saved, size - at - DIGEST_BYTES) || !isWhole(file, size)) throw damaged();
  return { saved: header.saved, at };
}

/** The flag of a ring. */
function ringFlag(ring: readonly number[]): string {
  const isByRank = ring.every((rank, index) => rank === index + 1);
  return isByRank ? `--nodes ${ring.length}` : `--ring ${ring.join()}`;
}

/** The first line, as far as it has the form of a header; null if it has not. */
function headerIn(file: number, size: number) {
  const length = Buffer.alloc(LENGTH_BYTES);
  readAt(file, length, 0);
  const jsonBytes = Number(length.toString('latin1'));
  const at = LENGTH_BYTES + jsonBytes;
  if (!Number.isSafeInteger(jsonBytes) || jsonBytes < 0 || at + DIGEST_BYTES > size) return null;
  if (jsonBytes > HEADER_BYTES_MAX) return null;
  const json = Buffer.alloc(jsonBytes);
  readAt(file, json, LENGTH_BYTES);
  try {
    return { header: headerSchema.parse(JSON.parse(json.toString('utf8'))), at };
  } catch {
    return null;
  }
}

/** Whether this number of bytes can contain the worlds that a search counts. Each takes more than one byte. */
function fits(saved: Saved, bytes: number): boolean {
  const { size, end, next, levelEnd, depth, numbering, stack } = saved;
  const isWorld = (world: number) => world < size;
  return (
    Math.max(size, end) <= bytes &&
    next <= size &&
    levelEnd <= size &&
    depth <= size &&
    numbering.every(isWorld) &&
    stack.every(isWorld)
  );
}

function memberOf(request: CheckRequest, name: string): unknown {
  return Object.entries(request).find(([each]) => each === name)?.[1] ?? null;
}

/** Whether the last bytes are the digest of the others. */
function isWhole(file: number, size: number): boolean {
  if (size < LENGTH_BYTES + DIGEST_BYTES) return false;
  const hash = createHash('sha256');
  const part = Buffer.alloc(READ_BYTES);
  const end = size - DIGEST_BYTES;
  for (let at = 0; at < end; ) {
    const read = readAt(file, part.subarray(0, Math.min(READ_BYTES, end - at)), at);
    if (read === 0) return false;
    hash.update(part.subarray(0, read));
    at += read;
  }
  const digest = Buffer.alloc(DIGEST_BYTES);
  readAt(file, digest, end);
  return hash.digest().equals(digest);
}

/** Reads until the buffer is full or the file ends. Returns the number of bytes. */
function readAt(file: number, buffer: Uint8Array, position: number): number {
  let done = 0;
  while (done < buffer.length) {
    const read = readSync(file, buffer, done, buffer.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

function refused(path: string, detail: string): LabError {
  return new LabError('arguments', `${path} ${detail}`);
}
