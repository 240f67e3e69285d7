/**
 * @module
 * The log of a live node as data: one record for each step of its protocol's machine, with what the step received and
 * what it did. Detectors and signatures are outside of this machine, so that a record is a step of the machine that the
 * checker explores, and can be repeated without secrets.
 */

import { z } from 'zod';

import type { AnyMachine } from '../election/definition/protocol.ts';
import { intercepted } from '../election/intercepted.ts';
import type { Effects, Event, Json, Message, Rank } from '../election/machine.ts';
import type { EffectRecord } from '../election/world/effect-record.ts';
import { recordingEffects } from '../election/world/effect-record.ts';
import { copyJson } from '../election/world/plain-json.ts';
import { parseTextBySchema } from '../schema.ts';

/** By rank, the number of its events that are known. */
export type LiveClock = Readonly<Record<string, number>>;

/** What accompanies a protocol's message, so that traces of several nodes can be merged. */
export interface Stamp {
  /** Number of messages and calls that the sender's protocol sent before, in all its lives. */
  readonly id: number;
  readonly clock: LiveClock;
}

/** Which call a message of a store answers, and when the store computed it. */
export interface StoreMark {
  /** The id of the call. */
  readonly call: number;
  /** Number of the last write of the store before it, this one included. The end of a lease counts as a write. */
  readonly revision: number;
  /** Whether the call is that write, or saw first that a lease had ended. */
  readonly wrote: boolean;
  /** What the node had the store do before the answer, because the store had lost data; absent if it had not. */
  readonly raised?: Message;
}

/** The rank of the store in records. It is no node. */
// The only place that makes it; no node has a rank like this.
export const STORE_RANK = 'the-store' as string as Rank;

/** What happened at a node. `crash` is written when the node is back. */
export type LiveEvent =
  | Exclude<Event<Message>, { readonly type: 'deliver' | 'reply' }>
  /** `mark` is null for a message that answers no call. */
  | { readonly type: 'reply'; readonly value: Message; readonly mark: StoreMark | null }
  | {
      readonly type: 'deliver';
      readonly from: Rank;
      readonly id: number;
      readonly message: Message;
    }
  | { readonly type: 'crash' };

export interface LiveRecord {
  /** Real time in ms since 1970. */
  readonly t: number;
  readonly event: LiveEvent;
  /** The ids of sends are those of their stamps. */
  readonly effects: readonly EffectRecord[];
  readonly clock: LiveClock;
}

/** The form of a record; the model checks every event and effect, whatever it is. */
export const liveRecordFormSchema = z.looseObject({
  t: z.number('must be a time in ms'),
  event: z.looseObject({ type: z.string('must be a type of event') }),
  effects: z.array(z.looseObject({ type: z.string('must be a type of effect') })),
  clock: z.record(z.string(), z.int('must be a count').min(0, 'must be a count')),
});
const sentSchema = z.looseObject({ id: z.int() });
const messageSchema = z.looseObject({ type: z.string() });
const aboutNodeSchema = z.looseObject({ node: z.string() });

/** The forms of events and effects by type. Without these members the model could not read them. */
const EVENT_FORMS: Readonly<Record<string, z.ZodType>> = {
  deliver: z.looseObject({ from: z.string(), id: z.int(), message: messageSchema }),
  timeout: z.looseObject({ timer: z.string() }),
  chosen: z.looseObject({ value: z.int() }),
  recover: z.looseObject({ persisted: z.json() }),
  reply: z.looseObject({
    value: messageSchema,
    mark: z
      .strictObject({
        call: z.int(),
        revision: z.int(),
        wrote: z.boolean(),
        raised: messageSchema.optional(),
      })
      .nullable(),
  }),
  suspect: aboutNodeSchema,
  trust: aboutNodeSchema,
  join: aboutNodeSchema,
  leave: aboutNodeSchema,
};
const EFFECT_FORMS: Readonly<Record<string, z.ZodType>> = { send: sentSchema, call: sentSchema };

function hasForm(forms: Readonly<Record<string, z.ZodType>>, each: { readonly type: string }) {
  const form = Object.hasOwn(forms, each.type) ? forms[each.type] : undefined;
  return form === undefined || form.safeParse(each).success;
}

export const liveRecordSchema = liveRecordFormSchema
  .refine(({ event }) => hasForm(EVENT_FORMS, event), 'must have the members of its event')
  .refine(
    ({ effects }) => effects.every((effect) => hasForm(EFFECT_FORMS, effect)),
    'must have the members of its effects',
  )
  // The other members of events and effects are as the node wrote them.
  .transform((record) => record as unknown as LiveRecord);

/** Reads a line of a log. Throws LabError `json.syntax` or `schema`. */
export function parseLiveRecord(line: string): LiveRecord {
  return parseTextBySchema(liveRecordSchema, line, 'record of a live node');
}

/** The log of one node. */
export interface LiveLog {
  readonly position: number;
  readonly records: readonly LiveRecord[];
  /** Whether the node has behaviours. Its steps are not those of the protocol: the trace has what others received of it. */
  readonly isByzantine: boolean;
  /** Whether later steps of the node were not recorded. */
  readonly isFull?: boolean;
  /** Whether these are only the first of its records. */
  readonly isCut?: boolean;
}

const storedClockSchema = z.record(z.string(), z.unknown());
const countSchema = z.int().min(0);

/** A clock as it was stored, without the entries that are no counts; null if it is no clock. */
export function storedClock(value: unknown): LiveClock | null {
  const given = storedClockSchema.safeParse(value);
  if (!given.success) return null;
  const counts = Object.entries(given.data).flatMap(([name, stored]) => {
    const count = countSchema.safeParse(stored);
    return count.success ? [[name, count.data] as const] : [];
  });
  return Object.fromEntries(counts);
}

/** What a node's log continues with after a restart. */
export interface RecorderState {
  sent: number;
  clock: LiveClock;
}

export interface LiveRecorder {
  /** The machine, with a record of each step. */
  around(machine: AnyMachine): AnyMachine;
  /** Receives the stamp of the message that the node is about to receive; null if it has none. */
  receiving(stamp: Stamp | null): void;
  /** Receives the mark of the store's message that the node is about to receive. */
  answering(mark: StoreMark | null): void;
  /** The stamp of the message or call that the machine has just sent; null if a detector sent it. */
  stampOf(): Stamp | null;
  /** The records since the last call. */
  take(): readonly LiveRecord[];
  crashed(): void;
  readonly state: RecorderState;
}

/** What a recorder asks of its node. */
export interface RecorderHooks {
  /** The real time in ms. */
  readonly now: () => number;
  /** Drops what a message has too much. */
  readonly bounded?: (message: Message) => Message;
  /** Whether a node has this name: a clock counts the steps of no other. Any name by default. */
  readonly isMember?: (name: string) => boolean;
}

/** A recorder of one node. */
export function createLiveRecorder(
  own: Rank,
  state: RecorderState,
  { now, bounded = (message) => message, isMember = () => true }: RecorderHooks,
): LiveRecorder {
  let records: LiveRecord[] = [];
  let received: Stamp | null = null;
  let answered: StoreMark | null = null;
  let sending: Stamp | null = null;
  const advance = (brought: LiveClock) => {
    state.clock = advanced(state.clock, brought, { own: String(own), isMember });
  };
  const open = (event: Event<Message>): LiveEvent => {
    advance(event.type === 'deliver' ? (received?.clock ?? {}) : {});
    if (event.type === 'reply') return { ...event, mark: answered };
    if (event.type !== 'deliver') return event;
    return { ...event, id: received?.id ?? -1 };
  };
  const launch = (carryOut: () => void) => {
    sending = { id: state.sent, clock: state.clock };
    state.sent += 1;
    carryOut();
    sending = null;
  };
  return {
    around: (machine) => ({
      init: (self) => machine.init(self),
      step(self, inner, given, effects) {
        const event = withMessage(given, bounded);
        const recorded: EffectRecord[] = [];
        const keep = recordingEffects(recorded);
        const described = open(event);
        machine.step(self, inner, event, {
          ...both(keep, effects),
          send(to, message) {
            recorded.push({ type: 'send', id: state.sent, to, message });
            launch(() => effects.send(to, message));
          },
          call(operation) {
            recorded.push({ type: 'call', id: state.sent, to: STORE_RANK, operation });
            launch(() => effects.call(operation));
          },
          persist(fields: Json) {
            keep.persist(copyJson(fields));
            effects.persist(fields);
          },
        });
        records.push({ t: now(), event: described, effects: recorded, clock: state.clock });
      },
    }),
    receiving(stamp) {
      received = stamp;
    },
    answering(mark) {
      answered = mark;
    },
    stampOf: () => sending,
    take() {
      const taken = records;
      records = [];
      return taken;
    },
    crashed() {
      advance({});
      records.push({ t: now(), event: { type: 'crash' }, effects: [], clock: state.clock });
    },
    state,
  };
}

function withMessage(event: Event<Message>, change: (message: Message) => Message): Event<Message> {
  return event.type === 'deliver' ? { ...event, message: change(event.message) } : event;
}

/** A collector whose effects go to two. */
function both(one: Effects<Message>, other: Effects<Message>): Effects<Message> {
  return intercepted(other, {
    setTimer(timer, ticks, periodic) {
      one.setTimer(timer, ticks, periodic);
      other.setTimer(timer, ticks, periodic);
    },
    cancelTimer(timer) {
      one.cancelTimer(timer);
      other.cancelTimer(timer);
    },
    choose(below) {
      one.choose(below);
      other.choose(below);
    },
    elect(leader, epoch) {
      one.elect(leader, epoch);
      other.elect(leader, epoch);
    },
    stepDown() {
      one.stepDown();
      other.stepDown();
    },
    accuse(evidence) {
      one.accuse(evidence);
      other.accuse(evidence);
    },
    respond(value) {
      one.respond(value);
      other.respond(value);
    },
  });
}

/** The clock of a node after its next step, to which a message brought a clock. */
function advanced(
  clock: LiveClock,
  brought: LiveClock,
  { own, isMember }: { readonly own: string; readonly isMember: (name: string) => boolean },
): LiveClock {
  const steps = countIn(clock, own);
  // A clock that counts more steps than were made is false, and not always the fault of the sender: no signature
  // protects clocks, and a peer passes on those of others. It is not merged, and the message is taken.
  const isFalse = countIn(brought, own) > steps;
  return { ...(isFalse ? clock : merged(clock, brought, isMember)), [own]: steps + 1 };
}

/** A peer can invent any names, and so they are left out unless a member has them. */
function merged(one: LiveClock, other: LiveClock, isMember: (name: string) => boolean): LiveClock {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names]
      .filter(isMember)
      .map((name) => [name, Math.max(countIn(one, name), countIn(other, name))]),
  );
}

/** A peer chooses the names, among which those of members of every object can be. */
function countIn(clock: LiveClock, name: string): number {
  return Object.hasOwn(clock, name) ? (clock[name] ?? 0) : 0;
}
