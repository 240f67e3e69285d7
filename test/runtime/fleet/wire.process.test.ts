/**
 * @module
 * What comes back from Redis is taken only in its own form: each thing accepted beside the nearest
 * thing refused.
 */

import { describe, expect, it } from 'vitest';
import { packRecords } from '../../../src/experiment/sweep/packing.ts';
import type { RunRecord } from '../../../src/experiment/sweep/sweep.ts';
import {
  cellText,
  headText,
  jobId,
  jobsQueue,
  readCell,
  readOrder,
  readResult,
  readSweepNote,
  readWorkerNote,
  resultText,
  sweepDigest,
} from '../../../src/runtime/fleet/wire.ts';
import { topId } from '../../experiment/models.ts';
import { sweepOf } from './fleets.ts';

const SPEC = sweepOf([topId('work=sampled')], { runs: 3 });
const [CELL] = SPEC.cells;
const CHUNK = { cell: 0, from: 5, count: 3 };
const RECORDS: readonly RunRecord[] = [
  { repetition: 5, outcomes: [{ won: true, observations: { messages: 7 } }], failure: null },
  { repetition: 6, outcomes: [{ won: false, observations: { messages: 8 } }], failure: null },
  { repetition: 7, outcomes: null, failure: 'document: refused' },
];

/** The outcomes of the only group of protocols, as they are packed. */
const GROUP = { won: 'wlf', observations: { messages: [7, 8, null] } };

function recordsOf(packed: string) {
  return readResult(resultText('c1', { packed, wallSeconds: 0 }))?.records;
}

describe('records', () => {
  it('are those of the chunk, with the failures among them counted', () => {
    const packed = packRecords(RECORDS);

    expect(recordsOf(packed)).toEqual({ packed, count: 3, failed: 1, groups: 1 });
  });

  it.each([
    ['no JSON', '{'],
    ['another form', '[]'],
    ['another number than that of the letters', { count: 4 }],
    ['fewer than a column has', { groups: [{ ...GROUP, won: 'wl' }] }],
    ['more than a column has', { groups: [{ ...GROUP, won: 'wlff' }] }],
    ['a letter that there is not', { groups: [{ ...GROUP, won: 'wlx' }] }],
    ['a second protocol with another failure', { groups: [GROUP, { ...GROUP, won: 'wfl' }] }],
    ['no protocol', { groups: [] }],
    ['a column that there is not', { groups: [{ ...GROUP, observations: { mesages: 1 } }] }],
    ['a column that is too short', { groups: [{ ...GROUP, observations: { messages: [7, 8] } }] }],
    [
      'a value that is no number',
      { groups: [{ ...GROUP, observations: { messages: [7, 8, '9'] } }] },
    ],
    ['a failure of a run that has none', { failures: { 1: 'x', 2: 'y' } }],
    ['a failure without its reason', { failures: {} }],
    ['a reason that is no text', { failures: { 2: 5 } }],
    ['a reason of a run outside', { failures: { 3: 'x' } }],
    ['a member more', { more: 1 }],
  ])('are refused where they are %s', (_name, change) => {
    const good: object = JSON.parse(packRecords(RECORDS));
    const packed = typeof change === 'string' ? change : JSON.stringify({ ...good, ...change });

    expect(recordsOf(packed)).toBeNull();
  });
});

describe('a result', () => {
  it('comes back as it was sent', () => {
    const sent = { packed: packRecords(RECORDS), wallSeconds: 0.5 };

    expect(readResult(resultText('c1', sent))).toEqual({
      job: 'c1',
      wallSeconds: 0.5,
      records: { packed: sent.packed, count: 3, failed: 1, groups: 1 },
    });
  });

  it.each(['', '{', 'null', '{"job":1}\n{}', '{"job":"c1","wallSeconds":"x"}\n{}', '"x"'])(
    'is not %s',
    (text) => {
      expect(readResult(text)).toBeNull();
    },
  );
});

describe('an order', () => {
  const order = { sweep: 'abc0', cell: 0, from: 0, count: 1 };

  it('is read', () => {
    expect(readOrder(order)).toEqual(order);
  });

  it.each([
    ['no run', { count: 0 }],
    ['too many runs', { count: 2 ** 24 + 1 }],
    ['a negative cell', { cell: -1 }],
    ['half a run', { from: 0.5 }],
    ['a sweep that reaches for another key', { sweep: 'a:b' }],
  ])('is refused with %s', (_name, change) => {
    expect(readOrder({ ...order, ...change })).toBeNull();
  });
});

describe('a cell', () => {
  const text = CELL === undefined ? '' : cellText(CELL);

  it('comes back with its model, its digest and the version of the code', () => {
    const read = readCell(headText(SPEC), text);

    expect(read?.codeVersion).toBe(SPEC.codeVersion);
    expect(read?.spec.cells[0]).toMatchObject({ model: CELL?.model, digest: CELL?.digest });
    expect(read?.spec).toMatchObject({ seed: SPEC.seed, seedRule: SPEC.seedRule });
  });

  it.each([
    ['no head', null, text],
    ['no cell', headText(SPEC), null],
    ['a seed that is none', headText(SPEC).replace('"7"', '"-7"'), text],
    ['a seed of 257 bits', headText(SPEC).replace('"7"', `"${2n ** 256n}"`), text],
    ['a model that is none', headText(SPEC), text.replace('"honest":', '"honst":')],
  ])('is refused with %s', (_name, head, cell) => {
    expect(readCell(head, cell)).toBeNull();
  });
});

describe('notes of presence', () => {
  it('are read, and what is no note is passed over', () => {
    const worker = { id: 'a', codeVersion: '1', threads: 2 };
    const sweep = { sweep: 'a', codeVersion: '1' };

    expect(readWorkerNote(JSON.stringify(worker))).toEqual(worker);
    expect(readSweepNote(JSON.stringify(sweep))).toEqual(sweep);
    expect(readWorkerNote(JSON.stringify({ ...worker, threads: 0 }))).toBeNull();
    expect(readSweepNote('nonsense')).toBeNull();
  });
});

describe('names', () => {
  it('of jobs are the same for the same chunk of the same sweep alone', () => {
    const same = sweepDigest({ ...SPEC, runs: 9 });
    const others = [
      jobId(sweepDigest({ ...SPEC, codeVersion: '2' }), CHUNK),
      jobId(sweepDigest({ ...SPEC, seedRule: 'paired' }), CHUNK),
      jobId(same, { ...CHUNK, from: 6 }),
    ];

    expect(jobId(same, CHUNK)).toBe(jobId(sweepDigest(SPEC), CHUNK));
    expect(new Set([...others, jobId(same, CHUNK)]).size).toBe(4);
  });

  it('of queues differ between versions of the code', () => {
    expect(jobsQueue('1')).not.toBe(jobsQueue('2'));
    expect(jobsQueue('1+x:y')).toMatch(/^jobs-[0-9a-f]{16}$/);
  });
});
