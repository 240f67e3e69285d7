/**
 * @module
 * A report as text for a terminal, and as a page that loads nothing.
 */

import { htmlPage, tableSection } from '../../experiment/charts/draw-sweep.ts';
import type { Block, Report } from '../../operations/report.ts';
import { columns, textColumns } from '../shell/layout.ts';

/** The blocks one below the other, then the command that computes them again, in one line to copy. */
export function reportText(report: Report, replay: string): string {
  const blocks = report.map((block, index) => {
    return `${index === 0 || isSentence(report[index - 1]) ? '' : '\n'}${textOf(block)}`;
  });
  return `${blocks.join('')}\nreplay  ${replay}\n`;
}

function isSentence(block: Block | undefined): boolean {
  return block?.type === 'sentence';
}

function textOf(block: Block): string {
  switch (block.type) {
    case 'sentence':
      return `${block.text}\n`;
    case 'facts':
      return textColumns(block.rows.map((row) => [...row]));
    case 'table': {
      const head = block.columns.map(({ name }) => name);
      return columns([head, ...block.rows]);
    }
    case 'lines':
      return block.lines.map((line) => `${line}\n`).join('');
    case 'suggestions':
      return `${block.title}:\n${block.suggestions.map(({ text }) => `  ${text}\n`).join('')}`;
    default:
      return block satisfies never;
  }
}

/** The page with the picture and the tables of a report. */
export function reportPage(
  report: Report,
  {
    title,
    picture,
    replay,
  }: { readonly title: string; readonly picture: string; readonly replay: string },
): string {
  const sentence = report.find((block) => block.type === 'sentence')?.text ?? '';
  const tables = report.flatMap((block) => {
    if (block.type !== 'table') return [];
    const head = block.columns.map(({ name }) => name);
    return tableSection({ title: block.title, head, rows: block.rows, notes: [] });
  });
  return htmlPage({ title, sentence, replay }, [picture], tables);
}
