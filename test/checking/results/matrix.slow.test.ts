/**
 * @module
 * All findings of the table of docs/model-checking.md.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { CheckedFault } from './matrix.ts';
import { CHECKED_FAULTS, rowOf } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');
const FAULTS = Object.keys(CHECKED_FAULTS) as CheckedFault[]; // The keys of a constant.

describe('the documented findings', () => {
  it.each(PROTOCOL_NAMES)('of %s are those of the searches', (protocol) => {
    for (const row of rowOf(protocol, FAULTS)) expect(DOCUMENT).toContain(row);
  });
});
