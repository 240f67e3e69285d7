/**
 * @module
 * One document as HTML. Links to other documents lead to their pages, and codes of errors to theirs. A link to a file that is
 * not served is its text. HTML in a document stays text, except comments, which are left out.
 */

import { posix } from 'node:path';
import type { Parser, Token, Tokens } from 'marked';
import { Marked } from 'marked';

import type { Section, Term } from '../server/web/documents/section.ts';
import { escapeXml } from '../src/simulation/report/space-time/svg-elements.ts';

export interface Page {
  /** The document, from the root of the repository. */
  readonly file: string;
  readonly address: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** The pictures in it, from the root of the repository. */
  readonly pictures: readonly string[];
}

interface Source {
  readonly file: string;
  readonly text: string;
  /** All documents. */
  readonly files: readonly string[];
  /** The codes of errors. */
  readonly codes: readonly string[];
}

/** The page of a document in Markdown. */
export function rendered(source: Source): Page {
  const { file, text } = source;
  const address = addressOf(file);
  const pictures: string[] = [];
  const marked = new Marked({ gfm: true, renderer: rendererOf(source, pictures) });
  const tokens = marked.lexer(text);
  const headings = tokens.filter(isHeading);
  const title = file === 'README.md' ? 'Overview' : plainText(headings[0]?.text ?? file);
  const parts = contents(headings.filter(({ depth }) => depth === 2));
  const html = marked.parser(tokens).replace('</h1>', () => `</h1>${parts}`);
  return { file, address, title, html, pictures, sections: sectionsOf(text, { address, title }) };
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** `/docs/cli/serve` for docs/cli/serve.md, and the name of the folder for its README. */
function addressOf(file: string): string {
  const path = file.replace(/^docs\//, '').replace(/\.md$/, '');
  return `/docs/${path.includes('/') ? path.replace(/\/README$/, '') : path.toLowerCase()}`;
}

function rendererOf({ file, files, codes }: Source, pictures: string[]) {
  const anchors = new Anchors();
  const resolve = (target: string) => posix.join(posix.dirname(file), target);
  return {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (text.startsWith('<!--') ? '' : escapeXml(text)),
    heading(this: { parser: Parser }, { depth, text, tokens }: Tokens.Heading) {
      const content = this.parser.parseInline(tokens);
      return `<h${depth} id="${anchors.next(text)}">${content}</h${depth}>\n`;
    },
    link(this: { parser: Parser }, { href, tokens }: Tokens.Link) {
      const content = this.parser.parseInline(tokens);
      const [path = '', anchor] = href.split('#', 2);
      const ending = anchor === undefined ? '' : `#${anchor}`;
      const linked = path === '' ? file : resolve(path);
      // A link to a folder leads to the page of its README.
      const target = [linked, `${linked}/README.md`].find((each) => files.includes(each));
      if (/^https?:/.test(href))
        return `<a href="${escapeXml(href)}" rel="noreferrer">${content}</a>`;
      return target === undefined
        ? content
        : `<a href="${addressOf(target)}${ending}">${content}</a>`;
    },
    image({ href, text }: Tokens.Image) {
      const picture = resolve(href);
      pictures.push(picture);
      return `<img src="/${picture}" alt="${escapeXml(text)}" loading="lazy">`;
    },
    codespan({ text }: Tokens.Codespan) {
      const code = `<code>${escapeXml(text)}</code>`;
      // The other codes are ordinary words.
      const isCode = /[._]/.test(text) && codes.includes(text);
      return isCode ? `<a href="/problems/${text}">${code}</a>` : code;
    },
    code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeXml(text)}</code></pre>\n`,
    table(this: { parser: Parser }, { header, rows }: Tokens.Table) {
      const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
        `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>`;
      const label = `Table of ${header.map(({ text }) => plainText(text)).join(', ')}`;
      return `<section class="scrolling" tabindex="0" aria-label="${escapeXml(label)}"><table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></section>\n`;
    },
  };
}

/** The links to the headings of a page. A short page has none. */
function contents(headings: readonly { readonly text: string }[]): string {
  if (headings.length < 3) return '';
  const anchors = new Anchors();
  const items = headings.map(({ text }) => {
    return `<li><a href="#${anchors.next(text)}">${escapeXml(plainText(text))}</a></li>`;
  });
  return `<details class="contents"><summary>On this page</summary><ul>${items.join('')}</ul></details>`;
}

/** The parts of a document, each below a heading. */
function sectionsOf(text: string, { address, title: page }: Pick<Page, 'address' | 'title'>) {
  const anchors = new Anchors();
  const withoutComments = text.replaceAll(/^<!--.*?-->\n/gms, '');
  // A `#` in a code block is no heading.
  const parts = withoutComments.split(/(^```.*?^```$)/ms).flatMap((part, index) => {
    return index % 2 === 1 ? [part] : part.split(/^(?=#{1,6} )/m);
  });
  const sections: Section[] = [];
  for (const part of parts) {
    const [, heading, body = ''] = /^#{1,6} ([^\n]*)(.*)$/s.exec(part) ?? [null, null, part];
    const words = body
      // The output of a command is not searched, but the command is.
      .replaceAll(/(?<=^```console$).*?(?=^```$)/gms, (block) =>
        block.replaceAll(/^(?!\$ ).*$/gm, ''),
      )
      // Neither the targets of links nor measured numbers in tables are searched.
      .replaceAll(/\[([^\]]*)\]\([^)\s]*\)/g, '$1')
      .replaceAll(/\| [≤≥<> ]*\d+\.\d[^|\n]*(?=\|)/g, ' ')
      .replaceAll(/[`*|]|^[-: ]+$/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const last = sections.at(-1);
    if (heading !== null && heading !== undefined) {
      const anchor = `${address}#${anchors.next(heading)}`;
      sections.push({ address: anchor, page, title: plainText(heading), text: words });
    } else if (last !== undefined) {
      sections.splice(-1, 1, { ...last, text: `${last.text} ${words}` });
    }
  }
  const [, opening] = OPENINGS.find(([folder]) => address.startsWith(folder)) ?? [];
  return sections.map((section) => ({ ...section, text: section.text.slice(0, opening) }));
}

/**
 * Documents that are found by their headings and how each section begins, in characters: the chapters explain what other
 * documents state, and results are mostly numbers.
 */
const OPENINGS: readonly (readonly [address: string, characters: number])[] = [
  ['/docs/handbook', 60],
  ['/docs/papers', 300],
  ['/docs/decisions', 300],
];

/** The anchors of headings, as GitHub makes them. A heading that is there twice gets a number. */
class Anchors {
  readonly #used = new Map<string, number>();

  next(heading: string): string {
    const anchor = plainText(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = this.#used.get(anchor) ?? 0;
    this.#used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

/** The text of a heading without its marks. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
}

/** The terms of a glossary: each row of its tables has a term and its meaning. */
export function termsOf(glossary: string): readonly Term[] {
  const terms = new Map<string, Term>();
  for (const [, names = '', meaning = ''] of glossary.matchAll(TERM_ROW)) {
    for (const each of names.replaceAll(/ \(.*\)|`/g, '').split(', ')) {
      const name = each.replace(/^to /, '');
      const meanings = [...(terms.get(name)?.meanings ?? []), meaning.replaceAll('`', '')];
      terms.set(name, { name, meanings });
    }
  }
  return [...terms.values()];
}

const TERM_ROW = /^\| (?!(?:term|code|-+) \|)([^|]+) \| (.+) \|$/gm;

/** A page with its head and its navigation. */
export function framed(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)} · usurp</title>
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/documents.css">
<script type="module" src="/docs/search.js"></script>
</head>
<body>
<header class="top">
<a class="logo" href="/">usurp</a>
<nav aria-label="Documents"><ul>
<li><a href="/">Lab</a></li>
<li><a href="/docs">Documents</a></li>
<li><a href="/docs/glossary">Glossary</a></li>
<li><a href="/reference">API</a></li>
</ul></nav>
</header>
<main class="document">
<search><label>Search the documents<input type="search" id="search" autocomplete="off"></label>
<p id="found" role="status"></p>
<ol id="results"></ol></search>
<article>${content}</article>
</main>
</body>
</html>
`;
}
