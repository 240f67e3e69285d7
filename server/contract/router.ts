/**
 * @module
 * This folder contains what all routes share: the JSON edge, schemas, pages, problem documents and the
 * OpenAPI document. This file creates routers and describes JSON bodies. A request that the schemas of a
 * route refuse is thrown as a LabError, and app.ts alone turns errors into answers.
 */

import type { RouteConfig } from '@hono/zod-openapi';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import { schemaError } from './faults.ts';
import { chargedForBody, endCheck, JSON_BODY, NO_BODY } from './json-body.ts';

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

type RequestParts = NonNullable<RouteConfig['request']>;
type RouteFacts = Omit<RouteConfig, 'method' | 'path' | 'tags' | 'request'> &
  RequestParts & { readonly operationId: string };

/** A route as createRoute makes it: the parts of the request are in `request`. */
type Route<M extends string, P extends string, F extends RouteFacts> = F & {
  readonly method: M;
  readonly path: P;
  readonly request: Pick<F, Extract<keyof F, 'params' | 'headers' | 'body'>> & {
    readonly query: F extends { readonly query: infer Query } ? Query : typeof NO_QUERY;
  };
};

/**
 * Makes the routes of a group. Without `query` a route has no parameter. By default a body is read as JSON, and a POST
 * without one takes no members.
 */
export function routesOf(group: string) {
  return <const M extends RouteConfig['method'], P extends string, F extends RouteFacts>(
    method: M,
    path: P,
    facts: F,
  ) => {
    const {
      operationId,
      params,
      query = NO_QUERY,
      headers,
      body,
      responses,
      ...known
    }: RouteFacts = facts;
    const usual = method === 'post' ? NO_BODY : [];
    const route = {
      method,
      path,
      operationId,
      tags: [group],
      middleware: body === undefined ? usual : JSON_BODY,
      ...known,
      request: {
        ...(params && { params }),
        query,
        ...(headers && { headers }),
        ...(body && { body }),
      },
      responses,
    };
    // The compiler does not see which parts a generic route has.
    return createRoute(route) as unknown as Route<M, P, F>;
  };
}

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
