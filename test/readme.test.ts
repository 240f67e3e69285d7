/**
 * @module
 * The README is true: every `console` block is run and must print what it shows. Durations, rates,
 * overshoot and random ids are masked, nothing else is. `UPDATE_README=1` writes the real output into the
 * file. Commands that need neither shell nor folder are run in this process, and what only measures, and
 * for long, by a quick clock; `README=whole` makes processes of all.
 */

import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Lab } from '../server/lab.ts';
import { startLab } from '../server/lab.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { ROOT, scratchFolder, usurp } from './cli/shell.ts';
import { hasteClock, restoreClock } from './runtime/haste.ts';

const README = new URL('../README.md', import.meta.url);
const text = readFileSync(README, 'utf8');
const blocks = [...text.matchAll(/```console\n(.*?)```\n/gs)].map(([, body = '']) => body);
const hasCurl = canRun('curl --version');
const IS_WHOLE = process.env.README === 'whole' || process.env.UPDATE_README === '1';
/** No quotes, no pipes, no names of files. */
const PLAIN = /^npx usurp [\w :,=-]+$/;

/** Calibrating takes a second a strategy, on a busy machine several. */
const COMMAND_MS_MAX = 300_000;

/** What a block shows: its commands, each with the output below it. */
interface Step {
  readonly command: string;
  readonly shown: string;
}

describe('README', () => {
  const folder = scratchFolder();
  let lab: Lab;
  let updated = text;

  beforeAll(async () => {
    const address = { host: '127.0.0.1', port: 0, data: null };
    lab = await startLab({ ...address, version: '0.0.0', policy: STRICT_POLICY }, () => undefined);
  });

  afterEach(restoreClock);

  afterAll(async () => {
    await lab.close();
    if (process.env.UPDATE_README === '1') writeFileSync(README, updated);
  });

  it.each(blocks.flatMap(stepsOf).map((step) => [step.command, step] as const))(
    '%s',
    async (command, { shown }) => {
      if (command.startsWith('curl') && !hasCurl) return;

      const isHere = !IS_WHOLE && PLAIN.test(command);
      const printed = isHere
        ? await runHere(command)
        : await runInShell(command, { folder, url: lab.url });

      updated = updated.replace(`$ ${command}\n${shown}`, () => `$ ${command}\n${printed}`);
      if (process.env.UPDATE_README !== '1') expect(masked(printed)).toBe(masked(shown));
    },
    COMMAND_MS_MAX,
  );
});

function stepsOf(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), shown: part.slice(end + 1) };
    });
}

/** stdout of a command in this process; the clock of one that measures runs fast. */
async function runHere(command: string): Promise<string> {
  if (command.startsWith('npx usurp calibrate')) hasteClock();
  const { stdout } = await usurp(command.split(' ').slice(2));
  return stdout;
}

/** stdout of a command line, with `npx usurp` and the lab's address put in place. */
async function runInShell(
  command: string,
  { folder, url }: { readonly folder: string; readonly url: string },
): Promise<string> {
  const usurp = `'${process.execPath}' '${ROOT}/src/cli/usurp.ts'`;
  const line = command.replaceAll('npx usurp', usurp).replaceAll('http://127.0.0.1:8787', url);
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('sh', ['-c', line], { cwd: folder }, (_error, stdout) => resolve(stdout));
  const printed = await promise;
  return printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`;
}

function masked(output: string): string {
  return output
    .replace(/\b\d[\d.e+]* (ms|s|min|h|days|years)\b *(CPU)?/g, '<time>')
    .replace(/"(cpu|wall)Seconds":[\d.e-]+/g, '"$1Seconds":<time>')
    .replace(/overshoot( +|":)\d+/g, 'overshoot$1<count>')
    .replace(/\b[er]_[a-z0-9]+/g, '<id>')
    .replace(/"instance":"[^"]+"/g, '"instance":<id>')
    .replace(/(\w+ +(?:strict|weak) +1 +)\d+ +[\d.]+$/gm, '$1<rate>')
    .replace(/ +$/gm, '')
    .replace(/ {2,}/g, '  ');
}

function canRun(command: string): boolean {
  try {
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
