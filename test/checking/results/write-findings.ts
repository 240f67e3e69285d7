/**
 * @module
 * `npm run docs:checks` searches again for what docs/model-checking.md says of the fault matrix, and writes the table
 * between its markers. It takes about ten minutes on one core. matrix.slow.test.ts compares all rows.
 */

import { readFileSync, writeFileSync } from 'node:fs';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { CHECKED_FAULT_NAMES, rowsOf } from './matrix.ts';

const FILE = 'docs/model-checking.md';
const MARKED = /(?<=<!-- checks: safety -->\n).*?(?=<!-- end -->)/s;

const rows = PROTOCOL_NAMES.flatMap((protocol) => rowsOf(protocol, CHECKED_FAULT_NAMES));
const table = ['| protocol | fault | findings |', '| --- | --- | --- |', ...rows].join('\n');
const text = readFileSync(FILE, 'utf8');
writeFileSync(FILE, text.replace(MARKED, `\n${table}\n\n`));
