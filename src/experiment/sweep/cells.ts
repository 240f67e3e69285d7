/**
 * @module
 * The rows of a sweep's cell table: one for each cell and protocol with the sums over its runs, or for each group of
 * protocols that share their outcomes.
 */

import { joinCost } from '../cost/honest-cost.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, modelFor } from '../document/threat-model.ts';
import { shellWord } from '../reading/shell-word.ts';
import { isTimed, pinnedBudget } from '../runs/budget.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { ProtocolGroup } from '../runs/protocol-groups.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import { seedEffectsOf } from '../runs/variation.ts';
import { theoryOf } from '../verdict/theory.ts';
import type { Measured } from '../verdict/verdict.ts';
import { judge, measure, measureOne } from '../verdict/verdict.ts';
import type { TableRow, TableValue } from './columns.ts';
import type { Axis } from './grid.ts';
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

/** The facts that the commands of a sweep share. */
interface ReplayFrame {
  /** The start of printed commands, such as `npx usurp`. */
  readonly program: string;
  /** Options that every command needs to load the files of the user, such as `--load own.ts`. */
  readonly loading: readonly string[];
  /** Name or file of the threat model, as `usurp run` takes it. */
  readonly id: string;
  readonly spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'runs'>;
}

/** The commands of the rows of a cell. */
export interface RowReplay {
  /** Whether the command depends on the attempts of the row. */
  readonly isPinned: boolean;
  /** The command before and after the seed of the row. */
  around(attempts: TableValue | undefined): readonly [string, string];
}

/**
 * Makes the commands of the rows of a cell. A budget in seconds is replayed as the attempts that it paid
 * for in mined work. With several adversaries the attempts of each are not known, and the seconds remain.
 */
export function rowReplay(
  { program, id, loading }: Omit<ReplayFrame, 'spec'>,
  cell: SweepCell,
): RowReplay {
  const args = ['run', ...loading, id, ...setArgs(cell.settings)];
  const head = [program, ...args.map(shellWord)].join(' ');
  const timed = cell.model === null ? null : timedAdversary(cell.model);
  return {
    isPinned: timed !== null,
    around(attempts) {
      const pinned =
        timed === null || typeof attempts !== 'number'
          ? []
          : setArgs(pinnedBudget(timed.name, timed.budget, attempts));
      return [`${[head, ...pinned].join(' ')} --seed `, ' --runs 1'];
    },
  };
}

/** The command of a sweep of this cell alone, which has the same rows. */
function cellReplay({ program, id, loading, spec }: ReplayFrame, cell: SweepCell): string {
  const rule = spec.seedRule === 'paired' ? [] : ['--seeds', spec.seedRule];
  const args = [
    ...['sweep', ...loading, id, ...setArgs(cell.settings)],
    ...['--runs', String(spec.runs), '--seed', spec.seed, ...rule],
  ];
  return [program, ...args.map(shellWord)].join(' ');
}

function setArgs(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ['--set', setting]);
}

/** The only adversary of mined work if its budget is in seconds. */
function timedAdversary(model: ThreatModel) {
  const [first, ...others] = adversariesOf(model);
  if (first === undefined || others.length > 0 || model.work !== 'mined') return null;
  const [name, { budget }] = first;
  return isTimed(budget) ? { name, budget } : null;
}
