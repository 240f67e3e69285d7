/**
 * @module
 * How files of the user are imported. 'usurp' resolves to the running installation, wherever the file is.
 * The hooks keep the digest of the bytes of each file that runs.
 */

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LabError } from '../../errors.ts';

/** The sources and dependencies of the lab, which no digest covers. */
const LAB_FOLDERS = ['src/', 'server/', 'build/', 'node_modules/'].map(
  (folder) => new URL(`../../../${folder}`, import.meta.url).href,
);
/** What files of the user import, by name. */
export const PUBLIC_MODULES: ReadonlyMap<string, string> = new Map([
  ['usurp', new URL('./usurp.ts', import.meta.url).href],
  ['usurp/operation', new URL('./operation.ts', import.meta.url).href],
  ['usurp/testing', new URL('./testing.ts', import.meta.url).href],
]);
const DIGEST_CHARACTERS = 16;

/** Digest of the bytes of each file that was loaded, by URL. */
const DIGESTS = new Map<string, string>();
/** The URLs that each file imports, by the URL of the file. */
const IMPORTS = new Map<string, Set<string>>();
let areRegistered = false;
let areSealed = false;

/** Registers the hooks of this thread. A second call does nothing. */
export function registerModuleHooks(): void {
  if (areRegistered) return;
  areRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      const url = PUBLIC_MODULES.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      const resolved = next(specifier, context);
      const from = context.parentURL ?? '';
      if (areSealed && DIGESTS.has(from) && isOfUser(resolved.url) && !DIGESTS.has(resolved.url)) {
        const detail = `${fileURLToPath(from)} imports ${specifier} after it was loaded, so that no digest covers it; import it at the top of the file`;
        throw new LabError('arguments', detail);
      }
      IMPORTS.set(from, (IMPORTS.get(from) ?? new Set()).add(resolved.url));
      return resolved;
    },
    load(url, context, next) {
      const format = isOfUser(url) ? formatOf(url) : undefined;
      const loaded = next(url, format === undefined ? context : { ...context, format });
      if (isOfUser(url) && loaded.source != null) {
        const { source } = loaded;
        // A source that is not text is bytes.
        const bytes = typeof source === 'string' ? source : Buffer.from(source as Uint8Array);
        DIGESTS.set(url, createHash('sha256').update(bytes).digest('hex'));
        if (format === 'module') {
          return { ...loaded, source: stripTypeScriptTypes(bytes.toString(), { sourceUrl: url }) };
        }
      }
      return loaded;
    },
  });
}

/**
 * The format of a TypeScript file, which is a module whatever a package.json says: `npm init` writes "commonjs". Below
 * node_modules Node strips no types, so that the file is loaded as JavaScript. Undefined for other files.
 */
function formatOf(url: string): string | undefined {
  if (!/\.m?ts$/.test(url)) return undefined;
  return url.includes('/node_modules/') ? 'module' : 'module-typescript';
}

/** Whether a file is neither of the lab nor of its packages. */
export function isOfUser(url: string): boolean {
  return url.startsWith('file:') && !LAB_FOLDERS.some((folder) => url.startsWith(folder));
}

/** From now on files of the user may import only files that are loaded already. */
export function sealImports(): void {
  areSealed = true;
}

/** Whether a file of the user was loaded. */
export function hasUserFiles(): boolean {
  return DIGESTS.size > 0;
}

/** File, line and column of the first frame of an error, if it is in a file of the user. Else null. */
export function userFrame({ stack = '' }: Error): string | null {
  const [, url = '', position = ''] = /(file:[^\s()]+?)((?::\d+)+)/.exec(stack) ?? [];
  return DIGESTS.has(url) ? `${fileURLToPath(url)}${position}` : null;
}

/** The URLs of a file and of all files of the user that it imports, directly or not. */
function filesOf(entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const url of found) {
    for (const imported of IMPORTS.get(url) ?? []) if (DIGESTS.has(imported)) found.add(imported);
  }
  return [...found];
}

/**
 * Digest of the bytes of an entry file and of the files that it imports, and of the paths of these files
 * relative to the entry. The name and the folder of the entry do not count, nor does what was loaded before.
 */
export function digestOf(entry: string): string {
  const folder = dirname(fileURLToPath(entry));
  const named = filesOf(entry).map((url) => {
    const path = url === entry ? '' : relative(folder, fileURLToPath(url)).replaceAll(sep, '/');
    return `${path}\0${DIGESTS.get(url) ?? ''}`;
  });
  return createHash('sha256')
    .update(named.sort().join('\n'))
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS);
}
