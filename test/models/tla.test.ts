/**
 * @module
 * The TLA+ models as text: each is one module, its brackets and its lists of conjuncts are balanced, and all that it
 * names is declared. No tool of TLA+ is needed here. What the models say is compared with the checker by their twins in
 * Promela (models.test.ts).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('.', import.meta.url);
const MODELS = readdirSync(FOLDER).filter((name) => name.endsWith('.tla'));

/** The text of a model without comments and strings, with all columns. */
function sourceOf(text: string): string {
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  return text
    .replace(/\(\*[\s\S]*?\*\)/g, blank)
    .replace(/\\\*.*/g, blank)
    .replace(/"[^"\n]*"/g, (part) => '0'.padEnd(part.length));
}

const KEYWORDS = [
  ...[
    'MODULE',
    'EXTENDS',
    'CONSTANTS',
    'VARIABLES',
    'RECURSIVE',
    'LET',
    'IN',
    'IF',
    'THEN',
    'ELSE',
  ],
  ...[
    'CASE',
    'OTHER',
    'EXCEPT',
    'CHOOSE',
    'UNCHANGED',
    'DOMAIN',
    'SUBSET',
    'TRUE',
    'FALSE',
    'BOOLEAN',
  ],
];

/** What the extended modules declare. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  Integers: ['Int', 'Nat'],
  Sequences: ['Seq', 'Append', 'Head', 'Tail', 'Len', 'SubSeq', 'SelectSeq'],
  FiniteSets: ['Cardinality', 'IsFiniteSet'],
};

/** Names that the model declares: constants, variables, operators, parameters and bound names. */
function declaredIn(source: string): Set<string> {
  const names = (text: string) => text.match(/[A-Za-z]\w*/g) ?? [];
  const lists = [
    ...source.matchAll(/\b(?:CONSTANTS|VARIABLES)\s+([\w\s,]*?)(?=\n\s*\n|\n\w|\n\()/g),
    ...source.matchAll(/\b(?:\\[AE]|CHOOSE)\s*([\w\s,]+?)\s*(?:\\in|:)/g),
    ...source.matchAll(/\\[AE]([\w\s,\\]+?):/g),
    ...source.matchAll(/[[{]\s*(\w+)\s*\\in/g),
    ...source.matchAll(/,\s*(\w+)\s*\\in/g),
    ...source.matchAll(/CHOOSE\s+(\w+)/g),
    ...source.matchAll(/(\w+(?:\([\w\s,]*\))?)\s*==/g),
  ].flatMap(([, list = '']) => names(list.replace(/\\in\s+\w+/g, '')));
  const extended = names(/EXTENDS(.*)/.exec(source)?.[1] ?? '');
  return new Set([...lists, ...extended, ...extended.flatMap((name) => MODULES[name] ?? [])]);
}

/** Names that are used and not declared. */
function undeclaredIn(source: string): string[] {
  const declared = declaredIn(source);
  const body = source.replace(/-+ MODULE \w+ -+/, '');
  const used = [...body.matchAll(/(\\|\.|!\.)?\b([A-Za-z]\w*)\b(?!\s*\|->)/g)].flatMap(
    ([, before, name = '']) => (before === undefined ? [name.replace(/^[WS]F_/, '')] : []),
  );
  return [...new Set(used)].filter((name) => !declared.has(name) && !KEYWORDS.includes(name));
}

/** The first bracket without its other one; null if all have one. */
function openBracketIn(source: string): string | null {
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>>': '<<' };
  const open: string[] = [];
  for (const [bracket] of source.matchAll(/<<|>>|[()[\]{}]/g)) {
    const wanted = pairs[bracket];
    if (wanted === undefined) open.push(bracket);
    else if (open.pop() !== wanted) return bracket;
  }
  return open[0] ?? null;
}

/** Lines whose conjunct or disjunct stands in the column of no list that is open. */
function misalignedIn(source: string): number[] {
  const lists: number[] = [];
  return source.split('\n').flatMap((line, index) => {
    // A definition begins at the left.
    if (/^\S/.test(line)) lists.length = 0;
    const first = line.search(/\S/);
    let isClosed = false;
    while (first >= 0 && (lists.at(-1) ?? -1) > first) {
      lists.pop();
      isClosed = true;
    }
    const isBullet = /^\s*(?:\/\\|\\\/)/.test(line);
    const isWrong = isBullet && isClosed && lists.at(-1) !== first;
    if (isBullet && lists.at(-1) !== first) lists.push(first);
    // A list may begin after other text of a line.
    for (const { index: at } of line.matchAll(
      /(?<=(?:==|=>|[(:]|IN|THEN|ELSE)\s+|\()(?:\/\\|\\\/)/g,
    )) {
      if (at > (lists.at(-1) ?? -1)) lists.push(at);
    }
    return isWrong ? [index + 1] : [];
  });
}

function faultsOf(name: string, text: string): readonly unknown[] {
  const source = sourceOf(text);
  const isModule = new RegExp(`^-{4,} MODULE ${name} -{4,}\n[\\s\\S]*\n={4,}\n$`).test(text);
  const variables = /^VARIABLES([\s\S]*?)\n\n/m.exec(source)?.[1]?.match(/\w+/g) ?? [];
  const initial = /^Init ==([\s\S]*?)\n\n/m.exec(source)?.[1] ?? '';
  return [
    ...(isModule ? [] : ['no module of this name']),
    ...undeclaredIn(source).map((each) => `not declared: ${each}`),
    ...misalignedIn(source).map((line) => `line ${line} is in no list`),
    ...[openBracketIn(source) ?? []].flat().map((each) => `open: ${each}`),
    ...(variables.length === 0 ? ['no variables'] : []),
    ...variables.filter((each) => !new RegExp(`/\\\\ ${each} =`).test(initial)),
  ];
}

describe('a TLA+ model', () => {
  it.each(MODELS)('%s is well formed', (file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');

    expect(faultsOf(file.replace('.tla', ''), text)).toEqual([]);
  });

  it.each([
    ['MODULE BullyOneshot', 'MODULE Bully', 'no module of this name'],
    ['/\\ phase = ', '/\\ phases = ', 'not declared: phases'],
    ['  /\\ crashes = Crash', '    /\\ crashes = Crash\n   /\\ TRUE', /line \d+ is in no list/],
    ['link[<<from, me>>] # <<>>', 'link[<<from, me>] # <<>>', /^open: /],
    ['fires >', 'shots >', 'not declared: shots'],
  ] as const)('is not well formed with %j as %j', (from, to, fault) => {
    const text = readFileSync(new URL('BullyOneshot.tla', FOLDER), 'utf8');

    const faults = faultsOf(
      'BullyOneshot',
      text.replace(from, () => to),
    );

    const shown = faults.map(String);
    expect(shown).toContainEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
  });
});
