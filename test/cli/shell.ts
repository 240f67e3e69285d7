/**
 * @module
 * Runs command lines in this process and remembers what they printed. `spawnUsurp` starts the real
 * command for what only a process shows: signals, pipes, start-up.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Streams } from '../../src/cli/main.ts';
import { main } from '../../src/cli/main.ts';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `usurp …` with this stdin. The signal is that of an interruption by the user. */
export async function usurp(
  args: readonly string[],
  stdin: Uint8Array | string | Generator<Buffer> = '',
  signal = new AbortController().signal,
): Promise<Printed> {
  const stdout = memory();
  const stderr = memory();
  const chunks = typeof stdin === 'string' || 'byteLength' in stdin ? [Buffer.from(stdin)] : stdin;
  const streams = { stdin: Readable.from(chunks), stdout, stderr };
  // The three members that the command line uses of a process's streams.
  const code = await main(args, streams as unknown as Streams, signal);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The JSON that a command printed. */
export function parsed(printed: Printed): ReturnType<typeof JSON.parse> {
  return JSON.parse(printed.stdout);
}

/** The arguments of a printed command, as a shell reads them. */
export function argumentsOf(command: string): string[] {
  const words = command.replace(/^npx usurp /, '').matchAll(/'([^']*)'|(\S+)/g);
  return [...words].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'usurp-test-'));
}

/** The command as a process of its own. */
export function spawnUsurp(args: readonly string[], cwd = ROOT): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [`${ROOT}/bin/usurp.js`, ...args], { cwd });
}

/** Why each of these files of the user is not loaded, by one process; null for a file that is loaded. */
export async function refusalsOf(files: readonly string[]): Promise<readonly (string | null)[]> {
  const program = fileURLToPath(new URL('refused-session.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { cwd: ROOT });
  child.stdin.end(JSON.stringify(files));
  const printed = await ended(child);
  if (printed.code !== 0) throw new Error(printed.stderr);
  return parsed(printed);
}

/** Waits until the process has ended and returns what it printed. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Printed> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number>((resolve) => {
    child.on('close', (status) => resolve(status ?? -1));
  });
  return { code, stdout, stderr };
}

/** Interrupts a command once, when it first writes a line to stderr that shows its progress. A second signal would stop it at once. */
export function interruptAt(child: ChildProcessWithoutNullStreams, progress: RegExp): void {
  const listen = (chunk: unknown) => {
    if (!progress.test(String(chunk))) return;
    child.stderr.off('data', listen);
    child.kill('SIGINT');
  };
  child.stderr.on('data', listen);
}

function memory(): Writable & { text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { text: () => chunks.join('') });
}

/** The rows of a report of `usurp conform`, each in one line. */
export function rowsOf(report: string): string {
  return report.replaceAll(/\n {9}/g, ' ');
}
