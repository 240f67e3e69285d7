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

/** A term of the glossary. A word with two meanings has one sentence for each. */
export interface Term {
  readonly name: string;
  readonly meanings: readonly string[];
}
