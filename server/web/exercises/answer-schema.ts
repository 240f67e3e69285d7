/**
 * @module
 * What the form of an answer shows for each part of its JSON Schema, and the answer that it makes. An empty value is null.
 */

/** The members of JSON Schema that answers use. */
export interface AnswerSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, AnswerSchema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly items?: AnswerSchema;
  readonly anyOf?: readonly AnswerSchema[];
  readonly default?: unknown;
  readonly description?: string;
}

/** How a part of an answer is entered. */
export type AnswerPart =
  | { readonly kind: 'group'; readonly members: readonly (readonly [string, AnswerSchema])[] }
  | { readonly kind: 'items'; readonly of: AnswerSchema }
  | { readonly kind: 'lines'; readonly of: AnswerSchema }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'number' | 'text' };

/** The schema with each definition in the place that refers to it. The other functions follow no `$ref`. */
export function resolved(schema: AnswerSchema, defs = schema.$defs ?? {}): AnswerSchema {
  const { $ref, items, properties, ...rest } = schema;
  const target = defs[$ref?.replace('#/$defs/', '') ?? ''];
  if (target !== undefined) return resolved({ ...target, ...rest }, defs);
  const members = Object.entries(properties ?? {}).map(([name, member]) => [
    name,
    resolved(member, defs),
  ]);
  return {
    ...rest,
    ...(items !== undefined && { items: resolved(items, defs) }),
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
  };
}

export function partOf(schema: AnswerSchema): AnswerPart {
  const { type, properties, items, enum: options } = plain(schema);
  if (properties !== undefined) {
    const members = Object.entries(properties).filter(([, member]) => member.const === undefined);
    return { kind: 'group', members };
  }
  if (items !== undefined) {
    return { kind: plain(items).properties === undefined ? 'lines' : 'items', of: items };
  }
  if (options !== undefined) return { kind: 'choice', options: options.map(String) };
  return { kind: type === 'number' || type === 'integer' ? 'number' : 'text' };
}

/** The schema of a value that is not null. */
function plain(schema: AnswerSchema): AnswerSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

/** Whether null is a value. */
function isNullable(schema: AnswerSchema): boolean {
  return schema.anyOf?.some(({ type }) => type === 'null') ?? false;
}

/** An answer with all members and one item in each list, without values. */
export function skeletonOf(schema: AnswerSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  const part = partOf(schema);
  if (part.kind === 'items') return [skeletonOf(part.of)];
  if (part.kind === 'lines') return [];
  if (part.kind !== 'group') return schema.default ?? null;
  const members = Object.entries(plain(schema).properties ?? {});
  return Object.fromEntries(members.map(([name, member]) => [name, skeletonOf(member)]));
}

/** The value that a text stands for. What is no number stays text, which the server refuses with the reason. */
export function valueIn(schema: AnswerSchema, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const number = Number(trimmed);
  return partOf(schema).kind === 'number' && Number.isFinite(number) ? number : trimmed;
}

/** The answer of a form: without the items of lists that were left empty. */
export function filled(schema: AnswerSchema, value: unknown): unknown {
  const part = partOf(schema);
  if (part.kind === 'items' && Array.isArray(value)) {
    const used = value.filter((item) => !isEmpty(part.of, item));
    return used.map((item) => filled(part.of, item));
  }
  if (part.kind !== 'group') return value;
  const properties = Object.entries(plain(schema).properties ?? {});
  return Object.fromEntries(
    properties.map(([name, member]) => [name, filled(member, membersOf(value)[name])]),
  );
}

function isEmpty(schema: AnswerSchema, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(skeletonOf(schema));
}

/** The members of an object. Any other value has none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { ...value } : {};
}

/** Whether the answer may be left without this value. */
export function isOptional(schema: AnswerSchema): boolean {
  return isNullable(schema) || schema.default !== undefined;
}
