/**
 * @module
 * The contract of machine.ts as checks: a machine accepts any event in any state, does the same for the
 * same events, keeps its state as plain JSON data, changes nothing that it is given, and ignores what
 * does not concern it.
 */

import type { Kind } from '../../election/definition/message-definition.ts';
import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import type { Event, Json, Message, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { createCast, toRank } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { copyJson, frozen, unplainIn } from '../../election/world/plain-json.ts';
import type { Random } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Finding, Subject } from './finding.ts';
import { tried } from './finding.ts';

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

/**
 * Random events for the machine of any protocol. Messages are made from the kinds of members that its definition
 * states, so that a new protocol needs no generator of its own.
 */
const CONFORM_NODES = 5;
/** Types that no protocol has, and names that JavaScript objects have by birth. */
const FOREIGN_TYPES = ['UNKNOWN_MESSAGE', 'constructor', '__proto__', ''];
const INTEGERS_BELOW = 4;

/** A message of one of the protocol's types, as an honest node could send it. */
export function randomMessage(protocol: Protocol, random: Random): Message | null {
  const types = Object.keys(protocol.messages);
  const type = types[random.below(Math.max(1, types.length))];
  return type === undefined ? null : messageOf(protocol, type, random);
}

/** A message of a type that the protocol does not have. */
function foreignMessage(random: Random): Message {
  return { type: FOREIGN_TYPES[random.below(FOREIGN_TYPES.length)] ?? '' };
}

/** One event. `timers` are names that the machine has set so far. */
function randomEvent(
  protocol: Protocol,
  timers: readonly string[],
  random: Random,
): Event<Message> {
  const rank = () => toRank(1 + random.below(CONFORM_NODES));
  const message = randomMessage(protocol, random);
  const lot = random.below(10);
  if (lot < 5 && message !== null) return { type: 'deliver', from: rank(), message };
  if (lot === 5) return { type: 'start' };
  if (lot === 6)
    return { type: 'timeout', timer: timers[random.below(timers.length || 1)] ?? 'unset' };
  if (lot === 7) return { type: 'suspect', node: rank() };
  return lot === 8 ? { type: 'trust', node: rank() } : { type: 'recover', persisted: null };
}

function messageOf(protocol: Protocol, type: string, random: Random): Message {
  const members = Object.entries(protocol.messages[type]?.members ?? {}).map(
    ([name, kind]) => [name, memberOf(kind, { protocol, type, random })] as const,
  );
  return { ...Object.fromEntries(members), type };
}

function memberOf(
  kind: Kind,
  context: { readonly protocol: Protocol; readonly type: string; readonly random: Random },
): Json | Message {
  const { protocol, type, random } = context;
  const rank = () => toRank(1 + random.below(CONFORM_NODES));
  const integer = () => random.below(INTEGERS_BELOW);
  switch (kind) {
    case 'rank':
      return rank();
    case 'ranks':
      return Array.from({ length: random.below(CONFORM_NODES) }, rank);
    case 'integer':
    case 'epoch':
    case 'number':
      return integer();
    case 'boolean':
      return random.below(2) === 0;
    case 'token':
      return [rank(), integer()];
    case 'table':
      return Array.from({ length: random.below(CONFORM_NODES) }, () => [rank(), integer()]);
    case 'configuration':
      return {
        term: integer(),
        version: integer(),
        members: Array.from({ length: 1 + random.below(CONFORM_NODES) }, rank),
        removed: [],
      };
    case 'carried':
      return protocol.carries === null ? null : messageOf(protocol.carries, type, random);
    default:
      return kind[random.below(kind.length)] ?? null;
  }
}
