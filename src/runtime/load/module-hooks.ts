/**
 * @module
 * How files of the user are imported. 'usurp' resolves to the running installation, wherever the file is.
 * The hooks keep the digest of the bytes of each file that runs.
 */

import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALLATION = new URL('../../../', import.meta.url).href;
/** What files of the user import, by name. */
export const PUBLIC_MODULES: ReadonlyMap<string, string> = new Map([
  ['usurp', new URL('./usurp.ts', import.meta.url).href],
  ['usurp/testing', new URL('./testing.ts', import.meta.url).href],
]);
const DIGEST_CHARACTERS = 16;

/** Digest of the bytes of each file that was loaded, by URL. */
const DIGESTS = new Map<string, string>();
let areRegistered = false;

/** Registers the hooks of this thread. A second call does nothing. */
export function registerModuleHooks(): void {
  if (areRegistered) return;
  areRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      const url = PUBLIC_MODULES.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const isOfUser = url.startsWith('file:') && !url.startsWith(`${INSTALLATION}src/`);
      if (isOfUser && !url.includes('/node_modules/') && loaded.source != null) {
        const { source } = loaded;
        // A source that is not text is bytes.
        const bytes = typeof source === 'string' ? source : Buffer.from(source as Uint8Array);
        DIGESTS.set(url, createHash('sha256').update(bytes).digest('hex'));
      }
      return loaded;
    },
  });
}

/** The URLs of the files that the hooks have seen. */
export function seenFiles(): ReadonlySet<string> {
  return new Set(DIGESTS.keys());
}

/**
 * Digest of the bytes of an entry file and of the files that were loaded with it, and of the paths of these
 * files relative to the entry. The name and the folder of the entry do not count.
 */
export function digestOf(entry: string, files: readonly string[]): string {
  const folder = dirname(fileURLToPath(entry));
  const named = [...new Set([entry, ...files])].map((url) => {
    const path = url === entry ? '' : relative(folder, fileURLToPath(url)).replaceAll(sep, '/');
    return `${path}\0${DIGESTS.get(url) ?? ''}`;
  });
  return createHash('sha256')
    .update(named.sort().join('\n'))
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS);
}
