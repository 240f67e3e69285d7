/**
 * @module
 * What every protocol's machine owes its drivers, whatever it elects: total, deterministic, its state
 * plain data, what it was handed left alone. Run as `describeMachine(name, subject)` by each protocol.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Effects, Event, Json, Message, Self } from '../../src/election/machine.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../src/election/world/effect-record.ts';

const NODES = 5;
const SELVES = createSelves();
/** Another protocol's word, and types that JavaScript objects carry by birth. */
const FOREIGN: readonly Message[] = ['NOBODY_SENDS_THIS', 'constructor', '__proto__', ''].map(
  (type) => ({ type }),
);

export interface MachineSubject {
  readonly create: () => AnyMachine;
  /** Every message of the protocol that could arrive. */
  readonly messages: readonly Message[];
  readonly timers: readonly string[];
  /** What its store could say, where it calls one. */
  readonly replies?: readonly Message[];
  /** What could be on its disk when it returns, beside nothing. */
  readonly persisted?: readonly Json[];
  /** Whether it acts on nodes that come and go. */
  readonly membersChange?: boolean;
}

export function describeMachine(name: string, subject: MachineSubject): void {
  const histories = fc.tuple(fc.nat(SELVES.length - 1), fc.array(arbitraryEvent(subject)));
  const check = (law: (self: Self, history: readonly Event<Message>[]) => void) =>
    fc.assert(
      fc.property(histories, ([index, history]) => {
        law(at(SELVES, index), history);
      }),
      { seed: 1982, numRuns: 300 },
    );

  describe(`the machine of ${name}`, () => {
    it('takes any event in any state', () => {
      check((self, history) => {
        expect(() => run(subject.create(), self, history)).not.toThrow();
      });
    });

    it('has a state that survives JSON, with the same effects after it', () => {
      check((self, history) => {
        const machine = subject.create();
        const cut = history.length >> 1;
        const whole = run(machine, self, history);
        const before = run(machine, self, history.slice(0, cut));

        const restored: Json = JSON.parse(JSON.stringify(before.state));
        expect(restored).toEqual(before.state);
        const after = run(machine, self, history.slice(cut), restored);

        expect(after.state).toEqual(whole.state);
        expect([...before.effects, ...after.effects]).toEqual(whole.effects);
      });
    });

    it('does the same for the same events, on another machine too', () => {
      check((self, history) => {
        expect(run(subject.create(), self, history)).toEqual(run(subject.create(), self, history));
      });
    });

    it('changes neither the events it is given, nor itself, nor what it sent before', () => {
      check((self, history) => {
        const frozen = deepFreeze(structuredClone(history));

        const { effects } = run(subject.create(), deepFreeze(structuredClone(self)), frozen, null, {
          freezesSent: true,
        });

        expect(frozen).toEqual(history);
        expect(effects).toEqual(run(subject.create(), self, history).effects);
      });
    });

    it.each([
      ['a message of another protocol', FOREIGN.map(deliver)],
      ['a timer it never set', [{ type: 'timeout', timer: 'never-set' }]],
      ['an answer it never asked for', [{ type: 'chosen', value: 3 }]],
      ['a store and its clients', replies()],
      ...(subject.membersChange === true
        ? []
        : ([['nodes that come and go', comings()]] satisfies [string, Event<Message>[]][])),
    ] satisfies [string, Event<Message>[]][])('has nothing to do for %s', (_what, idle) => {
      check((self, history) => {
        const machine = subject.create();
        const before = run(machine, self, history);

        const after = run(machine, self, idle, structuredClone(before.state));

        expect(after.state).toEqual(before.state);
        expect(after.effects).toEqual([]);
      });
    });
  });
}

interface Outcome {
  readonly state: Json;
  readonly effects: readonly EffectRecord[];
}

function run(
  machine: AnyMachine,
  self: Self,
  history: readonly Event<Message>[],
  from: Json = null,
  options: { readonly freezesSent: boolean } = { freezesSent: false },
): Outcome {
  const state = from ?? machine.init(self);
  const effects: EffectRecord[] = [];
  const collector = createCollector(effects, options.freezesSent);
  for (const event of history) {
    const seen = effects.length;
    machine.step(self, state, event, collector);
    answerChoices(seen, (value) => machine.step(self, state, { type: 'chosen', value }, collector));
  }
  return { state, effects };

  /** Answers the choices of this step at once, as every driver does, by the highest value. */
  function answerChoices(from: number, answer: (value: number) => void): void {
    for (let index = from; index < effects.length; index += 1) {
      const effect = effects[index];
      if (effect?.type === 'choose') answer(effect.below - 1);
    }
  }
}

function createCollector(effects: EffectRecord[], freezesSent: boolean): Effects<Message> {
  const recording = recordingEffects(effects);
  return {
    ...recording,
    send(to, message) {
      if (freezesSent) deepFreeze(message);
      recording.send(to, message);
    },
    call: (operation) => effects.push({ type: 'call', id: 0, to: toRank(NODES + 1), operation }),
  };
}

function arbitraryEvent(subject: MachineSubject): fc.Arbitrary<Event<Message>> {
  const rank = fc.integer({ min: 1, max: NODES }).map(toRank);
  return fc.oneof(
    fc.constant<Event<Message>>({ type: 'start' }),
    fc.record({
      type: fc.constant<'deliver'>('deliver'),
      from: rank,
      message: fc.constantFrom(...subject.messages, ...FOREIGN),
    }),
    fc.record({
      type: fc.constant<'timeout'>('timeout'),
      timer: fc.constantFrom('never-set', ...subject.timers),
    }),
    fc.record({
      type: fc.constantFrom('suspect', 'trust', 'join', 'leave'),
      node: rank,
    }),
    fc.record({
      type: fc.constant<'recover'>('recover'),
      persisted: fc.constantFrom<Json>(null, ...(subject.persisted ?? [])),
    }),
    fc.record({
      type: fc.constant<'reply'>('reply'),
      value: fc.constantFrom(...(subject.replies ?? []), ...FOREIGN),
    }),
  );
}

/** Every node of a ring of five, alone in a ring of one, and five with a dead leader. */
function createSelves(): Self[] {
  const timing = { latencyTicksMax: 1 };
  const casts = [
    { ring: [1, 2, 3, 4, 5], crashedBefore: [] },
    { ring: [1, 2, 3, 4, 5], crashedBefore: [5] },
    { ring: [1], crashedBefore: [] },
  ].map((cast) => createCast({ protocol: 'cr-join', timing, ...cast }));
  return casts.flatMap(({ nodes, selfOf }) =>
    Array.from({ length: nodes }, (_, index) => selfOf(index + 1)),
  );
}

function deliver(message: Message): Event<Message> {
  return { type: 'deliver', from: toRank(1), message };
}

function replies(): Event<Message>[] {
  return [
    { type: 'reply', value: { type: 'NOBODY_ASKED_THIS' } },
    { type: 'request', value: 'x' },
  ];
}

function comings(): Event<Message>[] {
  return [
    { type: 'join', node: toRank(2) },
    { type: 'leave', node: toRank(2) },
  ];
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`"index" expected an item, got ${index}`);
  return item;
}

/** Freezes plain data with all that it contains. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) deepFreeze(entry);
    Object.freeze(value);
  }
  return value;
}
