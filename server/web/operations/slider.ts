/**
 * @module
 * A slider with a logarithmic scale: the step of a value, and the value at a step.
 */

import type { Slider } from '../../../src/operations/member.ts';
import type { QuantityKind } from '../../../src/quantities.ts';
import { parseQuantity } from '../../../src/quantities.ts';

/** The number of steps of every slider, from 0. */
export const SLIDER_STEPS = 400;

/** The step that is nearest to a value. */
export function stepOf([least, most]: Slider, value: number): number {
  const share = (Math.log10(Math.max(value, Number.MIN_VALUE)) - least) / (most - least);
  return Math.round(SLIDER_STEPS * Math.min(1, Math.max(0, share)));
}

/** The value at a step, with two digits. */
export function valueAt(
  { kind, slider: [least, most] }: { readonly kind: QuantityKind; readonly slider: Slider },
  step: number,
): string {
  const value = Number((10 ** (least + (step / SLIDER_STEPS) * (most - least))).toPrecision(2));
  return String(kind === 'count' ? Math.max(1, Math.round(value)) : value);
}

/** The value of a text of any kind, for the place of its slider. Null if it has none. */
export function roughValue(text: string): number | null {
  const found = KINDS.map((kind) => parseQuantity(kind, text.trim())).find((value) => value >= 0);
  return found ?? null;
}

const KINDS = ['number', 'time', 'probability'] as const;
