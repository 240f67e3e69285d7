/**
 * @module
 * A list of nodes to pass over, against a high node that answers and never announces itself: Bully waits
 * for every higher node that is alive (H. Garcia-Molina, "Elections in a distributed computing system",
 * IEEE Trans. Computers 31(1), 1982, assumes that a node that answers goes on to lead). A round in which a
 * node answered and none announced itself counts against the highest that answered. After `ROUNDS_MAX`
 * such rounds its answers are ignored for the rest of this election, and the protocol is informed that it
 * is down.
 *
 * Invariants: (1) if messages keep to their latency and the detector reports crashes, no honest node is
 * ever passed over: a report of the detector begins the count anew; (2) a node that is passed over is
 * accepted again when it announces itself, when the detector reports on it, and in the next election.
 */

import type { AnyMachine, Waiting } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Effects, Event, Machine, Message, Rank } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Timing } from '../timing.ts';
import { defineDefence, WITHOUT_LIMITS } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';

export type SkipListState = Guarded & {
  /** An election is under way, and no node has announced itself since it began. */
  wanted: boolean;
  /** Higher nodes that have answered in this round. */
  answered: Rank[];
  /** Rounds in which a node was the highest to answer, by rank. */
  failures: Record<string, number>;
  skipped: Rank[];
};

/** Bound on the rounds of a highest node that answers without an announcement. */
export const ROUNDS_MAX = 3;
const ROUND_TIMER = 'skip:round';

export const SKIP_LIST = defineDefence({
  kind: 'inside',
  name: 'skip-list',
  code: 'D11',
  summary: `Passes over a higher node that answered ${ROUNDS_MAX} times and never announced itself, which ends its stalling; costs those rounds in every election, and where messages are lost it may pass over an honest node.`,
  unsupportedReason: (protocol) =>
    PROTOCOLS[protocol].waiting === null
      ? 'no node waits for a higher node that has answered'
      : null,
  ...WITHOUT_LIMITS,
  guard: (machine, { protocol, timing }) => createSkipList(machine, protocol, timing),
});

/** The machine of every Bully. Throws RangeError for a protocol that it does not fit. */
export function createSkipList(
  machine: AnyMachine,
  protocol: ProtocolName,
  timing: Timing,
): Machine<SkipListState, Message> {
  const words = PROTOCOLS[protocol].waiting;
  if (words === null) throw new RangeError(`"protocol" expected a Bully, got ${protocol}`);
  return {
    init: (self) => ({
      ...initGuarded(machine, self),
      wanted: false,
      answered: [],
      failures: {},
      skipped: [],
    }),
    step: (self, state, event, effects) =>
      react(REACTIONS, passOn, { machine, self, state, effects, words, timing }, event),
  };
}

interface Step extends GuardStep<SkipListState> {
  readonly words: Waiting;
  readonly timing: Timing;
}

const REACTIONS: Reactions<Step> = {
  start(context, event) {
    enter(context);
    passOn(context, event);
  },
  recover(context, event) {
    context.state.wanted = true;
    passOn(context, event);
  },
  suspect: onDetection,
  trust: onDetection,
  deliver: onMessage,
  timeout(context, event) {
    if (event.timer === ROUND_TIMER) onRoundOver(context);
    else passOn(context, event);
  },
};

function onDetection(context: Step, event: Event<Message> & { readonly node: Rank }): void {
  const { state } = context;
  // A report of the detector is an honest reason for the failure of this round.
  state.failures = {};
  state.skipped = state.skipped.filter((node) => node !== event.node);
  if (event.type === 'suspect') {
    state.answered = state.answered.filter((node) => node !== event.node);
    if (event.node === state.leader) enter(context);
  }
  passOn(context, event);
}

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { self, state, words, timing, effects } = context;
  const { from, message } = event;
  const isAnswer = words.answers.includes(message.type) && from > self.rank;
  if (state.skipped.includes(from)) {
    if (isAnswer) return;
    if (words.announcements.includes(message.type)) acceptAgain(context, from);
  }
  if (isAnswer && state.wanted && self.members.includes(from)) {
    if (state.answered.length === 0) {
      effects.setTimer(ROUND_TIMER, words.roundTicks(timing, self.members.length), false);
    }
    if (!state.answered.includes(from)) state.answered.push(from);
  }
  passOn(context, event);
}

/** A node answered, and the time for an announcement is over. */
function onRoundOver(context: Step): void {
  const { state } = context;
  const highest = highestOf(state.answered);
  state.answered = [];
  if (highest === null || !state.wanted) return;
  const failures = (state.failures[String(highest)] ?? 0) + 1;
  state.failures[String(highest)] = failures;
  if (failures < ROUNDS_MAX) return;
  delete state.failures[String(highest)];
  state.skipped.push(highest);
  passOn(context, { type: 'suspect', node: highest });
}

/** Another election: all nodes count again. */
function enter(context: Step): void {
  const { state } = context;
  state.wanted = true;
  state.failures = {};
  for (const node of state.skipped) acceptAgain(context, node);
}

function acceptAgain(context: Step, node: Rank): void {
  const { state } = context;
  state.skipped = state.skipped.filter((other) => other !== node);
  passOn(context, { type: 'trust', node });
}

function passOn(context: Step, event: Event<Message>): void {
  stepInner(context, event, settling(context));
}

function settling({ state, effects }: Step): Partial<Effects<Message>> {
  return {
    elect(leader, epoch) {
      state.wanted = false;
      if (state.answered.length > 0) effects.cancelTimer(ROUND_TIMER);
      state.answered = [];
      state.failures = {};
      effects.elect(leader, epoch);
    },
    stepDown() {
      state.wanted = true;
      effects.stepDown();
    },
  };
}

function highestOf(ranks: readonly Rank[]): Rank | null {
  return ranks.reduce<Rank | null>(
    (highest, rank) => (highest === null || rank > highest ? rank : highest),
    null,
  );
}
