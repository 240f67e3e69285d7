/**
 * @module
 * What theory answers of a threat model.
 */

export interface Theory {
  /** Null where there is no closed form; the formula says why. */
  readonly probability: number | null;
  readonly formula: string;
}
