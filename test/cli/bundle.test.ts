/**
 * @module
 * The bundle of the command line: its commands print what the sources print, with the same threads, and
 * bin/usurp.js runs it only while it is as new as every source.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, scratchFolder } from './shell.ts';

function node(...args: readonly string[]): {
  readonly stdout: string;
  readonly status: number | null;
} {
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT });
  // Only the time that a thread has used differs.
  return { stdout: String(stdout).replaceAll(/[\d.]+ m?s CPU/g, ''), status };
}

describe('the bundled command', () => {
  const folder = scratchFolder();
  const built = node('bin/bundle.ts', folder);

  it.each([
    'elect --protocol bully-oneshot --nodes 3 --seed 1',
    'elect --protocol raft --nodes 5 --runs 20 --seed 1 --json',
    'mine --c1 8 --seed 1 --quiet --list',
    'run top-id --runs 4 --seed 1 --quiet',
    'sweep top-id --set work=sampled --runs 2 --seed 1 --workers 2 --quiet --format csv',
    'attack --list',
    '--help',
  ])('prints what the sources print: usurp %s', (command) => {
    expect(built.status).toBe(0);
    const bundled = node(join(folder, 'usurp.js'), ...command.split(' '));

    expect(bundled).toEqual(node('src/cli/usurp.ts', ...command.split(' ')));
    expect(bundled.stdout).not.toBe('');
  });
});

/** A checkout with one source, and with a bundle that says that it is one. */
function checkout(): string {
  const root = scratchFolder();
  for (const folder of ['bin', 'src/cli', 'build/cli']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync(join(ROOT, 'bin/usurp.js'), join(root, 'bin/usurp.js'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'src/cli/usurp.ts'), 'console.log("sources" as string);');
  writeFileSync(join(root, 'build/cli/usurp.js'), 'console.log("bundle");');
  const { size, mtimeMs } = statSync(join(root, 'src/cli/usurp.ts'));
  const list = [['src/cli/usurp.ts', size, mtimeMs]];
  writeFileSync(join(root, 'build/cli/sources.json'), JSON.stringify(list));
  return root;
}

describe('bin/usurp.js', () => {
  const started = (root: string, ...args: readonly string[]) =>
    node(join(root, 'bin/usurp.js'), ...args).stdout.trim();

  it('runs the bundle of unchanged sources', () => {
    expect(started(checkout(), 'elect')).toBe('bundle');
  });

  it.each<[string, (root: string) => void]>([
    [
      'a source is longer',
      (root) => writeFileSync(join(root, 'src/cli/usurp.ts'), 'console.log("sources");;;'),
    ],
    ['a source has another time', (root) => utimesSync(join(root, 'src/cli/usurp.ts'), 1, 1)],
    ['there is no bundle', (root) => rmSync(join(root, 'build'), { recursive: true })],
    ['the list is broken', (root) => writeFileSync(join(root, 'build/cli/sources.json'), '[')],
  ])('runs the sources if %s', (_name, change) => {
    const root = checkout();
    change(root);

    expect(started(root, 'elect')).toBe('sources');
  });

  it.each([
    ['serve'],
    ['worker'],
    ['new'],
    ['conform'],
    ['elect', '--load', 'a.ts'],
    ['elect', '--load=a.ts'],
  ])('runs the sources if files of the user may be loaded: %s %s', (...args) => {
    expect(started(checkout(), ...args)).toBe('sources');
  });
});
