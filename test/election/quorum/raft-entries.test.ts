/**
 * @module
 * The entries of Raft's log (Ongaro and Ousterhout 2014, sections 5.3 and 5.4): what they do, and what is no entry.
 */

import { describe, expect, it } from 'vitest';

import type { Json } from '../../../src/election/machine.ts';
import type { Entry } from '../../../src/election/quorum/raft-entries.ts';
import {
  applied,
  createLog,
  endOf,
  entriesIn,
  entryIn,
  entryOf,
  firstEntry,
  isUpToDate,
  termAt,
  transferIn,
} from '../../../src/election/quorum/raft-entries.ts';

const WRITE: Entry = {
  ...{ entryTerm: 2, operation: 'write', client: 4, serial: 6, value: 8, expected: 0 },
};

describe('an entry', () => {
  it.each([
    [{ type: 'read' }, { operation: 'none', value: 0, expected: 0 }],
    [
      { type: 'write', value: 0 },
      { operation: 'write', value: 1, expected: 0 },
    ],
    [
      { type: 'compare-and-set', expected: null, value: 7 },
      { operation: 'compare-and-set', value: 8, expected: 0 },
    ],
    [
      { type: 'compare-and-set', expected: 0, value: 7 },
      { operation: 'compare-and-set', value: 8, expected: 1 },
    ],
  ] as const)('of %j is %j', (input, entry) => {
    expect(entryOf({ client: 4, serial: 6, input }, 2)).toEqual({
      ...{ entryTerm: 2, client: 4, serial: 6 },
      ...entry,
    });
  });

  it('that begins a term does nothing', () => {
    const first = firstEntry(3);

    expect(first).toEqual({
      ...{ entryTerm: 3, operation: 'none', client: 0, serial: 0, value: 0, expected: 0 },
    });
    expect(applied(5, first)).toBeNull();
  });

  it.each([
    ['write', 8, 0, null, { content: 7, output: { done: true } }],
    ['write', 8, 0, 3, { content: 7, output: { done: true } }],
    ['write', 0, 0, null, null],
    ['none', 8, 0, null, null],
    ['compare-and-set', 8, 0, null, { content: 7, output: { done: true } }],
    ['compare-and-set', 8, 0, 0, { content: 0, output: { done: false } }],
    ['compare-and-set', 8, 4, 3, { content: 7, output: { done: true } }],
    ['compare-and-set', 8, 4, 4, { content: 4, output: { done: false } }],
  ] as const)('%s with %i, if %i, at %j', (operation, value, expected, content, after) => {
    expect(applied(content, { ...WRITE, operation, value, expected })).toEqual(after);
  });
});

describe('the end of a log', () => {
  it('has the term of its last entry, and 0 without one', () => {
    expect(endOf([])).toEqual({ lastIndex: 0, lastTerm: 0 });
    expect(endOf([WRITE, { ...WRITE, entryTerm: 5 }])).toEqual({ lastIndex: 2, lastTerm: 5 });
    expect([0, 1, 2].map((index) => termAt([WRITE], index))).toEqual([0, 2, 0]);
  });

  it.each([
    [[9, 1], [1, 2], false],
    [[1, 2], [9, 1], true],
    [[3, 2], [3, 2], true],
    [[4, 2], [3, 2], true],
    [[2, 2], [3, 2], false],
  ] as const)('at %j is up to date with %j: %s', (one, other, expected) => {
    const [end, than] = [one, other].map(([lastIndex, lastTerm]) => ({ lastIndex, lastTerm }));

    expect(end !== undefined && than !== undefined && isUpToDate(end, than)).toBe(expected);
  });
});

describe('a record', () => {
  it('has the entries of its log, without those that are damaged', () => {
    expect(entriesIn({ log: [{ ...WRITE, more: 1 }, 7, { ...WRITE, serial: -1 }] })).toEqual([
      WRITE,
    ]);
  });

  it.each<Json>([null, 7, 'log', {}, { log: 7 }, { log: null }])(
    'of %j has no entries',
    (record) => {
      expect(entriesIn(record)).toEqual([]);
    },
  );

  it.each<[string, object | Json]>([
    ['null', null],
    ['a text', 'write'],
    ['without an operation', { ...WRITE, operation: undefined }],
    ['of an unknown operation', { ...WRITE, operation: 'read' }],
    ['of no term', { ...WRITE, entryTerm: 0 }],
    ...['entryTerm', 'client', 'serial', 'value', 'expected'].map((name): [string, object] => [
      `of a wrong ${name}`,
      { ...WRITE, [name]: 0.5 },
    ]),
  ])('%s is no entry', (_what, value) => {
    expect(entryIn(value)).toBeNull();
  });
});

it('a node begins without knowing what is committed, or what others have', () => {
  expect(createLog([WRITE])).toEqual({
    entries: [WRITE],
    ...{ commit: 0, content: null, next: {}, matched: {}, round: 0, answered: {} },
    ...{ leaseRound: 0, reads: [] },
  });
});

it.each<[Json, Json]>([
  [{ transfer: 2 }, 2],
  [{ transfer: 'a1' }, 'a1'],
  [{ transfer: null }, null],
  [{ transfer: [2] }, null],
  [{ client: 2 }, null],
  ['transfer', null],
  [null, null],
])('the request %j asks to hand over to %j', (value, recipient) => {
  expect(transferIn(value)).toEqual(recipient);
});
