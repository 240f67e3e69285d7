/**
 * @module
 * The router that every group of routes is made of: what its schemas refuse is thrown as a LabError
 * and answered in one place (app.ts), so that no handler words a refusal of form itself.
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
