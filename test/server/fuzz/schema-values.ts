/**
 * @module
 * Values that fit a JSON Schema of the OpenAPI document, as arbitraries. Bounds, examples and small sizes
 * are preferred, because large numbers are expensive for the server.
 */

import fc from 'fast-check';

import type { OpenApiDocument, Schema } from '../../../server/contract/openapi/shape.ts';
import { componentOf } from '../../../server/contract/openapi/shape.ts';

/** Draws a value for a member of this name instead of one from its schema. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>;

export interface Vocabulary {
  readonly document: OpenApiDocument;
  readonly overrides?: Overrides;
}

/** Values of the schema. At depth 0 optional members are omitted. */
export function valuesOf(
  schema: Schema,
  vocabulary: Vocabulary,
  depth = DEPTH,
): fc.Arbitrary<unknown> {
  const component = componentOf(schema);
  if (component !== null) {
    return valuesOf(vocabulary.document.components.schemas[component] ?? {}, vocabulary, depth);
  }
  const drawn = structureOf(schema, vocabulary, depth);
  const examples = examplesIn(schema);
  if (examples.length === 0) return drawn;
  return fc.oneof(
    { weight: 3, arbitrary: drawn },
    { weight: 2, arbitrary: fc.constantFrom(...examples) },
  );
}

/** Every bound in a schema. Its neighbours violate it. */
export function boundsIn(schema: unknown): number[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    BOUNDS.has(name) && typeof value === 'number' ? [value] : boundsIn(value),
  );
}

function structureOf(schema: Schema, vocabulary: Vocabulary, depth: number): fc.Arbitrary<unknown> {
  const { oneOf, anyOf, allOf, type } = schema;
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const branches = schemasIn(oneOf ?? anyOf);
  if (branches.length > 0) {
    const { oneOf: _one, anyOf: _any, example: _example, ...shared } = schema;
    return fc.oneof(
      ...branches.map((branch) => valuesOf({ ...shared, ...branch }, vocabulary, depth)),
    );
  }
  if (Array.isArray(allOf)) {
    const { allOf: _all, ...shared } = schema;
    return valuesOf(mergedOf([shared, ...schemasIn(allOf)], vocabulary), vocabulary, depth);
  }
  if (Array.isArray(type)) {
    return fc.oneof(
      ...type.map((each) => structureOf({ ...schema, type: each }, vocabulary, depth)),
    );
  }
  switch (type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
      return integersOf(schema);
    case 'number':
      return numbersOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arraysOf(schema, vocabulary, depth);
    case 'object':
      return objectsOf(schema, vocabulary, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function textsOf({ pattern, format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  const least = numberOr(minLength, 0);
  const most = numberOr(maxLength, least + TEXT_LENGTH);
  if (typeof pattern === 'string') {
    return fc
      .stringMatching(new RegExp(pattern))
      .filter(({ length }) => length >= least && length <= numberOr(maxLength, Infinity));
  }
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc.date({ ...YEARS, noInvalidDate: true }).map((at) => at.toISOString());
  const length = { minLength: least, maxLength: Math.min(most, least + TEXT_LENGTH) };
  return fc.oneof(
    fc.string(length),
    fc.string({ ...length, unit: 'grapheme' }).filter((text) => text.length <= most),
  );
}

function integersOf(schema: Schema): fc.Arbitrary<number> {
  const least = numberOr(schema.minimum, numberOr(schema.exclusiveMinimum, -LARGE - 1) + 1);
  const most = numberOr(schema.maximum, numberOr(schema.exclusiveMaximum, LARGE + 1) - 1);
  const near = Math.max(least, Math.min(0, most));
  return fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: near, max: Math.min(most, near + SMALL) }) },
    { weight: 1, arbitrary: fc.constantFrom(least, most) },
  );
}

function numbersOf(schema: Schema): fc.Arbitrary<number> {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const min = numberOr(schema.minimum, numberOr(exclusiveMinimum, -LARGE));
  const max = numberOr(schema.maximum, numberOr(exclusiveMaximum, LARGE));
  const minExcluded = typeof exclusiveMinimum === 'number';
  const maxExcluded = typeof exclusiveMaximum === 'number';
  return fc.double({ min, max, minExcluded, maxExcluded, noNaN: true }).map((x) => x + 0);
}

function arraysOf(schema: Schema, vocabulary: Vocabulary, depth: number): fc.Arbitrary<unknown[]> {
  const prefix = schemasIn(schema.prefixItems);
  if (prefix.length > 0) {
    return fc.tuple(...prefix.map((each) => valuesOf(each, vocabulary, depth - 1)));
  }
  const items = valuesOf(schemaOr(schema.items), vocabulary, depth - 1);
  const minLength = numberOr(schema.minItems, 0);
  const most = numberOr(schema.maxItems, minLength + ITEMS);
  const length = {
    minLength,
    maxLength: depth > 0 ? Math.min(most, minLength + ITEMS) : minLength,
  };
  if (schema.uniqueItems !== true) return fc.array(items, length);
  return fc.uniqueArray(items, { ...length, selector: (item) => JSON.stringify(item) });
}

function objectsOf(schema: Schema, vocabulary: Vocabulary, depth: number): fc.Arbitrary<object> {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const members = Object.entries(schemaOr(schema.properties))
    .filter(([name]) => depth > 0 || required.includes(name))
    .map(([name, each]) => {
      const override = vocabulary.overrides?.[name];
      return [name, override ?? valuesOf(schemaOr(each), vocabulary, depth - 1)] as const;
    });
  const known = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((name) => members.some(([member]) => member === name)),
  });
  const { additionalProperties, propertyNames, minProperties } = schema;
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return known;
  const names = valuesOf({ type: 'string', ...schemaOr(propertyNames) }, vocabulary, 0).map(String);
  const more = fc.dictionary(
    names,
    valuesOf(schemaOr(additionalProperties), vocabulary, depth - 1),
    {
      minKeys: numberOr(minProperties, 0),
      maxKeys: numberOr(minProperties, 0) + ITEMS,
    },
  );
  return fc.tuple(more, known).map(([others, own]) => ({ ...others, ...own }));
}

/** One schema with the keywords of all of them, which must not overlap. */
function mergedOf(schemas: readonly Schema[], { document }: Vocabulary): Schema {
  const resolved = schemas.map((each) => {
    const component = componentOf(each);
    return component === null ? each : (document.components.schemas[component] ?? {});
  });
  return {
    ...Object.assign({}, ...resolved),
    properties: Object.assign({}, ...resolved.map(({ properties }) => properties)),
    required: resolved.flatMap(({ required }) => listOf(required)),
  };
}

function examplesIn(schema: Schema): unknown[] {
  const { example, examples } = schema;
  return [
    ...(example === undefined ? [] : [example]),
    ...listOf(examples),
    ...('default' in schema ? [schema.default] : []),
  ];
}

function schemasIn(value: unknown): Schema[] {
  return listOf(value).map(schemaOr);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function schemaOr(value: unknown): Schema {
  // Any object is a schema, whose members are read one by one.
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const YEARS = { min: new Date('1970-01-01'), max: new Date('2100-01-01') };
const DEPTH = 5;
const ITEMS = 3;
const SMALL = 12;
const TEXT_LENGTH = 24;
const LARGE = 1_000_000_000;
const BOUNDS = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minItems', 'maxItems', 'minLength', 'maxLength'],
]);
