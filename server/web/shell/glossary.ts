/**
 * @module
 * The terms of docs/glossary.md, which the server has beside its documents, and where a page first uses each of them.
 */

import type { Term } from '../documents/section.ts';

/** The first appearance of a term on a page. */
export interface Appearance {
  readonly term: Term;
  readonly range: Range;
}

/** What is operated, copied or drawn is not explained in place. */
const SKIPPED =
  'a, button, summary, select, textarea, code, pre, svg, .terms, label:has([type=radio])';

/** The terms by their names in lower case, and what finds them in a text. */
interface Glossary {
  readonly terms: ReadonlyMap<string, Term>;
  readonly pattern: RegExp;
}

let kept: Promise<Glossary> | null = null;

/** The glossary, which is loaded once. It has no terms if the documents are not built. */
export function loadGlossary(): Promise<Glossary> {
  kept ??= load().catch(() => ({ terms: new Map(), pattern: /$^/g }));
  return kept;
}

async function load(): Promise<Glossary> {
  const response = await fetch('docs/glossary.json');
  const list: readonly Term[] = await response.json();
  const terms = new Map(list.map((term) => [term.name.toLowerCase(), term]));
  // Longer terms first, so that "node ID" is not found as a shorter term within it.
  // One letter is a word, too, such as "a".
  const names = [...terms.keys()]
    .filter((name) => name.length > 1)
    .toSorted((left, right) => right.length - left.length);
  // A part of an identifier, such as verify-claim or given.protocol, is no word.
  const found = `(?<![\\w.-])(${names.join('|')})s?(?![\\w-]|\\.\\w)`;
  return { terms, pattern: new RegExp(found, 'gi') };
}

/** The first appearance of each term in an element, in the order of the page. */
export function appearancesIn(root: Element, { terms, pattern }: Glossary): readonly Appearance[] {
  const found = new Map<Term, Range>();
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.parentElement?.closest(SKIPPED) !== null) continue;
    for (const { 0: words, 1: name = '', index } of (node.nodeValue ?? '').matchAll(pattern)) {
      const term = terms.get(name.toLowerCase());
      // A code such as A1 is no word.
      const isOther = /\d/.test(name) && name !== term?.name;
      if (term === undefined || isOther || found.has(term)) continue;
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + words.length);
      if (range.getClientRects().length > 0) found.set(term, range);
    }
  }
  return [...found].map(([term, range]) => ({ term, range }));
}
