/**
 * @module
 * The fenced resource: what each kind of fence lets pass, copies and late operations, and the epoch
 * that locks everybody out.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  ResourceKind,
  ResourceOptions,
  ResourceState,
} from '../../../src/election/lease/stores/resource.ts';
import {
  createResource,
  isResourceReply,
  RESOURCE_KINDS,
  RESOURCE_OPERATIONS,
} from '../../../src/election/lease/stores/resource.ts';
import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';

const MAX = Number.MAX_SAFE_INTEGER;

type Call = readonly [from: number, operation: Message];

const write = (from: number, epoch: number, value: number): Call => [
  from,
  { type: 'WRITE', epoch, value } as Message,
];
const register = (from: number, epoch: number): Call => [
  from,
  { type: 'REGISTER', epoch } as Message,
];

function serve(kind: ResourceKind, calls: readonly Call[], options: ResourceOptions = {}) {
  const machine = createResource(kind, options);
  const state = machine.init(SELF);
  const effects = recorded((collector) => {
    for (const [from, message] of calls) {
      machine.step(SELF, state, { type: 'deliver', from: toRank(from), message }, collector);
    }
  });
  const replies = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
  return { state, replies, types: replies.map(({ type }) => type) };
}

for (const kind of RESOURCE_KINDS) {
  describeMachine(`the resource, ${kind}`, {
    create: () => createResource(kind, { epochStepMax: 3 }),
    messages: RESOURCE_OPERATIONS.flatMap((type) =>
      [0, 1, 2, 5, MAX, 2 ** 53, 1.5, -1, Number.NaN, '3', null, undefined].flatMap((epoch) =>
        [1, 2, 0.5, undefined].map((value) => ({ type, epoch, value })),
      ),
    ),
    timers: [],
  });
}

describe('a write of the past leader', () => {
  // Leader 1 of epoch 1 is paused, leader 2 of epoch 2 begins, and 1 resumes.
  it.each([
    ['unfenced', 'registers and writes', [register(2, 2), write(2, 2, 1)], 'WRITTEN'],
    ['unfenced', 'writes', [write(2, 2, 1)], 'WRITTEN'],
    ['fencing-register', 'does nothing yet', [], 'WRITTEN'],
    ['fencing-register', 'writes unregistered', [write(2, 2, 1)], 'WRITTEN'],
    ['fencing-register', 'registers', [register(2, 2)], 'REFUSED'],
    ['fencing-register', 'registers and writes', [register(2, 2), write(2, 2, 1)], 'REFUSED'],
    ['fencing-max', 'does nothing yet', [], 'WRITTEN'],
    ['fencing-max', 'writes unregistered', [write(2, 2, 1)], 'REFUSED'],
    ['fencing-max', 'registers', [register(2, 2)], 'REFUSED'],
  ] as const)('%s, after the next leader %s: %s', (kind, _what, next, answer) => {
    const { types, state } = serve(kind, [register(1, 1), write(1, 1, 1), ...next, write(1, 1, 2)]);

    expect(types.at(-1)).toBe(answer);
    expect(state.lateWrites).toBe(answer === 'WRITTEN' && next.length > 0 ? 1 : 0);
    expect(state.recent.at(-1)?.late ?? false).toBe(state.lateWrites === 1);
  });
});

describe('a registration', () => {
  it('is accepted above the highest one alone, and again from its holder', () => {
    const { types, state } = serve('fencing-register', [
      register(1, 2),
      register(2, 2),
      register(2, 1),
      register(1, 2),
      register(2, 3),
    ]);

    expect(types).toEqual(['REGISTERED', 'REFUSED', 'REFUSED', 'REGISTERED', 'REGISTERED']);
    expect(state).toMatchObject({ max: 3, holder: 2, accepted: 2, refused: 2 });
  });

  it('says with a refusal what the fence is', () => {
    const { replies } = serve('fencing-max', [register(1, 7), write(2, 6, 1)]);

    expect(replies.at(-1)).toEqual({ type: 'REFUSED', epoch: 6, reason: 'stale', max: 7 });
  });
});

describe('the highest epoch there is', () => {
  const attack = [register(9, MAX), register(1, 4), write(1, 4, 1)];

  it.each(['fencing-register', 'fencing-max'] as const)('locks everybody out of %s', (kind) => {
    const { types } = serve(kind, attack);

    expect(types).toEqual(['REGISTERED', 'REFUSED', 'REFUSED']);
  });

  it.each(['fencing-register', 'fencing-max'] as const)(
    'is refused by %s that bounds steps',
    (kind) => {
      const { types, replies } = serve(kind, attack, { epochStepMax: 10 });

      expect(types).toEqual(['REFUSED', 'REGISTERED', 'WRITTEN']);
      expect(replies[0]).toEqual({ type: 'REFUSED', epoch: MAX, reason: 'step', max: 0 });
    },
  );

  it.each([
    [10, 'REGISTERED'],
    [11, 'REFUSED'],
  ])('with steps of 10 at most, %i above nothing is %s', (epoch, answer) => {
    expect(serve('fencing-max', [register(1, epoch)], { epochStepMax: 10 }).types).toEqual([
      answer,
    ]);
  });

  it('counts steps from what was accepted, not from what was refused', () => {
    const calls = [register(9, 11), register(1, 12), register(1, 9), register(1, 19)];

    expect(serve('fencing-max', calls, { epochStepMax: 10 }).types).toEqual([
      ...['REFUSED', 'REFUSED', 'REGISTERED', 'REGISTERED'],
    ]);
  });

  it.each([[MAX + 1], [1.5], [-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['3'], [null]])(
    'refuses %s, which is no epoch',
    (epoch) => {
      for (const kind of RESOURCE_KINDS) {
        for (const type of RESOURCE_OPERATIONS) {
          const { replies, state } = serve(kind, [[1, { type, epoch, value: 1 } as Message]]);

          expect(replies).toEqual([{ type: 'REFUSED', epoch: null, reason: 'malformed', max: 0 }]);
          expect(state).toMatchObject({ max: 0, highest: 0, accepted: 0, refused: 1 });
        }
      }
    },
  );

  it.each([0, -1, 1.5, Number.NaN])('cannot be bounded by steps of %s', (epochStepMax) => {
    expect(() => createResource('fencing-max', { epochStepMax })).toThrow(
      new RangeError(`"epochStepMax" expected an integer of at least 1, got ${epochStepMax}`),
    );
  });
});

describe('copies and late operations', () => {
  it('are answered and change nothing, the latest write and earlier ones', () => {
    const once = [write(1, 1, 1), write(1, 1, 2), write(2, 1, 1)];
    const { state, types } = serve('unfenced', [...once, write(1, 1, 2), write(1, 1, 1)]);

    expect(types).toEqual(Array(5).fill('WRITTEN'));
    expect(state).toEqual(serve('unfenced', once).state);
  });

  it('are writes where elections have no number and a writer counts anew', () => {
    expect(serve('unfenced', [write(1, 0, 2), write(1, 0, 1)]).state.accepted).toBe(2);
  });

  it('remembers the last 16 writes', () => {
    const calls = Array.from({ length: 20 }, (_, index) => write(1, 1, index + 1));

    const values = serve('fencing-max', calls).state.recent.map(({ value }) => value);

    expect(values).toEqual(Array.from({ length: 16 }, (_, index) => index + 5));
  });
});

describe('any history', () => {
  const calls = fc.array(
    fc
      .tuple(fc.constantFrom('WRITE', 'REGISTER'), fc.nat(3), fc.nat(5), fc.nat(4))
      .map(
        ([type, from, epoch, value]): Call =>
          type === 'WRITE' ? write(from + 1, epoch + 1, value) : register(from + 1, epoch + 1),
      ),
    { maxLength: 30 },
  );
  const check = (law: (kind: ResourceKind, history: readonly Call[]) => void) =>
    fc.assert(fc.property(fc.constantFrom(...RESOURCE_KINDS), calls, law), {
      seed: 26,
      numRuns: 500,
    });

  it('never lowers the fence, nor takes a write below it', () => {
    check((kind, history) => {
      const machine = createResource(kind);
      const state = machine.init(SELF);
      for (const [from, message] of history) {
        const before = structuredClone(state);
        const effects = recorded((collector) =>
          machine.step(SELF, state, { type: 'deliver', from: toRank(from), message }, collector),
        );

        expect(effects).toHaveLength(1);
        expect(state.max).toBeGreaterThanOrEqual(before.max);
        expect(state.highest).toBeGreaterThanOrEqual(before.highest);
        const latest = state.recent.at(-1);
        const isWrite = state.accepted > before.accepted && message.type === 'WRITE';
        if (isWrite && kind !== 'unfenced') {
          expect(latest?.epoch).toBeGreaterThanOrEqual(before.max);
        }
      }
      if (kind === 'fencing-max') expect(state.lateWrites).toBe(0);
    });
  });

  it('sometimes lets a late write pass an open fence', () => {
    const stale = fc
      .sample(calls, { seed: 26, numRuns: 200 })
      .map((history) => serve('fencing-register', history).state.lateWrites);

    expect(Math.max(...stale)).toBeGreaterThan(0);
  });

  it('comes to the same when any accepted operation is repeated at the end', () => {
    const effect = ({ refused: _refused, ...rest }: ResourceState) => rest;
    check((kind, history) => {
      const { state, replies } = serve(kind, history);
      const accepted = history.filter((_, index) => replies[index]?.type !== 'REFUSED');

      const repeated = serve(kind, [...history, ...accepted]);

      expect(effect(repeated.state)).toEqual(effect(state));
    });
  });

  it('is answered with replies that are known as such', () => {
    check((kind, history) => {
      expect(serve(kind, history).replies.every(isResourceReply)).toBe(true);
    });
  });
});
