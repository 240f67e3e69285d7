/**
 * @module
 * Bodies with one member at a bound of its schema, and one beyond it, made from an example of the document. The
 * members of unions are found by the example.
 */

import fc from 'fast-check';

import type { OpenApiDocument, Schema } from '../../../server/contract/openapi/shape.ts';
import { componentOf } from '../../../server/contract/openapi/shape.ts';
import { valuesOf } from './schema-values.ts';

export interface BoundCase {
  /** JSON pointer of the member. */
  readonly pointer: string;
  /** What the member is there. */
  readonly value: unknown;
  readonly body: unknown;
  /** Whether the schema allows the value. */
  readonly fits: boolean;
}

/** The cases of every member that the example has, and of the optional members of its objects. */
export function boundCases(
  schema: Schema,
  document: OpenApiDocument,
  example: unknown,
): readonly BoundCase[] {
  const cases: BoundCase[] = [];
  const visit = (at: Schema, path: readonly (string | number)[]) => {
    const found = resolved(at, document);
    const value = valueAt(example, path);
    const branches = branchesOf(found);
    for (const branch of branches) {
      const own = resolved(branch, document);
      const isAmbiguous = branches.some(
        (each) => each !== branch && resolved(each, document).type === own.type,
      );
      if (own.type === 'object' || own.properties !== undefined) {
        if (isObject(value) && fitsConstants(own, value, document)) visitMembers(own, path);
      } else {
        for (const { value: put, fits } of valuesAt(own, document)) {
          if (!fits && isAmbiguous) continue;
          const body = withValue(example, path, put);
          cases.push({ pointer: pointerOf(path), value: put, body, fits });
        }
      }
    }
  };
  const visitMembers = (object: Schema, path: readonly (string | number)[]) => {
    for (const [name, member] of Object.entries(schemasOf(object.properties))) {
      visit(member, [...path, name]);
    }
  };
  visit(schema, []);
  return cases;
}

/** The pointers of numbers, texts and lists without bounds. `*` stands for the items of a list. */
export function unboundedIn(schema: Schema, document: OpenApiDocument): string[] {
  const seen = new Set<string>();
  const visit = (at: Schema, path: string): string[] => {
    const name = componentOf(at);
    if (name !== null && seen.has(name)) return [];
    if (name !== null) seen.add(name);
    const found = resolved(at, document);
    const { items, additionalProperties } = found;
    const inner = [
      ...Object.entries(schemasOf(found.properties)).flatMap(([key, member]) =>
        visit(member, `${path}/${key}`),
      ),
      ...branchesOf(found).flatMap((branch) => (branch === found ? [] : visit(branch, path))),
      ...(isObject(items) ? visit(items, `${path}/*`) : []),
      ...(isObject(additionalProperties) ? visit(additionalProperties, `${path}/*`) : []),
    ];
    return isUnbounded(found) ? [path, ...inner] : inner;
  };
  return visit(schema, '');
}

function isUnbounded({ type, enum: values, ...schema }: Schema): boolean {
  if (values !== undefined || 'const' in schema) return false;
  if (type === 'array') return Number(schema.maxItems ?? Infinity) >= ITEMS_LARGE;
  if (type === 'string') return schema.maxLength === undefined && schema.pattern === undefined;
  if (type !== 'integer' && type !== 'number') return false;
  const isLow = schema.minimum === undefined && schema.exclusiveMinimum === undefined;
  const isHigh = schema.maximum === undefined && schema.exclusiveMaximum === undefined;
  return isLow || isHigh;
}

/** The document gives this bound to lists that have none of their own. */
const ITEMS_LARGE = 200_000;

interface Tried {
  readonly value: unknown;
  readonly fits: boolean;
}

function valuesAt(schema: Schema, document: OpenApiDocument): Tried[] {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const number = (bound: unknown) => (typeof bound === 'number' ? [bound] : []);
  const fits = (values: readonly unknown[], does: boolean) =>
    values.map((value) => ({ value, fits: does }));
  if (type === 'integer' || type === 'number') {
    const step = (bound: number) =>
      type === 'integer' ? 1 : Math.max(1e-18, Math.abs(bound) / 1e6);
    return [
      ...fits([...number(minimum), ...number(maximum)], true),
      ...fits(
        number(minimum).map((bound) => bound - step(bound)),
        false,
      ),
      ...fits(
        number(maximum).map((bound) => bound + step(bound)),
        false,
      ),
      ...fits([...number(exclusiveMinimum), ...number(exclusiveMaximum)], false),
      ...fits(
        number(exclusiveMinimum).map((bound) => bound + 1e-6),
        true,
      ),
      ...fits(
        number(exclusiveMaximum).map((bound) => bound - 1e-6),
        true,
      ),
    ];
  }
  if (type === 'string' && schema.pattern === undefined && schema.enum === undefined) {
    const texts = number(schema.maxLength).map((most) => 'x'.repeat(most + 1));
    return fits(texts, false);
  }
  if (type === 'array') return listsAt(schema, document);
  return [];
}

function listsAt(schema: Schema, document: OpenApiDocument): Tried[] {
  const { minItems = 0, maxItems, items } = schema;
  const [item] = fc.sample(valuesOf(isObject(items) ? items : {}, { document }, 1), {
    numRuns: 1,
    seed: 1,
  });
  const list = (length: number) =>
    Array.from({ length }, (_, index) => (typeof item === 'number' ? index + 1 : item));
  const least = Number(minItems);
  const most = Number(maxItems);
  return [
    ...(least > 0 ? [{ value: list(least - 1), fits: false }] : []),
    ...(most < ITEMS_LARGE ? [{ value: list(most + 1), fits: false }] : []),
  ];
}

function resolved(schema: Schema, document: OpenApiDocument): Schema {
  const name = componentOf(schema);
  return name === null ? schema : resolved(document.components.schemas[name] ?? {}, document);
}

function branchesOf(schema: Schema): readonly Schema[] {
  const { oneOf, anyOf } = schema;
  const branches = oneOf ?? anyOf;
  // By the form of JSON Schema.
  return Array.isArray(branches) ? (branches as readonly Schema[]) : [schema];
}

/** Whether the constant members of an object, such as `type`, are those of the schema. */
function fitsConstants(schema: Schema, value: Schema, document: OpenApiDocument): boolean {
  return Object.entries(schemasOf(schema.properties)).every(([name, member]) => {
    const { const: constant, enum: values } = resolved(member, document);
    if (constant !== undefined) return value[name] === constant;
    if (!Array.isArray(values) || values.length > 1) return true;
    return values.includes(value[name]);
  });
}

function schemasOf(properties: unknown): Readonly<Record<string, Schema>> {
  // By the form of JSON Schema.
  return isObject(properties) ? (properties as Readonly<Record<string, Schema>>) : {};
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

function withValue(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  put: unknown,
): unknown {
  if (key === undefined) return put;
  const object = isObject(value) ? value : {};
  return { ...object, [key]: withValue(object[key], rest, put) };
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((key) => `/${key}`).join('');
}
