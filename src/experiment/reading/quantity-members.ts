/**
 * @module
 * Which members of a threat model are quantities, as its JSON Schema says. A sweep turns the texts of their values
 * into numbers, so that tables and charts have numbers.
 */

import type { z } from 'zod';
import type { QuantityKind } from '../../quantities.ts';
import { parseQuantity, quantityKindOf } from '../../quantities.ts';
import { THREAT_MODEL_JSON_SCHEMA } from '../document/threat-model.ts';
import { schemaAt } from './nearest.ts';

type Schema = z.core.JSONSchema._JSONSchema;

/** The kind of quantity of the member at `path`. Null for other members. */
export function quantityKindAt(path: readonly string[]): QuantityKind | null {
  return kindOf(schemaAt(THREAT_MODEL_JSON_SCHEMA, path) ?? false);
}

/** The number of a text if the member at `path` is a quantity and has this syntax. Every other value is unchanged. */
export function plainQuantity(path: readonly string[], value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const kind = quantityKindAt(path);
  const number = kind === null ? Number.NaN : parseQuantity(kind, value);
  return Number.isNaN(number) ? value : number;
}

function kindOf(schema: Schema): QuantityKind | null {
  if (typeof schema === 'boolean') return null;
  const kinds = (schema.anyOf ?? []).map(kindOf);
  return quantityKindOf(schema) ?? kinds.find((kind) => kind !== null) ?? null;
}
