/**
 * @module
 * `node:fs` and `node:fs/promises` as far as the server reads what comes with usurp: files below the folder of this site.
 * Their paths are those of the repository. There is no other file.
 */

import { Buffer } from 'node:buffer';

export * from 'unenv/node/fs';

/** The folder of these files, beside the scripts. */
const FOLDER = new URL('../files/', location.href);

type Path = string | URL;

/** The names of all files, which this folder contains itself. */
let names: readonly string[] | null = null;

export function existsSync(path: Path): boolean {
  return allNames().includes(nameOf(path));
}

export function readFileSync(path: Path, encoding?: 'utf8'): string | Buffer {
  const bytes = Buffer.from(bytesAt(nameOf(path)));
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

export async function readFile(path: Path, encoding?: 'utf8'): Promise<string | Buffer> {
  return readFileSync(path, encoding);
}

export async function readdir(path: Path): Promise<string[]> {
  const folder = `${nameOf(path).replace(/\/$/, '')}/`;
  return allNames().flatMap((name) => (name.startsWith(folder) ? name.slice(folder.length) : []));
}

export const promises = { readFile, readdir };

function allNames(): readonly string[] {
  names ??= JSON.parse(new TextDecoder().decode(bytesAt('names.json')));
  return names ?? [];
}

/** The path from the root of the repository. */
function nameOf(path: Path): string {
  return String(path).replace(/^(?:file:\/\/)?\//, '');
}

/** A thread may wait for a file, as Node does. */
function bytesAt(name: string): ArrayBuffer {
  const request = new XMLHttpRequest();
  request.open('GET', new URL(name, FOLDER), false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status !== 200)
    throw Object.assign(new Error(`${name}: no such file`), { code: 'ENOENT' });
  return request.response;
}
