/**
 * @module
 * The policy of a request: its members, or the name of one of GET /v1/policies, as on the command line.
 */

import { z } from '@hono/zod-openapi';
import { NAMED_POLICIES, POLICY_NAMES } from '../../src/identity/named-policies.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { policySchema } from '../../src/identity/policy.ts';

/** A policy with its members, or its name. */
export const requestedPolicySchema = z
  .union([policySchema, z.enum(POLICY_NAMES)])
  .transform((asked): Policy => (typeof asked === 'string' ? NAMED_POLICIES[asked].policy : asked));
