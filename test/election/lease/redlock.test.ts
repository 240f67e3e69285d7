/**
 * @module
 * redlock step by step: what counts as a majority, from when a lock counts, which epoch a leader has, and what the
 * checker finds about lost locks and about epochs that are only computed.
 */

import { describe, expect, it } from 'vitest';
import { ONE_LEADER_PER_EPOCH } from '../../../src/checking/properties/one-leader-per-epoch.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import { createRedlock } from '../../../src/election/lease/redlock.ts';
import type { Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { checked } from '../../checking/checked.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import type { LeaseNode } from './lease-node.ts';
import { calls, leadership, nodeOf, timersSet } from './lease-node.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
/** 1000·0.99/1.01 = 980.2 to hold. */
const FLAGS = { leaseTicks: '1000', renewTicks: '300', pollTicks: '80' };
const HOLD = 980;
const ALL = [0, 1, 2, 3, 4];

for (const flags of [{ numbering: 'highest' }, { instances: '1' }, { instances: '4' }]) {
  describeMachine(`redlock ${JSON.stringify(flags)}`, {
    create: () => PROTOCOLS.redlock.create(TIMING, flags),
    ...LEASE_VOCABULARIES.redlock,
  });
}

describe('a candidate', () => {
  it('asks all instances, and counts its lock from then, less the drift', () => {
    const node = nodeOf(createRedlock(TIMING, FLAGS));

    const effects = node.boot();

    expect(calls(effects)).toEqual(
      ALL.map((instance) => ({ type: 'ACQUIRE', instance, request: 1 })),
    );
    expect(timersSet(effects)).toEqual({ round: 7, 'lease-0': HOLD });
  });

  it('leads by the third of five grants, and sets no later end of its lock', () => {
    const node = booted();
    const before = answers(node, [granted(0), granted(4)]);

    const effects = node.reply(granted(2));

    expect(leadership(before)).toEqual([]);
    expect(leadership(effects)).toEqual(['2 in 1']);
    expect(timersSet(effects)).toEqual({ renew: 300 });
  });

  it('counts a copy of a grant once', () => {
    const node = booted();

    const effects = answers(node, [granted(0), granted(0), granted(0), granted(1)]);

    expect(leadership(effects)).toEqual([]);
  });

  it('needs three of four instances', () => {
    const node = booted({ instances: '4' });

    expect(leadership(answers(node, [granted(0), granted(1)]))).toEqual([]);
    expect(leadership(node.reply(granted(3)))).toEqual(['2 in 1']);
  });

  it('raises the epoch of the instances before it leads, if they do not all have the highest', () => {
    const node = booted();

    const effects = answers(node, [granted(0, 1), granted(1, 4), granted(2, 1)]);

    expect(leadership(effects)).toEqual([]);
    expect(calls(effects)).toEqual(
      ALL.map((instance) => ({ type: 'EXTEND', instance, request: 2, value: 1, epoch: 4 })),
    );
    expect(timersSet(effects)).toMatchObject({ 'lease-0': HOLD });
    expect(
      leadership(
        answers(
          node,
          [0, 1, 2].map((each) => extended(each, 2, 4)),
        ),
      ),
    ).toEqual(['2 in 4']);
  });

  it('leads at once by the highest with numbering=highest', () => {
    const node = booted({ numbering: 'highest' });

    const effects = answers(node, [granted(0, 1), granted(1, 4), granted(2, 1)]);

    expect(leadership(effects)).toEqual(['2 in 4']);
  });

  it('releases what may be granted when its round is over, and tries again after a random delay', () => {
    const node = booted();
    answers(node, [granted(0), refused(1), refused(2), granted(3)]);

    const effects = node.fire('round');
    const delay = node.step({ type: 'chosen', value: 7 });

    expect(calls(effects)).toEqual(
      [0, 3, 4].map((instance) => ({ type: 'RELEASE', instance, value: 1 })),
    );
    expect(effects).toContainEqual({ type: 'choose', below: 8 });
    expect(timersSet(delay)).toEqual({ poll: 150 });
    expect(calls(node.fire('poll'))[0]).toEqual({ type: 'ACQUIRE', instance: 0, request: 2 });
  });

  it('gives back a grant of an attempt that it has given up', () => {
    const node = booted();
    node.fire('round');

    const effects = node.reply(granted(3));

    expect(leadership(effects)).toEqual([]);
    expect(calls(effects)).toEqual([{ type: 'RELEASE', instance: 3, value: 1 }]);
  });

  it('follows a holder that a majority names with one epoch, for the ticks of a lease', () => {
    const node = booted();
    const few = answers(node, [refused(0), refused(1), refused(2, 3, 1), granted(3)]);

    const effects = node.reply(refused(4));

    expect(leadership(few)).toEqual([]);
    expect(leadership(effects)).toEqual(['3 in 2']);
    expect(timersSet(effects)).toEqual({ holder: 1000 });
    expect(leadership(node.fire('holder'))).toEqual(['none']);
  });

  it('follows no holder that a minority names', () => {
    const node = booted();

    const all = [refused(0), refused(1), refused(2, 1, 2), refused(3, 1, 3), granted(4)];

    expect(leadership(answers(node, all))).toEqual([]);
  });
});

describe('a leader', () => {
  it('extends its lock on all instances, and holds what it held until a majority confirms', () => {
    const node = leading();

    const effects = node.fire('renew');
    const confirmed = answers(
      node,
      [0, 1, 2].map((each) => extended(each, 2)),
    );

    expect(calls(effects)).toEqual(
      ALL.map((instance) => ({ type: 'EXTEND', instance, request: 2, value: 1, epoch: 1 })),
    );
    expect(timersSet(effects)).toMatchObject({ 'lease-1': HOLD });
    expect(confirmed).toContainEqual({ type: 'cancel-timer', timer: 'lease-0' });
    expect(timersSet(confirmed)).toEqual({});
  });

  it('steps down before anything else when its lock runs out, and releases it', () => {
    const node = leading();
    node.fire('renew');
    answers(node, [extended(0, 2), extended(1, 2)]);

    const effects = node.fire('lease-0');

    expect(effects[0]).toEqual({ type: 'step-down' });
    expect(calls(effects)).toEqual(
      ALL.map((instance) => ({ type: 'RELEASE', instance, value: 1 })),
    );
  });

  it('leads on if two of five refuse, and tries again', () => {
    const node = leading();
    node.fire('renew');
    answers(
      node,
      [0, 1].map((each) => ({ ...refused(each), request: 2 })),
    );

    const effects = node.fire('round');

    expect(leadership(effects)).toEqual([]);
    expect(calls(node.fire('renew'))).toHaveLength(5);
  });

  it('steps down if three of five refuse', () => {
    const node = leading();
    node.fire('renew');
    answers(
      node,
      [0, 1, 2].map((each) => ({ ...refused(each), request: 2 })),
    );

    expect(leadership(node.fire('round'))).toEqual(['none', '3 in 2']);
  });

  it('lets late grants of its lock be', () => {
    const node = leading();

    expect(node.reply(granted(4))).toEqual([]);
  });
});

/** Two nodes and three instances, asynchronous. */
describe('the checker', () => {
  const perEpoch = { properties: [ONE_LEADER_PER_EPOCH] };
  const found = (flags: Flags, bounds: Readonly<Record<string, number>>) =>
    checked('redlock', 2, { flags: { instances: '3', ...flags }, bounds, ...perEpoch });

  it('finds two leaders of an epoch after one instance has lost its last lock', () => {
    expect(found({}, { failover: 1, timeout: 0 })).toMatchObject({
      type: 'violated',
      breach: 'nodes 1 and 2 both led epoch 1',
    });
  });

  it('finds none if no instance loses a lock', () => {
    expect(found({}, { timeout: 0 }).type).toBe('exhausted');
  });
});

function booted(flags: Flags = {}): LeaseNode {
  const node = nodeOf(createRedlock(TIMING, { ...FLAGS, ...flags }));
  node.boot();
  return node;
}

function leading(): LeaseNode {
  const node = booted();
  answers(node, [granted(0), granted(1), granted(2)]);
  return node;
}

function answers(node: LeaseNode, replies: readonly Message[]): EffectRecord[] {
  return replies.flatMap((reply) => node.reply(reply));
}

function granted(instance: number, epoch = 1) {
  return { type: 'GRANTED', instance, request: 1, epoch };
}

function extended(instance: number, request: number, epoch = 1) {
  return { type: 'EXTENDED', instance, request, epoch };
}

function refused(instance: number, holder = 3, epoch = 2) {
  return { type: 'REFUSED', instance, request: 1, holder, epoch };
}
