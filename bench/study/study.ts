/**
 * @module
 * `npm run study` computes the tables of docs/study.md and writes them between its markers. With names of tables it
 * computes and writes those alone. `--runs 20` prints them after so few runs of each cell and writes nothing.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { STUDY_TABLES, studyTables, WHOLE_STUDY } from './tables.ts';

const FILE = fileURLToPath(new URL('../../docs/study.md', import.meta.url));
const MARKED = /(?<=<!-- study: ([a-z]+) -->\n).*?(?=<!-- end -->)/gs;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string' } },
});
const runs = values.runs === undefined ? null : Number(values.runs);
const plan = runs === null ? WHOLE_STUDY : { ...WHOLE_STUDY, runs, watchedRuns: runs };
const tables = await studyTables(plan, positionals.length === 0 ? STUDY_TABLES : positionals);
if (runs === null) {
  const text = readFileSync(FILE, 'utf8');
  const written = text.replace(MARKED, (before, name: string) => {
    const table = tables.get(name);
    return table === undefined ? before : `\n${table}\n`;
  });
  writeFileSync(FILE, written);
} else {
  for (const [name, table] of tables) console.log(`<!-- study: ${name} -->\n\n${table}`);
}
