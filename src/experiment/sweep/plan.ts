/**
 * @module
 * The cells of a sweep, from a document and its axes: the whole grid, last axis fastest, or cells drawn
 * from it by the seed. Sizes are checked before anything is allocated. A cell that the document refuses
 * stays in the plan with its refusal. If every cell is refused, the sweep is refused.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { canonicalJson } from '../document/canonical-json.ts';
import { SWEEP_CELLS_MAX } from '../document/limits.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, measuredRate, runKindOf } from '../document/threat-model.ts';
import type { Setting } from '../reading/settings.ts';
import { applySettings, settingOf } from '../reading/settings.ts';
import { responseReport, responseText, searchedSettings } from '../response/report.ts';
import type { Settled } from '../response/settle.ts';
import { measuredAdversaries } from '../runs/budget.ts';
import { settled } from '../runs/run.ts';
import { settledWithoutSearch } from '../runs/settled.ts';
import type { SetRequest } from './axes.ts';
import { readAxis, readSet } from './axes.ts';
import type { Axis, AxisValue } from './grid.ts';
import type { CellResponse, SweepCell, SweepSpec } from './sweep.ts';
import { hexDigest } from './sweep.ts';

/** Limit of the rows of one sweep: cells times repetitions. */
export const ROWS_MAX = 100_000_000;

/** The member `sweep` of a document. */
export interface DocumentSweep {
  readonly axes?: Readonly<Record<string, unknown>> | undefined;
  readonly runs?: number | undefined;
  readonly sample?: number | undefined;
}

export interface SweepRequest {
  /**
   * Settings and axes, parsed or as `--set` takes them. If one is an axis, the axes of the document are ignored.
   */
  readonly sets: readonly (SetRequest | string)[];
  /** Null if the document has no sweep. */
  readonly document: DocumentSweep | null;
  /** Repetitions of each cell. The document has the default. */
  readonly runs?: number | undefined;
  /** Number of cells to draw from the grid. The document has the default, else it is the whole grid. */
  readonly sample?: number | undefined;
  readonly seed: Seed;
}

/** A cell that is listed instead of made from the values of the axes. */
export interface ListedCell {
  /** One value for each axis, which only names the cell. */
  readonly values: readonly AxisValue[];
  readonly settings: readonly Setting[];
}

/** A sweep before its cells are made. */
export interface SweepOutline {
  readonly axes: readonly Axis[];
  /** The cells, if they are listed. Otherwise each value of an axis is a setting. */
  readonly listed?: readonly ListedCell[];
  readonly settings: readonly Setting[];
  readonly runs: number;
  /** Null for the whole grid. */
  readonly sample: number | null;
  /** Cells of the whole grid. */
  readonly gridCells: number;
  readonly cells: number;
}

/** Reads settings and axes (none is a sweep of one cell). Throws LabError `arguments`, or `job.size` for a grid above the limits. */
export function outlineSweep(model: ThreatModel, request: SweepRequest): SweepOutline {
  const sets = request.sets.map((each) => (typeof each === 'string' ? readSet(each) : each));
  const settings = sets.flatMap((each) => (each.type === 'setting' ? [each.setting] : []));
  const given = sets.flatMap((each) => (each.type === 'axis' ? [each.axis] : []));
  const setPaths = settings.map(({ path }) => path.join('.'));
  const own = Object.entries(request.document?.axes ?? {})
    .filter(([path]) => !setPaths.includes(path))
    .map(([path, source]) => readAxis(path, source));
  const axes = given.length > 0 ? given : own;
  assertPathsDiffer(axes, setPaths);
  const runs = request.runs ?? request.document?.runs ?? model.runs;
  const gridCells = axes.reduce((product, axis) => product * axis.values.length, 1);
  const sample = request.sample ?? request.document?.sample ?? null;
  const cells = Math.min(gridCells, sample ?? gridCells);
  refuseSize({ axes, gridCells, cells, runs });
  return { axes, settings, runs, sample, gridCells, cells };
}

/**
 * The digest of document, settings, axes, seeds and code. The number of runs is not part of it, so that
 * runs can be added to a sweep.
 */
export function sweepIdentity(
  model: ThreatModel,
  { axes, listed, settings, sample }: SweepOutline,
  { seed, seedRule, codeVersion }: Pick<SweepSpec, 'seed' | 'seedRule' | 'codeVersion'>,
): string {
  const texts = settings.map(({ text }) => text);
  return hexDigest(
    'usurp/sweep/v1',
    documentDigest({ ...model, runs: undefined }),
    canonicalJson({ axes, listed, settings: texts, sample, seed, seedRule, codeVersion }),
  );
}

/** The facts that cells depend on beside the document. */
export interface CellsRequest {
  readonly seed: Seed;
  /** The rates of this machine. Null if they are not known yet. */
  readonly rateMeasured: SearchRates;
}

/** All cells, in the order of the grid. Throws LabError with the first refusal if all are refused. */
export function planCells(
  model: ThreatModel,
  outline: SweepOutline,
  request: CellsRequest,
): readonly SweepCell[] {
  const cells = Array.from(plannedCells(model, outline, request), ({ cell, open }) =>
    open === null ? cell : open.complete(settled(open.model, request.rateMeasured)),
  );
  return someAllowed(cells);
}

/** A cell, or one whose adversaries' responses must be searched first, which takes up to some seconds. */
export type PlannedCell =
  | { readonly cell: SweepCell; readonly open: null }
  | { readonly cell: null; readonly open: OpenCell };

export interface OpenCell {
  readonly model: ThreatModel;
  /** The cell with the responses that were found. */
  readonly complete: (found: Settled) => SweepCell;
}

/** The same one after the other, without a search, so that the caller decides where and when it happens. */
export function* plannedCells(
  model: ThreatModel,
  outline: SweepOutline,
  { seed, rateMeasured }: CellsRequest,
): Generator<PlannedCell, void> {
  const positions = outline.sample === null ? null : sampledPositions(outline, seed);
  const pointAt = pointsOf(outline);
  // Validated once, so that its members have the order of those of the cells.
  const base = applySettings(model, []);
  // The settings that one cell needs are mostly those that the next one needs.
  let automatic: readonly Setting[] = [];
  let like: ThreatModel | null = null;
  for (let index = 0; index < outline.cells; index += 1) {
    const { values, settings: own } = pointAt(positions?.[index] ?? index);
    const given = [...outline.settings, ...own];
    const point = { index, values, given, automatic, like };
    const { settings, ...planned } = planCell({ base, rateMeasured }, point);
    like = planned.cell?.model ?? like;
    automatic = settings.includes(NO_ELECTIONS.text) ? AUTOMATIC : [];
    yield planned;
  }
}

/** The cell at a position of the list or of the grid. */
function pointsOf({ axes, listed }: SweepOutline): (position: number) => ListedCell {
  if (listed !== undefined) {
    return (position) => {
      const found = listed[position];
      if (found !== undefined) return found;
      throw new RangeError(`"position" expected 0..${listed.length - 1}, got ${position}`);
    };
  }
  // Each value becomes a setting once, and only if a cell has it.
  const settings = axes.map(() => new Map<AxisValue, Setting>());
  return (position) => {
    const values = itemsAt(
      axes.map((axis) => axis.values),
      position,
    );
    const own = axes.map(({ path }, index): Setting => {
      const value = values[index] ?? null;
      const setting = settings[index]?.get(value) ?? settingOf(path, value);
      settings[index]?.set(value, setting);
      return setting;
    });
    return { values, settings: own };
  };
}

/** Returns the cells. Throws LabError with the first refusal if all are refused. */
export function someAllowed(cells: readonly SweepCell[]): readonly SweepCell[] {
  const [first] = cells;
  if (first === undefined || cells.some((cell) => cell.refusal === null)) return cells;
  const subject = cells.length === 1 ? 'the only cell is' : `all ${cells.length} cells are`;
  throw new LabError('arguments', `${subject} refused; the first: ${first.refusal}`);
}

function planCell(
  { base, rateMeasured }: { readonly base: ThreatModel; readonly rateMeasured: SearchRates },
  point: {
    readonly index: number;
    readonly values: readonly AxisValue[];
    readonly given: readonly Setting[];
    /** Automatic settings to try first, which saves a second validation. */
    readonly automatic: readonly Setting[];
    /** The model of a cell before this one, with which the model shares its parts. */
    readonly like: ThreatModel | null;
  },
): PlannedCell & Pick<SweepCell, 'settings'> {
  const { index, values, given, automatic, like } = point;
  const textsOf = (settings: readonly Setting[]) => settings.map(({ text }) => text);
  try {
    const tried = applySettings(base, [...given, ...automatic]);
    const needed = automaticSettings(tried, given, rateMeasured);
    const isRight = textsOf(needed).join('\n') === textsOf(automatic).join('\n');
    const valid = isRight ? tried : applySettings(base, [...given, ...needed]);
    const settings = textsOf([...given, ...needed]);
    const digest = modelDigest(valid);
    const complete = ({ model: closed, responses: chosen }: Settled): SweepCell => ({
      index,
      values,
      digest,
      refusal: null,
      settings: [...settings, ...searchedSettings(closed, chosen)],
      model: sharing(like ?? base, closed),
      responses: chosen.map((each): CellResponse => {
        const report = responseReport(closed, each);
        return { protocols: report.protocols, text: responseText(report), found: report.found };
      }),
    });
    const found = settledWithoutSearch(valid, rateMeasured);
    return found === null
      ? { settings, cell: null, open: { model: valid, complete } }
      : { settings, cell: complete(found), open: null };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    if (automatic.length > 0) return planCell({ base, rateMeasured }, { ...point, automatic: [] });
    const settings = textsOf(given);
    const digest = hexDigest('usurp/refused/v1', canonicalJson(settings));
    const cell = { index, values, settings, model: null, refusal: error.message, digest };
    return { settings, cell, open: null };
  }
}

/**
 * A copy of `after` that contains the parts of `before` that equal its own. A sweep has up to a hundred
 * thousand cells, and a whole model takes 25 kB.
 */
function sharing<T>(before: T, after: T): T {
  if (JSON.stringify(before) === JSON.stringify(after)) return before;
  if (!isMap(before) || !isMap(after)) return after;
  const members = Object.entries(after).map(([name, part]) => [name, sharing(before[name], part)]);
  // The same members as those of `after`.
  return Object.fromEntries(members) as T;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Settings that make rows depend only on themselves: the rate of this machine as a number, and no
 * elections beside sampled runs, because only the first runs of an experiment hold them.
 */
function automaticSettings(
  model: ThreatModel,
  given: readonly Setting[],
  rateMeasured: SearchRates,
): readonly Setting[] {
  const isGiven = given.some(({ path }) => path.join('.') === CONFIRM_RUNS);
  const isSampled = model.work === 'sampled' && runKindOf(model) === 'ranking';
  const confirm = isSampled && !isGiven ? AUTOMATIC : [];
  if (measuredAdversaries(model).length === 0) return confirm;
  const rates = adversariesOf(model).flatMap(([name, adversary]) => {
    const rate = measuredRate(model, adversary, rateMeasured);
    return rate === undefined ? [] : [settingOf(`adversaries.${name}.rate`, rate.perSecond)];
  });
  return [...rates, ...confirm];
}

const CONFIRM_RUNS = 'confirmRuns';
const NO_ELECTIONS = settingOf(CONFIRM_RUNS, 0);
const AUTOMATIC = [NO_ELECTIONS] as const;

/** The digest of all members that an outcome depends on: all except the prose and the number of runs. */
function modelDigest(model: ThreatModel): string {
  const { title: _t, assumes: _a, can: _c, cannot: _n, wants: _w, outcome: _o, ...rest } = model;
  return documentDigest({ ...rest, runs: undefined });
}

function documentDigest(model: object): string {
  return hexDigest('usurp/model/v1', canonicalJson({ ...model, sweep: undefined }));
}

/** One item of each axis, the last axis fastest. */
function itemsAt<T>(axes: readonly (readonly T[])[], position: number): readonly T[] {
  let rest = position;
  return axes
    .toReversed()
    .flatMap((axis) => {
      const at = rest % axis.length;
      rest = (rest - at) / axis.length;
      return axis.slice(at, at + 1);
    })
    .toReversed();
}

/** Different positions, ascending; all sets of them are equally likely (Floyd's algorithm). */
function sampledPositions({ gridCells, cells }: SweepOutline, seed: Seed): readonly number[] {
  const random = createRandom(seed, 'sweep', 'sample');
  const chosen = new Set<number>();
  for (let last = gridCells - cells; last < gridCells; last += 1) {
    const position = random.below(last + 1);
    chosen.add(chosen.has(position) ? last : position);
  }
  return [...chosen].sort((left, right) => left - right);
}

function assertPathsDiffer(axes: readonly Axis[], setPaths: readonly string[]): void {
  for (const [index, { path }] of axes.entries()) {
    const isRepeated = axes.findIndex((axis) => axis.path === path) !== index;
    if (isRepeated) throw new LabError('arguments', `axis ${path}: is given twice`);
    if (setPaths.includes(path)) {
      throw new LabError('arguments', `axis ${path}: is also given as a setting`);
    }
  }
}

function refuseSize(size: {
  readonly axes: readonly Axis[];
  readonly gridCells: number;
  readonly cells: number;
  readonly runs: number;
}): void {
  const { axes, gridCells, cells, runs } = size;
  const shape = axes.map((axis) => axis.values.length).join(' x ');
  if (gridCells > Number.MAX_SAFE_INTEGER) {
    throw new LabError('job.size', `a grid of ${shape} cells cannot be counted; sweep fewer axes`);
  }
  if (cells > SWEEP_CELLS_MAX) {
    throw new LabError(
      'job.size',
      `the grid has ${shape} = ${gridCells} cells; a sweep has at most ${SWEEP_CELLS_MAX}: ` +
        'use fewer values, or draw some of the cells with --sample',
    );
  }
  if (cells * runs > ROWS_MAX) {
    throw new LabError(
      'job.size',
      `${cells} cells of ${runs} runs are ${cells * runs} rows; a sweep has at most ${ROWS_MAX}`,
    );
  }
}
