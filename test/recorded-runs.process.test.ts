/**
 * @module
 * Compares runs of the command line with test/golden/recorded-runs.json. Each entry has a digest of the
 * exact text and one of its numbers alone: when a word is renamed, only the first one changes.
 * `RECORD=words` rewrites the entries whose numbers are the same and fails for the others. `RECORD=1`
 * rewrites all of them; use it only when the commit explains every difference. A new entry needs a name
 * and a command. `{dir}` is an empty folder, and `&&` separates commands that share it. The slow suite alone repeats those
 * that take longest.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvFormatRows, csvParseRows } from 'd3-dsv';
import { afterAll, describe, expect, it } from 'vitest';
import { usurp } from './cli/shell.ts';
import { IS_WHOLE } from './sample.ts';

/** A printed text or a written file: its digests, and what a person needs to understand a difference. */
interface Digests {
  readonly text: string;
  readonly numbers: string;
  readonly lines: number;
  readonly summary: string;
}

interface Outcome {
  readonly exit: number;
  readonly stdout: Digests;
  readonly files: Readonly<Record<string, Digests>>;
}

interface RecordedRun extends Outcome {
  readonly name: string;
  readonly command: string;
}

const FILE = new URL('golden/recorded-runs.json', import.meta.url);
const recorded: RecordedRun[] = JSON.parse(readFileSync(FILE, 'utf8'));
const mode = process.env.RECORD;

/** Files that have times, versions and digests of the code in them, and no result that no table has. */
const UNRECORDED = /\.(journal|manifest\.json|html)$/;
/** Columns of sweep tables that differ between two executions or two versions. */
const VARIABLE_COLUMN = /^(row_id|version|(cpu|wall)(_mean)?_s)$/;
/** Long hexadecimal numbers, then words (`bully-2phase` is one), then decimal numbers. */
const TOKEN = /\b(?=[a-f]*\d)[0-9a-f]{8,}\b|[a-z_]\w*(?:-\w+)*|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/gi;

/** Relative: pictures wrap the command below them, so its length must not depend on the machine. */
const CACHE = 'node_modules/.cache';

const SUMMARY_LENGTH_MAX = 400;

/** Take more than a second each. Shorter ones are of the same kinds. */
const LONG: readonly string[] = [
  'attack: double-vote, sybils',
  'attack matrix: sets, json',
  'compare: csv of a document',
  'compare: table',
  'run difficulty-inflation',
  'run eclipse-successors',
  'run flapping-leader-incumbency',
  'run slow-drip',
  'run stockpile-salted-puzzle',
  'run sybil-quorum',
  'run torsion-siblings-accepted',
  'run xor-puzzle-amortised',
  'run yggdrasil-like',
  'sweep: two axes, jsonl',
];

describe('recorded runs', () => {
  const now = new Map<string, Outcome>();

  afterAll(() => {
    if (mode === undefined) return;
    const updated = recorded.map(({ name, command, ...before }) => ({
      name,
      command,
      ...(now.get(name) ?? before),
    }));
    writeFileSync(FILE, `${JSON.stringify(updated, null, 2)}\n`);
  });

  it('have the names that are run by the slow suite alone', () => {
    expect(recorded.map(({ name }) => name)).toEqual(expect.arrayContaining([...LONG]));
  });

  const repeated = recorded.filter(({ name }) => IS_WHOLE || !LONG.includes(name));

  it.each(repeated.map((run) => [run.name, run] as const))('%s', async (name, run) => {
    const outcome = await execute(run.command);

    const { name: _name, command: _command, ...before } = run;
    if (mode === 'words') expect(withoutWords(outcome)).toEqual(withoutWords(before));
    if (mode === undefined) expect(outcome).toEqual(before);
    now.set(name, outcome);
  });
});

async function execute(command: string): Promise<Outcome> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${CACHE}/recorded-`);
  let exit = -1;
  let stdout = '';
  for (const line of command.split(' && ')) {
    const printed = await usurp(line.replaceAll('{dir}', folder).split(' '));
    exit = printed.code;
    stdout += printed.stdout;
    if (exit >= 254) throw new Error(`usurp ${line}: ${printed.stderr}`);
  }

  const names = readdirSync(folder).filter((name) => !UNRECORDED.test(name));
  const files = Object.fromEntries(
    names.sort().map((name) => [name, digestsOf(readFileSync(join(folder, name), 'utf8'), folder)]),
  );
  const outcome = { exit, stdout: digestsOf(stdout, folder), files };
  rmSync(folder, { recursive: true });
  return outcome;
}

function digestsOf(text: string, folder: string): Digests {
  const constant = withoutVariable(text.replaceAll(folder, '{dir}'));
  return {
    text: sha256(constant),
    numbers: sha256(numbersIn(constant).join(' ')),
    lines: constant.split('\n').length - 1,
    summary: summaryOf(constant),
  };
}

/** Removes what measures the machine, what depends on the version, and the padding of tables. */
function withoutVariable(text: string): string {
  const isTable = /^(row_id|cell),/.test(text);
  return (isTable ? withoutVariableColumns(text) : text)
    .replace(/"(cpu|wall)\w*": ?[\d.e-]+/g, '"$1":<time>')
    .replace(/"rowId": ?"[^"]*"/g, '"rowId":<digest>')
    .replace(/\b\d+\.\d+\.\d+\+[0-9a-f]{16}\b/g, '<version>')
    .replace(/<!-- usurp-sweep\/1 [0-9a-f]{64} -->/, '<!-- usurp-sweep/1 <digest> -->')
    .replace(/^(CPU|wall) +[\d.].*$/gm, '$1 <time>')
    .replace(/("format": "usurp\/ledger\/.*"digest": )"[^"]*"/s, '$1<digest>')
    .replace(/"overshoot": ?\d+/g, '"overshoot":<count>')
    .replace(/overshoot +\d+/g, 'overshoot <count>')
    .replace(/\b\d[\d.e+]* (ns|µs|ms|s|min|h) CPU\b/g, '<time> CPU')
    .replace(/ {2,}/g, '  ')
    .replace(/ +$/gm, '');
}

function withoutVariableColumns(table: string): string {
  const rows = csvParseRows(table);
  const kept = (_cell: string, at: number) => !VARIABLE_COLUMN.test(rows[0]?.[at] ?? '');
  return `${csvFormatRows(rows.map((row) => row.filter(kept)))}\n`;
}

function numbersIn(text: string): string[] {
  return [...text.matchAll(TOKEN)]
    .filter(([token, decimal]) => decimal !== undefined || /^[0-9a-f]{8,}$/.test(token))
    .map(([token]) => token);
}

/** The beginning (of a table its first rows), with hexadecimal numbers cut short. */
function summaryOf(text: string): string {
  return text
    .replace(/^(row_id|cell),.*\n/, '')
    .replace(/\b([0-9a-f]{8})[0-9a-f]{24,}\b/g, '$1…')
    .replace(/\s+/g, ' ')
    .slice(0, SUMMARY_LENGTH_MAX)
    .trim();
}

function withoutWords({ exit, stdout, files }: Outcome) {
  const bare = ({ numbers, lines }: Digests) => ({ numbers, lines });
  return { exit, stdout: bare(stdout), files: Object.values(files).map(bare) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
