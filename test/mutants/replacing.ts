/**
 * @module
 * Replaces one source in the module graph of a thread.
 */

import { registerHooks } from 'node:module';

/** A module, and its source instead of the one in its file. */
export interface Replacement {
  readonly url: string;
  readonly source: string;
}

/** Replaces the source in all imports from now on. Returns a function that says whether the module was imported. */
export function replaceSource(replaced: Replacement | null): () => boolean {
  let loaded = false;
  registerHooks({
    load(url, context, nextLoad) {
      if (replaced === null || url !== replaced.url) return nextLoad(url, context);
      loaded = true;
      return { format: 'module-typescript', source: replaced.source, shortCircuit: true };
    },
  });
  return () => loaded;
}
