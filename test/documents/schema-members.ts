/**
 * @module
 * The members of a JSON Schema as rows of a table: path, form, default and description.
 */

import { quantityKindOf } from '../../src/quantities.ts';

/** The parts of JSON Schema that a threat model's schema uses. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Member {
  readonly path: string;
  readonly form: string;
  /** As JSON; null where the member must be given or has no default. */
  readonly byDefault: string | null;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Every member below `schema`, parents first; a member with a free name is called `<name>`. */
export function membersOf(schema: Schema, path = ''): Member[] {
  const named = Object.entries(schema.properties ?? {});
  const free = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null;
  const all = free === null ? named : [...named, ['<name>', free] as const];
  return all.flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`;
    return [
      memberOf(own, member, schema.required?.includes(name) ?? false),
      ...membersOf(member, own),
    ];
  });
}

function memberOf(path: string, schema: Schema, isRequired: boolean): Member {
  const isPart = schema.properties !== undefined || schema.type === 'object';
  const byDefault = schema.default === undefined || isPart ? null : JSON.stringify(schema.default);
  return {
    path,
    form: formOf(schema),
    byDefault,
    isRequired,
    description: schema.description ?? '',
  };
}

function formOf(schema: Schema): string {
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(String).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  const [number, text] = choices ?? [];
  const kind = text === undefined ? null : quantityKindOf(text);
  if (number !== undefined && kind !== null) return [kind, rangeOf(number)].join(' ').trimEnd();
  if (choices !== undefined) return [...new Set(choices.map(formOf))].join(' or ');
  if (schema.type === 'array') return `list of ${formOf(schema.items ?? {})}`;
  const range = rangeOf(schema);
  return range === null ? (schema.type ?? 'any value') : `${schema.type} ${range}`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | null {
  const low = minimum ?? (exclusiveMinimum === undefined ? null : `above ${exclusiveMinimum}`);
  const high = maximum ?? (exclusiveMaximum === undefined ? null : `below ${exclusiveMaximum}`);
  const text = (bound: number | string | null) =>
    bound === Number.MAX_SAFE_INTEGER ? '2^53 − 1' : String(bound);
  if (low === null || high === null) return null;
  return `${text(low)} to ${text(high)}`;
}
