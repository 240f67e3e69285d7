/**
 * @module
 * The instances of Redlock: each grants its own lock, on its own clock, and gives each epoch to one holder.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InstanceCall } from '../../../src/election/lease/stores/redlock-instances.ts';
import { createRedlockInstances } from '../../../src/election/lease/stores/redlock-instances.ts';
import { integerIn } from '../../../src/election/message-members.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const LEASE_TICKS = 30;

describeMachine('the instances of Redlock', {
  create: () => createRedlockInstances({ instances: 3, leaseTicks: LEASE_TICKS }),
  messages: LEASE_VOCABULARIES.redlock.calls,
  timers: ['lock:0', 'lock:1', 'lock:2', 'lock:3'],
});

describe('an instance', () => {
  it('grants a free lock for its ticks and counts the grant, whatever the others have granted', () => {
    const store = storeOf();
    store.call(2, acquire(0, 5));

    const effects = store.call(1, acquire(1, 7));

    expect(effects).toEqual([
      runs(1),
      sent(1, { type: 'GRANTED', instance: 1, request: 7, epoch: 1 }),
    ]);
  });

  it('gives a copy of the ACQUIRE that it granted the same answer and no more time', () => {
    const store = storeOf();
    store.call(1, acquire(0, 5));

    const effects = store.call(1, acquire(0, 5));

    expect(effects).toEqual([sent(1, { type: 'GRANTED', instance: 0, request: 5, epoch: 1 })]);
  });

  it('refuses all others, its holder with another value too, and names the holder', () => {
    const store = storeOf();
    store.call(1, acquire(0, 5));

    const effects = [...store.call(2, acquire(0, 5)), ...store.call(1, acquire(0, 6))];

    const refused = { type: 'REFUSED', instance: 0, holder: 1, epoch: 1 };
    expect(effects).toEqual([
      sent(2, { ...refused, request: 5 }),
      sent(1, { ...refused, request: 6 }),
    ]);
  });

  it('extends the lock of the value, and raises its epoch', () => {
    const store = storeOf();
    store.call(1, acquire(0, 5));

    const effects = store.call(1, extend(5, 4));
    store.fire('lock:0');
    const next = store.call(2, acquire(0, 9));

    expect(effects).toEqual([
      runs(0),
      sent(1, { type: 'EXTENDED', instance: 0, request: 6, epoch: 4 }),
    ]);
    expect(next).toContainEqual(sent(2, { type: 'GRANTED', instance: 0, request: 9, epoch: 5 }));
  });

  it.each([
    ['of another value', 1, extend(4, 1)],
    ['of another node', 2, extend(5, 1)],
    ['to a lower epoch', 1, extend(5, 0)],
  ])('refuses an EXTEND %s', (_what, client, call) => {
    const store = storeOf();
    store.call(1, acquire(0, 5));

    const effects = store.call(client, call);

    const refused = { type: 'REFUSED', instance: 0, request: 6, holder: 1, epoch: 1 };
    expect(effects).toEqual([sent(client, refused)]);
  });

  it('deletes a lock only for its value', () => {
    const store = storeOf();
    store.call(1, acquire(0, 5));

    const others = [
      ...store.call(1, { type: 'RELEASE', instance: 0, value: 4 }),
      ...store.call(2, { type: 'RELEASE', instance: 0, value: 5 }),
      ...store.call(1, { type: 'RELEASE', instance: 1, value: 5 }),
    ];
    const own = store.call(1, { type: 'RELEASE', instance: 0, value: 5 });

    expect(others).toEqual([]);
    expect(own).toEqual([{ type: 'cancel-timer', timer: 'lock:0' }]);
    expect(store.call(2, acquire(0, 8))).toContainEqual(
      sent(2, { type: 'GRANTED', instance: 0, request: 8, epoch: 2 }),
    );
  });

  it.each([3, -1, 0.5, 'length', '__proto__', null])(
    'that does not exist (%j) does nothing',
    (name) => {
      const store = storeOf();

      // A Byzantine client sends anything.
      const effects = store.call(1, { ...acquire(0, 5), instance: name } as InstanceCall);

      expect(effects).toEqual([]);
    },
  );

  it('gives no epoch to two nodes, whatever the order and the copies of calls', () => {
    const calls = fc.array(
      fc.record({
        client: fc.constantFrom(1, 2, 3),
        value: fc.nat(3),
        epoch: fc.nat(6),
        kind: fc.constantFrom('ACQUIRE', 'EXTEND', 'RELEASE', 'expire'),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(calls, (drawn) => {
        const store = storeOf();
        const owners = new Map<number, number>();
        for (const { client, kind, value, epoch } of drawn) {
          if (kind === 'expire') store.fire('lock:0');
          if (kind === 'RELEASE') store.call(client, { type: kind, instance: 0, value });
          if (kind !== 'ACQUIRE' && kind !== 'EXTEND') continue;
          const call = kind === 'ACQUIRE' ? acquire(0, value) : extend(value, epoch);
          for (const effect of store.call(client, call)) {
            if (effect.type !== 'send' || effect.message.type === 'REFUSED') continue;
            const given = integerIn(effect.message, 'epoch');

            expect(owners.get(given) ?? client).toBe(client);
            owners.set(given, client);
          }
        }
      }),
      { seed: 2016, numRuns: 300 },
    );
  });
});

function acquire(instance: number, request: number): InstanceCall {
  return { type: 'ACQUIRE', instance, request };
}

function extend(value: number, epoch: number): InstanceCall {
  return { type: 'EXTEND', instance: 0, request: 6, value, epoch };
}

function runs(instance: number) {
  const timer = `lock:${instance}`;
  return { type: 'set-timer', timer, ticks: LEASE_TICKS, periodic: false };
}

function sent(to: number, message: Readonly<Record<string, unknown>>) {
  return { type: 'send', id: 0, to, message };
}

function storeOf() {
  const machine = createRedlockInstances({ instances: 3, leaseTicks: LEASE_TICKS });
  const state = machine.init(SELF);
  return {
    call: (client: number, message: InstanceCall): EffectRecord[] => {
      const event = { type: 'deliver', from: toRank(client), message } as const;
      return recorded((effects) => machine.step(SELF, state, event, effects));
    },
    fire: (timer: string) =>
      recorded((effects) => machine.step(SELF, state, { type: 'timeout', timer }, effects)),
  };
}
