/**
 * @module
 * `npm run build:docs` renders the documents of the repository and the codes of errors as pages in build/docs, which the
 * server shows at /docs and /problems. marked parses them. A page has the style of the browser lab, and its only script is
 * the search.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

import { problemPage } from '../server/contract/problem.ts';
import type { Section } from '../server/web/documents/section.ts';
import { ERROR_CODES } from '../src/errors.ts';
import { REFUSAL_CODES } from '../src/identity/admit.ts';
import { escapeXml } from '../src/simulation/report/space-time/svg-elements.ts';
import { recordSources } from './build-record.ts';
import type { Page } from './document-page.ts';
import { framed, rendered, termsOf } from './document-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'build', 'docs');
const WEB = 'server/web';
const STYLES = ['style/base.css', 'style/parts.css', 'documents/documents.css'];
/** The sources besides the documents. */
const SOURCES = [
  ...STYLES.map((file) => `${WEB}/${file}`),
  ...[
    `${WEB}/documents/search.ts`,
    `${WEB}/documents/section.ts`,
    'bin/documents.ts',
    'bin/document-page.ts',
  ],
  ...['server/contract/problem.ts', 'src/errors.ts', 'src/identity/admit.ts'],
  'src/simulation/report/space-time/svg-elements.ts',
];
/** The folders in the order in which sections with equally good names are found. */
const SEARCHED = ['docs', 'docs/cli', '.', 'docs/handbook', 'docs/decisions'];
const GLOSSARY = 'docs/glossary.md';
const CODES: readonly string[] = [...ERROR_CODES, ...REFUSAL_CODES];
/** The groups of the index, each with the folder of its documents. */
const GROUPS = [
  ['usurp', '.'],
  ['Handbook', 'docs/handbook'],
  ['Subjects', 'docs'],
  ['Commands', 'docs/cli'],
  ['Decisions', 'docs/decisions'],
] as const;

await build();

async function build(): Promise<void> {
  const startedMs = Date.now();
  const files = documentFiles();
  const pages = files.map((file) => {
    return rendered({ file, text: readFileSync(join(ROOT, file), 'utf8'), files, codes: CODES });
  });
  rmSync(OUTPUT, { recursive: true, force: true });
  for (const page of pages) write(page.address, framed(page.title, page.html));
  write('/docs', framed('Documents', indexOf(pages)));
  write('/problems', framed('Error codes', problemIndex()));
  for (const code of CODES) write(`/problems/${code}`, framed(code, problemHtml(code, pages)));
  const sections = [
    ...pages.flatMap(termSections),
    ...CODES.map(problemSection),
    ...SEARCHED.flatMap((folder) =>
      pages.filter(({ file }) => posix.dirname(file) === folder),
    ).flatMap(sectionsOf),
  ];
  writeFileSync(join(OUTPUT, 'docs', 'search.json'), JSON.stringify(sections));
  const terms = termsOf(readFileSync(join(ROOT, GLOSSARY), 'utf8'));
  writeFileSync(join(OUTPUT, 'docs', 'glossary.json'), JSON.stringify(terms));
  const styles = STYLES.map((file) => readFileSync(join(ROOT, WEB, file), 'utf8'));
  writeFileSync(join(OUTPUT, 'docs', 'documents.css'), styles.join('\n'));
  cpSync(join(ROOT, WEB, 'icon.svg'), join(OUTPUT, 'docs', 'icon.svg'));
  const script = await rolldown({ input: join(ROOT, WEB, 'documents/search.ts') });
  await script.write({ file: join(OUTPUT, 'docs', 'search.js'), minify: true });
  for (const picture of new Set(pages.flatMap((page) => page.pictures))) {
    cpSync(join(ROOT, picture), join(OUTPUT, picture));
  }
  recordSources(
    OUTPUT,
    [...files, ...SOURCES].map((file) => join(ROOT, file)),
    startedMs,
  );
}

/** The documents, by their paths from the root of the repository: those at the top and those in docs. */
function documentFiles(): string[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name.replaceAll('\\', '/')))
    .filter((name) => name.endsWith('.md'));
  return [...top, ...below].toSorted();
}

function write(address: string, html: string): void {
  const file = join(OUTPUT, `${address}.html`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, html);
}

function indexOf(pages: readonly Page[]): string {
  const groups = GROUPS.map(([name, folder]) => {
    const items = pages
      .filter(({ file }) => posix.dirname(file) === folder)
      .map(({ address, title }) => `<li><a href="${address}">${escapeXml(title)}</a></li>`);
    return `<h2>${name}</h2><ul class="documents">${items.join('')}</ul>`;
  });
  const api =
    '<p>The <a href="/reference">reference of the HTTP API</a> has each operation, and the <a href="/problems">error codes</a> have a page each.</p>';
  return `<h1>Documents</h1>${api}${groups.join('')}`;
}

/** The sections of a page. Those of the glossary have no text, because each of its terms is a section of its own. */
function sectionsOf({ file, sections }: Page): readonly Section[] {
  return file === GLOSSARY ? sections.map((section) => ({ ...section, text: '' })) : sections;
}

/** Each term of the glossary as a section, with the address of its table. */
function termSections({ file, sections }: Page): readonly Section[] {
  if (file !== GLOSSARY) return [];
  const parts = readFileSync(join(ROOT, file), 'utf8').split(/^(?=#+ )/m);
  return parts.flatMap((part, index) => {
    const { address = '', page = '' } = sections[index] ?? {};
    return termsOf(part).map(({ name, meanings }): Section => {
      return { address, page, title: name, text: meanings.join(' ') };
    });
  });
}

function problemSection(code: string): Section {
  const { title, remedy } = problemPage(code);
  return { address: `/problems/${code}`, page: code, title: code, text: `${title}. ${remedy}` };
}

function problemIndex(): string {
  const rows = CODES.toSorted().map((code) => {
    const { status, title } = problemPage(code);
    return `<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeXml(title)}</td></tr>`;
  });
  return `<h1>Error codes</h1><section class="scrolling" tabindex="0" aria-label="Table of error codes"><table>
<thead><tr><th>Code</th><th>HTTP status</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

/** The page of an error code, with links to the sections that name it. */
function problemHtml(code: string, pages: readonly Page[]): string {
  const { status, title, remedy, refusedRequest } = problemPage(code);
  const [request = '', circumstances] = refusedRequest.split(/, (?=[a-z])/);
  const named = pages
    .flatMap(({ sections }) => sections)
    .filter(({ text }) => text.split(/[^\w.]+/).some((word) => word.replace(/\.$/, '') === code))
    .map(({ address, page, title: section }) => {
      return `<li><a href="${address}">${escapeXml(`${page}: ${section}`)}</a></li>`;
    });
  return `<h1>${escapeXml(title)}</h1>
<dl class="values"><div><dt>Code</dt><dd><code>${code}</code></dd></div>
<div><dt>HTTP status</dt><dd>${status}</dd></div>
<div><dt>What to do</dt><dd>${escapeXml(remedy).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</dd></div>
<div><dt>Example</dt><dd><code>${escapeXml(request)}</code>${escapeXml(circumstances === undefined ? '' : `, ${circumstances}`)}</dd></div></dl>
<h2>Documents</h2><ul>${named.join('')}</ul>`;
}
