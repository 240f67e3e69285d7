/**
 * @module
 * From a document and its axes to the cells of a sweep: the whole grid, last axis fastest, or cells
 * drawn from it by the seed. Sizes are checked before anything is allocated. A cell that the document
 * refuses stays in the plan with its refusal; only if every cell is refused there is nothing to sweep.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { SWEEP_CELLS_MAX } from '../document/limits.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { applySettings } from '../reading/settings.ts';
import { needsMeasuredRate } from '../runs/budget.ts';
import { readAxis, readSet, settingOf } from './axes.ts';
import { canonicalJson, hexDigest } from './seeds.ts';
import type { Axis, AxisValue, SweepCell, SweepSpec } from './sweep.ts';
import { VariantCell, VariantStore } from './variant.ts';

/** Rows of one sweep: cells times repetitions. */
export const ROWS_MAX = 100_000_000;

/** What a document may say of its own sweep. */
export interface DocumentSweep {
  readonly axes?: Readonly<Record<string, unknown>> | undefined;
  readonly runs?: number | undefined;
  readonly sample?: number | undefined;
}

export interface SweepRequest {
  /** Settings and axes, as `--set` takes them; any axis takes the place of those of the document. */
  readonly sets: readonly string[];
  /** The document's own; null where it has none. */
  readonly document: DocumentSweep | null;
  /** Repetitions of each cell; by default what the document says. */
  readonly runs?: number | undefined;
  /** Cells to draw from the grid; by default what the document says, else the whole grid. */
  readonly sample?: number | undefined;
  readonly seed: Seed;
}

/** What is swept, before any cell is worked out: cheap, however large. */
export interface SweepOutline {
  readonly axes: readonly Axis[];
  readonly settings: readonly string[];
  readonly runs: number;
  /** Null for the whole grid. */
  readonly sample: number | null;
  /** Cells of the whole grid. */
  readonly gridCells: number;
  readonly cells: number;
}

/** The axes (none is a sweep of one cell), settings and sizes. Throws LabError `arguments`, or `job.size` for an absurd grid. */
export function outlineSweep(model: ThreatModel, request: SweepRequest): SweepOutline {
  const sets = request.sets.map(readSet);
  const settings = sets.flatMap((set) => (set.type === 'setting' ? [set.text] : []));
  const asked = sets.flatMap((set) => (set.type === 'axis' ? [set.axis] : []));
  const set = new Set(sets.flatMap((each) => (each.type === 'setting' ? [each.path] : [])));
  const own = Object.entries(request.document?.axes ?? {})
    .filter(([path]) => !set.has(path))
    .map(([path, source]) => readAxis(path, source));
  const axes = asked.length > 0 ? asked : own;
  refuseRepeats(axes, sets);
  const runs = request.runs ?? request.document?.runs ?? model.runs;
  const gridCells = axes.reduce((product, axis) => product * axis.values.length, 1);
  const sample = request.sample ?? request.document?.sample ?? null;
  const cells = Math.min(gridCells, sample ?? gridCells);
  refuseSize({ axes, gridCells, cells, runs });
  return { axes, settings, runs, sample, gridCells, cells };
}

/**
 * What makes a sweep the same sweep: document, settings, axes, seeds and code; not how many runs, so
 * that it may grow.
 */
export function sweepIdentity(
  model: ThreatModel,
  { axes, settings, sample }: SweepOutline,
  { seed, seedRule, codeVersion }: Pick<SweepSpec, 'seed' | 'seedRule' | 'codeVersion'>,
): string {
  const asked = { axes, settings, sample, seed, seedRule, codeVersion };
  return hexDigest(
    'usurp/sweep/v1',
    documentDigest({ ...model, runs: undefined }),
    canonicalJson(asked),
  );
}

/** What cells depend on beside the document. */
export interface CellsRequest {
  readonly seed: Seed;
  /** Candidates per second; null where it is not known yet. */
  readonly rateMeasured: number | null;
}

/** Every cell, in the order of the grid. Throws LabError with the first refusal if all are refused. */
export function planCells(
  model: ThreatModel,
  outline: SweepOutline,
  request: CellsRequest,
): readonly SweepCell[] {
  return someAllowed([...plannedCells(model, outline, request)]);
}

/** The same one by one, for those who have something else to do meanwhile: a cell takes 0.2 ms. */
export function* plannedCells(
  model: ThreatModel,
  outline: SweepOutline,
  { seed, rateMeasured }: CellsRequest,
): Generator<SweepCell, void> {
  const positions = outline.sample === null ? null : sampledPositions(outline, seed);
  const texts = outline.axes.map(({ path, values }) =>
    values.map((value) => ({ value, setting: settingOf(path, value) })),
  );
  // Once through the same hands as every cell, so that its maps have the order that theirs have.
  const made = { base: applySettings(model, []), rateMeasured, store: new VariantStore() };
  // What one cell needs the next one mostly needs too.
  let automatic: readonly string[] = [];
  for (let index = 0; index < outline.cells; index += 1) {
    const place = placesAt(texts, positions?.[index] ?? index);
    const values = place.map(({ value }) => value);
    const asked = [...outline.settings, ...place.map(({ setting }) => setting)];
    const cell = planCell(made, { index, values, asked, automatic });
    automatic = cell.settings.includes(NO_ELECTIONS) ? AUTOMATIC : [];
    yield cell;
  }
}

/** The cells, or LabError with the first refusal if all are refused. */
export function someAllowed(cells: readonly SweepCell[]): readonly SweepCell[] {
  const [first] = cells;
  if (first === undefined || cells.some((cell) => cell.refusal === null)) return cells;
  const subject = cells.length === 1 ? 'the only cell is' : `all ${cells.length} cells are`;
  throw new LabError('arguments', `${subject} refused; the first: ${first.refusal}`);
}

/** What all cells are made of. */
interface CellsBase {
  readonly base: ThreatModel;
  readonly rateMeasured: number | null;
  readonly store: VariantStore;
}

function planCell(
  made: CellsBase,
  place: {
    readonly index: number;
    readonly values: readonly AxisValue[];
    readonly asked: readonly string[];
    /** What to try first, to save a second validation. */
    readonly automatic: readonly string[];
  },
): SweepCell {
  const { base, rateMeasured } = made;
  const { index, values, asked, automatic } = place;
  try {
    const loose = applySettings(base, [...asked, ...automatic]);
    const needed = automaticSettings(loose, asked, rateMeasured);
    const settings = [...asked, ...needed];
    const isRight = needed.join('\n') === automatic.join('\n');
    const model = isRight ? loose : applySettings(base, settings);
    const cell = { index, values, settings, digest: modelDigest(model) };
    return new VariantCell(cell, { ...made, model });
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    if (automatic.length > 0) return planCell(made, { ...place, automatic: [] });
    const digest = hexDigest('usurp/refused/v1', canonicalJson(asked));
    return { index, values, settings: asked, model: null, refusal: error.message, digest };
  }
}

/**
 * Settings that make rows depend on nothing but themselves: this machine's rate as a number, and no
 * election beside a sampled run, as those are for the first runs of an experiment only.
 */
function automaticSettings(
  model: ThreatModel,
  asked: readonly string[],
  rateMeasured: number | null,
): readonly string[] {
  const isTold = asked.some((setting) => setting.startsWith(`${CONFIRM_RUNS}=`));
  const isSampled = model.work === 'sampled' && runKindOf(model) === 'ranking';
  const confirm = isSampled && !isTold ? [NO_ELECTIONS] : [];
  if (!needsMeasuredRate(model) || rateMeasured === null) return confirm;
  const rates = adversariesOf(model).flatMap(([name, { rate }]) =>
    rate === 'measured' ? [`adversaries.${name}.rate=${rateMeasured}`] : [],
  );
  return [...rates, ...confirm];
}

const CONFIRM_RUNS = 'confirmRuns';
const NO_ELECTIONS = `${CONFIRM_RUNS}=0`;
const AUTOMATIC = [NO_ELECTIONS] as const;

/** The digest of all members that an outcome depends on: how often a model runs and its prose are none. */
function modelDigest(model: ThreatModel): string {
  const { title: _t, assumes: _a, can: _c, cannot: _n, wants: _w, outcome: _o, ...rest } = model;
  return documentDigest({ ...rest, runs: undefined });
}

function documentDigest(model: object): string {
  return hexDigest('usurp/model/v1', canonicalJson({ ...model, sweep: undefined }));
}

/** One item of each axis, the last axis fastest. */
function placesAt<T>(axes: readonly (readonly T[])[], position: number): readonly T[] {
  const places: T[] = [];
  let rest = position;
  for (const axis of axes.toReversed()) {
    const at = rest % axis.length;
    places.unshift(...axis.slice(at, at + 1));
    rest = (rest - at) / axis.length;
  }
  return places;
}

/** Different positions, rising, each set of them equally likely (Floyd's protocol). */
function sampledPositions({ gridCells, cells }: SweepOutline, seed: Seed): readonly number[] {
  const random = createRandom(seed, 'sweep', 'sample');
  const chosen = new Set<number>();
  for (let last = gridCells - cells; last < gridCells; last += 1) {
    const position = random.below(last + 1);
    chosen.add(chosen.has(position) ? last : position);
  }
  return [...chosen].sort((left, right) => left - right);
}

function refuseRepeats(axes: readonly Axis[], sets: readonly ReturnType<typeof readSet>[]): void {
  const settings = sets.flatMap((set) => (set.type === 'setting' ? [set.path] : []));
  for (const [index, { path }] of axes.entries()) {
    const isRepeated = axes.findIndex((axis) => axis.path === path) !== index;
    if (isRepeated) throw new LabError('arguments', `axis ${path}: is given twice`);
    if (settings.includes(path)) {
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
        'take fewer values, or draw some of them with --sample',
    );
  }
  if (cells * runs > ROWS_MAX) {
    throw new LabError(
      'job.size',
      `${cells} cells of ${runs} runs are ${cells * runs} rows; a sweep has at most ${ROWS_MAX}`,
    );
  }
}
