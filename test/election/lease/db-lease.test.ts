/**
 * @module
 * db-lease step by step: what counts from when, and what late, lost and foreign answers do.
 */

import { describe, expect, it } from 'vitest';

import { createDbLease } from '../../../src/election/lease/db-lease.ts';
import { REQUESTS_BELOW } from '../../../src/election/lease/tenure.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { LeaseNode } from './lease-node.ts';
import { calls, leadership, nodeOf, timersSet } from './lease-node.ts';

const TIMING = { latencyTicksMax: 3 };
/** 1000·0.99/1.01 = 980.2 to hold, 1000·1.01 to wait out. */
const FLAGS = { leaseTicks: '1000' };
const HOLD = 980;
const WAIT = 1010;

describe('a reader of the row', () => {
  it('writes the first row where there is none', () => {
    const node = booted();

    const effects = node.reply(row(null));

    expect(calls(effects)).toEqual([swap({ version: 1, epoch: 1, request: 1 })]);
  });

  it('follows the holder, and waits out a whole lease and the drift from the first sight', () => {
    const node = booted();

    const effects = node.reply(row({ holder: 1, version: 4, epoch: 3 }));

    expect(leadership(effects)).toEqual(['1 in 3']);
    expect(timersSet(effects)).toEqual({ still: WAIT });
  });

  it('goes on waiting when it sees the version again', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4 }));

    expect(node.reply(row({ holder: 1, version: 4 }))).toEqual([]);
  });

  it('begins to wait again when the version has changed, and keeps its leader', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4 }));

    const effects = node.reply(row({ holder: 1, version: 5 }));

    expect(timersSet(effects)).toEqual({ still: WAIT });
    expect(leadership(effects)).toEqual([]);
  });

  it('never unsees a version: an overtaken answer changes nothing', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 5 }));

    expect(node.reply(row({ holder: 3, version: 4 }))).toEqual([]);
    expect(node.reply(row(null))).toEqual([]);
  });

  it('follows no leader once the version has stood still, and writes the next', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4, epoch: 2 }));

    const effects = node.fire('still');

    expect(leadership(effects)).toEqual(['none']);
    expect(calls(effects)).toEqual([swap({ version: 5, epoch: 5, request: 1 })]);
  });

  it('follows a faster node', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4 }));
    node.fire('still');

    const effects = node.reply(row({ holder: 3, version: 5, epoch: 5 }));

    expect(leadership(effects)).toEqual(['3 in 5']);
    expect(calls(effects)).toEqual([]);
  });

  it('repeats a SWAP as it was, and counts its lease from the first copy', () => {
    const node = booted();
    const first = node.reply(row(null));

    const effects = node.fire('retry');

    expect(calls(effects)).toEqual(calls(first));
    expect(timersSet(effects)).toEqual({});
  });

  it('does not lead by an answer that comes after its lease', () => {
    const node = booted();
    node.reply(row(null));
    node.fire('lease-0');

    const effects = node.reply(row({ holder: 2, version: 1, request: 1 }));

    expect(leadership(effects)).toEqual([]);
    expect(calls(effects)).toEqual([swap({ version: 2, epoch: 2, request: 2 })]);
  });

  it('tries again when neither a SWAP nor its answer has come through', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4 }));
    node.fire('still');
    node.fire('lease-0');

    const effects = node.reply(row({ holder: 1, version: 4 }));

    expect(calls(effects)).toEqual([swap({ version: 5, epoch: 5, request: 2 })]);
  });

  it('waits for the lease that the row states, whatever its own is', () => {
    const node = booted();

    const effects = node.reply(row({ holder: 1, version: 4, leaseTicks: 5000 }));

    expect(timersSet(effects)).toEqual({ still: 5050 });
  });

  it('waits for a lease after a row of no leader, also one of its own, and writes a higher version', () => {
    const node = booted();
    node.reply(row({ holder: 1, version: 4, epoch: 3 }));

    const raised = node.reply(row({ holder: 2, version: 900, epoch: 900, request: 0 }));
    const after = node.fire('still');

    expect(leadership(raised)).toEqual(['none']);
    expect(timersSet(raised)).toEqual({ still: WAIT });
    expect(calls(after)).toEqual([swap({ version: 901, epoch: 901, request: 1 })]);
  });

  it('takes back at once what an earlier life of it held', () => {
    const node = booted(100);

    const effects = node.reply(row({ holder: 2, version: 8, epoch: 6, request: 3 }));

    expect(calls(effects)).toEqual([swap({ version: 9, epoch: 9, request: 101 })]);
  });

  it('does not take an answer to an earlier life for its own, though the row is the same', () => {
    const node = booted(100);
    node.reply(row(null));

    const effects = node.reply(row({ holder: 2, version: 1, epoch: 1, request: 1 }));

    expect(leadership(effects)).toEqual([]);
  });

  it('draws its first request number from 2^32, whatever was on its disk', () => {
    const node = nodeOf(createDbLease(TIMING, FLAGS));

    const effects = node.step({ type: 'recover', persisted: { phase: 'leading' } });

    expect(effects).toEqual([{ type: 'choose', below: REQUESTS_BELOW }]);
    expect(REQUESTS_BELOW).toBe(2 ** 32);
  });
});

describe('a holder of the row', () => {
  it('counts its lease from the sending of the SWAP, less the drift', () => {
    const node = booted();

    const asking = node.reply(row(null));
    const leading = node.reply(row({ holder: 2, version: 1, epoch: 1, request: 1 }));

    expect(timersSet(asking)).toEqual({ 'lease-0': HOLD, retry: 7 });
    expect(leadership(leading)).toEqual(['2 in 1']);
    expect(timersSet(leading)).toEqual({ renew: 333 });
  });

  it('writes the next version of the same epoch each third of a lease', () => {
    const node = leading();

    const effects = node.fire('renew');

    expect(calls(effects)).toEqual([swap({ version: 2, epoch: 1, request: 2 })]);
    expect(timersSet(effects)).toMatchObject({ 'lease-1': HOLD });
  });

  it('holds what it held until the renewal is confirmed', () => {
    const node = leading();
    node.fire('renew');

    expect(leadership(node.fire('lease-0'))).toEqual(['none']);
  });

  it('holds the renewed lease once it is confirmed', () => {
    const node = leading();
    node.fire('renew');

    const effects = node.reply(row({ holder: 2, version: 2, epoch: 1, request: 2 }));

    expect(effects).toContainEqual({ type: 'cancel-timer', timer: 'lease-0' });
    expect(leadership(effects)).toEqual([]);
    expect(leadership(node.fire('lease-1'))).toEqual(['none']);
  });

  it('takes a failed copy whose answer is its own row for renewed: that reply was lost', () => {
    const node = leading();
    node.fire('renew');
    node.fire('retry');

    node.reply(row({ holder: 2, version: 2, epoch: 1, request: 2 }));

    expect(calls(node.fire('renew'))).toEqual([swap({ version: 3, epoch: 1, request: 3 })]);
  });

  it('steps down before anything else when its lease runs out, and reads the row', () => {
    const node = leading();

    const effects = node.fire('lease-0');

    expect(effects[0]).toEqual({ type: 'step-down' });
    expect(calls(effects)).toEqual([{ type: 'READ' }]);
  });

  it('steps down before anything else when another has written, and follows that one', () => {
    const node = leading();
    node.fire('renew');

    const effects = node.reply(row({ holder: 3, version: 2, epoch: 2 }));

    expect(effects[0]).toEqual({ type: 'step-down' });
    expect(leadership(effects)).toEqual(['none', '3 in 2']);
    expect(timersSet(effects)).toMatchObject({ still: WAIT });
  });

  it('claims a row without a write since, in a new epoch', () => {
    const node = leading();
    node.fire('lease-0');

    const effects = node.reply(row({ holder: 2, version: 1, epoch: 1, request: 1 }));

    expect(calls(effects)).toEqual([swap({ version: 2, epoch: 2, request: 2 })]);
  });
});

function booted(drawn = 0): LeaseNode {
  const node = nodeOf(createDbLease(TIMING, FLAGS));
  node.boot(drawn);
  return node;
}

/** Version 1 is its own. */
function leading(): LeaseNode {
  const node = booted();
  node.reply(row(null));
  node.reply(row({ holder: 2, version: 1, epoch: 1, request: 1 }));
  return node;
}

interface Fields {
  readonly holder?: number;
  readonly version: number;
  readonly epoch?: number;
  readonly request?: number;
  readonly leaseTicks?: number;
}

function row(fields: Fields | null): Message & Readonly<Record<'row', unknown>> {
  const row =
    fields === null ? null : { holder: 1, epoch: 1, request: 999, leaseTicks: 1000, ...fields };
  return { type: 'ROW', row };
}

/** Node 2's. */
function swap(fields: Fields) {
  const row = { holder: 2, leaseTicks: 1000, ...fields };
  return { type: 'SWAP', expected: fields.version - 1, row };
}
