/**
 * @module
 * The report of the library in docs/library.md: the declarations of its modules, as `npm run build:package` has made them
 * (build/declarations). It changes only on purpose.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MODULES } from '../../bin/manifest.ts';
import { ROOT } from '../cli/shell.ts';

export const PAGE = 'docs/library.md';
const REPORT = /(<!-- declared -->\n).*(<!-- end -->)/s;

/** The page with the present declarations in the place of its report. */
export function reported(page: string): string {
  const modules = Object.entries(MODULES).map(([name, source]) => {
    const file = join(ROOT, 'build', 'declarations', source.replace(/\.ts$/, '.d.ts'));
    const text = readFileSync(file, 'utf8');
    const heading = `### usurp${name === 'index' ? '' : `/${name}`}`;
    return `${heading}\n\n${source.startsWith('src/library/') ? declared(text) : named(text)}\n`;
  });
  return page.replace(REPORT, (_, start, end) => `${start}\n${modules.join('\n')}\n${end}`);
}

/** What a module declares, without what it takes from others. */
function declared(text: string): string {
  const body = text
    .replace(/^\/\*\*\n \* @module.*?\*\/\n/s, '')
    .replaceAll(/^import .*\n/gm, '')
    .replaceAll(/^export \{\};\n/gm, '')
    .replaceAll(/^export (?:type )?\{ .*\n/gm, '')
    .replaceAll(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2))
    .replaceAll(/^\/\*\*/gm, '\n/**');
  return `\`\`\`ts\n${body.trim()}\n\`\`\``;
}

/** The names that a module exports. Its types are in the declarations of the package. */
function named(text: string): string {
  const lists = [...text.matchAll(/^export (?:type )?\{ ([^}]+) \}/gm)].map(
    ([, list = '']) => list,
  );
  const own = [...text.matchAll(/^export (?:declare )?(?:function|interface|const) (\w+)/gm)];
  const names = [...lists.join(',').split(/,\s*/), ...own.map(([, name = '']) => name)];
  return names
    .filter((name) => name !== '')
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(' · ');
}
