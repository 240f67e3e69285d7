/**
 * @module
 * Node loads the tests and the sources itself. By default vitest replaces each use of an import by a property of an object,
 * which costs searches and simulations up to a third of their time. Modules cannot be replaced (`vi.mock`) with this setting.
 */

export const NATIVE = { viteModuleRunner: false, nodeLoader: false };
