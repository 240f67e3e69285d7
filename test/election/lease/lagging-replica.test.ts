/**
 * @module
 * A store that loses its last writes: it is afterwards in the state in which it would be without them, and so are its timers.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { createLagging } from '../../../src/election/lease/stores/lagging-replica.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { recorded, SELF } from '../recorded.ts';

/** Calls of nodes 1 and 2, ticks that pass, and lost writes. */
type Deed =
  | { readonly by: 1 | 2; readonly call: Message }
  | { readonly pass: number }
  | { readonly lose: true };

const LOSS: Event<Message> = { type: 'leave', node: SELF.rank };

/** A store on a clock. */
function onClock(machine: AnyMachine) {
  const state = machine.init(SELF);
  const due = new Map<string, number>();
  let now = 0;
  const step = (event: Event<Message>) => {
    const effects = recorded((collector) => machine.step(SELF, state, event, collector));
    for (const effect of effects) {
      if (effect.type === 'set-timer') due.set(effect.timer, now + effect.ticks);
      if (effect.type === 'cancel-timer') due.delete(effect.timer);
    }
    return effects;
  };
  return {
    state,
    due,
    step,
    pass(ticks: number) {
      for (let end = now + ticks; now < end; ) {
        now += 1;
        for (const [timer, at] of due) {
          if (at !== now) continue;
          due.delete(timer);
          step({ type: 'timeout', timer });
        }
      }
    },
  };
}

function played(machine: AnyMachine, deeds: readonly Deed[]) {
  const store = onClock(machine);
  for (const deed of deeds) {
    if ('pass' in deed) store.pass(deed.pass);
    else if ('lose' in deed) store.step(LOSS);
    else store.step({ type: 'deliver', from: toRank(deed.by), message: deed.call });
  }
  return store;
}

/** What the store has, and when its timers end, after these deeds. */
function ends(machine: AnyMachine, deeds: readonly Deed[]) {
  const store = played(machine, deeds);
  const inner = 'past' in Object(store.state) ? Object(store.state).inner : store.state;
  const timers = 'past' in Object(store.state) ? Object(store.state).timers : null;
  const left = [...store.due].flatMap(([timer, at]) => {
    const [name = '', number] = timer.split('#');
    return number === undefined || timers[name] === Number(number) ? [[name, at]] : [];
  });
  return { inner, left };
}

/** The writes that are not lost, and the ticks that pass. A call that was no write must not become one. */
function kept(create: () => AnyMachine, deeds: readonly Deed[]): readonly Deed[] {
  const left: Deed[] = [];
  for (const deed of deeds) {
    if ('pass' in deed || isWrite(create(), left, deed)) left.push(deed);
    if (!('lose' in deed)) continue;
    const last = left.findLastIndex((each) => 'call' in each);
    if (last >= 0) left.splice(last, 1);
  }
  return left;
}

/** Whether a call changes what the store has, or sets or cancels a timer. */
function isWrite(machine: AnyMachine, before: readonly Deed[], deed: Deed): boolean {
  if (!('call' in deed)) return false;
  const store = played(machine, before);
  const text = JSON.stringify(store.state);
  const effects = store.step({ type: 'deliver', from: toRank(deed.by), message: deed.call });
  return text !== JSON.stringify(store.state) || effects.some(({ type }) => /timer/.test(type));
}

const calls: Readonly<Record<'lease-local' | 'db-lease', fc.Arbitrary<Message>>> = {
  'lease-local': fc.oneof(
    fc.record({ type: fc.constant('ACQUIRE'), request: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      type: fc.constant('RENEW'),
      request: fc.integer({ min: 1, max: 9 }),
      epoch: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ type: fc.constant('RELEASE'), epoch: fc.integer({ min: 1, max: 3 }) }),
  ),
  'db-lease': fc.integer({ min: 0, max: 4 }).chain((expected) =>
    fc.record({
      type: fc.constant('SWAP'),
      expected: fc.constant(expected),
      row: fc.record({
        holder: fc.constantFrom(1, 2),
        version: fc.constant(expected + 1),
        epoch: fc.constant(1),
        request: fc.integer({ min: 1, max: 9 }),
        leaseTicks: fc.constant(9),
      }),
    }),
  ),
};

describe.each(['db-lease', 'lease-local'] as const)('the lagging store of %s', (protocol) => {
  const create = () => {
    const store = PROTOCOLS[protocol].store?.create({ latencyTicksMax: 1 }, {});
    if (store === undefined) throw new TypeError('expected a store');
    return store;
  };
  const deeds = fc.array(
    fc.oneof<fc.Arbitrary<Deed>[]>(
      fc.record({ by: fc.constantFrom(1 as const, 2 as const), call: calls[protocol] }),
      fc.record({ pass: fc.integer({ min: 1, max: 12 }) }),
    ),
    { maxLength: 12 },
  );

  it('is after a fail-over as if the lost writes had not been made', () => {
    fc.assert(
      fc.property(deeds, fc.nat(4), deeds, (before, lost, after) => {
        const losses = Array<Deed>(lost).fill({ lose: true });
        const all = [...before, ...losses, ...after];

        expect(ends(createLagging(create(), 100), all)).toEqual(ends(create(), kept(create, all)));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps no more writes than it may lose', () => {
    const store = onClock(createLagging(create(), 2));
    fc.assert(
      fc.property(fc.array(calls[protocol], { maxLength: 20 }), (drawn) => {
        for (const message of drawn) store.step({ type: 'deliver', from: toRank(1), message });

        expect(Object(store.state).past.length).toBeLessThanOrEqual(2);
        expect(store.due.size).toBeLessThanOrEqual(3);
      }),
    );
  });
});
