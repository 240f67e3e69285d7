/**
 * @module
 * The texts of axes: `path=8,10,12`, `path=range(8,28,2)` with both ends, or geometric,
 * `path=2^10:2^18|*2`. Quantities have the syntax of their member, such as 5% or 5m, and become numbers. Lists and maps
 * are also values, `path=[raft],[cr-join]`, and are named by their texts. A path with one value is a setting. Values are
 * counted before they are made, so that a huge axis is refused at no cost.
 */

import type { z } from 'zod';

import type { QuantityKind } from '../../quantities.ts';
import { parseQuantity, quantityKindOf } from '../../quantities.ts';
import { SETTING_CHARACTERS_MAX } from '../document/limits.ts';
import { threatModelJsonSchema } from '../document/threat-model.ts';
import { schemaAt } from '../reading/nearest.ts';
import type { Setting } from '../reading/settings.ts';
import { readSetting, settingOf } from '../reading/settings.ts';
import { flowText, readYaml } from '../reading/yaml.ts';
import type { Axis, AxisValue } from './grid.ts';
import { distinct, plainNumber, readProgression, refusal, refuseCount } from './progressions.ts';

/** The meaning of one `--set`. */
export type SetRequest =
  | { readonly type: 'setting'; readonly setting: Setting }
  | { readonly type: 'axis'; readonly axis: Axis };

/** Reads `path=values`. Throws LabError `arguments` that names the axis or the setting. */
export function readSet(text: string): SetRequest {
  const equals = text.indexOf('=');
  const path = text.slice(0, Math.max(0, equals)).trim();
  const source = text.slice(equals + 1).trim();
  if (path === '' || source === '') {
    throw refusal(text, 'must be path=value or path=values, for example network.honest=8,16,32');
  }
  const progression = valuesOf(path, text, source);
  if (progression === null) return { type: 'setting', setting: readSetting(text) };
  const [first, ...others] = progression;
  if (others.length > 0) return { type: 'axis', axis: { path, values: progression } };
  return { type: 'setting', setting: settingOf(path, first ?? null) };
}

/** Reads an axis of a document's `sweep`: a list, or a text in a form of `--set`. */
export function readAxis(path: string, source: unknown): Axis {
  const name = `sweep.axes.${path}`;
  if (Array.isArray(source)) return listedAxis(path, source, name);
  const text = `${path}=${String(source)}`;
  if (text.length > SETTING_CHARACTERS_MAX) {
    const problem = `has a text of more than ${SETTING_CHARACTERS_MAX} characters; write a list`;
    throw refusal(name, problem);
  }
  const values = typeof source === 'string' ? valuesOf(path, text, source) : null;
  return { path, values: values ?? checkedValues(path, name, [source]) };
}

/** The axis of these values. Refusals contain `name`. Throws LabError `arguments`. */
export function listedAxis(path: string, values: readonly unknown[], name = path): Axis {
  return { path, values: checkedValues(path, name, values) };
}

/** The values of a range or a list. Null for a single value. */
function valuesOf(path: string, text: string, source: string): readonly AxisValue[] | null {
  const number = (part: string) => numberIn(path, part);
  return readProgression(text, source, number) ?? readList(path, text, source);
}

/** Reads a number of a range in the syntax of the member: 5% for a probability, 5m for a time. NaN for other texts. */
function numberIn(path: string, text: string): number {
  const kind = quantityKindAt(path.split('.'));
  const number = plainNumber(text);
  return Number.isNaN(number) && kind !== null ? parseQuantity(kind, text.trim()) : number;
}

/** The values between commas. Null for a single value, which is a setting. */
function readList(path: string, text: string, source: string): readonly AxisValue[] | null {
  if (!source.includes(',')) return null;
  // A quoted text, a list and a map can contain commas.
  const alone = /^["'[{]/.test(source) ? readYaml(source) : null;
  if (alone?.outcome === 'read' && alone.data !== source) return null;
  const reading = readYaml(`[${source}]`);
  if (reading.outcome === 'refused') {
    throw refusal(text, `is not a list of values: ${reading.faults[0]?.text ?? 'it is not YAML'}`);
  }
  return checkedValues(path, text, Array.isArray(reading.data) ? reading.data : [reading.data]);
}

function checkedValues(
  path: string,
  text: string,
  values: readonly unknown[],
): readonly AxisValue[] {
  refuseCount(text, values.length);
  if (values.length === 0) throw refusal(text, 'has no values');
  const plain = plainQuantityAt(path.split('.'));
  const named = values.map((given): AxisValue => {
    const value = plain(given);
    if (isAxisValue(value)) return value;
    if (typeof value === 'object' && value !== null) return flowText(value);
    throw refusal(text, 'takes finite numbers, texts, lists, maps, true, false and null');
  });
  return distinct(text, named);
}

function isAxisValue(value: unknown): value is AxisValue {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

type Schema = z.core.JSONSchema._JSONSchema;

/**
 * The kind of quantity of the member at `path`. Null for other members. Which members of a threat model are
 * quantities, as its JSON Schema says. A sweep turns the texts of their values into numbers, so that tables and
 * charts have numbers.
 */
function quantityKindAt(path: readonly string[]): QuantityKind | null {
  return kindOf(schemaAt(threatModelJsonSchema(), path) ?? false);
}

/**
 * For the values of the member at `path`: the number of a text if the member is a quantity and has this syntax.
 * Every other value is unchanged.
 */
function plainQuantityAt(path: readonly string[]): (value: unknown) => unknown {
  const kind = quantityKindAt(path);
  if (kind === null) return (value) => value;
  return (value) => {
    const number = typeof value === 'string' ? parseQuantity(kind, value) : Number.NaN;
    return Number.isNaN(number) ? value : number;
  };
}

function kindOf(schema: Schema): QuantityKind | null {
  if (typeof schema === 'boolean') return null;
  const kinds = (schema.anyOf ?? []).map(kindOf);
  return quantityKindOf(schema) ?? kinds.find((kind) => kind !== null) ?? null;
}
