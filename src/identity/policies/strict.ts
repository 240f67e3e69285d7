/**
 * @module
 * The sound default: every check.
 */

import { STRICT_POLICY } from '../policy.ts';
import { S_KADEMLIA } from '../puzzles/puzzle.ts';
import { defineNamedPolicy } from './named-policy.ts';

export const strictPolicy = defineNamedPolicy({
  policy: STRICT_POLICY,
  summary: 'all checks, and the work of --c1 and --c2',
  weakness: null,
  reference: `${S_KADEMLIA}, with SHA-256; RFC 8032, section 5.1.7`,
});
