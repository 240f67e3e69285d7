/**
 * @module
 * The tables of the documents are compared with the lists that the code reads.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DETECTORS_BESIDE } from '../../src/cli/elect/detector.ts';
import { DETECTOR_NAMES, DETECTORS } from '../../src/election/detectors/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { SCENARIOS } from '../../src/simulation/scenarios/registry.ts';
import { cellOf } from '../simulation/fault-matrix/cells.ts';
import { ROW_NAMES } from '../simulation/fault-matrix/rows.ts';

const text = ['protocols', 'detectors', 'faults', 'scenarios']
  .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('\n');

describe('tables', () => {
  it('list every protocol with its family and whether it needs FIFO links', () => {
    const listed = rowsUnder('name').map(([name = '', family, , source = '']) => {
      return { name: unquoted(name), family: family?.toLowerCase(), fifo: /\bFIFO\b/.test(source) };
    });

    const registered = PROTOCOL_NAMES.map((name) => {
      const { family, fifo } = PROTOCOLS[name];
      return { name, family, fifo };
    });
    expect(listed).toEqual(registered);
  });

  it('list every detector, with its messages and the year of its source', () => {
    const listed = rowsUnder('detector').map(([name = '', , messages = '', source = '']) => {
      return { name: unquoted(name), messages, year: /\d{4}/.exec(source)?.[0] };
    });

    const beside = DETECTORS_BESIDE.map((name) => ({ name, messages: 'none', year: undefined }));
    const onNodes = DETECTOR_NAMES.map((name) => {
      const { messageBound, source } = DETECTORS[name];
      return { name, messages: amountIn(messageBound), year: /\d{4}/.exec(source)?.[0] };
    });
    expect(listed).toEqual([...beside, ...onNodes]);
  });

  it('say what the fault matrix says', () => {
    const listed = rowsUnder('fault').map(([row = '', ...cells]) => [unquoted(row), ...cells]);

    const columns = ['cr-join', 'bully-oneshot', 'raft', 'quorum-lease', 'db-lease'] as const;
    const run = ROW_NAMES.map((row) => [
      row,
      ...columns.map((column) => {
        const { expected, breaks } = cellOf(row, column);
        return [expected, ...breaks].join(' ');
      }),
    ]);
    expect(listed).toEqual(run);
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

/** Of a bound such as `n(n−1) a period, with tables`: the formula, with a minus set apart. */
function amountIn(messageBound: string): string {
  const [amount = ''] = messageBound.split(' a period');
  return amount === '0' ? 'none' : amount.replace('−', ' − ');
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
