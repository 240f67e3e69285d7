/**
 * @module
 * The judge of histories beside porcupine, the checker of A. Athalye, on the same history in the same run. The
 * environment variable PORCUPINE names a folder with the sources of porcupine, which are not a part of usurp. They need
 * Go. Without them the rate of the judge alone is printed.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { linearize } from '../../src/checking/histories/linearizability.ts';
import type { RegisterOperation } from '../../src/checking/histories/register.ts';
import { registerModel } from '../../src/checking/histories/register.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import type { Row } from '../measure.ts';
import { rowOf } from '../measure.ts';

const ROUNDS = 5;
const OPERATIONS = 10_000;
const CLIENTS = 5;
const SOURCE = fileURLToPath(new URL('./porcupine.go', import.meta.url));

/** A linearizable history of 5 clients with 10 000 operations. */
export function measureHistory(): { readonly row: Row; readonly notes: readonly string[] } {
  const history = historyOfClients(OPERATIONS, CLIENTS);
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  try {
    const porcupine = compiled(folder, history);
    const taken = Array.from({ length: ROUNDS }, () => ({
      own: [judgedRate(history)],
      standard: porcupine === null ? [] : [porcupine()],
    }));
    const name = `linearizability, ${OPERATIONS} operations of ${CLIENTS} clients`;
    const unit = 'operations';
    const yardstick = porcupine === null ? null : { name: 'porcupine', unit };
    const notes = porcupine === null ? ['set PORCUPINE to its sources to compare histories'] : [];
    return { row: rowOf({ name, unit, yardstick }, taken), notes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judgedRate(history: readonly RegisterOperation[]): number {
  const startedMs = performance.now();
  const { value } = linearize(registerModel(0), history);
  if (value !== 'true') throw new Error(`the history is ${value}`);
  return (history.length * 1e3) / (performance.now() - startedMs);
}

/** Operations per second of porcupine. Null without its sources. */
function compiled(folder: string, history: readonly RegisterOperation[]): (() => number) | null {
  const { PORCUPINE: sources } = process.env;
  if (sources === undefined) return null;
  copyFileSync(SOURCE, join(folder, 'main.go'));
  writeFileSync(join(folder, 'history.txt'), history.map(lineOf).join(''));
  writeFileSync(
    join(folder, 'go.mod'),
    `module histories\nrequire github.com/anishathalye/porcupine v0.0.0\nreplace github.com/anishathalye/porcupine => ${resolve(sources)}\n`,
  );
  run(folder, 'go', ['build', '-mod=mod', '-o', 'porcupine', '.']);
  return () => history.length / Number(run(folder, './porcupine', ['history.txt']));
}

function run(cwd: string, program: string, words: readonly string[]): string {
  const ended = spawnSync(program, words, { cwd, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${program}: ${ended.error?.message ?? ended.stderr}`);
  return ended.stdout;
}

/** Client, call, return, kind, expected value, new value, whether it was carried out, value read. */
function lineOf({ client, call, input, returned }: RegisterOperation): string {
  if (returned === null) throw new Error('the history has an operation without an outcome');
  const { at, output } = returned;
  const expected = input.type === 'compare-and-set' ? input.expected : 0;
  const value = input.type === 'read' ? 0 : input.value;
  const answer = 'value' in output ? [0, output.value] : [Number(output.done), 0];
  return `${[client, call, at, input.type, expected, value, ...answer].join(' ')}\n`;
}

/** Each operation takes effect at a moment between its call and its return, as a register does. */
function historyOfClients(count: number, clients: number): RegisterOperation[] {
  const random = createRandom(parseSeed('1'), 'history');
  const free = Array.from({ length: clients }, () => 0);
  const timed = Array.from({ length: count }, (_, index) => {
    const client = index % clients;
    const call = (free[client] ?? 0) + 1 + random.below(10);
    const moment = call + random.below(20);
    const at = moment + random.below(20);
    free[client] = at;
    return { client, call, moment, at, kind: random.below(3), value: random.below(5) };
  });
  timed.sort((one, other) => one.moment - other.moment);
  let content = 0;
  return timed.map(({ client, call, at, kind, value }): RegisterOperation => {
    const found = content;
    const isChanged = kind === 1 || (kind === 2 && value === found);
    if (isChanged) content = kind === 1 ? value : (value + 1) % 5;
    const input =
      kind === 0
        ? ({ type: 'read' } as const)
        : kind === 1
          ? ({ type: 'write', value } as const)
          : ({ type: 'compare-and-set', expected: value, value: (value + 1) % 5 } as const);
    const output = kind === 0 ? { value: found } : { done: isChanged };
    return { client, input, call, returned: { at, output } };
  });
}
