/**
 * @module
 * The container of examples/container, without a container engine: what its files say, and their commands with the
 * installed package, on a file system that cannot be written but for the volume, if bubblewrap is installed.
 */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

import { ROOT } from '../cli/shell.ts';
import type { Installed } from './package.ts';
import { commandOf } from './package.ts';

const FOLDER = join(ROOT, 'examples', 'container');
const CAN_CONFINE = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

/** A service of compose.yaml. */
export interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly read_only: boolean;
  readonly [member: string]: unknown;
}

export const SERVICES: Readonly<Record<string, Service>> = parse(
  readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'),
  { merge: true },
).services;

/** The instructions of the Containerfile, each with its arguments. */
export const INSTRUCTIONS: ReadonlyMap<string, string> = new Map(
  readFileSync(join(FOLDER, 'Containerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
);

/** The command of the health check, for another port. */
export function healthCheck(port: number): readonly string[] {
  const [, list = ''] = (INSTRUCTIONS.get('HEALTHCHECK') ?? '').split(' CMD ');
  return JSON.parse(list.replaceAll('8787', String(port)));
}

/** Starts the entry point with a command as compose does. The volume is a folder; words are replaced by others. */
export function startService(
  installed: Installed,
  { command }: Service,
  { volume, words }: { readonly volume: string; readonly words: Readonly<Record<string, string>> },
) {
  const given = command.map((word) =>
    Object.entries(words).reduce((text, [from, to]) => text.replace(from, to), word),
  );
  const run = [process.execPath, commandOf(installed), ...given];
  const bound = [dirname(installed.project), ROOT].flatMap((path) => ['--ro-bind', path, path]);
  const confined = [
    'bwrap',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
  ];
  const [program = '', ...args] = CAN_CONFINE
    ? [...confined, ...bound, '--bind', volume, volume, '--die-with-parent', '--', ...run]
    : run;
  return spawn(program, args, { cwd: volume });
}
