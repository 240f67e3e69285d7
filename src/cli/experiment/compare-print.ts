/**
 * @module
 * A comparison on stdout: a table for people with a block for each protocol, one JSON document, or a line for
 * each row and advantage.
 */

import { COMPARED_COLUMNS, comparedLines } from '../../experiment/compare/columns.ts';
import type { ComparedResult, ComparedRow } from '../../experiment/compare/comparison.ts';
import type { ComparisonPlan, RefusedRow } from '../../experiment/compare/outline.ts';
import { comparisonReport } from '../../experiment/compare/report.ts';
import { setName } from '../../experiment/compare/sets.ts';
import { statedParts } from '../../experiment/document/response-schema.ts';
import { counted } from '../../experiment/document/wording.ts';
import { PROPERTIES } from '../../experiment/properties/registry.ts';
import { formatCount, formatSeconds } from '../../operations/figures.ts';
import type { Seed } from '../../random.ts';
import { codeVersion } from '../../runtime/files/code-version.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import { columns, textColumns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { PrintFormat } from './sweep-print.ts';
import { fittingTable } from './sweep-print.ts';

export interface FinishedComparison {
  readonly plan: ComparisonPlan;
  readonly rows: readonly ComparedRow[];
  readonly seed: Seed;
  readonly id: string;
  readonly replay: string;
}

export function printComparison(
  format: PrintFormat,
  finished: FinishedComparison,
  terminal: Pick<Terminal, 'print' | 'note'>,
): void {
  switch (format) {
    case 'table':
      printTable(finished, terminal);
      return;
    case 'csv':
    case 'jsonl': {
      const form = textForm(format, COMPARED_COLUMNS);
      terminal.print(form.head);
      for (const line of comparedLines(finished.rows)) terminal.print(form.line(line));
      return;
    }
    case 'json':
      terminal.print(`${JSON.stringify(reportOf(finished))}\n`);
      return;
    default:
      format satisfies never;
  }
}

function reportOf({ plan, rows, seed, id, replay }: FinishedComparison) {
  const report = comparisonReport(plan, rows);
  return { threatModel: id, seed, codeVersion: codeVersion(), ...report, replay };
}

function printTable(
  { plan, rows, replay }: FinishedComparison,
  { print, note }: Pick<Terminal, 'print' | 'note'>,
): void {
  print(`${headText(plan)}\n`);
  let isComplete = true;
  for (const protocol of plan.question.protocols) {
    const own = rows.filter((row) => row.protocol === protocol);
    const refused = plan.refused.filter((row) => row.protocol === protocol);
    print(`\n${protocol}\n`);
    const { table, isWhole } = blockOf(own);
    isComplete &&= isWhole;
    print(columns(table));
    if (refused.length > 0) print(`refused:\n${textColumns(refusedRows(protocol, refused))}`);
  }
  print(
    `\n${[...responseRemarks(plan), ...remarks(rows)]
      .map((line) => textColumns([[line]]))
      .join('')}`,
  );
  print(`replay: ${replay}\n`);
  if (!isComplete)
    note(
      'intervals, closed forms and some costs are left out, so that the table fits; --json has all',
    );
}

/** The unit of the advantages, in attempts, time and identities. */
function headText({ reference, rows, outline }: ComparisonPlan): string {
  const { model, attempts, seconds } = reference;
  const { property, count } = model.expect;
  const { honest } = model.network;
  const plain = rows.find(({ defences }) => defences.length === 0)?.points;
  const unit = plain?.find(({ advantage }) => advantage === 1)?.identities;
  const identities = unit === undefined ? '' : `, ${formatCount(unit)} identities on average`;
  const time = seconds === null ? '' : ` in ${formatSeconds(seconds)}`;
  return textColumns([
    [
      `Share of runs in percent in which ${PROPERTIES[property].happened('the adversary', count)}, against ${counted(honest, 'honest node')}, of ${counted(outline.runs, 'run')} for each cell. 1x is the work of one ` +
        `honest node before it must have joined: ${formatCount(attempts)} attempts${time}${identities}.`,
    ],
  ]).trimEnd();
}

/** With intervals and closed forms if there is room. */
function blockOf(rows: readonly ComparedRow[]) {
  if (rows.length === 0) return { table: [], isWhole: true };
  const wide = fittingTable([], tableOf(rows, wideText));
  if (wide.notes.length === 0) return { table: wide.table, isWhole: true };
  return { table: fittingTable([], tableOf(rows, shortText)).table, isWhole: false };
}

function tableOf(rows: readonly ComparedRow[], textOf: (result: ComparedResult) => string) {
  const advantages = rows[0]?.results.map(({ advantage }) => advantage) ?? [];
  const column = (name: string, dropOrder: number | null = null) => ({ name, dropOrder });
  return {
    columns: [
      column('defences'),
      ...advantages.map((advantage) => column(`${formatFactor(advantage)}x`)),
      ...[column('bits', 1), column('join p95'), column('msgs', 2), column('ticks', 3)],
      column('excluded'),
    ],
    rows: rows.map(({ defences, results, bits, cost, excluded }) => [
      setName(defences),
      ...results.map(textOf),
      String(bits),
      joinText(cost),
      amountText(cost.election?.messages),
      amountText(cost.election?.ticks),
      excluded.map(({ label }) => label).join('; '),
    ]),
  };
}

function joinText({ join: { attempts, seconds } }: ComparedRow['cost']): string {
  return seconds === null ? formatCount(attempts.p95) : formatSeconds(seconds.p95);
}

function amountText(value: number | null | undefined): string {
  if (value === undefined) return '';
  return value === null ? 'none' : String(Number(value.toPrecision(5)));
}

function formatFactor(value: number): string {
  return value < 1e6 ? String(value) : value.toExponential();
}

/** A probability in percent. `*` marks a closed form without runs. */
function shortText({ p, source }: ComparedResult): string {
  if (p === null) return '-';
  return `${percent(p)}${source === 'closed form' ? '*' : ''}`;
}

function wideText(result: ComparedResult): string {
  const { interval, theory, source } = result;
  const between = interval === null ? '' : ` (${interval.map(percent).join('–')})`;
  const form = theory === null || source !== 'runs' ? '' : ` *${percent(theory)}`;
  return `${shortText(result)}${between}${form}`;
}

/** With one decimal, and without the sign. */
function percent(p: number): string {
  if (p === 0 || p === 1) return String(100 * p);
  if (p < 0.0005) return '<0.05';
  return p > 0.9995 ? '>99.9' : (100 * p).toFixed(1);
}

/** The refused sets by reason. */
function refusedRows(protocol: string, refused: readonly RefusedRow[]): string[][] {
  return refused.map(({ defences, reason }) => {
    const short = reason.replace(new RegExp(`^\\S+ does not (?:fit|apply to) ${protocol}: `), '');
    return [`  ${setName(defences)}`, short];
  });
}

/** The parts of the response that the document fixes: a defence can make them a bad choice. */
function responseRemarks({ reference }: ComparisonPlan): string[] {
  const { goal, registers, behaviours } = statedParts(
    reference.model.adversaries[reference.adversary] ?? {},
  );
  const parts = [
    ...(goal === undefined ? [] : [`goal ${goal}`]),
    ...(registers === undefined ? [] : [`registers ${registers}`]),
    ...(behaviours === undefined ? [] : [`behaviours ${behaviours.join(', ') || 'none'}`]),
  ];
  if (parts.length === 0) return [];
  return [
    `The document fixes the response of the adversary: ${parts.join('; ')}. One that chooses them for each defence reaches its aim at least as often.`,
  ];
}

function remarks(rows: readonly ComparedRow[]): string[] {
  const results = rows.flatMap((row) => row.results);
  const inert = rows.some(({ defences, acting }) => acting.length < defences.length);
  const reasons = new Set(rows.flatMap(({ excluded }) => excluded.map(({ reason }) => reason)));
  const isRepeated = rows.some(({ cost }) => cost.join.repeats === 'every epoch');
  return [
    ...(results.some(({ source }) => source === 'closed form')
      ? ['* is the closed form: these runs are too large.']
      : []),
    ...(isRepeated ? ['With epochs, honest nodes pay the join in each of them.'] : []),
    ...(inert
      ? [
          'The adversary follows the protocol. A defence against behaviours alone does not change how often it leads, so that its row has the runs without it.',
        ]
      : []),
    ...[...reasons].map((reason) => `excluded: ${reason}`),
  ];
}
