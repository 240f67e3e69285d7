/**
 * @module
 * The glossary of docs/glossary.md as data: a section has a table of terms and their meanings.
 */

import { readFileSync } from 'node:fs';

const GLOSSARY = new URL('../../../docs/glossary.md', import.meta.url);

export interface GlossaryEntry {
  /** The term in lower case, with hyphens in place of everything but letters and digits. */
  readonly name: string;
  readonly term: string;
  readonly meaning: string;
  /** Title of the section. */
  readonly section: string;
}

/** All entries, in the order of the document. */
export function readGlossary(): readonly GlossaryEntry[] {
  const [, ...sections] = readFileSync(GLOSSARY, 'utf8').split('\n## ');
  return sections.flatMap((text) => {
    const [section = '', ...lines] = text.split('\n');
    const rows = lines.flatMap((line) => [...line.matchAll(/^\| (.+?) \| (.+) \|$/g)]);
    return rows
      .filter(([, term = '']) => !HEADS.has(term) && !term.startsWith('---'))
      .map(([, term = '', meaning = '']) => ({ name: nameOf(term), term, meaning, section }));
  });
}

const HEADS: ReadonlySet<string> = new Set(['term', 'code']);

function nameOf(term: string): string {
  return term
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
