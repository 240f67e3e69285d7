/**
 * @module
 * This folder contains what all routes share: the JSON edge, schemas, pages, problem documents and the
 * OpenAPI document. This file creates the router: a request that its schemas refuse is thrown as a
 * LabError, and app.ts alone turns errors into answers.
 */

import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { ServerEnv } from '../request/env.ts';
import { schemaError } from './schema-faults.ts';

export type Router = OpenAPIHono<ServerEnv>;

/** An empty group of routes. */
export function createRouter(): Router {
  return new OpenAPIHono<ServerEnv>({
    defaultHook: (result) => {
      if (!result.success) throw schemaError(result.target, result.error.issues);
    },
  });
}

/** The query of an operation that takes none: a misspelt parameter is refused and not ignored. */
export const NO_QUERY = z.strictObject({});
