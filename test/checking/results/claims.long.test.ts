/**
 * @module
 * No search of a few worlds finds a violated claim, whatever the faults, the timing and the moments of starts.
 * claims.slow.test.ts searches many.
 */

import { expect, it } from 'vitest';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { scanClaims } from './claims.ts';

it.each(PROTOCOL_NAMES)('no claim of %s is violated in a short search', (protocol) => {
  const { searches, violations } = scanClaims(protocol, 400);

  expect(violations).toEqual([]);
  expect(searches).toBeGreaterThan(0);
});
