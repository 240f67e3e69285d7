/**
 * @module
 * The published results that come with usurp, read from papers/.
 */

import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Paper } from '../../operations/reproduce/paper.ts';
import { parsePaper } from '../../operations/reproduce/paper.ts';

const PAPERS = new URL('../../../papers/', import.meta.url);
const ENDING = '.yaml';

/** All published results, in the order of their names, or the one of this name. Throws LabError `document` with the place of a fault. */
export async function readPapers(name?: string): Promise<readonly Paper[]> {
  const names = (await paperNames()).filter((each) => name === undefined || each === name);
  return Promise.all(
    names.map(async (each) => {
      const path = fileURLToPath(new URL(each + ENDING, PAPERS));
      return parsePaper(each, await readFile(path, 'utf8'), path);
    }),
  );
}

/** The names of all published results, in order. */
export async function paperNames(): Promise<readonly string[]> {
  const files = await readdir(PAPERS);
  return files
    .flatMap((file) => (file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : []))
    .sort();
}
