/**
 * @module
 * A report as text for a terminal, and as a page that loads nothing.
 */

import type { Block, Report } from '../../operations/report.ts';
import { printable, printableLine } from '../../printable.ts';
import { fittingTable } from '../shell/fitting-table.ts';
import { columns, textColumns, wrapped } from '../shell/layout.ts';

/** A report in a terminal. */
interface ReportText {
  readonly text: string;
  /** What was left out, so that tables fit. */
  readonly notes: readonly string[];
}

/**
 * The blocks of a report, and then the command that computes it again, in one line, unless a block contains this command.
 */
export function reportText(report: Report, replay: string): ReportText {
  // A single table needs no title below the sentence.
  const titled = report.filter((block) => block.type === 'table' && block.isUntitled !== true);
  const isTitled = titled.length > 1;
  const blocks = report.map((block) => blockText(block, isTitled));
  const texts = blocks.map(({ text }, index) => {
    return `${index === 0 || (isSentence(report[index - 1]) && !isTitled) ? '' : '\n'}${text}`;
  });
  const notes = [...new Set(blocks.flatMap((block) => block.notes))];
  const hasReplay = report.some(({ type, ...block }) => {
    return type === 'facts' && 'rows' in block && block.rows.some(([name]) => name === 'replay');
  });
  return { text: `${texts.join('')}${hasReplay ? '' : `\nreplay  ${replay}\n`}`, notes };
}

function isSentence(block: Block | undefined): boolean {
  return block?.type === 'sentence';
}

/** A block in a terminal. */
export function blockText(block: Block, isTitled: boolean): ReportText {
  const only = (text: string): ReportText => ({ text, notes: [] });
  switch (block.type) {
    case 'sentence':
      // A verdict is one line for programs that read lines.
      return only(block.verdict === null ? paragraph(block.text) : `${block.text}\n`);
    case 'facts': {
      const head = block.title === undefined ? '' : `${block.title}\n`;
      // A document of another person can contain any character.
      const rows = block.rows.map((row) => row.map(printable));
      return only(head + (block.isWhole ? columns : textColumns)(rows));
    }
    case 'notes':
      return only(block.notes.map(paragraph).join(''));
    case 'table': {
      const { text, notes } = tableText(block);
      return { text: isTitled && !block.isUntitled ? `${block.title}\n${text}` : text, notes };
    }
    case 'lines':
      return only(block.lines.map((line) => `${printableLine(line)}\n`).join(''));
    case 'suggestions':
      return only(
        `${block.title}:\n${block.suggestions.map(({ text }) => `  ${text}\n`).join('')}`,
      );
    default:
      return block satisfies never;
  }
}

function paragraph(text: string): string {
  return `${wrapped(text).join('\n')}\n`;
}

/** The table, with fewer columns if it is too wide and can be narrower. */
function tableText({ columns: given, rows }: Extract<Block, { type: 'table' }>): ReportText {
  const head = given.map(({ name, dropOrder = null }) => ({ name, dropOrder }));
  const { table, notes } = fittingTable([], { columns: head, rows });
  return { text: columns(table), notes: notes.map((note) => `${note}; --json has all`) };
}

/** The page with the picture and all blocks of a report. */
export async function reportPage(
  report: Report,
  {
    title,
    picture,
    replay,
  }: { readonly title: string; readonly picture: string | null; readonly replay: string },
): Promise<string> {
  const { htmlPage, tableSection } = await import('../../experiment/charts/draw-sweep.ts');
  const first = report.find((block) => block.type === 'sentence');
  const sections = report.flatMap((block) => {
    if (block === first) return [];
    const title = 'title' in block ? (block.title ?? '') : '';
    if (block.type !== 'table') {
      return tableSection({ title, head: [], rows: [], notes: remarksOf(block) });
    }
    const head = block.columns.map(({ name }) => name);
    return tableSection({ title, head, rows: block.rows, notes: [] });
  });
  return htmlPage(
    { title, sentence: first?.text ?? '', replay },
    picture === null ? [] : [picture],
    sections,
  );
}

/** A block without columns as paragraphs. */
function remarksOf(block: Exclude<Block, { type: 'table' }>): readonly string[] {
  switch (block.type) {
    case 'sentence':
      return [block.text];
    case 'facts':
      return block.rows.map((row) => row.join(': '));
    case 'notes':
      return block.notes;
    case 'lines':
      return block.lines;
    case 'suggestions':
      return block.suggestions.map(({ text }) => text);
    default:
      return block satisfies never;
  }
}
