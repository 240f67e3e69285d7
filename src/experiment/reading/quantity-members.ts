/**
 * @module
 * Which members of a threat model are quantities, as its JSON Schema says. A sweep turns the texts of their values
 * into numbers, so that tables and charts have numbers.
 */

import type { z } from 'zod';
import type { QuantityKind } from '../../quantities.ts';
import { parseQuantity, quantityKindOf } from '../../quantities.ts';
import { threatModelJsonSchema } from '../document/threat-model.ts';
import { schemaAt } from './nearest.ts';

type Schema = z.core.JSONSchema._JSONSchema;

/** The kind of quantity of the member at `path`. Null for other members. */
export function quantityKindAt(path: readonly string[]): QuantityKind | null {
  return kindOf(schemaAt(threatModelJsonSchema(), path) ?? false);
}

/**
 * For the values of the member at `path`: the number of a text if the member is a quantity and has this syntax.
 * Every other value is unchanged.
 */
export function plainQuantityAt(path: readonly string[]): (value: unknown) => unknown {
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
