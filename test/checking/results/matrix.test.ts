/**
 * @module
 * The table of docs/model-checking.md says what searches find of cells of the fault matrix. These are the cells of some
 * protocols; matrix.slow.test.ts has all.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { CheckedFault } from './matrix.ts';
import { CHECKED_FAULTS, rowOf } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');
const FAULTS = Object.keys(CHECKED_FAULTS) as CheckedFault[]; // The keys of a constant.

describe('the documented findings', () => {
  it.each(['bully-oneshot', 'cr-join', 'ring-lelann', 'peterson'] as const)(
    'of %s are those of the searches',
    (protocol) => {
      for (const row of rowOf(protocol, FAULTS)) expect(DOCUMENT).toContain(row);
    },
  );
});
