/**
 * @module
 * The members of a threat model that an axis can vary, and values to begin with.
 */

import { roleOf } from '../../../src/experiment/charts/axes.ts';
import { flowOf, valueAt } from '../threat-models/draft.ts';
import type { JsonSchema } from '../threat-models/form/form-schema.ts';
import { fieldOf, isRecord } from '../threat-models/form/form-schema.ts';
import type { PlannedAxis } from './plan.ts';

/** A member of a document and its value. */
export interface Member {
  readonly path: string;
  readonly value: unknown;
  /** Whether sweeps often vary it. */
  readonly isUsual: boolean;
}

/** Members that describe a document, or belong to its sweep. */
const NOT_VARIED: ReadonlySet<string> = new Set(
  'id title assumes can cannot wants outcome work runs confirmRuns sweep because'.split(' '),
);

const USUAL = /\.budget\.\w+$|\.c[12]$|^network\.honest$|\.protocols$|\.defences$|\.level$/;

/** The members with values, in the order of the document, the usual ones first. */
export function membersOf(data: unknown): readonly Member[] {
  const all = leaves(data, []);
  return [...all.filter(({ isUsual }) => isUsual), ...all.filter(({ isUsual }) => !isUsual)];
}

function leaves(value: unknown, path: readonly string[]): readonly Member[] {
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, member]) =>
      path.length === 0 && NOT_VARIED.has(name) ? [] : leaves(member, [...path, name]),
    );
  }
  if (Array.isArray(value) && value.some((each) => typeof each === 'object')) return [];
  const text = path.join('.');
  return [{ path: text, value, isUsual: USUAL.test(text) && !text.startsWith('expect.') }];
}

/** The axes that a document proposes, or else the budget or the number of nodes. */
export function firstAxes(data: unknown): readonly PlannedAxis[] {
  const own = valueAt(data, ['sweep', 'axes']);
  if (isRecord(own)) {
    return Object.entries(own).map(([path, values]) => {
      return { path, values: Array.isArray(values) ? values.map(flowOf).join(', ') : `${values}` };
    });
  }
  const usual = membersOf(data).filter(({ value }) => typeof value === 'number');
  const [first] = [...usual.filter(({ path }) => path.includes('.budget.')), ...usual];
  return first === undefined ? [] : [{ path: first.path, values: suggested(first, {}) }];
}

/** Values around that of the member, or all that its schema lists. */
export function suggested({ path, value }: Omit<Member, 'isUsual'>, schema: JsonSchema): string {
  if (typeof value === 'number') return aroundNumber(path, value);
  if (typeof value === 'boolean') return 'true, false';
  const field = fieldOf(schemaAt(schema, path.split('.')));
  if (field.kind === 'choice') return field.options.join(', ');
  if (Array.isArray(value) && value.length > 1) return value.map((each) => `[${each}]`).join(', ');
  return value === undefined || value === null ? '' : flowOf(value);
}

function aroundNumber(path: string, value: number): string {
  const role = roleOf({ path, values: [value] });
  if (role === 'difficulty') return `range(${Math.max(0, value - 4)},${value + 4},2)`;
  if (value === 0) return '0, 1, 2';
  if (role === 'budget' && value >= 1) {
    const low = Math.max(1, Math.round(value / 8));
    return `${low}:${low * 64}|*2`;
  }
  if (value < 1) return [value / 2, value, Math.min(1, 2 * value)].join(', ');
  const half = Number.isInteger(value) ? Math.ceil(value / 2) : value / 2;
  return [...new Set([half, value, 2 * value])].join(', ');
}

function schemaAt(schema: JsonSchema, [name, ...rest]: readonly string[]): JsonSchema {
  if (name === undefined) return schema;
  const { properties = {}, additionalProperties: others } = schema;
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return schemaAt(own ?? (typeof others === 'object' ? others : {}), rest);
}
