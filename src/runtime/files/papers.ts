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
  const isAsked = (file: string) =>
    name === undefined ? file.endsWith(ENDING) : file === `${name}${ENDING}`;
  const files = (await readdir(PAPERS)).filter(isAsked).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = fileURLToPath(new URL(file, PAPERS));
      return parsePaper(file.slice(0, -ENDING.length), await readFile(path, 'utf8'), path);
    }),
  );
}
