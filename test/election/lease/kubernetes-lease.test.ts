/**
 * @module
 * kubernetes-lease step by step, as client-go elects: what a candidate waits for, when a holder stops, and what late, lost
 * and foreign answers do.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { createKubernetesLease } from '../../../src/election/lease/kubernetes-lease.ts';
import { REQUESTS_BELOW } from '../../../src/election/lease/tenure.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { LeaseNode } from './lease-node.ts';
import { calls, leadership, nodeOf, timersSet } from './lease-node.ts';

const TIMING = { latencyTicksMax: 100 };
/** The defaults of kube-controller-manager if a tick is 1 ms: 15 s, 10 s, 2 s and 5 s. */
const FLAGS = { leaseDuration: '15000' };
const READ = { type: 'READ' };

describe('a candidate', () => {
  it('reads the Lease, and creates it if there is none', () => {
    const node = nodeOf(createKubernetesLease(TIMING, FLAGS));

    expect(calls(node.boot())).toEqual([READ]);
    expect(calls(node.reply(lease(null)))).toEqual([swap({ version: 1, epoch: 1, request: 1 })]);
  });

  it('follows the holder, and waits for the duration of the Lease from its first sight', () => {
    const node = booted();

    const effects = node.reply(lease({ holder: 1, version: 4, epoch: 3, leaseTicks: 777 }));

    expect(leadership(effects)).toEqual(['1 in 3']);
    expect(timersSet(effects)).toEqual({ lease: 777 });
    expect(calls(effects)).toEqual([]);
  });

  it('waits for its own duration with expiry=own, as before kubernetes#114872', () => {
    const node = booted({ expiry: 'own' });

    const effects = node.reply(lease({ holder: 1, version: 4, leaseTicks: 777 }));

    expect(timersSet(effects)).toEqual({ lease: 15_000 });
  });

  it.each([
    [0, 2000],
    [3, 3200],
    [6, 4400],
  ])('that has drawn %i of 6 reads again after %i ticks', (value, ticks) => {
    const node = booted();
    const waiting = node.reply(lease({ holder: 1, version: 4 }));

    expect(waiting).toContainEqual({ type: 'choose', below: 7 });
    expect(timersSet(node.step({ type: 'chosen', value }))).toEqual({ retry: ticks });
    expect(calls(node.fire('retry'))).toEqual([READ]);
  });

  it('goes on waiting when it sees the version again, and begins anew when it has changed', () => {
    const node = waiting();

    expect(timersSet(node.reply(lease({ holder: 1, version: 4 })))).toEqual({});
    read(node);
    expect(timersSet(node.reply(lease({ holder: 1, version: 5 })))).toEqual({ lease: 15_000 });
  });

  it('reads once more before it overwrites a Lease that has expired', () => {
    const node = waiting({ version: 4, epoch: 2 });

    const expired = node.fire('lease');
    const effects = node.reply(lease({ holder: 1, version: 4, epoch: 2 }));

    expect(leadership(expired)).toEqual(['none']);
    expect(calls(expired)).toEqual([]);
    expect(calls(effects)).toEqual([swap({ version: 5, epoch: 3, request: 1 })]);
  });

  it('waits again if the holder has renewed meanwhile', () => {
    const node = waiting({ version: 4, epoch: 2 });
    node.fire('lease');

    const effects = node.reply(lease({ holder: 1, version: 5, epoch: 2 }));

    expect(calls(effects)).toEqual([]);
    expect(leadership(effects)).toEqual(['1 in 2']);
  });

  it('takes a Lease of an earlier process on its node for a foreign one', () => {
    const node = booted();

    const effects = node.reply(lease({ holder: 2, version: 4, epoch: 2, request: 9 }));

    expect(calls(effects)).toEqual([]);
    expect(leadership(effects)).toEqual([]);
    expect(timersSet(effects)).toEqual({ lease: 15_000 });
  });

  it('continues its own update if the answer was given up', () => {
    const node = booted();
    node.reply(lease(null));
    node.fire('answer');
    node.step({ type: 'chosen', value: 0 });
    node.fire('retry');

    const effects = node.reply(lease({ holder: 2, version: 1, epoch: 1, request: 1 }));

    expect(calls(effects)).toEqual([swap({ version: 2, epoch: 1, request: 2 })]);
  });
});

describe('a holder', () => {
  it('leads when its update is confirmed, and renews every RetryPeriod without reading', () => {
    const { node, effects } = leader();

    expect(leadership(effects)).toEqual(['2 in 1']);
    expect(timersSet(effects)).toEqual({ lease: 15_000, retry: 2000, deadline: 12_000 });
    expect(calls(node.fire('retry'))).toEqual([swap({ version: 2, epoch: 1, request: 2 })]);
  });

  it('counts RenewDeadline from the next round on after each renewal', () => {
    const { node } = leader();
    node.fire('retry');

    const effects = node.reply(lease({ holder: 2, version: 2, epoch: 1, request: 2 }));

    expect(timersSet(effects)).toMatchObject({ deadline: 12_000 });
    expect(leadership(effects)).toEqual([]);
  });

  it('ignores an answer that it has given up', () => {
    const { node } = leader();
    node.fire('retry');
    node.fire('answer');

    expect(node.reply(lease({ holder: 2, version: 2, epoch: 1, request: 2 }))).toEqual([]);
  });

  it('updates at once the Lease that an attempt it had given up has written', () => {
    const { node } = leader();
    node.fire('retry');
    node.fire('answer');
    node.fire('retry');

    const effects = node.reply(lease({ holder: 2, version: 2, epoch: 1, request: 2 }));

    expect(calls(effects)).toEqual([swap({ version: 3, epoch: 1, request: 4 })]);
  });

  it('leads on until RenewDeadline although another node holds the Lease', () => {
    const { node } = leader();
    node.fire('retry');

    const seen = node.reply(lease({ holder: 3, version: 2, epoch: 2 }));
    const over = node.fire('deadline');

    expect(leadership(seen)).toEqual([]);
    expect(leadership(over)).toEqual(['none']);
    expect(calls(over)).toEqual([READ]);
  });

  it('leads in the next epoch if it overwrites an expired Lease before RenewDeadline', () => {
    const { node } = leader();
    node.fire('retry');
    node.reply(lease({ holder: 3, version: 2, epoch: 2 }));
    node.fire('lease');
    expect(calls(node.fire('retry'))).toEqual([READ]);
    node.reply(lease({ holder: 3, version: 2, epoch: 2 }));

    const effects = node.reply(lease({ holder: 2, version: 3, epoch: 3, request: 3 }));

    expect(leadership(effects)).toEqual(['2 in 3']);
  });

  it('stops at RenewDeadline while a call hangs, and observes the Lease anew', () => {
    const { node } = leader();
    node.fire('retry');

    expect(leadership(node.fire('deadline'))).toEqual(['none']);
    const effects = node.reply(lease({ holder: 2, version: 2, epoch: 1, request: 2 }));
    expect(calls(effects)).toEqual([]);
    expect(leadership(effects)).toEqual([]);
  });

  it('leads on with hang=unbounded until the call ends, as before kubernetes#65094', () => {
    const { node } = leader({ hang: 'unbounded' });
    expect(timersSet(node.fire('retry'))).toEqual({});

    expect(node.fire('deadline')).toEqual([]);
    expect(leadership(node.reply(lease({ holder: 3, version: 2, epoch: 2 })))).toEqual(['none']);
  });

  it('writes a Lease of one tick when it stops with releaseOnCancel', () => {
    const { node } = leader({ releaseOnCancel: 'true' });

    const effects = node.fire('deadline');

    const released = swap({ version: 2, epoch: 1, request: 2, leaseTicks: 1 });
    expect(calls(effects)).toEqual([released, READ]);
  });
});

it('follows no holder of a Lease that is released', () => {
  const node = booted();

  const effects = node.reply(lease({ holder: 1, version: 4, epoch: 2, leaseTicks: 1 }));

  expect(leadership(effects)).toEqual([]);
  expect(timersSet(effects)).toEqual({ lease: 1 });
});

it('draws its first request number like the other lease protocols', () => {
  const node = nodeOf(createKubernetesLease(TIMING, FLAGS));

  expect(node.step({ type: 'start' })).toEqual([{ type: 'choose', below: REQUESTS_BELOW }]);
});

interface Row {
  readonly holder?: number;
  readonly version: number;
  readonly epoch?: number;
  readonly request?: number;
  readonly leaseTicks?: number;
}

function lease(row: Row | null): Message {
  return Object.assign({ type: 'ROW' }, { row: row && rowOf(row) });
}

function swap(row: Row): Message {
  return Object.assign({ type: 'SWAP' }, { expected: row.version - 1, row: rowOf(row) });
}

function rowOf({ holder = 2, version, epoch = 1, request = 1, leaseTicks = 15_000 }: Row) {
  return { holder, version, epoch, request, leaseTicks };
}

function booted(flags: Flags = {}): LeaseNode {
  const node = nodeOf(createKubernetesLease(TIMING, { ...FLAGS, ...flags }));
  node.boot();
  return node;
}

/** Reads again, after it has drawn no jitter. */
function read(node: LeaseNode): void {
  node.step({ type: 'chosen', value: 0 });
  node.fire('retry');
}

/** A candidate that has seen a Lease of node 1, and has asked again. */
function waiting(row: Partial<Row> = {}): LeaseNode {
  const node = booted();
  node.reply(lease({ holder: 1, version: 4, ...row }));
  read(node);
  return node;
}

function leader(flags: Flags = {}) {
  const node = booted(flags);
  node.reply(lease(null));
  return { node, effects: node.reply(lease({ version: 1 })) };
}
