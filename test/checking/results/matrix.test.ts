/**
 * @module
 * The table of docs/model-checking.md says what searches find of cells of the fault matrix. These are the cells of some
 * protocols; matrix.slow.test.ts has all.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { CHECKED_FAULT_NAMES, rowsOf } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');

describe('the documented findings', () => {
  it.each(['bully-oneshot', 'cr-join', 'ring-lelann', 'peterson'] as const)(
    'of %s are those of the searches',
    (protocol) => {
      for (const row of rowsOf(protocol, CHECKED_FAULT_NAMES)) expect(DOCUMENT).toContain(row);
    },
  );
});

describe('a disagreement with the fault matrix', () => {
  it('is in no cell', () => {
    expect(DOCUMENT.match(/^\|.*disagrees: .*/gm)).toBeNull();
  });
});
