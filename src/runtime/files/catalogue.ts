/**
 * @module
 * The threat models that come with usurp, read from threat-models/ and parsed like any other.
 */

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LabError } from '../../errors.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { parseThreatModel } from '../../experiment/reading/document.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';

const CATALOGUE = new URL('../../../threat-models/', import.meta.url);

let catalogue: Promise<readonly ThreatModel[]> | null = null;

/** All documents of the catalogue, in the order of their ids. They are read once. */
export function readCatalogue(): Promise<readonly ThreatModel[]> {
  catalogue ??= catalogueIds().then((ids) => Promise.all(ids.map(readFromCatalogue)));
  return catalogue;
}

/** The document with this id. Throws a LabError that names the nearest id. */
export async function findInCatalogue(id: string): Promise<ThreatModel> {
  const ids = await catalogueIds();
  if (!ids.includes(id)) {
    const name = id.replace(/^.*\//, '');
    const detail = `no threat model is called ${JSON.stringify(id)}${suggestion(ids, name) || ';'} usurp run --list shows all ${ids.length}`;
    throw new LabError('not_found', detail);
  }
  return readFromCatalogue(id);
}

/** The ids of all documents of the catalogue. Reads no document. */
export async function catalogueIds(): Promise<string[]> {
  const files = await readdir(CATALOGUE);
  return files
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

async function readFromCatalogue(id: string): Promise<ThreatModel> {
  const file = new URL(`${id}.yaml`, CATALOGUE);
  return parseThreatModel(await readFile(file, 'utf8'), fileURLToPath(file));
}
