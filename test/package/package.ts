/**
 * @module
 * This folder tests the npm package. This file makes it once and installs it into an empty folder, without a network
 * and with an empty cache.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { FILES, packageManifest, packageReadme } from '../../bin/manifest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Making the package takes 15 seconds of CPU time. */
export const PACKING_MS_MAX = 300_000;

/** An installed package. */
export interface Installed {
  /** The folder of the project, whose name has a space. */
  readonly project: string;
  /** Bytes of the tarball, and the paths of its files. */
  readonly bytes: number;
  readonly files: readonly string[];
}

/** Makes the package, also the declarations, and installs it. */
export function installPackage(): Installed {
  run('npm', ['run', 'build:package'], ROOT);
  const folder = mkdtempSync(join(tmpdir(), 'usurp-package-'));
  const { tarball, size, files } = packTarball(folder);
  const project = join(folder, 'my project');
  mkdirSync(project);
  // npm init writes this type.
  writeFileSync(join(project, 'package.json'), '{"type":"commonjs"}');
  const options = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  run('npm', ['install', ...options, tarball], project);
  return { project, bytes: size, files: files.map(({ path }) => path) };
}

/** Packs what was built. The manifest of the repository stays as it is, because other tests read it. */
export function packTarball(folder: string): Packed & { readonly tarball: string } {
  const checkout = join(folder, 'checkout');
  for (const file of globSync([...FILES, 'README.md', 'LICENSE'], { cwd: ROOT })) {
    cpSync(join(ROOT, file), join(checkout, file), { recursive: true });
  }
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(packageManifest()));
  writeFileSync(join(checkout, 'README.md'), packageReadme(textOf('README.md')));
  const packing = ['pack', '--json', '--pack-destination', folder];
  const [packed] = Object.values<Packed>(JSON.parse(run('npm', packing, checkout)));
  if (packed === undefined) throw new Error('npm pack made no tarball');
  return { ...packed, tarball: join(folder, packed.filename) };
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Path of the installed command. */
export function commandOf({ project }: Pick<Installed, 'project'>): string {
  return join(project, 'node_modules', 'usurp', 'bin', 'usurp.js');
}

/** What a shell prints for a line in the project, with this Node before all others. */
export function inShell({ project }: Installed, line: string, node = process.execPath) {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, NO_COLOR: '1' };
  // Starting npx takes longer than the command.
  const command = `'${node}' '${commandOf({ project })}'`;
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', line.replaceAll('npx usurp', command)],
    {
      cwd: project,
      env,
      encoding: 'utf8',
    },
  );
  return { stdout, stderr, status };
}

/** A file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
