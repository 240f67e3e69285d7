/**
 * @module
 * What a submission imports: 'usurp' and files beside it. Each is an ES module or JSON, whatever it contains and whatever a
 * package.json says. A module in the older form of Node (CommonJS) has the loader itself as an object, by which it could
 * import everything, so that none is loaded.
 */

import { registerHooks } from 'node:module';
import { URL } from 'node:url';
import { LabError } from '../../errors.ts';
import { PUBLIC_MODULES, registerModuleHooks } from '../load/module-hooks.ts';

/** What a submission imports by name. */
const SUBMITTABLE = 'usurp';
/** How a file is loaded, by its ending. */
const FORMATS: Readonly<Record<string, string>> = {
  js: 'module',
  mjs: 'module',
  json: 'json',
  ts: 'module-typescript',
  mts: 'module-typescript',
};

/**
 * From now on this process imports only 'usurp', which must be loaded already, and files of this folder, whose URL ends
 * with a slash. The way of importing and the importing file do not matter.
 */
export function confineImports(folder: string): void {
  registerModuleHooks();
  const lab = PUBLIC_MODULES.get(SUBMITTABLE);
  if (lab === undefined) throw new TypeError(`"PUBLIC_MODULES" expected ${SUBMITTABLE}`);
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === SUBMITTABLE) return { url: lab, shortCircuit: true };
      // Before it is known whether there is such a file.
      if (!ownUrl(specifier, context.parentURL ?? folder).startsWith(folder)) refuse(specifier);
      const resolved = next(specifier, context);
      if (!resolved.url.startsWith(folder)) refuse(specifier);
      return { ...resolved, format: formatOf(resolved.url) };
    },
    load(url, context, next) {
      if (!url.startsWith(folder)) refuse(url);
      return next(url, { ...context, format: formatOf(url) });
    },
  });
}

/** The URL of a path or of a URL of a file; empty for other specifiers. */
function ownUrl(specifier: string, parent: string): string {
  const isPath = /^(\.{0,2}\/|file:)/.test(specifier);
  return isPath && URL.canParse(specifier, parent) ? new URL(specifier, parent).href : '';
}

function formatOf(url: string): string {
  const [, ending = ''] = /\.(\w+)(?:[?#].*)?$/.exec(url) ?? [];
  const format = FORMATS[ending];
  if (format !== undefined) return format;
  const endings = Object.keys(FORMATS).join(', ');
  const detail = `a submission may import only files with the endings ${endings}, and imports ${JSON.stringify(url)}`;
  throw new LabError('arguments', detail);
}

function refuse(specifier: string): never {
  const detail = `a submission may import only '${SUBMITTABLE}' and files beside it, and imports ${JSON.stringify(specifier)}`;
  throw new LabError('arguments', detail);
}
