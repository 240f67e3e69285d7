/**
 * @module
 * Which election signatures are for, where a protocol numbers none. Whoever joins begins another, whose
 * number is how many members there are; the others are in it as soon as they hear a word of it, or when
 * whatever was under way as they heard of the newcomer must be over. Nobody is
 * put forward in it who stood in an earlier one alone, so that what a leader said that was replaced is
 * not believed again. Words of the elections before are heard until the longest one is over.
 *
 * Invariants: (1) a node is in one election, and its number only grows; (2) what it says is for that one,
 * and in answer to a word of an election before for that; (3) a candidacy is shown in the election that
 * it was signed for, and in no other; (4) messages are numbered through, so that none counts in two.
 * Where members leave while others join, how many there are would not do as a number: here nobody leaves.
 */

import type {
  AuthenticatedState,
  Authentication,
  SealedMessage,
} from '../authentication/authenticated.ts';
import { messageText, REFUSALS } from '../authentication/authenticated.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { Effects, Event, Machine, Message, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, ringElectionTicks } from '../timing.ts';
import { RECEIPT } from './receipts.ts';

export type NumberedState = {
  inner: AuthenticatedState;
  election: number;
  /** By number the elections before of which something may be under way: who is proved to stand in each. */
  before: Record<string, Candidacies>;
};

type Candidacies = AuthenticatedState['candidacies'];

const OVER_TIMER = 'election:over';
const NEWEST_TIMER = 'election:newest';

type Authenticated = Machine<AuthenticatedState, Message>;

/** A machine that is authenticated in the election it is in; `create` makes it for one, by its number. */
export function createNumberedElections(
  create: (election: string) => Authenticated,
  timing: Timing,
): Machine<NumberedState, Message> {
  const machineOf = remembered(create);
  return {
    init: (self) => ({
      inner: machineOf(newestOf(self)).init(self),
      ...{ election: newestOf(self), before: withEarlier({}, newestOf(self)) },
    }),
    step: (self, state, event, effects) => step({ machineOf, timing, self, state, effects }, event),
  };
}

/**
 * A machine around one of those that speaks for itself in the newest election there is, made for each; its
 * state goes through all of them.
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
 * A guard around one of those, made for each election: of what it is handed it takes each for the one that
 * it was signed in, and of receipts, which nobody has sealed, for whichever it holds in.
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

/** Elections that may be under way, the newest included: newcomers come no faster. */
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
    hear(context, event);
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
    // By then the others are in its election.
    effects.setTimer(OVER_TIMER, longestTicks(context) + timing.latencyTicksMax + 1, false);
  }
  machineOf(state.election).step(self, state.inner, event, effects);
}

/** Takes a message for one of its own election, else of a newer one, else of one before. */
function hear(context: Step, event: Event<Message>): void {
  const { machineOf, self, state } = context;
  const { inner, election } = state;
  const { signature } = inner.refused;
  const isAccepted = () => inner.refused.signature === signature;
  machineOf(election).step(self, inner, event, context.effects);
  const newest = newestOf(self);
  const oldest = Math.max(newest - ELECTIONS_UNDER_WAY, election);
  for (let newer = newest; newer > oldest && !isAccepted(); newer -= 1) {
    inner.refused.signature = signature;
    hearNewer(context, event, newer);
  }
  for (const number of Object.keys(state.before).map(Number).toReversed()) {
    if (isAccepted()) return;
    inner.refused.signature = signature;
    state.before[number] = hearIn(context, event, number);
  }
}

/** What is heard of a newer election takes the node over into it. */
function hearNewer(context: Step, event: Event<Message>, newer: number): void {
  const { inner } = context.state;
  const refused = { ...inner.refused };
  const proved = hearIn(context, event, newer);
  const isAccepted = REFUSALS.every((reason) => inner.refused[reason] === refused[reason]);
  if (isAccepted) begin(context, newer, proved);
}

/** Hears it in another election than its own; answers who is proved to stand in that one now. */
function hearIn(
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

/** From now on it is in that one, in which these candidacies are proved. */
function begin(context: Step, newer: number, candidacies: Candidacies): void {
  const { state, effects } = context;
  const before = { ...state.before, [state.election]: state.inner.candidacies };
  state.before = withEarlier(before, newer);
  state.election = newer;
  state.inner.candidacies = candidacies;
  effects.setTimer(OVER_TIMER, longestTicks(context), false);
}

/** Of those the ones right before that one, and where one is missing, with nobody who stands in it. */
function withEarlier(before: NumberedState['before'], newer: number): NumberedState['before'] {
  const first = Math.max(newer - ELECTIONS_UNDER_WAY + 1, 1);
  const numbers = Array.from({ length: newer - first }, (_, index) => first + index);
  return Object.fromEntries(numbers.map((number) => [number, before[number] ?? {}]));
}

/** Of an election, whatever is under way. */
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
