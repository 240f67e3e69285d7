/**
 * @module
 * The table of docs/model-checking.md says what searches find of cells of the fault matrix. Here small searches find no
 * other for some protocols; matrix.slow.test.ts repeats all searches.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { CHECKED_FAULT_NAMES, confirmCell, labelOf, QUICK, rowPattern } from './matrix.ts';

const DOCUMENT = readFileSync('docs/model-checking.md', 'utf8');

describe('the documented findings', () => {
  it.each(['bully-oneshot', 'cr-join', 'ring-lelann', 'peterson'] as const)(
    'of %s are those of the searches',
    (protocol) => {
      let compared = 0;
      for (const fault of CHECKED_FAULT_NAMES) {
        const [row = ''] = DOCUMENT.match(rowPattern(protocol, fault)) ?? [];
        expect(row).not.toBe('');
        for (const found of confirmCell(protocol, fault, QUICK)) {
          // A larger search may know more.
          if (found.finding === 'sampled') continue;
          compared += 1;
          expect(row).toMatch(
            new RegExp(`[|;] ${labelOf(found, fault)}: [^:]*\\b${found.property}[,; ]`),
          );
        }
      }
      expect(compared).toBeGreaterThan(CHECKED_FAULT_NAMES.length);
    },
  );
});

describe('a disagreement with the fault matrix', () => {
  it('is in no cell', () => {
    expect(DOCUMENT.match(/^\|.*disagrees: .*/gm)).toBeNull();
  });
});
