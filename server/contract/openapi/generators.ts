/**
 * @module
 * Puts the schemas of a document into a form from which client generators make types: shapes that occur
 * several times and the members of unions have names, unions have discriminators, arrays have bounds, tuples
 * are arrays, and no member of a body has the keyword `default`. (openapi-python-client leaves out an operation
 * whose default is an object beside a union, and gives types without a name a number. openapi-typescript makes
 * a member with a default mandatory, in requests too. openapi-zod-client writes null as one of several texts, which its
 * compiler refuses.) The description of a request states the default; an
 * answer always has such a member.
 */

import type { OpenApiDocument, Schema, Use } from './shape.ts';
import { mapMedia, mapOperations, mapValues } from './shape.ts';

/** Items of an array without a bound of its own: more do not fit into a body, and no answer has more. */
const ITEMS_MAX = 200_000;

/** The shapes that get a name, by where one of them occurs: a component, then its members. */
const SHAPES = {
  Puzzle: ['Params', 'policy', 'puzzle'],
  PolicyChecks: ['Params', 'policy', 'checks'],
  Policy: ['Params', 'policy'],
  PolicyChecksRequest: ['ElectionRequest', 'policy', 'checks'],
  PolicyRequest: ['ElectionRequest', 'policy'],
  SetMembers: ['RunRequest', 'set'],
  RunReport: ['Run', 'report'],
} as const;

/** The document with named shapes. */
export function namedShapes(document: OpenApiDocument): OpenApiDocument {
  const names = new Names();
  const tidy = (use: Use) => (schema: Schema, name: string) =>
    names.named(plain(schema, use), name);
  const { schemas } = document.components;
  const requested = componentsRequested(document);
  const useOf = (component: string): Use => {
    return AS_WRITTEN.has(component) || requested.has(component) ? 'request' : 'answer';
  };
  for (const [name, [component, ...members]] of Object.entries(SHAPES)) {
    const shape = memberOf(schemas[component], members);
    if (shape !== null) names.define(name, tidy(useOf(component))(shape, name));
  }
  const components = mapValues(schemas, (schema, name) => tidy(useOf(name))(schema, name));
  const operations = mapOperations(document, (operation) => {
    const name = capitalized(operation.operationId);
    return mapMedia(operation, ({ schema, itemSchema, ...media }, _type, use) => ({
      ...media,
      ...(schema && { schema: tidy(use)(schema, name) }),
      ...(itemSchema && { itemSchema: tidy(use)(itemSchema, name) }),
    }));
  });
  const all = { ...components, ...names.components };
  return { ...operations, components: { ...document.components, schemas: all } };
}

/** Answers with documents as their authors wrote them: members with a default may be absent. */
const AS_WRITTEN: ReadonlySet<string> = new Set(['ThreatModel']);

/** The components of the bodies of requests. */
function componentsRequested({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const search = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (found.has(name)) continue;
      found.add(name);
      search(components.schemas[name] ?? {});
    }
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  for (const { requestBody = {} } of operations) search(requestBody);
  return found;
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** The schema of a member of a member; null if there is none. Of a union it is that of its only object. */
function memberOf(schema: Schema | undefined, names: readonly string[]): Schema | null {
  if (schema === undefined) return null;
  const branches: readonly unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const objects = branches.filter(isSchema).filter(({ properties }) => properties !== undefined);
  if (objects.length === 1) return memberOf(objects[0], names);
  const [first, ...rest] = names;
  return first === undefined ? schema : memberOf(schemasIn(schema.properties)[first], rest);
}

/** Collects the shapes with names. */
class Names {
  readonly components: Record<string, Schema> = {};
  /** The name of each shape. */
  readonly #names = new Map<string, string>();

  define(name: string, shape: Schema): void {
    this.components[name] = shape;
    this.#names.set(textOf(shape), name);
  }

  /** The schema with references to shapes that have names. The members of unions get names below `name`. */
  named(schema: Schema, name: string): Schema {
    const { properties } = schema;
    const below: Schema = {
      ...schema,
      ...(properties !== undefined && {
        properties: mapValues(schemasIn(properties), (member, key) =>
          this.#reference(this.named(member, `${name}${capitalized(key)}`)),
        ),
      }),
    };
    const union = this.#discriminated(below, name);
    return union ?? mapInner(below, (each) => this.#reference(this.named(each, name)));
  }

  #reference(schema: Schema): Schema {
    const name = this.#names.get(textOf(schema));
    if (name === undefined) return schema;
    const { description } = schema;
    return {
      $ref: `${COMPONENTS}${name}`,
      ...(description !== undefined && { description }),
    };
  }

  /** A union of objects that a constant member distinguishes, with a discriminator; null for others. */
  #discriminated(schema: Schema, name: string): Schema | null {
    const { oneOf, anyOf, discriminator: _given, ...rest } = schema;
    const branches = oneOf ?? anyOf;
    if (!Array.isArray(branches)) return null;
    const all: readonly Schema[] = branches.filter(({ type }: Schema) => type !== 'null');
    const propertyName = constantMemberOf(all);
    if (propertyName === null) return null;
    const references = all.map((branch) => {
      const value = constantOf(memberOf(branch, [propertyName]) ?? {}) ?? '';
      const shape = this.named(branch, `${name}${capitalized(value)}`);
      const known = this.#names.get(textOf(shape));
      if (known === undefined) this.define(`${name}${capitalized(value)}`, shape);
      return [value, `${COMPONENTS}${known ?? `${name}${capitalized(value)}`}`] as const;
    });
    const mapping = Object.fromEntries(references);
    const union = {
      oneOf: references.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName, mapping },
    };
    // A discriminator finds only schemas with names.
    if (all.length === branches.length) return { ...rest, ...union };
    return { ...rest, anyOf: [union, { type: 'null' }] };
  }
}

/** The member with a different constant in each of several objects; null if they have none. */
function constantMemberOf(branches: readonly Schema[]): string | null {
  const [first, ...others] = branches;
  if (first === undefined || others.length === 0) return null;
  const names = Object.keys(schemasIn(first.properties));
  const isConstant = (name: string) => {
    const values = branches.map((branch) => constantOf(memberOf(branch, [name]) ?? {}));
    return !values.includes(null) && new Set(values).size === branches.length;
  };
  return names.find(isConstant) ?? null;
}

/** The only value of a schema, if it is a text; null for others. */
function constantOf({ const: constant, enum: values }: Schema): string | null {
  const only: unknown = Array.isArray(values) && values.length === 1 ? values[0] : constant;
  return typeof only === 'string' ? only : null;
}

/** With bounds of arrays, without tuples, without null among texts and without the defaults of members. */
function plain(schema: Schema, use: Use): Schema {
  const { properties, default: _stated, prefixItems, example, ...rest } = withoutNull(schema);
  const members = properties === undefined ? {} : schemasIn(properties);
  const given: readonly unknown[] = Array.isArray(rest.required) ? rest.required : [];
  const filled = Object.keys(members).filter((name) => members[name]?.default !== undefined);
  const required = [...new Set([...given, ...filled])];
  const isFilled = use === 'answer' && filled.length > 0;
  const kept: Schema = {
    ...rest,
    ...(use === 'request' && descriptionWith(schema)),
    ...(isFilled && { required }),
    // The example of a request may leave out members that an answer always has.
    ...(example !== undefined && !isFilled && { example }),
    ...(properties !== undefined && { properties: mapValues(members, (each) => plain(each, use)) }),
    ...(Array.isArray(prefixItems) && { items: itemsOf(prefixItems) }),
  };
  const mapped = mapInner(kept, (each) => plain(each, use));
  if (mapped.type !== 'array') return mapped;
  const tuple = Array.isArray(prefixItems) ? prefixItems.length : null;
  return { minItems: tuple ?? 0, maxItems: tuple ?? ITEMS_MAX, ...mapped };
}

/** Null beside the texts of an enumeration is a branch of a union. */
function withoutNull({ type, enum: values, ...rest }: Schema): Schema {
  if (!Array.isArray(values) || !values.includes(null)) return { type, enum: values, ...rest };
  const texts = values.filter((value) => value !== null);
  return { ...rest, anyOf: [{ type: 'string', enum: texts }, { type: 'null' }] };
}

/** The description with the default, if there is one that a sentence can state. */
function descriptionWith({ default: preset, description }: Schema): Schema {
  if (preset === undefined || (typeof preset === 'object' && preset !== null)) return {};
  const sentence = `Default: ${preset}.`;
  return { description: description === undefined ? sentence : `${description} ${sentence}` };
}

/** One schema for all items of a tuple. */
function itemsOf(items: readonly unknown[]): unknown {
  const texts = new Map(items.map((item) => [JSON.stringify(item), item]));
  const different = [...texts.values()];
  return different.length === 1 ? different[0] : { anyOf: different };
}

/** The schema with the schemas inside it replaced, except those of its members. */
function mapInner(schema: Schema, map: (inner: Schema) => Schema): Schema {
  const replaced = (value: unknown, keyword: string): unknown => {
    if (LISTS.has(keyword) && Array.isArray(value)) return value.map(map);
    if (SINGLES.has(keyword) && isSchema(value)) return map(value);
    return value;
  };
  return mapValues(schema, replaced);
}

const LISTS: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf']);
const SINGLES: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'propertyNames']);

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasIn(properties: unknown): Readonly<Record<string, Schema>> {
  if (!isSchema(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, Schema] => isSchema(entry[1])),
  );
}

/** What makes two shapes the same: everything but the texts for people. */
function textOf({ description: _text, example: _one, examples: _many, ...shape }: Schema): string {
  return JSON.stringify(shape);
}

function capitalized(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join('');
}

const COMPONENTS = '#/components/schemas/';
