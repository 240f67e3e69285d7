/**
 * @module
 * The documents are true: every command of a `console` block is run and must print what stands below it, and
 * every picture must be the one that a command wrote. Durations, rates, overshoot, steps of live nodes, and random ids
 * and keys are masked, nothing else is. `RECORD=1` writes the real outputs and pictures into the documents. The steps of one
 * document share a folder. A command that needs neither a shell nor a file is run in this process, and one
 * that only measures the machine has a quick clock; `DOCUMENTS=whole` starts a process for each command, and runs the
 * long ones, too.
 */

import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../../server/lab.ts';
import { startLab } from '../../server/lab.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { ROOT, usurp } from '../cli/shell.ts';
import { hasteClock, restoreClock } from '../runtime/threads/haste.ts';

import type { Document, Step } from './markdown.ts';
import { applyChange, masked, readDocuments } from './markdown.ts';

const IS_RECORDING = process.env.RECORD !== undefined;
const IS_WHOLE = process.env.DOCUMENTS === 'whole' || IS_RECORDING;
const hasCurl = canRun('curl --version');

/** A command line of this program alone, with neither quotes nor names of files, that writes no file. Members have dots. */
const PLAIN = /^npx usurp (?!new |lab )(?:[\w :,=%@-]|(?<=--(?:set|vary) )[\w.]+(?==))+$/;
/** What a shell does with its output. */
const PIPED = /^(npx usurp [^|<>']+?) (\| (?:grep|head|tail|cut|sed) [^><]*)$/;

/** Take more than two seconds each, and write no file. The slow suite alone runs them. */
const LONG = [
  'npx usurp elect bully-oneshot --latency uniform:1:2 --nodes 40 --runs 60 --seed 1 | grep messages',
  'npx usurp elect bully-oneshot --latency uniform:1:2 --nodes 80 --runs 20 --seed 1 | grep messages',
  'npx usurp elect bully-oneshot --latency uniform:1:2 --nodes 80 --runs 4 --seed 1 | grep messages',
  'npx usurp compare --defences none,proof-of-work,beacon-rank,incumbency,hop-limit --protocols cr-join,raft --advantage 1,10 --seed 1',
  'npx usurp compare-protocols bully-oneshot cr-join raft quorum-lease db-lease --nodes 5 --random-faults --detector links --runs 200 --seed 1',
  'npx usurp check lease-local --nodes 2 --resource fencing-max --bounds timeout=3',
  'npx usurp check bully-oneshot --nodes 4 --timing synchronous --bounds crash=1',
  'npx usurp check raft --nodes 5 --cut 1-4,1-5,2-5,3-4,4-5 --timing synchronous --spread 1 --properties leader-appears',
  "npx usurp elect raft --crash leader@900-950 --vary nodes=3,5 --vary 'flags.spreadTicks=10,30,90' --runs 200 --seed 1",
  'npx usurp elect --nodes 5 --vary protocol=bully-oneshot,cr-join,raft --vary loss=none,5%,20% --measure leader --seed 1',
  'npx usurp run top-id --seed 1',
  'npx usurp run spoofed-coordinator-l2 --set network.election.level=L1 --seed 1',
  'npx usurp design --epsilon 0.01 --time 1 --nodes 64 --join-time 60s --rate 8e6 --advantage 1,10,100,1000 --machines 1 --seed 1',
  'npx usurp design --epsilon 0.01 --time 5 --nodes 64 --join-time 60s --rate 8000000 --seed 1',
  'npx usurp design --protocol raft --question majority-captured --epsilon 0.001 --time 5 --nodes 50 --join-time 60s --rate 1e6 --defences quorum-certificates --seed 1',
];

/** Measuring the machine takes a second for each strategy, and several on a busy one. */
const COMMAND_MS_MAX = 300_000;

/** Node strips types only outside of node_modules. */
const CACHE = `${ROOT}/build`;
mkdirSync(CACHE, { recursive: true });

let lab: Lab;

beforeAll(async () => {
  const address = { host: '127.0.0.1', port: 0, data: null };
  lab = await startLab({ ...address, version: '0.0.0', policy: STRICT_POLICY }, () => undefined);
});

afterEach(restoreClock);

afterAll(() => lab.close());

describe.each(
  readDocuments()
    .map((document) => ({ ...document, steps: document.steps.filter(isRun) }))
    .filter(({ steps, pictures }) => steps.length + pictures.length > 0)
    .map((document) => [document.path, document] as const),
)('%s', (_path, document) => {
  // Inside the checkout, so that printed commands begin with npx usurp.
  const folder = mkdtempSync(join(CACHE, 'document-'));
  let updated = document.text;

  afterAll(() => {
    rmSync(folder, { recursive: true });
    if (updated !== document.text) writeFileSync(join(ROOT, document.path), updated);
  });

  it.each(document.steps.map((step) => [titleOf(step), step] as const))(
    '%s',
    { timeout: COMMAND_MS_MAX },
    async (_title, step) => {
      if (step.type !== 'command') return writeStep(folder, step);
      const { command, shown } = step;
      if (command.startsWith('curl') && !hasCurl) return;

      const printed = await run(command, folder);

      if (!IS_RECORDING) expect(masked(printed)).toBe(masked(shown));
      if (masked(printed) === masked(shown)) return;
      updated = updated.replace(`$ ${command}\n${shown}`, () => `$ ${command}\n${printed}`);
    },
  );

  it.each(document.pictures)('%s', (picture) => comparePicture(document, folder, picture));
});

describe('the long commands', () => {
  it('are commands of documents', () => {
    const commands = readDocuments().flatMap(({ steps }) => steps.map(titleOf));

    expect(LONG.filter((command) => !commands.includes(command))).toEqual([]);
  });
});

function isRun(step: Step): boolean {
  return IS_WHOLE || !LONG.includes(titleOf(step));
}

function titleOf(step: Step): string {
  return step.type === 'command' ? step.command : `${step.type} ${step.file}`;
}

function writeStep(folder: string, step: Exclude<Step, { type: 'command' }>): void {
  const path = join(folder, step.file);
  const text =
    step.type === 'file' ? step.text : applyChange(readFileSync(path, 'utf8'), step.text);
  writeFileSync(path, text);
}

/** A picture in a document is a file that one of the document's commands has written. */
function comparePicture({ path }: Document, folder: string, picture: string): void {
  const shown = join(ROOT, dirname(path), picture);
  const written = join(folder, basename(picture));
  const textOf = (file: string) => readFileSync(file, 'utf8').replace(/<!--.*?-->\n?/g, '');
  const isSame = existsSync(shown) && textOf(shown) === textOf(written);

  if (IS_RECORDING && !isSame) copyFileSync(written, shown);
  else expect(isSame, `${picture} is what a command of ${path} writes`).toBe(true);
}

/** stdout of a command line; the clock of one that measures the machine runs fast, unless its figures are recorded. */
async function run(command: string, folder: string): Promise<string> {
  const [, before = command, filter] = PIPED.exec(command) ?? [];
  if (IS_WHOLE || !PLAIN.test(before)) return runInShell(command, { folder });
  if (command.startsWith('npx usurp calibrate') && !IS_RECORDING) hasteClock();
  const { stdout } = await usurp(before.split(' ').slice(2)).finally(restoreClock);
  return filter === undefined ? stdout : runInShell(`cat ${filter}`, { folder, stdin: stdout });
}

/** stdout of a command line, with `npx usurp`, the examples and the lab's address put in place. */
async function runInShell(
  command: string,
  { folder, stdin = '' }: { readonly folder: string; readonly stdin?: string },
): Promise<string> {
  const line = command
    .replaceAll('npx usurp', `'${process.execPath}' '${ROOT}/bin/usurp.js'`)
    .replaceAll('examples/', `${ROOT}/examples/`)
    .replaceAll('http://127.0.0.1:8787', lab.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = execFile('sh', ['-c', line], { cwd: folder }, (_error, stdout) => resolve(stdout));
  // A command may end before it has read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
  const printed = await promise;
  return printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`;
}

function canRun(command: string): boolean {
  try {
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
