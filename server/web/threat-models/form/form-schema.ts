/**
 * @module
 * What the form shows for each part of the JSON Schema of threat models. Only the constructs that this schema uses
 * are known; everything else is a field of YAML text.
 */

/** The members of JSON Schema that the form reads. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly maxLength?: number;
}

/** A member of a group. */
export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** One of several forms of an object, which a member names. */
export interface Variant {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** How a part of a document is edited. */
export type Field =
  | { readonly kind: 'group'; readonly members: readonly Member[] }
  /** Members with names of the user's choice, or of a list. */
  | { readonly kind: 'map'; readonly names: readonly string[] | null; readonly of: JsonSchema }
  | { readonly kind: 'variants'; readonly by: string; readonly variants: readonly Variant[] }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'quantity' }
  | { readonly kind: 'text'; readonly isLong: boolean }
  | { readonly kind: 'yaml' };

/** Texts from this length on are edited in several lines. */
const LONG_TEXT = 1_000;

export function fieldOf(schema: JsonSchema): Field {
  const { properties, additionalProperties: of, items } = schema;
  if (properties !== undefined) return { kind: 'group', members: membersOf(schema) };
  if (typeof of === 'object') {
    return { kind: 'map', names: namesOf(schema.propertyNames), of };
  }
  const variants = variantsOf(schema.oneOf ?? []);
  if (variants !== null) return variants;
  if (schema.enum !== undefined) return { kind: 'choice', options: schema.enum.map(String) };
  if (items?.enum !== undefined) return { kind: 'choices', options: items.enum.map(String) };
  if (schema.type === 'boolean') return { kind: 'flag' };
  if (isQuantity(schema)) return { kind: 'quantity' };
  if (schema.type === 'string') {
    return { kind: 'text', isLong: (schema.maxLength ?? 0) > LONG_TEXT };
  }
  return { kind: 'yaml' };
}

export function membersOf({ properties = {}, required = [] }: JsonSchema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, schema, isRequired: required.includes(name) };
  });
}

function namesOf(schema: JsonSchema | undefined): readonly string[] | null {
  return schema?.enum === undefined ? null : schema.enum.map(String);
}

/** The variants if every schema is an object with the same constant member. */
function variantsOf(schemas: readonly JsonSchema[]): Field | null {
  const [first] = schemas;
  const by = Object.entries(first?.properties ?? {}).find(
    ([, { const: one }]) => one !== undefined,
  );
  if (by === undefined) return null;
  const [name] = by;
  const variants = schemas.map((schema) => {
    return { name: String(schema.properties?.[name]?.const), schema };
  });
  return { kind: 'variants', by: name, variants };
}

/** A number, or a number or its text. */
function isQuantity({ type, anyOf = [] }: JsonSchema): boolean {
  if (type === 'integer' || type === 'number') return true;
  return anyOf.some(isQuantity) && anyOf.every((one) => isQuantity(one) || one.type === 'string');
}

/** The default as text; null if there is none, or none that a line can show. */
export function defaultText(schema: JsonSchema): string | null {
  const { default: value } = schema;
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'object' ? null : String(value);
}

/**
 * What a description says about one option, if it lists the options as "name: meaning." Null if it does not name it.
 */
export function meaningOf(
  option: string,
  options: readonly string[],
  description = '',
): string | null {
  const startOf = (name: string) => {
    const at = ` ${description}`.search(new RegExp(` ${escaped(name)}: `));
    return at < 0 ? null : at;
  };
  const start = startOf(option);
  if (start === null) return null;
  const starts = options.map(startOf).filter((at) => at !== null && at > start);
  const end = Math.min(description.length, ...starts.map((at) => at ?? 0));
  return description.slice(start + option.length + 2, end).trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A document without the members that are the defaults of the schema anyway. */
export function withoutDefaults(value: unknown, schema: JsonSchema): unknown {
  const field = fieldOf(schema);
  if (!isRecord(value) || (field.kind !== 'group' && field.kind !== 'map')) return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const own = field.kind === 'map' ? field.of : schema.properties?.[name];
    if (own === undefined) return [[name, member]];
    const short = withoutDefaults(member, own);
    const isNeeded = field.kind === 'map' || schema.required?.includes(name) === true;
    const isDefault = isSame(short, own.default) || isSame(member, own.default);
    return !isNeeded && isDefault ? [] : [[name, short]];
  });
  return Object.fromEntries(kept);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
