/**
 * @module
 * This folder contains what all routes share: the JSON edge, schemas, pages, problem documents and the
 * OpenAPI document. This file creates routers and describes JSON bodies. A request that the schemas of a
 * route refuse is thrown as a LabError, and app.ts alone turns errors into answers.
 */

import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import { schemaError } from './faults.ts';
import { chargedForBody, endCheck } from './json-body.ts';

export type Router = OpenAPIHono<ServerEnv>;

/** An empty group of routes. */
export function createRouter(): Router {
  return new OpenAPIHono<ServerEnv>({
    defaultHook: (result, c) => {
      if (result.target === 'json') endCheck(c);
      if (result.success) return;
      const { target, error } = result;
      // The validator adds the value that was refused; its type does not say so.
      const data = 'data' in result ? result.data : undefined;
      throw chargedForBody(c, () => schemaError(target, error.issues, data));
    },
  });
}

/** The query of an operation without parameters. An unknown parameter is refused, not ignored. */
export const NO_QUERY = z.strictObject({});

/** How an operation describes a JSON answer. */
export function jsonAnswer<Schema extends z.ZodType, Shown extends object>(
  schema: Schema,
  description: string,
  shown?: Shown,
) {
  return { description, content: { 'application/json': { schema, ...shown } } };
}

/** How an operation describes its JSON body, with an `example` or several `examples`. */
export function jsonRequest<Schema extends z.ZodType>(
  schema: Schema,
  shown: { readonly example: object } | { readonly examples: Record<string, { value: unknown }> },
) {
  return { required: true as const, content: { 'application/json': { schema, ...shown } } };
}

/**
 * The type that Accept prefers, or the first of those that it prefers equally. Throws LabError
 * `not_acceptable`, which lists the types, if it accepts none.
 */
export function acceptedType<const Type extends string>(
  c: Context,
  types: readonly [Type, ...Type[]],
): Type {
  const name = accepts(c, {
    header: 'Accept',
    supports: [...types],
    default: types[0],
    match: (wanted, { supports }) => {
      const quality = (type: string) =>
        [type, type.replace(/\/.*/, '/*'), '*/*']
          .map((range) => wanted.find((each) => each.type.toLowerCase() === range)?.q)
          .find((q) => q !== undefined) ?? 0;
      const [best = ''] = supports.toSorted((left, right) => quality(right) - quality(left));
      return quality(best) > 0 ? best : '';
    },
  });
  c.header('Vary', 'Accept', { append: true });
  const accepted = types.find((type) => type === name);
  if (accepted !== undefined) return accepted;
  throw new LabError('not_acceptable', `Accept must name one of ${types.join(', ')}`);
}
