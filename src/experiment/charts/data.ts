/**
 * @module
 * The charts of a sweep as plain data, and which kinds of charts fit its axes and columns. Every number
 * in a chart comes from a cell's row or from the closed form that was passed in. Notes name everything
 * that is left out for lack of room.
 */

import type { Axis, AxisValue, SeedRule } from '../sweep/grid.ts';
import type { NameAxis, NumberAxis } from './axes.ts';
import { isFiniteNumber, roleOf, varies } from './axes.ts';

/** The columns of a row of the table of cells that charts need. */
export interface PictureCell {
  /** Index in the grid, as in `SweepCell`. */
  readonly index: number;
  /** One value for each axis. */
  readonly values: readonly AxisValue[];
  /** The protocols of the row. Null without elections. */
  readonly protocol: string | null;
  /** Runs with an outcome. */
  readonly n: number;
  /** Runs in which the event happened. */
  readonly k: number;
  /** k/n and its interval. Null if there is no run. */
  readonly p: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** The closed form. Null if there is none. */
  readonly theory: number | null;
  /** Means over the runs. Null if no run has the column. */
  readonly nodesMean: number | null;
  readonly messagesMean: number | null;
  readonly detectionTicksMean: number | null;
  readonly mistakesMean: number | null;
  /** The 95 % quantiles of an honest node for an identity: attempts, and CPU seconds if a rate is known. */
  readonly honestAttempts: number | null;
  readonly honestSeconds: number | null;
  /** Whether the cell has the expected probability: true, false or unknown. Null if it is refused. */
  readonly verdict: string | null;
  /** How adversaries respond, in words. Null if the table does not say so. */
  readonly response: string | null;
  /** Runs without an outcome. */
  readonly failures: number;
  /** Why the document refuses the cell. Null if it does not. */
  readonly refusal: string | null;
  /** Detection ticks of single runs: all, some or none of them. */
  readonly detectionTicks: readonly number[];
}

/** The axes of a comparison of defences. Two of them name no member of a document. */
export const COMPARISON_AXES = {
  protocol: 'network.election.protocols',
  defences: 'defences',
  advantage: 'advantage',
} as const;

/** A table of a page, beside that of the cells. */
export interface PageTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Paragraphs below the table. */
  readonly notes: readonly string[];
}

/** What a comparison of defences shows beside the cells of its sweep. */
export interface ComparisonExtras {
  /** What it shows, in the place of the sentence about the sweep. */
  readonly sentence: string;
  /** The budgets, in the place of those of the documents. */
  readonly budget: string;
  /** Closed forms that no cell has, with the values of the axes. */
  readonly closedForms: readonly { readonly values: readonly AxisValue[]; readonly p: number }[];
  readonly refused: readonly {
    readonly protocol: string;
    readonly defences: string;
    readonly reason: string;
  }[];
  readonly tables: readonly PageTable[];
}

export interface PictureInput {
  /** Title of the threat model. */
  readonly title: string;
  /** One sentence about what was run. */
  readonly sentence: string;
  /** The event whose probability is p, such as `adversary leads`. */
  readonly event: string;
  readonly axes: readonly Axis[];
  readonly cells: readonly PictureCell[];
  /** Confidence of the intervals, in (0, 1). */
  readonly confidence: number;
  /**
   * The bounds that the cells are compared with, in (0, 1). There are several if an axis changes the bound. The
   * frontier's contour is at the first.
   */
  readonly epsilons: readonly [number, ...number[]];
  /** Whether all cells use the same seeds. */
  readonly seedRule: SeedRule;
  /**
   * The closed form at any values of the axes. Returns null where there is none. If it is missing, the closed
   * forms of the cells are drawn alone.
   */
  readonly theoryAt: ((values: readonly AxisValue[]) => number | null) | null;
  /** What a comparison shows beside its cells. */
  readonly comparison?: ComparisonExtras | undefined;
  /** The budgets of the adversaries in words, without repetitions. */
  readonly budgets: readonly string[];
  /** The file with the numbers. Empty without one. */
  readonly dataFile: string;
  /** The command that produces it again. */
  readonly replay: string;
}

/** In the order in which they are shown. */
export const PICTURE_KINDS = [
  'comparison',
  'frontier',
  'win-probability',
  'messages',
  'detection-delay',
  'frequency',
] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A measured value. */
export interface Mark extends Point {
  /** Null if no interval is known. */
  readonly interval: readonly [number, number] | null;
  readonly tooltip: string;
}

export interface Series {
  /** Empty if it is the only series. */
  readonly label: string;
  readonly marks: readonly Mark[];
  /** Cells that the document refuses. They have no mark. */
  readonly refused: readonly { readonly x: number; readonly tooltip: string }[];
  /** Single runs behind the marks. */
  readonly samples: readonly Point[];
  /** The closed form. Empty if there is none. */
  readonly curve: readonly Point[];
  /** Whether the closed form is known at these points alone, so that no line joins them. */
  readonly hasPoints?: boolean;
  /** A solid line, such as a measured distribution function. */
  readonly line?: readonly Point[];
  /** Whether a line joins neighbouring marks. */
  readonly isJoined: boolean;
}

/** A curve for comparison, labelled at its end. */
export interface Reference {
  readonly label: string;
  readonly points: readonly Point[];
  /** Whether the curve is known only at its points, so that no line joins them. */
  readonly hasPoints?: boolean;
}

/** One y axis over the chart's x axis. */
export interface Panel {
  /** Above the names of a chart with several panels. */
  readonly title?: string;
  readonly y: NumberAxis;
  readonly series: readonly Series[];
  readonly references: readonly Reference[];
  /** Values of y with a line across the panel. */
  readonly levels: readonly { readonly label: string; readonly value: number }[];
}

interface ChartBase {
  readonly kind: PictureKind;
  /** Unique among the charts of a sweep and usable in a file name. */
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
}

export interface LineChart extends ChartBase {
  readonly type: 'lines';
  readonly x: NumberAxis | NameAxis;
  readonly panels: readonly Panel[];
  /** Labels of a mark, of its interval, and of a mark at 0 on a logarithmic axis. */
  readonly legend: {
    readonly mark: string;
    readonly bar: string | null;
    readonly zero?: string;
    /** What the curve is, if it is no closed form. */
    readonly curve?: string;
  };
}

export interface HeatCell extends Point {
  /** Null if there is no probability. The tooltip says why. */
  readonly p: number | null;
  readonly isRefused: boolean;
  readonly tooltip: string;
}

export interface HeatChart extends ChartBase {
  readonly type: 'heat';
  /** The scale of the colours. The darkest is the lower end of its domain. */
  readonly p: NumberAxis;
  readonly x: NumberAxis;
  readonly y: NumberAxis;
  /** Ascending. There is a cell for each pair of an x and a y. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly cells: readonly HeatCell[];
  readonly contours: readonly {
    readonly label: string;
    readonly source: 'measured' | 'closed form';
    /** The closed form has a point at values of y alone, whose x is infinite beyond all cells. It is drawn in steps. */
    readonly lines: readonly (readonly Point[])[];
  }[];
}

export type Chart = LineChart | HeatChart;

/**
 * The kinds that fit: the frontier if a budget and a difficulty vary, win probability if either does,
 * messages if the population varies, detection delay if it was measured. Frequency is for sweeps that
 * fit no other kind. A comparison of defences has a kind of its own.
 */
export function picturesFor({ axes, cells }: Pick<PictureInput, 'axes' | 'cells'>): PictureKind[] {
  if (axes.some(({ path }) => path === COMPARISON_AXES.defences)) return ['comparison'];
  const roles = new Set(axes.filter(varies).map(roleOf));
  const fits: Readonly<Record<Exclude<PictureKind, 'frequency' | 'comparison'>, boolean>> = {
    frontier: roles.has('budget') && roles.has('difficulty'),
    'win-probability': roles.has('budget') || roles.has('difficulty'),
    // A logarithmic axis cannot show a mean of 0.
    messages: roles.has('population') && cells.some(({ messagesMean }) => (messagesMean ?? 0) > 0),
    'detection-delay':
      roles.size > 0 && cells.some((cell) => isFiniteNumber(cell.detectionTicksMean)),
  };
  const fitting = PICTURE_KINDS.filter(
    (kind) => kind !== 'frequency' && kind !== 'comparison' && fits[kind],
  );
  return fitting.length === 0 ? ['frequency'] : fitting;
}
