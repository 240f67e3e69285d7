/**
 * @module
 * The README's tables are written by hand: here they are compared with the lists that the code reads.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { ALGORITHM_NAMES, ALGORITHMS } from '../src/election/registry.ts';
import { SCENARIOS } from '../src/simulation/scenarios/registry.ts';

const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('README tables', () => {
  it('list every protocol with its family and whether it needs FIFO links', () => {
    const listed = rowsUnder('name').map(([name = '', family, , source = '']) => {
      return { name: unquoted(name), family: family?.toLowerCase(), fifo: /\bFIFO\b/.test(source) };
    });

    const registered = ALGORITHM_NAMES.map((name) => {
      const { family, fifo } = ALGORITHMS[name];
      return { name, family, fifo };
    });
    expect(listed).toEqual(registered);
  });

  it('list every scenario', () => {
    const listed = rowsUnder('scenario').map(([name = '']) => unquoted(name));

    expect(listed).toEqual(SCENARIOS.map(({ name }) => name));
  });
});

/** The cells of the one table whose first column has this title. */
function rowsUnder(title: string): string[][] {
  const lines = text.split('\n');
  const isHead = (line: string) => cellsOf(line)[0] === title;
  expect(lines.filter(isHead)).toHaveLength(1);
  const body = lines.slice(lines.findIndex(isHead) + 2);
  return body
    .slice(
      0,
      body.findIndex((line) => !line.startsWith('|')),
    )
    .map(cellsOf);
}

function cellsOf(line: string): string[] {
  return line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : [];
}

function unquoted(name: string): string {
  return name.replaceAll('`', '');
}
