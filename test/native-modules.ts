/**
 * @module
 * How the suites load modules.
 */

import { fileURLToPath } from 'node:url';

/**
 * Node loads the tests and the sources itself. By default vitest replaces each use of an import by a property of an object,
 * which costs searches and simulations up to a third of their time. Modules cannot be replaced (`vi.mock`) with this setting.
 */
export const NATIVE = { viteModuleRunner: false, nodeLoader: false };

/**
 * Tests start hundreds of threads and processes, in many folders. With a cache of compiled sources each takes half the
 * time.
 */
export const CACHED = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../node_modules/.cache/node-compile', import.meta.url),
  ),
};
