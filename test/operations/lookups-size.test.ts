/**
 * @module
 * The size of lookups that a request may ask for: tables and lookups that would take minutes are refused before the work.
 */

import { expect, it } from 'vitest';
import { LOOKUPS } from '../../src/operations/lookups/lookups.ts';
import { inputSchema } from '../../src/operations/operation.ts';

const check = (given: object) => () => {
  const input = inputSchema(LOOKUPS, true).parse({ nodes: [20_000], share: [0.2], ...given });
  // The schema is that of the members, which its type does not say.
  LOOKUPS.check(input as Parameters<typeof LOOKUPS.check>[0], true);
};

it.each([
  ['bucket', { paths: [1], bucket: 64, bits: 4, siblings: 1, eta: 0 }],
  ['lookups', { paths: [64], lookups: 10_000, bucket: 64, conduct: 'collude' }],
])('refuses %s that take too much', (member, given) => {
  expect(check(given)).toThrow(expect.objectContaining({ code: 'job.size' }));
  expect(check(given)).toThrow(new RegExp(member));
});

it('accepts the initial values', () => {
  expect(check({})).not.toThrow();
});
