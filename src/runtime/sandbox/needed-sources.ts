/**
 * @module
 * The sources that the process in the sandbox can read: those that its script imports. No definition of the lab is among
 * them, so that a submission cannot pass with one, however it would get at it. The registry of protocols is replaced by
 * sandbox-registry.ts, which lists only the protocol around which the submitted machine is built.
 */

import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProtocolName } from '../../election/registry.ts';

/** The script that runs in the sandbox. */
export const SANDBOXED_SCRIPT = 'src/runtime/sandbox/sandboxed-definition.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const REGISTRY = 'src/election/registry.ts';
const SANDBOX_REGISTRY = 'src/runtime/sandbox/sandbox-registry.ts';
/** Imports of values from files of usurp. Those of types do not exist at run time. */
const IMPORT = /^(?:import|export) (?:(?:\{[^}]*\}|\*[^';]*) from )?'(\.[^']+)';$/gm;

export interface NeededSources {
  /** The files by their paths in the sandbox; all paths are relative to usurp. */
  readonly sources: ReadonlyMap<string, string>;
  /** Further arguments of the script: name and file of the protocol. */
  readonly args: readonly string[];
}

/** What the script needs beside this protocol; null stands for none. */
export function neededSources(around: ProtocolName | null): NeededSources {
  const file = around === null ? null : fileOfProtocol(around);
  const args =
    file === null || around === null ? [] : [around, posix.relative('src/election', file)];
  const key = args.join(' ');
  const sources = KEPT.get(key) ?? sourcesOf([SANDBOXED_SCRIPT, ...(file === null ? [] : [file])]);
  KEPT.set(key, sources);
  return { sources, args };
}

const KEPT = new Map<string, ReadonlyMap<string, string>>();

function sourcesOf(entries: readonly string[]): ReadonlyMap<string, string> {
  const found = new Set([REGISTRY, ...entries]);
  for (const file of found) {
    if (file !== REGISTRY) for (const each of importsOf(file)) found.add(each);
  }
  const sources = [...found].map((file) => [file, file] as const);
  return new Map([...sources, [REGISTRY, SANDBOX_REGISTRY], ['package.json', 'package.json']]);
}

/** The file that the registry imports this protocol from. */
function fileOfProtocol(name: ProtocolName): string {
  const file = importsOf(REGISTRY).find((each) => textOf(each).includes(`'${name}'`));
  if (file === undefined) throw new TypeError(`"name" expected a protocol of the lab, got ${name}`);
  return file;
}

function importsOf(file: string): readonly string[] {
  const folder = posix.dirname(file);
  return [...textOf(file).matchAll(IMPORT)].map(([, path = '']) => posix.join(folder, path));
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
