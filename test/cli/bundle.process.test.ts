/**
 * @module
 * The bundle of the command line: its commands print what the sources print, with threads of the sources, and
 * bin/usurp.js and threads run it only while it is as new as every source.
 */

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, scratchFolder } from './shell.ts';

function node(...args: readonly string[]): {
  readonly stdout: string;
  readonly status: number | null;
} {
  return nodeIn(ROOT, ...args);
}

function nodeIn(
  cwd: string,
  ...args: readonly string[]
): { readonly stdout: string; readonly status: number | null } {
  const { stdout, status } = spawnSync(process.execPath, args, { cwd });
  // Only the time that a thread has used differs.
  return { stdout: String(stdout).replaceAll(/[\d.]+ m?s CPU/g, ''), status };
}

/** The checkout without its bundle, so that threads run the sources. */
function withoutBundle(): string {
  const root = scratchFolder();
  mkdirSync(join(root, 'build'));
  const own = readdirSync(ROOT).filter((name) => name !== 'build');
  const built = readdirSync(join(ROOT, 'build')).filter((name) => name !== 'cli');
  for (const path of [...own, ...built.map((name) => join('build', name))]) {
    symlinkSync(join(ROOT, path), join(root, path));
  }
  return root;
}

/** Then Node does not follow the links to the real checkout. */
const LINKED = ['--preserve-symlinks', '--preserve-symlinks-main'];

describe('the bundled command', () => {
  const folder = scratchFolder();
  const built = node('bin/bundle.ts', folder);
  const sources = withoutBundle();

  it.each([
    'elect bully-oneshot --nodes 3 --seed 1',
    'elect raft --nodes 5 --runs 20 --seed 1 --json',
    'mine --c1 8 --seed 1 --quiet --list',
    'run top-id --runs 4 --seed 1 --quiet',
    'sweep top-id --set work=sampled --runs 2 --seed 1 --workers 2 --quiet --format csv',
    'attack --list',
    '--help',
  ])('prints what the sources print: usurp %s', (command) => {
    expect(built.status).toBe(0);
    const bundled = node(join(folder, 'usurp.js'), ...command.split(' '));

    expect(bundled).toEqual(nodeIn(sources, ...LINKED, 'src/cli/usurp.ts', ...command.split(' ')));
    expect(bundled.stdout).not.toBe('');
  });
});

const BUILDS = 'src/runtime/load/builds.ts';

/** A checkout with one source, and with a bundle that says that it is one. */
function checkout(): string {
  const root = scratchFolder();
  mkdirSync(join(root, 'src/cli'), { recursive: true });
  mkdirSync(join(root, 'build/cli'), { recursive: true });
  for (const file of ['bin/usurp.js', BUILDS]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(root, file));
  }
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'src/cli/usurp.ts'), 'console.log("sources" as string);');
  writeFileSync(join(root, 'build/cli/usurp.js'), 'console.log("bundle");');
  writeFileSync(join(root, 'build/cli/src-cli-thread.js'), '');
  const { size, mtimeMs } = statSync(join(root, 'src/cli/usurp.ts'));
  const list = [['src/cli/usurp.ts', size, mtimeMs]];
  writeFileSync(join(root, 'build/cli/sources.json'), JSON.stringify(list));
  return root;
}

describe('bin/usurp.js, and a thread', () => {
  const started = (root: string, ...args: readonly string[]) =>
    node(join(root, 'bin/usurp.js'), ...args).stdout.trim();
  const threadIn = (root: string) => {
    const thread = `new URL('file://${root}/src/cli/thread.ts')`;
    const print = `console.log(bundledThread(${thread}).pathname)`;
    const program = `import { bundledThread } from '${root}/${BUILDS}'; ${print}`;
    return node('--input-type=module', '-e', program).stdout.trim().replace(`${root}/`, '');
  };

  it('runs the bundle of unchanged sources', () => {
    const root = checkout();

    expect(started(root, 'elect')).toBe('bundle');
    expect(threadIn(root)).toBe('build/cli/src-cli-thread.js');
  });

  it('runs the source of a thread that is not bundled', () => {
    const root = checkout();
    rmSync(join(root, 'build/cli/src-cli-thread.js'));

    expect(threadIn(root)).toBe('src/cli/thread.ts');
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
    expect(threadIn(root)).toBe('src/cli/thread.ts');
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
