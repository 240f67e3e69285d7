/**
 * @module
 * Ranges as texts: `range(8,28,2)` with both ends, or geometric, `2^10:2^18|*2`. Values are
 * counted before they are made, so that a huge range is refused at no cost.
 */

import { LabError } from '../../errors.ts';
import { parseQuantity } from '../../quantities.ts';
import { SWEEP_CELLS_MAX } from '../document/limits.ts';
import type { AxisValue } from './grid.ts';

const RANGE = /^range\(([^,()]*),([^,()]*)(?:,([^,()]*))?\)$/;
const GEOMETRIC = /^([^:|]+):([^:|]+)\|\*(.+)$/;

/**
 * The numbers of a range; null for another text. Refusals quote `text`. `number` reads an end or a step. Throws
 * LabError.
 */
export function readProgression(
  text: string,
  source: string,
  number: (part: string) => number = plainNumber,
): readonly number[] | null {
  const [, from, to, step = '1'] = RANGE.exec(source) ?? [];
  if (from !== undefined && to !== undefined) {
    return arithmetic(text, { from: number(from), to: number(to), step: number(step) });
  }
  const parts = source.split(/,(?![^()]*\))/).map((part) => part.trim());
  if (parts.length > 1 && parts.some((part) => RANGE.test(part) || GEOMETRIC.test(part))) {
    throw refusal(text, 'a list and a range do not mix; give one of them');
  }
  const [, low, high, factor] = GEOMETRIC.exec(source) ?? [];
  if (low === undefined || high === undefined || factor === undefined) {
    if (!/^range\b|\|\*/.test(source)) return null;
    throw refusal(text, 'must be range(8,28,2), or geometric: 2^10:2^18|*2');
  }
  return geometric(text, { from: number(low), to: number(high), factor: plainNumber(factor) });
}

/** From first to last in equal steps. It contains the last value if a step meets it. */
function arithmetic(
  text: string,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
): readonly number[] {
  if (![from, to, step].every(Number.isFinite)) {
    throw refusal(text, 'a range has two or three numbers: range(first,last,step)');
  }
  if (step === 0) throw refusal(text, 'the step must not be 0');
  const steps = (to - from) / step;
  if (steps < 0) throw refusal(text, `steps of ${step} do not lead from ${from} to ${to}`);
  // A step that misses the end only by rounding meets it.
  const count = Math.floor(steps + ROUNDING) + 1;
  refuseCount(text, count);
  return Array.from({ length: count }, (_, index) => rounded(from + index * step));
}

/** From first to last in equal factors. */
function geometric(
  text: string,
  { from, to, factor }: { readonly from: number; readonly to: number; readonly factor: number },
): readonly number[] {
  if (![from, to, factor].every((each) => Number.isFinite(each) && each > 0)) {
    throw refusal(text, 'a geometric range has three numbers above 0: first:last|*factor');
  }
  if (factor === 1) throw refusal(text, 'the factor must not be 1');
  const steps = Math.log(to / from) / Math.log(factor);
  if (steps < 0) throw refusal(text, `factors of ${factor} do not lead from ${from} to ${to}`);
  const count = Math.floor(steps + ROUNDING) + 1;
  refuseCount(text, count);
  return Array.from({ length: count }, (_, index) => rounded(from * factor ** index));
}

const ROUNDING = 1e-9;

/** Removes the digits that doubles add: 0.1 + 2 · 0.1 becomes 0.3. */
function rounded(value: number): number {
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(12));
}

/** A number with a sign. NaN for other texts. */
export function plainNumber(text: string): number {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(text.trim()) ?? [];
  return parseQuantity('number', digits) * (sign === '-' ? -1 : 1);
}

/** These values. Throws LabError if there are too many, or one twice. */
export function distinct(text: string, values: readonly AxisValue[]): readonly AxisValue[] {
  refuseCount(text, values.length);
  if (new Set(values).size === values.length) return values;
  const twice = values.find((value, index) => values.indexOf(value) < index);
  throw refusal(text, `has the value ${twice} twice`);
}

/** Throws LabError for an axis of too many values. */
export function refuseCount(text: string, count: number): void {
  if (count <= SWEEP_CELLS_MAX) return;
  const limit = `a sweep has at most ${SWEEP_CELLS_MAX} cells`;
  throw new LabError('job.size', `${shortened(text)} has ${count} values; ${limit}`);
}

/** The refusal of the text of an axis. */
export function refusal(text: string, problem: string): LabError {
  return new LabError('arguments', `axis ${shortened(text)}: ${problem}`);
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
