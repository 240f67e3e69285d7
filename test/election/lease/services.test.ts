/**
 * @module
 * Several stores behind one node: whose operation is whose, timers and choices that are kept apart.
 */

import { describe, expect, it } from 'vitest';
import {
  createResource,
  RESOURCE_OPERATIONS,
} from '../../../src/election/lease/stores/resource.ts';
import { createServices } from '../../../src/election/lease/stores/services.ts';
import type { Event, Json, Machine, Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';

type ClockState = { seen: Json[] };

/** Sets its timer and asks for a number on demand, and remembers its events. */
function clock(word: string): Machine<ClockState, Message> {
  return {
    init: () => ({ seen: [] }),
    step(_self, state, event, effects) {
      if (event.type === 'deliver' && event.message.type === word) {
        effects.setTimer('ring', 5, false);
        effects.cancelTimer('old');
        effects.choose(6);
      }
      if (event.type === 'timeout' && event.timer === 'ring') state.seen.push('ring');
      if (event.type === 'chosen') state.seen.push(event.value);
      if (event.type === 'start') effects.send(toRank(1), { type: word });
    },
  };
}

/** Named so that the order given is not that of the names. */
const create = () =>
  createServices({
    resource: { machine: createResource('fencing-max'), operations: RESOURCE_OPERATIONS },
    left: { machine: clock('LEFT'), operations: ['LEFT'] },
    a: { machine: clock('A'), operations: ['A'] },
  });

function play(events: readonly Event<Message>[]) {
  const machine = create();
  const state = machine.init(SELF);
  const effects = recorded((collector) => {
    for (const event of events) machine.step(SELF, state, event, collector);
  });
  return { state, effects };
}

const call = (type: string, fields: Record<string, Json> = {}): Event<Message> => ({
  type: 'deliver',
  from: toRank(1),
  message: { type, ...fields } as Message,
});

describeMachine('services behind one node', {
  create: () =>
    createServices({
      resource: { machine: createResource('fencing-max'), operations: RESOURCE_OPERATIONS },
      left: { machine: createResource('unfenced'), operations: ['LEFT'] },
    }),
  messages: [1, 2, 3].flatMap((epoch) =>
    RESOURCE_OPERATIONS.map((type) => ({ type, epoch, value: 1 })),
  ),
  timers: ['left:ring', 'left:', ':', 'none:ring'],
});

describe('an operation', () => {
  it('goes to its service alone', () => {
    const { state, effects } = play([call('WRITE', { epoch: 3, value: 1 })]);

    expect(effects).toEqual([
      { type: 'send', id: 0, to: toRank(1), message: { type: 'WRITTEN', epoch: 3, value: 1 } },
    ]);
    expect(state.services.resource).toMatchObject({ max: 3 });
    expect(state.services.left).toEqual({ seen: [] });
  });

  it('without an owner has no effect', () => {
    expect(play([call('RIGHT')])).toEqual(play([]));
  });

  it('has one owner', () => {
    const machine = clock('A');
    const twice = { one: { machine, operations: ['A'] }, two: { machine, operations: ['A'] } };

    expect(() => createServices(twice)).toThrow(
      new RangeError('"A" expected one owner, got one and two'),
    );
  });
});

describe('timers and choices', () => {
  it('carry the name of their service', () => {
    expect(play([call('LEFT')]).effects).toEqual([
      { type: 'set-timer', timer: 'left:ring', ticks: 5, periodic: false },
      { type: 'cancel-timer', timer: 'left:old' },
      { type: 'choose', below: 6 },
    ]);
  });

  it('come back to the service that asked, choices in the order of asking', () => {
    const { state } = play([
      ...[call('LEFT'), call('A')],
      { type: 'chosen', value: 4 },
      { type: 'timeout', timer: 'a:ring' },
      { type: 'chosen', value: 2 },
    ]);

    expect(state.services).toMatchObject({ left: { seen: [4] }, a: { seen: ['ring', 2] } });
    expect(state.choosing).toEqual([]);
  });

  it.each(['ring', 'left', 'left:', ':ring', 'right:ring', 'left:ring:'])(
    'without an owner have no effect: %s',
    (timer) => {
      expect(play([{ type: 'timeout', timer }])).toEqual(play([]));
    },
  );

  it('refuses a name that would not be read back from a timer', () => {
    const odd = { 'a:b': { machine: clock('A'), operations: ['A'] } };

    expect(() => createServices(odd)).toThrow(new TypeError('"name" expected no \':\', got a:b'));
  });
});

it('starts all of them, in the order of their names', () => {
  const types = play([{ type: 'start' }]).effects.map((effect) =>
    effect.type === 'send' ? effect.message.type : effect.type,
  );

  expect(types).toEqual(['A', 'LEFT']);
});

it.each(['persist', 'call', 'elect', 'stepDown'] as const)('must not %s', (effect) => {
  const act: Machine<null, Message> = {
    init: () => null,
    step(_self, _state, _event, effects) {
      if (effect === 'persist') effects.persist(null);
      if (effect === 'call') effects.call({ type: 'A' });
      if (effect === 'elect') effects.elect(toRank(1), 1);
      if (effect === 'stepDown') effects.stepDown();
    },
  };
  const machine = createServices({ act: { machine: act, operations: ['A'] } });
  const step = () =>
    recorded((effects) => machine.step(SELF, machine.init(SELF), { type: 'start' }, effects));

  expect(step).toThrow(new TypeError(`"effect" expected one that a store may have, got ${effect}`));
});
