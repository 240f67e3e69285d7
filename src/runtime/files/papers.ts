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

/** All published results, in the order of their names. Throws LabError `document` with the place of a fault. */
export async function readPapers(): Promise<readonly Paper[]> {
  const files = (await readdir(PAPERS)).filter((file) => file.endsWith(ENDING)).sort();
  return Promise.all(
    files.map(async (file) => {
      const path = fileURLToPath(new URL(file, PAPERS));
      return parsePaper(file.slice(0, -ENDING.length), await readFile(path, 'utf8'), path);
    }),
  );
}
