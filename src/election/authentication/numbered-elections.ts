/**
 * @module
 * Numbers of elections for signatures, for protocols that do not number elections. A join begins an
 * election, whose number is the number of members. Other nodes enter it with the first message of it, or
 * when everything that was under way at the join must be over. A candidate of an earlier election alone
 * does not count in it, so that messages of a replaced leader are no longer accepted. Messages of earlier
 * elections are accepted until the longest of them is over.
 *
 * Invariants: (1) a node is in one election, and its number only grows; (2) a message of a node is for that
 * election, or for the election of the message that it answers; (3) a candidacy is shown only in the
 * election for which it was signed; (4) message numbers continue through all elections, so that no message
 * counts in two. The number of members would not do if members left: here none leave.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Effects, Event, Machine, Message, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, ringElectionTicks } from '../timing.ts';
import type { AuthenticatedState, Authentication, SealedMessage } from './authenticated.ts';
import { messageText, REFUSALS } from './authenticated.ts';

export type NumberedState = {
  inner: AuthenticatedState;
  election: number;
  /** Proved candidacies of the earlier elections that may be under way, by number. */
  before: Record<string, Candidacies>;
};

type Candidacies = AuthenticatedState['candidacies'];

const OVER_TIMER = 'election:over';
const NEWEST_TIMER = 'election:newest';

type Authenticated = Machine<AuthenticatedState, Message>;

/** A machine that is authenticated in its current election. `create` makes it for an election number. */
export function createNumberedElections(
  create: (election: string) => Authenticated,
  timing: Timing,
): Machine<NumberedState, Message> {
  const machineOf = remembered(create);
  return {
    init: (self) => ({
      inner: machineOf(newestOf(self)).init(self),
      election: newestOf(self),
      before: withEarlier({}, newestOf(self)),
    }),
    step: (self, state, event, effects) => step({ machineOf, timing, self, state, effects }, event),
  };
}

/**
 * A machine that acts in the newest election. `create` makes one for each election; all have one state.
 */
export function createInNewest(create: (election: string) => AnyMachine): AnyMachine {
  const machineOf = remembered(create);
  return {
    init: (self) => machineOf(newestOf(self)).init(self),
    step: (self, state, event, effects) =>
      machineOf(newestOf(self)).step(self, state, event, effects),
  };
}

/**
 * A guard that `create` makes for each election. It handles a message in the election for which it was
 * signed, and a receipt, which has no seal, in each election under way.
 */
export function createInItsOwn(
  create: (election: string) => AnyMachine,
  authenticationIn: (election: string) => Authentication,
): AnyMachine {
  const machineOf = remembered(create);
  return {
    init: (self) => machineOf(newestOf(self)).init(self),
    step(self, state, event, effects) {
      for (const election of electionsOf(self, event, authenticationIn)) {
        machineOf(election).step(self, state, event, effects);
      }
    },
  };
}

/** Type of the signed receipt for a token (defences/receipts.ts), which is of any election under way. */
export const RECEIPT = 'RECEIPT';

/** Bound on elections under way, with the newest: members do not join faster. */
export const ELECTIONS_UNDER_WAY = 3;

function electionsOf(
  self: Self,
  event: Event<Message>,
  authenticationIn: (election: string) => Authentication,
): readonly number[] {
  const newest = newestOf(self);
  if (event.type !== 'deliver') return [newest];
  const recent = Array.from({ length: ELECTIONS_UNDER_WAY }, (_, index) => newest - index);
  if (event.message.type === RECEIPT) return recent;
  const { seal, ...body }: SealedMessage = event.message;
  const signature = seal?.signature;
  if (typeof signature !== 'string') return [newest];
  const parts = { by: seal?.by ?? event.from, to: self.rank, number: seal?.number ?? 0, body };
  const its = recent.find((election) => {
    const authentication = authenticationIn(String(election));
    const { verify } = authentication.keysOf(self.rank);
    return verify(parts.by, messageText(authentication, parts), signature);
  });
  return [its ?? newest];
}

interface Step {
  readonly machineOf: (election: number) => Authenticated;
  readonly timing: Timing;
  readonly self: Self;
  readonly state: NumberedState;
  readonly effects: Effects<Message>;
}

function step(context: Step, event: Event<Message>): void {
  const { machineOf, timing, self, state, effects } = context;
  if (event.type === 'deliver') {
    onMessage(context, event);
    return;
  }
  if (event.type === 'timeout' && event.timer === OVER_TIMER) {
    state.before = {};
    return;
  }
  if (event.type === 'timeout' && event.timer === NEWEST_TIMER) {
    if (newestOf(self) > state.election) begin(context, newestOf(self), {});
    return;
  }
  if (event.type === 'join') effects.setTimer(NEWEST_TIMER, longestTicks(context), false);
  const isNew = event.type === 'start' || event.type === 'recover';
  if (isNew) {
    // By then the others have entered its election.
    effects.setTimer(OVER_TIMER, longestTicks(context) + timing.latencyTicksMax + 1, false);
  }
  machineOf(state.election).step(self, state.inner, event, effects);
}

/** Tries a message in the current election, then in newer ones, then in earlier ones. */
function onMessage(context: Step, event: Event<Message>): void {
  const { machineOf, self, state } = context;
  const { inner, election } = state;
  const { signature } = inner.refused;
  const isAccepted = () => inner.refused.signature === signature;
  machineOf(election).step(self, inner, event, context.effects);
  const newest = newestOf(self);
  const oldest = Math.max(newest - ELECTIONS_UNDER_WAY, election);
  for (let newer = newest; newer > oldest && !isAccepted(); newer -= 1) {
    inner.refused.signature = signature;
    deliverInNewer(context, event, newer);
  }
  for (const number of Object.keys(state.before).map(Number).toReversed()) {
    if (isAccepted()) return;
    inner.refused.signature = signature;
    state.before[number] = deliverIn(context, event, number);
  }
}

/** An accepted message of a newer election moves the node into that election. */
function deliverInNewer(context: Step, event: Event<Message>, newer: number): void {
  const { inner } = context.state;
  const refused = { ...inner.refused };
  const proved = deliverIn(context, event, newer);
  const isAccepted = REFUSALS.every((reason) => inner.refused[reason] === refused[reason]);
  if (isAccepted) begin(context, newer, proved);
}

/** Delivers the event in another election. Returns the candidacies that are proved there afterwards. */
function deliverIn(
  { machineOf, self, state, effects }: Step,
  event: Event<Message>,
  election: number,
): Candidacies {
  const { inner } = state;
  const { candidacies } = inner;
  inner.candidacies = state.before[election] ?? {};
  machineOf(election).step(self, inner, event, effects);
  const proved = inner.candidacies;
  inner.candidacies = candidacies;
  return proved;
}

/** Enters that election, with these proved candidacies. */
function begin(context: Step, newer: number, candidacies: Candidacies): void {
  const { state, effects } = context;
  const before = { ...state.before, [state.election]: state.inner.candidacies };
  state.before = withEarlier(before, newer);
  state.election = newer;
  state.inner.candidacies = candidacies;
  effects.setTimer(OVER_TIMER, longestTicks(context), false);
}

/** The elections right before that one. A missing one has no candidacies. */
function withEarlier(before: NumberedState['before'], newer: number): NumberedState['before'] {
  const first = Math.max(newer - ELECTIONS_UNDER_WAY + 1, 1);
  const numbers = Array.from({ length: newer - first }, (_, index) => first + index);
  return Object.fromEntries(numbers.map((number) => [number, before[number] ?? {}]));
}

/** Longest time of an election. */
function longestTicks({ timing, self }: Step): number {
  return ringElectionTicks(timing, self.ringNodes) + announcementTicks(timing);
}

function newestOf({ members }: Self): number {
  return members.length;
}

function remembered<Made>(create: (election: string) => Made): (election: number) => Made {
  const made = new Map<number, Made>();
  return (election) => {
    const before = made.get(election);
    if (before !== undefined) return before;
    const machine = create(String(election));
    made.set(election, machine);
    return machine;
  };
}
