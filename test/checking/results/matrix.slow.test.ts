/**
 * @module
 * All findings of the table of docs/model-checking.md.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { CHECKED_FAULT_NAMES, rowsOf } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');

describe('the documented findings', () => {
  it.each(PROTOCOL_NAMES)('of %s are those of the searches', (protocol) => {
    for (const row of rowsOf(protocol, CHECKED_FAULT_NAMES)) expect(DOCUMENT).toContain(row);
  });
});
