/**
 * @module
 * Output that goes to another program: tables in lines of 80 characters, and lines of progress.
 */

import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';

import { fittedColumns, textColumns } from '../../src/cli/shell/layout.ts';
import { processTerminal } from '../../src/cli/shell/terminal.ts';
import { printable } from '../../src/printable.ts';

const widthOf = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

describe('a table', () => {
  it('with a text has no line that is too long, however many columns stand before it', () => {
    const times = '2026-10-15 23:59, hidden until 2026-10-01 08:00';
    const rows = [
      ['exercise', 'difficulty', 'points', 'deadline (Europe/Berlin)', 'requires', 'task'],
      ['eclipse-successors', '4', '40', times, 'mine-claim, worst-ring', 'Surround a node'],
      ['mine-claim', '1', '10', times, '', 'Mine a claim'],
    ];

    const text = textColumns(rows);

    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${times}; mine-claim, worst-ring; Surround a`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${times}; Mine a claim`);
  });

  it('has a text of several lines in one column, and shows invisible characters', () => {
    const text = textColumns([['comment', 'oral\nexam']]);

    expect(text).toBe('comment  oral\n         exam\n');
    expect(printable('a\u2028b\u200bc\n')).toBe('a\\u2028b\\u200bc\n');
  });

  it('stands in lines that it fits, however short the room for its text is', () => {
    const row = ['count-messages', ...Array.from({ length: 8 }, () => '12345'), '1: 20'];

    expect(textColumns([row])).toBe(`${row.join('  ')}\n`);
  });

  it('has its first column on lines of its own if they are too long together', () => {
    const name = 'n'.repeat(70);

    expect(fittedColumns([['ann', 'mine-claim', '3/5']])).toBe('ann  mine-claim  3/5\n');
    expect(
      fittedColumns([
        ['ann', 'mine-claim', '3/5'],
        [name, 'ring', '10/40'],
      ]),
    ).toBe(`ann\n    mine-claim  3/5\n${name}\n    ring        10/40\n`);
  });
});

describe('progress without a terminal', () => {
  it('ends with its last line if an earlier one was printed', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const linesAfter = (ms: number) => {
      const stderr = new PassThrough();
      const streams = { stdout: process.stdout, stderr, stdin: process.stdin };
      const signal = new AbortController().signal;
      clock.mockReturnValue(0);
      // A stream without a terminal is enough.
      const { progress } = processTerminal(streams as unknown as typeof process, {
        ...{ isQuiet: false, signal },
      });
      clock.mockReturnValue(ms);
      progress(() => 'runs: 1 of 2');
      progress(() => 'runs: 2 of 2', true);
      return String(stderr.read() ?? '');
    };

    expect([linesAfter(1000), linesAfter(3000)]).toEqual(['', 'runs: 1 of 2\nruns: 2 of 2\n']);
    clock.mockRestore();
  });
});
