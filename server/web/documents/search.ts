/**
 * @module
 * The search of the documents at /docs. The index has the text of every section, and is loaded when the reader types. A
 * section is found if it contains each word. The words are in the address, so that a search can be shared.
 */

import type { Section } from './section.ts';
import { matching } from './section.ts';

const RESULTS_MAX = 30;
/** Characters that a result shows before and after the first word. */
const AROUND = 90;

const input = document.querySelector<HTMLInputElement>('#search');
const found = document.querySelector('#found');
const results = document.querySelector('#results');

let index: Promise<readonly Section[]> | null = null;

if (input !== null) {
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  input.addEventListener('input', () => void search(input));
  void search(input);
}

async function search(field: HTMLInputElement): Promise<void> {
  const asked = field.value;
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const query = words.length === 0 ? '' : `?${new URLSearchParams({ q: asked })}`;
  history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  index ??= words.length === 0 ? null : loadIndex();
  const matches = words.length === 0 || index === null ? [] : matching(await index, words);
  // The reader has typed more meanwhile.
  if (field.value !== asked) return;
  const count = `${matches.length} ${matches.length === 1 ? 'section' : 'sections'}`;
  const more = matches.length > RESULTS_MAX ? `, the first ${RESULTS_MAX} are shown` : '';
  found?.replaceChildren(words.length === 0 ? '' : `${count}${more}`);
  results?.replaceChildren(
    ...matches.slice(0, RESULTS_MAX).map((match) => resultOf(match, words[0] ?? '')),
  );
}

async function loadIndex(): Promise<readonly Section[]> {
  const response = await fetch(new URL('search.json', import.meta.url));
  return response.ok ? response.json() : [];
}

function resultOf({ address, page, title, text }: Section, word: string): HTMLLIElement {
  const link = document.createElement('a');
  // A lab without a server has addresses from the folder of this script.
  link.href = new URL(address, import.meta.url).href;
  link.textContent = page === title ? page : `${page}: ${title}`;
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const from = at < AROUND ? 0 : text.indexOf(' ', at - AROUND);
  const to = text.indexOf(' ', at + AROUND);
  const excerpt = document.createElement('p');
  const shown = to < 0 ? text.slice(from) : `${text.slice(from, to)} …`;
  excerpt.textContent = from > 0 ? `…${shown}` : shown;
  const item = document.createElement('li');
  item.append(link, excerpt);
  return item;
}
