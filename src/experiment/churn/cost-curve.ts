/**
 * @module
 * What honest nodes work for what an adversary works, as rows, as slopes and as a picture: a line for each defence and
 * adversary, and a panel for each law of sessions.
 */

import { z } from 'zod';

import type { Seed } from '../../random.ts';
import { numberAxis } from '../charts/axes.ts';
import { figure, percentText } from '../charts/cells.ts';
import type { LineChart, Panel, Reference, Series } from '../charts/data.ts';
import { framedBy } from '../charts/frame.ts';
import { CODE, SMALL } from '../charts/lettering.ts';
import { drawLineChart } from '../charts/line-chart.ts';
import type { Column, TableRow } from '../sweep/columns.ts';
import { column, columnName } from '../sweep/columns.ts';
import type { ChurnAdversary } from './adversaries.ts';
import { minedWork } from './mined.ts';
import { ChurnNetwork, churnMeasuresSchema } from './network.ts';
import type { ChurnSpec } from './registry.ts';
import { parseChurnDefence } from './registry.ts';
import type { Sessions } from './sessions.ts';

/** Sessions by their name: the text of their law, or `trace`. */
export interface NamedSessions {
  readonly name: string;
  /** The same sessions from the beginning. */
  begin(seed: Seed): Sessions;
}

export interface CostQuestion {
  readonly defences: readonly ChurnSpec[];
  readonly sessions: readonly NamedSessions[];
  readonly adversaries: readonly ChurnAdversary[];
  readonly rates: readonly number[];
  readonly power: number;
  readonly seconds: number;
  /** Bits of a puzzle of hardness 1 that is solved; 0 to count puzzles. */
  readonly mine: number;
  readonly seed: Seed;
}

export const costRowSchema = z.object({
  defence: z.string().describe('The defence with its settings.'),
  sessions: z.string().describe('The law of the sessions, or trace.'),
  adversary: z.string().describe('How the adversary buys IDs.'),
  rate: z.number().describe('What it could spend, in puzzles per second.'),
  bound: z.number().nullable().describe('Bound of A without its constant; null if unknown.'),
  ...churnMeasuresSchema.shape,
});

export type CostRow = z.output<typeof costRowSchema>;

/** Steps after which an interruption is noticed, if puzzles are counted or solved. */
const STEPS_A_PART = { counted: 500_000, mined: 20 } as const;

/** The rows one after the other. Null after each step of a row that is not finished. */
export function* costRows(asked: CostQuestion): Generator<CostRow | null> {
  for (const sessions of asked.sessions) {
    for (const { text: defence, rules, bound } of asked.defences) {
      for (const adversary of asked.adversaries) {
        for (const rate of asked.rates) {
          const { power, seconds, mine, seed } = asked;
          const solve = mine === 0 ? undefined : minedWork(mine, seed);
          const most = STEPS_A_PART[mine === 0 ? 'counted' : 'mined'];
          const begun = sessions.begin(seed);
          const network = new ChurnNetwork({
            rules,
            adversary,
            sessions: begun,
            rate,
            power,
            seconds,
            solve,
          });
          while (!network.run(most)) yield null;
          const measures = network.measures();
          yield {
            ...{ defence, sessions: sessions.name, adversary: adversary.name, rate, ...measures },
            bound: bound?.of(measures.adversaryRate, measures.joinRate) ?? null,
          };
        }
      }
    }
  }
}

export const costCurveSchema = costRowSchema
  .pick({ defence: true, sessions: true, adversary: true })
  .extend({
    slope: z
      .number()
      .nullable()
      .describe('Exponent of A as a power of T, by least squares; null with fewer than two rates.'),
  });

/** The rows of one defence, law and adversary. */
export type CostCurve = z.output<typeof costCurveSchema>;

/** The curves in the order of the rows. */
export function costCurves(rows: readonly CostRow[]): readonly CostCurve[] {
  const own = Map.groupBy(rows, ({ defence, sessions, adversary }) =>
    [defence, sessions, adversary].join(' '),
  );
  return [...own.values()].flatMap((curve) => {
    const { defence, sessions, adversary } = curve[0] ?? {};
    if (defence === undefined || sessions === undefined || adversary === undefined) return [];
    return [{ defence, sessions, adversary, slope: slopeOf(curve) }];
  });
}

function slopeOf(rows: readonly CostRow[]): number | null {
  const points = rows
    .filter(({ adversaryRate, honestRate }) => adversaryRate > 0 && honestRate > 0)
    .map(
      ({ adversaryRate, honestRate }) => [Math.log(adversaryRate), Math.log(honestRate)] as const,
    );
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const square = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const product = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return square > 0 ? product / square : null;
}

/** Draws honest over adversarial rates, both logarithmic, with the bounds of the defences. */
export function costPicture(
  rows: readonly CostRow[],
  { sentence, replay }: { readonly sentence: string; readonly replay: string },
): string | null {
  const drawn = rows.filter(({ honestRate }) => honestRate > 0);
  const positive = drawn.map(({ adversaryRate }) => adversaryRate).filter((rate) => rate > 0);
  if (positive.length === 0) return null;
  const axis = (label: string, values: readonly number[]) =>
    numberAxis(label, values, { isLogarithmic: true });
  const x = {
    ...axis('T: work of the adversary (puzzles per second)', positive),
    hasZero: positive.length < drawn.length,
    isWhole: false,
  };
  const references = drawn.flatMap(({ bound }) => (bound === null || bound <= 0 ? [] : [bound]));
  const heights = [...drawn.map(({ honestRate }) => honestRate), ...references];
  const panels = [...Map.groupBy(drawn, ({ sessions }) => sessions)].map(
    ([name, own]): Panel => ({
      ...{ levels: [], references: boundsOf(own), series: seriesOf(own) },
      y: {
        ...axis(`A: work of honest nodes (puzzles per second), ${name}`, heights),
        isWhole: false,
      },
    }),
  );
  const chart: LineChart = {
    ...{ type: 'lines', kind: 'frequency', name: 'churn', x, panels },
    title: 'Honest work over adversarial work',
    notes: ['A dotted line is the bound of a defence without its constant factor.'],
    legend: { mark: 'measured', bar: null },
  };
  const lines = [['replay', replay, CODE] as const, ['setup', sentence, SMALL] as const];
  return framedBy(
    { title: 'Proof of work under churn', sentence, lines },
    chart,
    drawLineChart(chart, x),
  );
}

function seriesOf(rows: readonly CostRow[]): readonly Series[] {
  const groups = Map.groupBy(rows, ({ defence, adversary }) => `${defence}, ${adversary}`);
  return [...groups].map(([label, own]) => ({
    ...{ label, refused: [], samples: [], curve: [], isJoined: true },
    marks: own.map(({ adversaryRate, honestRate, largestShare }) => ({
      ...{ x: adversaryRate, y: honestRate, interval: null },
      tooltip: `${label}: T ${figure(adversaryRate)}, A ${figure(honestRate)}, at most ${percentText(largestShare)} of the IDs`,
    })),
  }));
}

/** The bounds of the defences, each once. */
function boundsOf(rows: readonly CostRow[]): readonly Reference[] {
  const byFormula = Map.groupBy(
    rows.filter(({ bound, adversaryRate }) => (bound ?? 0) > 0 && adversaryRate > 0),
    ({ defence }) => parseChurnDefence(defence).bound?.formula ?? '',
  );
  return [...byFormula].map(([label, own]) => ({
    label,
    points: own
      .map(({ adversaryRate, bound }) => ({ x: adversaryRate, y: bound ?? 0 }))
      .toSorted((one, other) => one.x - other.x),
  }));
}

const NAMES = Object.keys(costRowSchema.shape) as readonly (keyof CostRow)[]; // The keys are those of a row.

/** The columns of `costRow`. */
export const COST_COLUMNS: readonly Column[] = NAMES.map((name) => {
  const { description = '' } = costRowSchema.shape[name];
  const type = costRowSchema.shape[name] instanceof z.ZodString ? 'text' : 'number';
  return column(columnName(name), type, description.replace(/\.$/, ''));
});

/** The row of a table. */
export function costRow(row: CostRow): TableRow {
  return NAMES.map((name) => row[name]);
}
