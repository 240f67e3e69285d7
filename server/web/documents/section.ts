/**
 * @module
 * This folder has the search of the documents and their style. bin/documents.ts makes the pages, the
 * index of the search and the terms of the glossary.
 */

/** What the search finds: a part of a page below one heading. */
export interface Section {
  readonly address: string;
  /** Title of the page. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** The sections with all words, first those with these words as their name: a page, then a term or a heading. */
export function matching(sections: readonly Section[], words: readonly string[]): Section[] {
  const asked = nameOf(words.join(' '));
  const found = sections.flatMap((section) => {
    const [page, title] = [nameOf(section.page), nameOf(section.title)];
    const text = section.text.toLowerCase();
    const hasAll = (part: string) => words.every((word) => part.includes(word));
    if (!hasAll(`usurp ${page} ${title} ${text}`)) return [];
    const isNamed = title === asked;
    const tests = [isNamed && page === title, isNamed, hasAll(title), hasAll(`${page} ${title}`)];
    // Below the names, the section that has the words most often comes first.
    const uses = words.reduce((sum, word) => sum + text.split(word).length, 0);
    const rank = tests.indexOf(true);
    return [{ section, rank: rank < 0 ? tests.length + 1 / (1 + uses) : rank }];
  });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ section }) => section);
}

/** The page of a verb has its name. */
function nameOf(title: string): string {
  return title.toLowerCase().replace(/^usurp /, '');
}

/** A term of the glossary. A word with two meanings has one sentence for each. */
export interface Term {
  readonly name: string;
  readonly meanings: readonly string[];
}
