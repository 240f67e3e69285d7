/**
 * @module
 * The input of a sweep's pictures: the document's title and bound, what was run, and the closed form at
 * any values of the axes.
 */

import { LabError } from '../../errors.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { Setting } from '../reading/settings.ts';
import { applySettings, settingOf } from '../reading/settings.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import type { AxisValue, SeedRule } from '../sweep/grid.ts';
import type { SweepOutline } from '../sweep/plan.ts';
import type { SweepCell } from '../sweep/sweep.ts';
import { theoryOf } from '../verdict/theory.ts';
import { byProtocol } from './cells.ts';
import type { PictureCell, PictureInput } from './data.ts';
import { budgetText } from './result-table.ts';

interface SweepPictureRequest {
  /** The document, without settings. */
  readonly document: ThreatModel;
  readonly outline: SweepOutline;
  readonly seedRule: SeedRule;
  readonly cells: readonly SweepCell[];
  /** The same cells with their measurements. */
  readonly measured: readonly PictureCell[];
  /** Rates of the machine. Null if the document needs none. */
  readonly rateMeasured: SearchRates;
  readonly comparison?: PictureInput['comparison'];
  readonly dataFile: string;
  readonly replay: string;
}

/** The input of the sweep's pictures. */
export function sweepPicture(request: SweepPictureRequest): PictureInput {
  const { document, outline, cells, measured, dataFile, replay } = request;
  const models = cells.flatMap((cell) => cell.model ?? []);
  const model = models[0] ?? document;
  const others = models.map(({ expect }) => expect.probability);
  const { property, count, comparison, probability, confidence } = model.expect;
  const happened = PROPERTIES[property].happened('an adversary', count);
  const epsilons = [...new Set([probability, ...others])];
  const bound = `${comparison.replaceAll('-', ' ')} ${epsilons.slice(0, BOUNDS_MAX).join(', ')}`;
  const shape = cells.length === 1 ? 'one cell' : `each of ${cells.length} cells`;
  const refused = cells.filter(({ refusal }) => refusal !== null).length;
  const gaps = refused === 0 ? '' : ` (the document refuses ${refused})`;
  return {
    title: model.title,
    sentence:
      request.comparison?.sentence ??
      `${outline.runs} runs of ${shape}${gaps}, ${model.work} work: how often ${happened}; expected: ${bound}.`,
    event: property.replaceAll('-', ' '),
    ...byProtocol(outline.axes, measured),
    confidence,
    epsilons: [probability, ...epsilons.slice(1, BOUNDS_MAX)],
    seedRule: request.seedRule,
    theoryAt: theoryAt(request),
    budgets: request.comparison === undefined ? budgetsOf(models) : [request.comparison.budget],
    comparison: request.comparison,
    dataFile,
    replay,
  };
}

function budgetsOf(models: readonly ThreatModel[]): readonly string[] {
  const texts = models.flatMap((model) =>
    adversariesOf(model).map(([name, { budget }]) => budgetText(name, budget)),
  );
  return [...new Set(texts)];
}

/** Maximum number of bounds in a picture. */
const BOUNDS_MAX = 6;

/** Maximum number of points at which the closed form is computed. The curves of a chart need half of them. */
const POINTS_MAX = 2048;
/** The closed form at values of the axes, computed once for each point. Null where there is none. */
function theoryAt({
  document,
  outline,
  rateMeasured,
}: SweepPictureRequest): PictureInput['theoryAt'] {
  const { axes, settings, listed } = outline;
  if (listed !== undefined) return null;
  const known = new Map<string, number | null>();
  const at = (values: readonly AxisValue[]): number | null => {
    const point = axes.map(({ path }, index) => settingOf(path, values[index] ?? null));
    const key = point.map(({ text }) => text).join('\n');
    const before = known.get(key);
    if (before !== undefined || known.size >= POINTS_MAX) return before ?? null;
    const probability = probabilityOf(document, [...settings, ...point], rateMeasured);
    known.set(key, probability);
    return probability;
  };
  return at;
}

function probabilityOf(
  document: ThreatModel,
  settings: readonly Setting[],
  rateMeasured: SearchRates,
): number | null {
  try {
    return theoryOf(applySettings(document, settings), EMPTY_TALLY, rateMeasured).probability;
  } catch (error) {
    if (error instanceof LabError) return null;
    throw error;
  }
}
