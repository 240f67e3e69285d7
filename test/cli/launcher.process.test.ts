/**
 * @module
 * bin/usurp.js: started by an old Node it starts the installed one and behaves as it does. An old Node is
 * simulated, since tests run on the installed one.
 */

import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { programIn } from '../../src/cli/shell/command-line.ts';
import { ended, ROOT, scratchFolder } from './shell.ts';

const LAUNCHER = `${ROOT}/bin/usurp.js`;
/** Only of the process itself: the Node that it starts reports its true version. */
const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})',
];

describe('launcher', () => {
  it('passes arguments, stdin, stdout and the exit code', () => {
    const mine = ['mine', '--c1', '4', '--seed', '1', '--json', '--quiet'];
    const { stdout: claim } = spawnSync(process.execPath, [...OLD_NODE, LAUNCHER, ...mine]);
    const verify = ['verify', '-', '--c1', '200', '--json'];

    const verified = spawnSync(process.execPath, [...OLD_NODE, LAUNCHER, ...verify], {
      input: claim,
    });

    expect(JSON.parse(String(verified.stdout))).toMatchObject({ valid: false });
    expect(verified.status).toBe(1);
  });

  it('passes stderr', () => {
    const { stderr, status } = spawnSync(process.execPath, [...OLD_NODE, LAUNCHER, 'mine', '--no']);

    expect(String(stderr)).toContain("unknown option '--no'");
    expect(status).toBe(254);
  });

  it('forwards an interrupt and waits for the answer', async () => {
    const args = ['mine', '--c1', '60', '--seed', '1', '--json'];
    const child = spawn(process.execPath, [...OLD_NODE, LAUNCHER, ...args]);
    const end = ended(child);
    child.stderr.once('data', () => child.kill('SIGINT'));

    const { code, stdout } = await end;

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ found: false, claim: null });
  });

  it('counts an interrupt of the process group once', async () => {
    const args = ['mine', '--c1', '60', '--seed', '1', '--json'];
    const child = spawn(process.execPath, [...OLD_NODE, LAUNCHER, ...args], { detached: true });
    const end = ended(child);
    child.stderr.once('data', () => process.kill(-Number(child.pid), 'SIGINT'));

    const { code, stdout } = await end;

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ found: false, claim: null });
  });

  it('leaves no server behind when it is killed', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const args = ['serve', '--port', '0', '--data', data, '--quiet'];
    const child = spawn(process.execPath, [...OLD_NODE, LAUNCHER, ...args]);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (text) => resolve(String(text).trim()));
    });
    const isServing = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    const before = await isServing();

    child.kill('SIGKILL');

    await expect.poll(isServing, { timeout: 60_000 }).toBe(false);
    expect(before).toBe(true);
    // It stopped as at SIGTERM, so that nothing is left beside the file.
    await expect.poll(() => existsSync(`${data}-wal`), { timeout: 60_000 }).toBe(false);
  });

  it('stops by the signal that stopped the Node that it started', async () => {
    const child = spawn(process.execPath, [...OLD_NODE, LAUNCHER, 'mine', '--c1', '60']);
    child.stderr.once('data', () => child.kill('SIGHUP'));

    const signal = await new Promise((resolve) => {
      child.on('exit', (_code, name) => resolve(name));
    });

    expect(signal).toBe('SIGHUP');
  });

  it('says what to do where no other Node is installed', () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'src', 'cli'), { recursive: true });
    copyFileSync(LAUNCHER, join(folder, 'bin', 'usurp.mjs'));

    const launched = spawnSync(process.execPath, [...OLD_NODE, join(folder, 'bin', 'usurp.mjs')]);

    expect(String(launched.stderr)).toContain(`Run "npm ci" in ${folder}/`);
    expect(launched.status).toBe(254);
  });

  it('says which Node a package needs, which has no sources', () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'bin'));
    copyFileSync(LAUNCHER, join(folder, 'bin', 'usurp.mjs'));

    const launched = spawnSync(process.execPath, [...OLD_NODE, join(folder, 'bin', 'usurp.mjs')]);

    expect(String(launched.stderr)).toContain('needs Node 22.19 or later; this is');
    expect(launched.status).toBe(254);
  });
});

describe('the cache of compiled sources', () => {
  it('is one folder for the main thread and for others', () => {
    const folder = scratchFolder();
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const mine = ['mine', '--c1', '4', '--seed', '1', '--threads', '2', '--json', '--quiet'];

    const { status } = spawnSync(process.execPath, [LAUNCHER, ...mine], {
      env: { ...env, TMPDIR: folder },
    });

    expect(status).toBe(0);
    expect(readdirSync(folder)).toEqual(['node-compile-cache']);
    rmSync(folder, { recursive: true });
  });
});

describe('usurp doctor', () => {
  it('says that the temporary folder is missing, and does not make it', () => {
    const folder = join(scratchFolder(), 'none');
    const { NODE_COMPILE_CACHE: _unused, ...env } = process.env;

    const { stdout, status } = spawnSync(process.execPath, [LAUNCHER, 'doctor', '--json'], {
      env: { ...env, TMPDIR: folder },
    });

    expect(JSON.parse(String(stdout)).findings).toContainEqual(
      expect.objectContaining({
        name: 'temporary folder',
        found: null,
        remedy: expect.stringContaining(`${folder} does not exist`),
      }),
    );
    expect([status, existsSync(folder)]).toEqual([1, false]);
  });
});

describe('usurp --help', () => {
  it('loads none of the modules that only a verb needs', () => {
    const report =
      'import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { if (url.includes("/src/")) console.error(url); return next(url, context); } });';
    // The launcher may run a bundle of the same modules.
    const sources = `${ROOT}/src/cli/usurp.ts`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(report)}`, sources];

    const { stderr } = spawnSync(process.execPath, [...args, '--help']);

    const loaded = [...String(stderr).matchAll(/\/src\/(\S+)/g)].map(([, path]) => path);
    expect(loaded.toSorted()).toEqual([
      'cli/main.ts',
      'cli/shell/exit.ts',
      'cli/shell/layout.ts',
      'cli/shell/loaded-process.ts',
      'cli/shell/terminal.ts',
      'cli/usurp.ts',
      'errors.ts',
      'printable.ts',
      // These guard every exit of the process, with loaded files or without.
      'runtime/load/module-hooks.ts',
      'runtime/load/process-exit.ts',
    ]);
  });
});

describe('npx usurp', () => {
  it("runs the checkout's own link and leaves npm's cache alone", async () => {
    const cache = scratchFolder();
    const env = { ...process.env, npm_config_cache: cache };

    const { stdout } = await promisify(execFile)('npx', ['usurp', '--version'], { cwd: ROOT, env });

    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(readdirSync(cache)).not.toContain('_npx');
    rmSync(cache, { recursive: true });
  });
});

describe('the program in printed commands', () => {
  it.each([ROOT, `${ROOT}/test/cli`])('is npx usurp in %s', (folder) => {
    expect(programIn(folder)).toBe('npx usurp');
  });

  it.each(['/', `${ROOT}-2`, `${ROOT}/..`])('is the launcher in %s', (folder) => {
    expect(programIn(folder)).toBe(`node ${LAUNCHER}`);
  });
});
