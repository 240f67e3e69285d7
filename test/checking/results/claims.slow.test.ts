/**
 * @module
 * No search of 60 000 worlds finds a violated claim, whatever the faults, the timing and the moments of starts.
 */

import { expect, it } from 'vitest';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { scanClaims } from './claims.ts';

it.each(PROTOCOL_NAMES)('no claim of %s is violated in a long search', (protocol) => {
  const { searches, violations } = scanClaims(protocol, 60_000);

  expect(violations).toEqual([]);
  expect(searches).toBeGreaterThan(0);
});
