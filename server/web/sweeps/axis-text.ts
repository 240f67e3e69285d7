/**
 * @module
 * The text of an axis, in the syntax of the API: a list `4, 8, 16`, steps `range(8,28,2)` or factors
 * `2^10:2^18|*2`. The form edits its parts. The server decides what is valid.
 */

import { parseQuantity } from '../../../src/quantities.ts';
import { flowOf, valueOfFlow } from '../threat-models/draft.ts';

/** How the values of an axis follow each other, with the parts as they are typed. */
export type Spacing =
  | { readonly kind: 'steps'; readonly from: string; readonly to: string; readonly by: string }
  | { readonly kind: 'factors'; readonly from: string; readonly to: string; readonly by: string }
  | { readonly kind: 'list'; readonly text: string };

export const SPACINGS = [
  ['steps', 'from … to, in steps'],
  ['factors', 'from … to, by a factor'],
  ['list', 'a list'],
] as const;

const STEPS = /^range\(([^,()]*),([^,()]*)(?:,([^,()]*))?\)$/;
const FACTORS = /^([^:|]*):([^:|]*)\|\*(.*)$/;

export function spacingOf(text: string): Spacing {
  const steps = STEPS.exec(text);
  if (steps !== null) {
    const [, from = '', to = '', by = '1'] = steps;
    return { kind: 'steps', from, to, by };
  }
  const factors = FACTORS.exec(text);
  if (factors !== null) {
    const [, from = '', to = '', by = ''] = factors;
    return { kind: 'factors', from, to, by };
  }
  return { kind: 'list', text };
}

export function spacingText(spacing: Spacing): string {
  if (spacing.kind === 'list') return spacing.text;
  const { kind, from, to, by } = spacing;
  return kind === 'steps' ? `range(${from},${to},${by})` : `${from}:${to}|*${by}`;
}

/** The same values in another form, as far as it has them. */
export function inForm(text: string, kind: Spacing['kind']): string {
  const old = spacingOf(text);
  if (old.kind === kind) return text;
  const values = numbersOf(text);
  if (kind === 'list') return values === null ? '' : values.join(', ');
  const [from = '', to = ''] = [values?.[0], values?.at(-1)].map((end) => end?.toString() ?? '');
  return spacingText({ kind, from, to, by: kind === 'steps' ? '1' : '2' });
}

/** The values of a list as data, or the text of steps or factors, as a request has them. */
export function valuesOf(text: string): string | readonly unknown[] {
  if (spacingOf(text).kind !== 'list') return text;
  const values = valueOfFlow(`[${text}]`);
  return Array.isArray(values) ? values : [text];
}

/** The text of the values of a request. */
export function axisText(values: string | readonly unknown[]): string {
  return typeof values === 'string' ? values : values.map(flowOf).join(', ');
}

/** How many values the text has; null if it is not complete. */
export function valueCount(text: string): number | null {
  const spacing = spacingOf(text);
  if (spacing.kind === 'list') {
    const values = valuesOf(text);
    return values.length === 0 || text.trim() === '' ? null : values.length;
  }
  const [from, to, by] = [spacing.from, spacing.to, spacing.by].map(numberOf);
  if (from === undefined || to === undefined || by === undefined) return null;
  const steps = spacing.kind === 'steps' ? (to - from) / by : Math.log(to / from) / Math.log(by);
  return Number.isFinite(steps) && steps >= 0 ? Math.floor(steps + ROUNDING) + 1 : null;
}

/** A step that misses the end only by rounding meets it. */
const ROUNDING = 1e-9;
/** A longer axis is not written out. */
const WRITTEN_MAX = 64;

/** The values as numbers; null if they are not numbers, or too many. */
function numbersOf(text: string): readonly number[] | null {
  const spacing = spacingOf(text);
  const count = valueCount(text);
  if (count === null || count > WRITTEN_MAX) return null;
  if (spacing.kind === 'list') {
    const values = valuesOf(text);
    const numbers = typeof values === 'string' ? [] : values.map((each) => numberOf(String(each)));
    return numbers.every((each) => Number.isFinite(each)) ? numbers : null;
  }
  const [from = 0, by = 1] = [numberOf(spacing.from), numberOf(spacing.by)];
  return Array.from({ length: count }, (_, index) =>
    rounded(spacing.kind === 'steps' ? from + index * by : from * by ** index),
  );
}

function numberOf(text: string): number {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(text.trim()) ?? [];
  const plain = parseQuantity('number', digits);
  const value = Number.isNaN(plain) ? parseQuantity('probability', digits) : plain;
  return value * (sign === '-' ? -1 : 1);
}

/** Without the digits that doubles add. */
export function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(12));
}
