/**
 * @module
 * The grid of a sweep: its axes, the values of its cells, and how cells share seeds. Charts need nothing else of a
 * sweep, also in a browser, so this file imports nothing.
 */

/** A value on an axis. A text in YAML's flow style, such as `[a, b]`, stands for the list or map. */
export type AxisValue = string | number | boolean | null;

/** A path of the document and its values, in order. */
export interface Axis {
  readonly path: string;
  readonly values: readonly AxisValue[];
}

/** A point of the grid. */
export interface GridCell {
  /** From 0 in the order of the grid, the last axis fastest. */
  readonly index: number;
  /** One value for each axis. */
  readonly values: readonly AxisValue[];
  /** Why the document refuses these values. Null if it does not. */
  readonly refusal: string | null;
}

/** The seed of a row follows from the repetition (`paired`), or also from the cell (`independent`). */
export const SEED_RULES = ['paired', 'independent'] as const;
export type SeedRule = (typeof SEED_RULES)[number];
