/**
 * @module
 * The rows of a sweep's cell table: one for each cell and protocol with the sums over its runs, or for each group of
 * protocols that share their outcomes.
 */

import { joinCost } from '../cost/honest-cost.ts';
import { modelFor } from '../document/threat-model.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ProtocolGroup } from '../runs/protocol-groups.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import { seedEffectsOf } from '../runs/variation.ts';
import { theoryOf } from '../verdict/theory.ts';
import type { Measured } from '../verdict/verdict.ts';
import { judge, measure, measureOne } from '../verdict/verdict.ts';
import type { TableRow } from './columns.ts';
import type { Axis } from './grid.ts';
import type { ReplayFrame } from './replay.ts';
import { cellReplay } from './replay.ts';
import type { CellSum } from './sums.ts';
import { groupsOfCell } from './sums.ts';
import type { SweepCell, SweepSpec } from './sweep.ts';

/** The facts that all rows of a sweep share. */
export interface SweepFrame extends ReplayFrame {
  readonly axes: readonly Axis[];
  readonly spec: ReplayFrame['spec'] & Pick<SweepSpec, 'codeVersion'>;
}

/** The protocols as tables show them. Null without elections. */
export function protocolText(protocols: ProtocolGroup): string | null {
  return protocols.length === 0 ? null : protocols.join(' ');
}

/** The rows of the cell table, one for each of the cell's sums. */
export function cellRows(
  frame: SweepFrame,
  cell: SweepCell,
  sums: readonly CellSum[],
): readonly TableRow[] {
  const groups = groupsOfCell(cell);
  const hasRuns = sums.some(({ n }) => n > 0);
  const effects = cell.model === null || !hasRuns ? null : seedEffectsOf(cell.model);
  return sums.map((sum, group) => {
    const measured = measurementOf(cell, sum, effects?.[group]?.length === 0);
    return cellRow(frame, cell, { protocols: groups[group] ?? [], measured, sum });
  });
}

function cellRow(
  frame: SweepFrame,
  cell: SweepCell,
  parts: {
    readonly protocols: ProtocolGroup;
    /** Null without a run. */
    readonly measured: Measured | null;
    readonly sum: CellSum;
  },
): TableRow {
  const { protocols, measured, sum } = parts;
  const means = OBSERVATION_NAMES.map((name) => {
    const total = sum.sums.get(name);
    return total === undefined || total.count === 0 ? null : total.sum / total.count;
  });
  return [
    cell.index,
    ...axisValues(frame.axes, cell),
    protocolText(protocols),
    measured?.runs ?? 0,
    measured?.wins ?? 0,
    ...judged(cell, protocols, measured),
    ...respondedTo(cell, protocols),
    sum.failures,
    cell.refusal,
    ...honest(cell),
    ...means,
    sum.fewest?.value ?? null,
    sum.fewest?.seed ?? null,
    sum.most?.value ?? null,
    sum.most?.seed ?? null,
    sum.wonSeed,
    sum.lostSeed,
    frame.spec.codeVersion,
    cellReplay(frame, cell),
  ];
}

/** Null if no run has an outcome. */
function measurementOf(
  { model }: SweepCell,
  { n: runs, k: wins }: CellSum,
  isConstant: boolean,
): Measured | null {
  if (model === null || runs === 0) return null;
  return isConstant ? measureOne({ runs, wins }) : measure(model, { runs, wins });
}

/** p, interval, closed form and verdict. */
function judged(cell: SweepCell, protocols: ProtocolGroup, measured: Measured | null): TableRow {
  if (cell.model === null) return [null, null, null, null, null];
  const model = modelFor(cell.model, protocols);
  const tally = { ...EMPTY_TALLY, runs: measured?.runs ?? 0 };
  const theory = theoryOf(model, tally, null).probability;
  if (measured === null) return [null, null, null, theory, 'unknown'];
  const [low, high] = measured.interval ?? [null, null];
  const verdict = judge(model, measured, null).value;
  return [measured.frequency, low, high, theory, verdict];
}

/** The responses to these protocols, and how they were found. */
function respondedTo({ responses = [] }: SweepCell, protocols: ProtocolGroup): TableRow {
  const own = responses.filter(
    (each) => protocols.length === 0 || each.protocols.some((name) => protocols.includes(name)),
  );
  if (own.length === 0) return [null, null];
  const founds = new Set(own.map(({ found }) => found));
  return [own.map(({ text }) => text).join(' | '), [...founds].join(', ')];
}

/** Attempts and seconds of an honest node for an identity. */
function honest({ model }: SweepCell): TableRow {
  if (model === null) return [null, null, null, null];
  const { attempts, seconds } = joinCost(model, null);
  return [attempts.p50, attempts.p95, seconds?.p50 ?? null, seconds?.p95 ?? null];
}

/** If the values of an axis have different types, each is written as its text in every format. */
export function axisValues(axes: readonly Axis[], cell: SweepCell): TableRow {
  return axes.map(({ values }, index) => {
    const value = cell.values[index] ?? null;
    if (value === null) return null;
    const isMixed = values.some((each) => each !== null && typeof each !== typeof value);
    return isMixed ? String(value) : value;
  });
}
