/**
 * @module
 * The contract of machine.ts as checks: a machine accepts any event in any state, does the same for the
 * same events, keeps its state as plain JSON data, changes nothing that it is given, and ignores what
 * does not concern it.
 */

import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import type { Event, Json, Message, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { createCast } from '../../election/world/cast.ts';
import { copyJson } from '../../election/world/copy-json.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { frozen, unplainIn } from '../../election/world/plain-json.ts';
import { createRandom } from '../../random.ts';
import type { Finding, Subject } from './finding.ts';
import { tried } from './finding.ts';
import { CONFORM_NODES, foreignMessage, randomEvent } from './random-events.ts';

const TIMING = { latencyTicksMax: 3 };
const HISTORIES = 200;
const EVENTS_MAX = 24;

interface Outcome {
  readonly state: Json;
  readonly effects: readonly EffectRecord[];
}

/** Checks the machine by itself, without a network. */
export function checkContract(subject: Subject): readonly Finding[] {
  const { protocol } = subject;
  const historyOf = (index: number) => drawHistory(subject, index);
  return [
    tried('accepts every event in every state', HISTORIES, (index) => {
      historyOf(index);
      return null;
    }),
    tried(
      'does the same for the same events, without clock, chance or memory of its own',
      HISTORIES,
      (index) => {
        const { self, events } = historyOf(index);
        const [one, other] = [
          play(protocol.create(TIMING), self, events),
          play(protocol.create(TIMING), self, events),
        ];
        return same(one, other)
          ? null
          : `${eventsText(events)}: ${text(one)} and then ${text(other)}`;
      },
    ),
    tried('keeps its state as plain JSON data', HISTORIES, (index) => {
      const { self, events } = historyOf(index);
      const { state } = play(protocol.create(TIMING), self, events);
      const path = unplainIn(state, 'state');
      return path === null ? null : `JSON cannot hold ${path}`;
    }),
    tried('continues from a copy of its state', HISTORIES, (index) => {
      const { self, events } = historyOf(index);
      const machine = protocol.create(TIMING);
      const cut = events.length >> 1;
      const before = play(machine, self, events.slice(0, cut));
      const after = play(machine, self, events.slice(cut), copyJson(before.state));
      const whole = play(machine, self, events);
      const joined = { state: after.state, effects: [...before.effects, ...after.effects] };
      return same(joined, whole)
        ? null
        : `${eventsText(events)}: differs after a copy at event ${cut}`;
    }),
    tried('changes no message, event or membership that it is given', HISTORIES, (index) => {
      const { self, events } = historyOf(index);
      play(protocol.create(TIMING), frozen(self), events.map(frozen), null, true);
      return null;
    }),
    tried('ignores messages that its definition does not list', HISTORIES, (index) =>
      ignores(subject, index, (random) => ({
        type: 'deliver',
        from: historyOf(index).self.rank,
        message: foreignMessage(random),
      })),
    ),
    tried('ignores timers that it never set', HISTORIES, (index) =>
      ignores(subject, index, () => ({ type: 'timeout', timer: 'never-set' })),
    ),
  ];
}

function ignores(
  subject: Subject,
  index: number,
  eventOf: (random: ReturnType<typeof createRandom>) => Event<Message>,
): string | null {
  const { self, events } = drawHistory(subject, index);
  const machine = subject.protocol.create(TIMING);
  const { state } = play(machine, self, events);
  const event = eventOf(createRandom(subject.seed, 'conform', 'ignored', index));
  const after = play(machine, self, [event], copyJson(state));
  const isSame = text(after.state) === text(state) && after.effects.length === 0;
  return isSame ? null : `${eventsText([event])} has the effects ${text(after.effects)}`;
}

/** A node and random events for it. Timers are those that the machine has set by then. */
function drawHistory(
  { protocol, seed }: Subject,
  index: number,
): { readonly self: Self; readonly events: readonly Event<Message>[] } {
  const random = createRandom(seed, 'conform', 'history', index);
  const self = selfOf(protocol, 1 + random.below(CONFORM_NODES));
  const machine = protocol.create(TIMING);
  const state = machine.init(self);
  const events: Event<Message>[] = [];
  const timers: string[] = [];
  const count = 1 + random.below(EVENTS_MAX);
  for (let done = 0; done < count; done += 1) {
    const event = randomEvent(protocol, timers, random);
    const effects: EffectRecord[] = [];
    events.push(event);
    machine.step(self, state, event, recordingEffects(effects));
    for (const effect of effects) {
      if (effect.type === 'set-timer') timers.push(effect.timer);
      if (effect.type !== 'choose') continue;
      const chosen: Event<Message> = { type: 'chosen', value: random.below(effect.below) };
      events.push(chosen);
      machine.step(self, state, chosen, recordingEffects([]));
    }
  }
  return { self, events };
}

/** A node in a ring of five. A definition that is not registered has the facts of cr-join. */
function selfOf(protocol: Protocol, rank: number): Self {
  const name: ProtocolName = PROTOCOL_NAMES.find((each) => each === protocol.name) ?? 'cr-join';
  const ring = Array.from({ length: CONFORM_NODES }, (_, index) => index + 1);
  return createCast({ protocol: name, timing: TIMING, ring, crashedBefore: [] }).selfOf(rank);
}

function play(
  machine: AnyMachine,
  self: Self,
  events: readonly Event<Message>[],
  from: Json = null,
  freezesSent = false,
): Outcome {
  const state = from ?? machine.init(self);
  const effects: EffectRecord[] = [];
  for (const event of events) {
    const before = effects.length;
    machine.step(self, state, event, recordingEffects(effects));
    if (freezesSent) effects.slice(before).forEach(frozen);
  }
  return { state, effects };
}

function same(one: Outcome, other: Outcome): boolean {
  return text(one) === text(other);
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

function eventsText(events: readonly Event<Message>[]): string {
  return `after ${events.slice(-3).map(text).join(', ')}`;
}
