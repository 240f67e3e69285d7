/**
 * @module
 * A bound on how far the number of an election may rise at once, against nodes that use numbers up: a term
 * of 2^53 − 1 is the last, and a node that has adopted it can never stand again (D. Ongaro, Consensus:
 * Bridging Theory and Practice, 2014, section 4.2.3, on disruption by high terms). A message with a number
 * more than a step above the known one is ignored, unless a majority of members names numbers as high, so
 * that one of them is honest if a majority is.
 *
 * Invariants: (1) a number is adopted if it is at most `EPOCH_STEP_MAX` above the highest that was
 * received or sent, or at most the highest that a majority names or exceeds; (2) the known numbers survive
 * on disk. A Byzantine node can still climb step by step: 2^53 takes it more than 10^12 messages of its
 * own. At L0 it can send in the name of a majority, too.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { defineDefence, WITHOUT_LIMITS } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';

export type EpochStepState = Guarded & {
  /** The highest number received or sent, by member of a message. */
  known: Record<string, number>;
  /** Ignored numbers of other nodes by rank, by member of a message. */
  named: Record<string, Record<string, number>>;
  refused: number;
};

/** More elections than an honest node begins while it is cut off. */
export const EPOCH_STEP_MAX = 1024;

export const EPOCH_STEP = defineDefence({
  kind: 'inside',
  name: 'epoch-step',
  code: 'D12',
  summary: `Ignores terms and epochs more than ${EPOCH_STEP_MAX} above its own unless a majority names them, which keeps the last number from being used up; costs nothing until a node was cut off for more elections than that.`,
  unsupportedReason(protocol) {
    if (epochMembers(protocol).length > 0) return null;
    return PROTOCOLS[protocol].store !== null
      ? 'its nodes send messages only to a store, which numbers the elections; the resource has its own bound'
      : 'no node adopts the number of an election from another';
  },
  ...WITHOUT_LIMITS,
  guard: (machine, { protocol }) => createEpochStep(machine, protocol),
});

/** Members of its messages that number elections. */
function epochMembers(protocol: ProtocolName): readonly string[] {
  const members = Object.values(PROTOCOLS[protocol].messages).flatMap(({ members }) =>
    Object.entries(members).flatMap(([name, kind]) => (kind === 'epoch' ? [name] : [])),
  );
  return [...new Set(members)];
}

/** The machine of every voter. Throws RangeError for a protocol that it does not fit. */
export function createEpochStep(
  machine: AnyMachine,
  protocol: ProtocolName,
): Machine<EpochStepState, Message> {
  const members = epochMembers(protocol);
  if (members.length === 0) {
    throw new RangeError(`"protocol" expected a quorum protocol, got ${protocol}`);
  }
  return {
    init: (self) => ({ ...initGuarded(machine, self), known: {}, named: {}, refused: 0 }),
    step: (self, state, event, effects) =>
      react(REACTIONS, passOn, { machine, self, state, effects, members }, event),
  };
}

interface Step extends GuardStep<EpochStepState> {
  readonly members: readonly string[];
}

const REACTIONS: Reactions<Step> = {
  deliver(context, event) {
    if (isAccepted(context, event.from, event.message)) passOn(context, event);
    else context.state.refused += 1;
  },
  recover(context, event) {
    const { known, inner } = onDisk(event.persisted, context.members);
    context.state.known = known;
    passOn(context, { type: 'recover', persisted: inner });
  },
};

/** Whether each of its numbers may be adopted. Remembers the others as named. */
function isAccepted({ self, state, members }: Step, from: Rank, message: Message): boolean {
  const numbers = numbersIn(message, members);
  for (const [member, number] of numbers) {
    if (number <= reach(state, member)) continue;
    if (!self.members.includes(from) || from === self.rank) return false;
    const named = { ...state.named[member], [String(from)]: number };
    state.named[member] = named;
    const agreed = namedByMajority(self, named);
    if (agreed > (state.known[member] ?? 0)) state.known[member] = agreed;
    if (number > reach(state, member)) return false;
  }
  for (const [member, number] of numbers) note(state, member, number);
  return true;
}

function reach({ known }: EpochStepState, member: string): number {
  return Math.min((known[member] ?? 0) + EPOCH_STEP_MAX, Number.MAX_SAFE_INTEGER);
}

/** The highest number that a majority of all members names or exceeds; 0 where none does. */
function namedByMajority(self: Self, named: Readonly<Record<string, number>>): number {
  const majority = Math.floor(self.members.length / 2) + 1;
  const descending = Object.values(named).toSorted((left, right) => right - left);
  return descending[majority - 1] ?? 0;
}

function note(state: EpochStepState, member: string, number: number): void {
  if (number > (state.known[member] ?? 0)) state.known[member] = number;
}

function numbersIn(message: Message, members: readonly string[]): (readonly [string, number])[] {
  return members.flatMap((member) => {
    const number = countOf(memberOf(message, member));
    return number === null ? [] : [[member, number] as const];
  });
}

function passOn(context: Step, event: Event<Message>): void {
  stepInner(context, event, noting(context));
}

function noting({ state, members, effects }: Step): Partial<Effects<Message>> {
  return {
    send(to, message) {
      for (const [member, number] of numbersIn(message, members)) note(state, member, number);
      effects.send(to, message);
    },
    // A returned node may get only numbers far above those of its first election.
    persist: (fields) => effects.persist({ known: { ...state.known }, inner: fields }),
  };
}

/** What `noting` wrote. Empty without memory. */
function onDisk(
  persisted: Json,
  members: readonly string[],
): { readonly known: Record<string, number>; readonly inner: Json } {
  if (typeof persisted !== 'object' || persisted === null || !('known' in persisted)) {
    return { known: {}, inner: persisted };
  }
  const { known, inner = null } = persisted;
  const body: Message = { type: '', ...(typeof known === 'object' ? known : {}) };
  return { known: Object.fromEntries(numbersIn(body, members)), inner };
}
