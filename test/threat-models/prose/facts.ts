/**
 * @module
 * The derivations that only one document needs, for all documents.
 */

import type { Facts } from './fact.ts';
import { PARTITIONS } from './partitions.ts';
import { SPOOFING } from './spoofing.ts';

export const FACTS: Facts = { ...PARTITIONS, ...SPOOFING };
