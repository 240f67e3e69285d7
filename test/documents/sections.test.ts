/**
 * @module
 * The parts of the documents that are generated are up to date (`npm run docs`), every link leads
 * somewhere, and the README is short.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

import { CHECKED_PROPERTY_NAMES } from '../../src/checking/properties/registry.ts';
import { PROPERTY_NAMES } from '../../src/election/properties.ts';
import { ROOT } from '../cli/shell.ts';

import { anchorsOf, readDocuments } from './markdown.ts';
import { withSections } from './sections.ts';

const README_BYTES_MAX = 15_000;

describe.each(readDocuments().map((document) => [document.path, document] as const))(
  '%s',
  (path, { text, links, files }) => {
    it('has its generated parts as `npm run docs` writes them', async () => {
      expect(text).toBe(await withSections(text));
    });

    it('has links that lead somewhere', () => {
      expect(links.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
    });

    it('names files that exist', () => {
      expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    });
  },
);

describe('the documents', () => {
  it('begin with a short README', () => {
    expect(readFileSync(join(ROOT, 'README.md')).length).toBeLessThan(README_BYTES_MAX);
  });

  it('name every dependency', () => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = manifest;
    const all = { ...dependencies, ...optionalDependencies, ...devDependencies, ...overrides };
    const table = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
    const rows = table.split('\n').filter((line) => line.startsWith('| '));
    const named = rows.flatMap((row) => row.split('|')[1]?.trim().split(', ') ?? []);

    const packages = Object.keys(all).filter((name) => !name.startsWith('@types/'));
    expect(packages.filter((name) => !named.includes(name))).toEqual([]);
  });

  it('explain every property of an election', () => {
    const page = readFileSync(join(ROOT, 'docs/properties.md'), 'utf8');

    expect(PROPERTY_NAMES.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('explain every property of the checker', () => {
    const page = readFileSync(join(ROOT, 'docs/cli/check.md'), 'utf8');

    const named = page.match(/^\| `.*? \| (?:always|eventually|sometimes) \|/gm)?.join('') ?? '';
    expect(CHECKED_PROPERTY_NAMES.filter((name) => !named.includes(`\`${name}\``))).toEqual([]);
  });
});

/** Whether a relative link of a document names a file, and a heading in it if it names one. */
function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}
