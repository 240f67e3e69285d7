/**
 * @module
 * lease-local step by step: what counts from when under each flag, and what late and foreign answers
 * do.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { createLeaseLocal } from '../../../src/election/lease/lease-local.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import type { LeaseNode } from './lease-node.ts';
import { calls, leadership, nodeOf, timersSet } from './lease-node.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
/** 1000·0.99/1.01 = 980.2 to hold. */
const FLAGS = { leaseTicks: '1000', renewTicks: '300' };
const HOLD = 980;

const VARIANTS: readonly Flags[] = [
  { countedFrom: 'answer' },
  { renewal: 'assumed' },
  { drift: 'ignored' },
  { countedFrom: 'answer', renewal: 'assumed', drift: 'ignored' },
];

for (const flags of VARIANTS) {
  describeMachine(`lease-local ${JSON.stringify(flags)}`, {
    create: () => PROTOCOLS['lease-local'].create(TIMING, flags),
    ...LEASE_VOCABULARIES['lease-local'],
  });
}

describe('a node that asks for the lease', () => {
  it('leads in the epoch of its grant', () => {
    const node = booted();

    const effects = node.reply(granted(1, 4));

    expect(leadership(effects)).toEqual(['2 in 4']);
  });

  it('counts its lease from the sending of ACQUIRE, less the drift', () => {
    const node = nodeOf(createLeaseLocal(TIMING, FLAGS));

    const asking = node.boot();
    const leads = node.reply(granted(1));

    expect(timersSet(asking)).toMatchObject({ 'lease-0': HOLD });
    expect(timersSet(leads)).toEqual({ renew: 300 });
  });

  it('repeats ACQUIRE as it was, and counts its lease from the first copy', () => {
    const node = booted();

    const effects = node.fire('retry');

    expect(calls(effects)).toEqual([{ type: 'ACQUIRE', request: 1 }]);
    expect(timersSet(effects)).toEqual({});
  });

  it('gives back a grant that comes after its lease', () => {
    const node = booted();
    node.fire('lease-0');

    const effects = node.reply(granted(1));

    expect(leadership(effects)).toEqual([]);
    expect(calls(effects)).toEqual([{ type: 'RELEASE', epoch: 1 }]);
  });

  it('gives back a grant to an earlier life', () => {
    const node = booted(100);

    const effects = node.reply(granted(1));

    expect(leadership(effects)).toEqual([]);
    expect(calls(effects)).toEqual([{ type: 'RELEASE', epoch: 1 }]);
  });

  it('follows the holder for as long as the service says so once a lease', () => {
    const node = booted();

    const effects = node.reply(refused(1, { holder: 3, epoch: 2 }));

    expect(leadership(effects)).toEqual(['3 in 2']);
    expect(timersSet(effects)).toEqual({ holder: 1000 });
    expect(leadership(node.fire('holder'))).toEqual(['none']);
  });

  it('follows no leader if the lease is that of its earlier life', () => {
    const node = booted();

    const effects = node.reply(refused(1, { holder: 2, epoch: 2 }));

    expect(leadership(effects)).toEqual([]);
    expect(calls(node.fire('poll'))).toEqual([{ type: 'ACQUIRE', request: 2 }]);
  });

  it('does not take an answer twice', () => {
    const node = booted();
    node.reply(refused(1, { holder: 3, epoch: 2 }));

    expect(node.reply(refused(1, { holder: 1, epoch: 1 }))).toEqual([]);
  });
});

describe('the holder of the lease', () => {
  it('renews in its epoch, and holds what it held until that is confirmed', () => {
    const node = leading();

    const effects = node.fire('renew');

    expect(calls(effects)).toEqual([{ type: 'RENEW', request: 2, epoch: 1 }]);
    expect(timersSet(effects)).toMatchObject({ 'lease-1': HOLD });
    expect(leadership(node.fire('lease-0'))).toEqual(['none']);
  });

  it('holds the renewed lease, from the sending of RENEW, once it is confirmed', () => {
    const node = leading();
    node.fire('renew');

    const effects = node.reply(granted(2));

    expect(effects).toContainEqual({ type: 'cancel-timer', timer: 'lease-0' });
    expect(timersSet(effects)).toEqual({});
  });

  it('lets a copy of its grant be', () => {
    const node = leading();

    expect(node.reply(granted(1))).toEqual([]);
  });

  it('steps down before anything else when its lease runs out, gives it back and asks anew', () => {
    const node = leading();

    const effects = node.fire('lease-0');

    expect(effects[0]).toEqual({ type: 'step-down' });
    expect(calls(effects)).toEqual([
      { type: 'RELEASE', epoch: 1 },
      { type: 'ACQUIRE', request: 2 },
    ]);
  });

  it('steps down before anything else when it is refused, and follows the holder', () => {
    const node = leading();
    node.fire('renew');

    const effects = node.reply(refused(2, { holder: 3, epoch: 2 }));

    expect(effects[0]).toEqual({ type: 'step-down' });
    expect(leadership(effects)).toEqual(['none', '3 in 2']);
  });
});

describe('each flaw', () => {
  it('countedFrom answer: the lease begins when the answer has come', () => {
    const node = nodeOf(createLeaseLocal(TIMING, { ...FLAGS, countedFrom: 'answer' }));

    const asking = node.boot();
    const leads = node.reply(granted(1));

    expect(timersSet(asking)).not.toHaveProperty('lease-0');
    expect(timersSet(leads)).toMatchObject({ 'lease-0': HOLD });
  });

  it('renewal assumed: the lease is longer as soon as it has asked, with or without an answer', () => {
    const node = leading({ renewal: 'assumed' });

    const first = node.fire('renew');
    const second = node.fire('renew');

    expect(first).toContainEqual({ type: 'cancel-timer', timer: 'lease-0' });
    expect(timersSet(first)).toMatchObject({ 'lease-1': HOLD });
    expect(timersSet(second)).toMatchObject({ 'lease-0': HOLD });
  });

  it('drift ignored: the lease is as long as on the clock of the service', () => {
    const node = nodeOf(createLeaseLocal(TIMING, { ...FLAGS, drift: 'ignored' }));

    expect(timersSet(node.boot())).toMatchObject({ 'lease-0': 1000 });
  });
});

function booted(drawn = 0, flags: Flags = {}): LeaseNode {
  const node = nodeOf(createLeaseLocal(TIMING, { ...FLAGS, ...flags }));
  node.boot(drawn);
  return node;
}

function leading(flags: Flags = {}): LeaseNode {
  const node = booted(0, flags);
  node.reply(granted(1));
  return node;
}

function granted(request: number, epoch = 1) {
  return { type: 'GRANTED', request, epoch };
}

function refused(request: number, lease: { readonly holder: number; readonly epoch: number }) {
  return { type: 'REFUSED', request, ...lease };
}
