/**
 * @module
 * `npm run study` computes the tables of docs/study.md and writes them between its markers.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { studyTables, WHOLE_STUDY } from './tables.ts';

const FILE = fileURLToPath(new URL('../../docs/study.md', import.meta.url));
const MARKED = /(?<=<!-- study: ([a-z]+) -->\n).*?(?=<!-- end -->)/gs;

const tables = await studyTables(WHOLE_STUDY);
const text = readFileSync(FILE, 'utf8');
const written = text.replace(MARKED, (_, name: string) => `\n${tables.get(name) ?? ''}\n`);
writeFileSync(FILE, written);
