/**
 * @module
 * A comparison as JSON data, and the command that repeats it.
 */

import type { PictureCell } from '../charts/data.ts';
import type { ComparedRow, RowCost } from './comparison.ts';
import { comparedRows } from './comparison.ts';
import type { ComparisonPlan } from './outline.ts';
import type { CompareQuestion } from './question.ts';
import { COMPARISON_DEFAULTS } from './question.ts';
import type { DefenceSet } from './sets.ts';
import { setName } from './sets.ts';

/** What was compared, and what was found. */
export function comparisonReport(
  { reference, question, outline, refused }: ComparisonPlan,
  rows: readonly ComparedRow[],
) {
  const { property, confidence } = reference.model.expect;
  return {
    runs: outline.runs,
    ...{ property, confidence, machines: question.machines, hardRate: question.hardRate },
    honest: reference.model.network.honest,
    reference: { attempts: reference.attempts, seconds: reference.seconds },
    ...{ advantages: question.advantages, rows, refused },
  };
}

export type ComparisonReport = ReturnType<typeof comparisonReport>;

/** The rows whose cells are all finished. */
export function finishedRows(
  plan: ComparisonPlan,
  costs: readonly RowCost[],
  cells: readonly PictureCell[],
): readonly ComparedRow[] {
  const finished = new Set(cells.map(({ index }) => index));
  return comparedRows(plan, costs, cells).filter((_row, index) =>
    plan.rows[index]?.points.every(({ cell }) => cell === null || finished.has(cell)),
  );
}

/** The options of `usurp compare` that ask a question. `sets` is null for all sets, alone or in pairs. */
export function questionWords(
  { settings, protocols, advantages, machines, hardRate }: Omit<CompareQuestion, 'sets'>,
  asked: { readonly sets: readonly DefenceSet[] | null; readonly hasPairs: boolean },
): string[] {
  const { sets, hasPairs } = asked;
  return [
    ...settings.flatMap(({ text }) => ['--set', text]),
    ...['--protocols', protocols.join(',')],
    ...(sets === null ? [] : ['--defences', sets.map(setName).join(',')]),
    ...(hasPairs ? ['--pairs'] : []),
    ...['--advantage', advantages.join(',')],
    ...(machines === null ? [] : ['--machines', String(machines)]),
    ...(hardRate === COMPARISON_DEFAULTS.hardRate ? [] : ['--hard-rate', String(hardRate)]),
  ];
}
