/**
 * @module
 * What lookups refuse before the work: tables and lookups of a request that would take minutes, and members that would
 * have no effect.
 */

import { expect, it } from 'vitest';
import type { NamedFile } from '../../src/operations/file.ts';
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

const local =
  ({ against, ...given }: Readonly<Record<string, unknown>> & { readonly against?: NamedFile }) =>
  () => {
    const input = { ...inputSchema(LOOKUPS, false).parse(given), against };
    // The schema is that of the members, which its type does not say.
    LOOKUPS.check(input as Parameters<typeof LOOKUPS.check>[0], false);
  };

/** A list of two node IDs with these beginnings. */
const listOf = (one: string, other: string) => ({
  name: 'ids.txt',
  text: `${one.padEnd(64, '0')}\n${other.padEnd(64, '1')}\n`,
});

it.each([
  ['more paths than contacts', { paths: [8], bucket: 4 }, 'paths: must be at most 4'],
  ['the initial paths with too few contacts', { bucket: 4 }, 'paths: must be at most 4'],
  ['keys without attempts', { keys: 10 }, 'keys: needs attempts'],
  ['forged IDs without attempts', { forged: 10 }, 'forged: needs attempts'],
  ['more keys than lookups', { attempts: 9, lookups: 10 }, 'keys: is more than the 10 lookups'],
  [
    'a size beside a list of nodes',
    { nodes: [1000], against: listOf('a', 'b') },
    'nodes: is given by the node IDs of against',
  ],
  [
    'nodes whose first 64 bits are equal',
    { against: listOf('12345678'.repeat(2), '12345678'.repeat(2)) },
    'against: ids.txt: the node IDs 1 and 2 both begin with 1234567812345678',
  ],
])('refuses %s', (_what, given, refusal) => {
  expect(local(given)).toThrow(refusal);
});

it.each([
  ['as many paths as contacts', { paths: [4], bucket: 4 }],
  ['keys with attempts', { attempts: 9, keys: 10, forged: 3 }],
  [
    'nodes that differ in the last of 64 bits',
    { against: listOf('1234567812345678', '1234567812345679') },
  ],
])('accepts %s', (_what, given) => {
  expect(local(given)).not.toThrow();
});

it('accepts the initial values', () => {
  expect(check({})).not.toThrow();
});
