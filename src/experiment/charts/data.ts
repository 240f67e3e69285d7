/**
 * @module
 * What the pictures of a sweep show, as plain data: which kinds fit its axes and columns, and the
 * charts that follow. Nothing is drawn here, and nothing measured: every number comes from a cell's
 * row or from the closed form that was handed in. What is left out for want of room is said in notes.
 */

import type { Axis, AxisValue } from '../sweep/sweep.ts';
import type { NameAxis, NumberAxis } from './axes.ts';
import { isFiniteNumber, roleOf, varies } from './axes.ts';

/** A row of the table of cells, as far as pictures need it. */
export interface PictureCell {
  /** Its place in the grid, as in `SweepCell`. */
  readonly index: number;
  /** One value for each axis. */
  readonly values: readonly AxisValue[];
  /** Runs that have an outcome, and those of them that had the property. */
  readonly n: number;
  readonly k: number;
  /** k/n with its interval; null where there is no run. */
  readonly p: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** The closed form, where there is one. */
  readonly theory: number | null;
  /** Means over the runs; null where no run has the column. */
  readonly nodesMean: number | null;
  readonly messagesMean: number | null;
  readonly detectionTicksMean: number | null;
  readonly mistakesMean: number | null;
  /** Why the document does not allow the cell; null where it does. */
  readonly refusal: string | null;
  /** Detection ticks of single runs, all or some of them; may be empty. */
  readonly detectionTicks: readonly number[];
}

export interface PictureInput {
  /** What the threat model is called. */
  readonly title: string;
  /** What was found or asked, in one plain sentence. */
  readonly sentence: string;
  /** The event whose probability is p, in words: `adversary leads`. */
  readonly event: string;
  readonly axes: readonly Axis[];
  readonly cells: readonly PictureCell[];
  /** Of the intervals, in (0, 1). */
  readonly confidence: number;
  /** The probability at which the frontier's contour is drawn, in (0, 1). */
  readonly epsilon: number;
  /**
   * The closed form at any values of the axes, for a smooth curve; null where it has none there.
   * Without it the closed forms of the cells are joined by straight lines.
   */
  readonly theoryAt: ((values: readonly AxisValue[]) => number | null) | null;
  /** The file with the numbers, and the command that makes it again. */
  readonly dataFile: string;
  readonly replay: string;
}

/** In the order in which they are shown. */
export const PICTURE_KINDS = [
  'frontier',
  'win-probability',
  'messages',
  'detection-delay',
  'frequency',
] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** A measured value with its interval, and all that is known of it in words. */
export interface Mark extends Spot {
  /** Null where no interval is known. */
  readonly interval: readonly [number, number] | null;
  readonly words: string;
}

export interface Series {
  /** Empty where it is the only one. */
  readonly label: string;
  readonly marks: readonly Mark[];
  /** Single runs behind the marks. */
  readonly samples: readonly Spot[];
  /** The closed form; empty where there is none. */
  readonly curve: readonly Spot[];
  /** Whether neighbouring marks are joined by a line. */
  readonly isJoined: boolean;
}

/** A curve to compare with, labelled at its end. */
export interface Reference {
  readonly label: string;
  readonly spots: readonly Spot[];
}

/** One y axis over the chart's x axis. */
export interface Panel {
  readonly y: NumberAxis;
  readonly series: readonly Series[];
  readonly references: readonly Reference[];
  /** Values of y that are marked by a line across. */
  readonly levels: readonly { readonly label: string; readonly value: number }[];
}

interface ChartBase {
  readonly kind: PictureKind;
  /** Its own among the charts of a sweep, and fit for a file's name. */
  readonly name: string;
  /** What is drawn against what. */
  readonly title: string;
  readonly notes: readonly string[];
}

export interface LineChart extends ChartBase {
  readonly type: 'lines';
  readonly x: NumberAxis | NameAxis;
  readonly panels: readonly Panel[];
  /** What a mark is, and its bar. */
  readonly legend: { readonly mark: string; readonly bar: string | null };
}

export interface HeatCell extends Spot {
  /** Null where there is nothing to show; the words say why. */
  readonly p: number | null;
  readonly words: string;
}

export interface HeatChart extends ChartBase {
  readonly type: 'heat';
  /** What the colours are. */
  readonly pLabel: string;
  readonly x: NumberAxis;
  readonly y: NumberAxis;
  /** Ascending; there is a cell for each pair of them. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  readonly cells: readonly HeatCell[];
  readonly contours: readonly {
    readonly label: string;
    readonly source: 'measured' | 'closed form';
    readonly lines: readonly (readonly Spot[])[];
  }[];
}

export type Chart = LineChart | HeatChart;

/**
 * The kinds that fit: the frontier for a budget and a difficulty, win probability for either,
 * messages where the population varies, detection delay where it was seen. Plain frequency is for
 * sweeps that none of the others shows.
 */
export function picturesFor({ axes, cells }: Pick<PictureInput, 'axes' | 'cells'>): PictureKind[] {
  const roles = new Set(axes.filter(varies).map(roleOf));
  const known = (column: keyof PictureCell) => cells.some((cell) => isFiniteNumber(cell[column]));
  const fits: Readonly<Record<Exclude<PictureKind, 'frequency'>, boolean>> = {
    frontier: roles.has('budget') && roles.has('difficulty'),
    'win-probability': roles.has('budget') || roles.has('difficulty'),
    // A mean of 0 has no place on logarithmic axes.
    messages: roles.has('population') && cells.some(({ messagesMean }) => (messagesMean ?? 0) > 0),
    'detection-delay': roles.size > 0 && known('detectionTicksMean'),
  };
  const fitting = PICTURE_KINDS.filter((kind) => kind !== 'frequency' && fits[kind]);
  return fitting.length === 0 ? ['frequency'] : fitting;
}
