/**
 * @module
 * The machine around a node's own, sealed machine that most behaviours use. It receives each event before
 * the node's own machine and can keep it back, it can alter what that machine sends, and it sends forged
 * messages in any name. Its timers are named 'byz:<behaviour>'. It passes everything else on, so that
 * behaviours nest.
 */

import type { SealedMessage } from '../../election/authentication/authenticated.ts';
import type { ForgedMessages, ForgerySubject } from '../../election/definition/forgery.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Observed } from '../forging.ts';
import {
  bodyOf,
  epochOf,
  forge,
  nothingObserved,
  observe,
  observeReturn,
  passOn,
} from '../forging.ts';
import type { ByzantineNode } from './behaviour.ts';

export type ByzantineState<Own extends Json> = { inner: Json; observed: Observed; own: Own };

/** The arguments of one step of a Byzantine machine. */
export interface ByzantineStep<Own extends Json> {
  readonly byzantineNode: ByzantineNode;
  readonly self: Self;
  readonly state: ByzantineState<Own>;
  /** The effects of the node. What is sent here is sent unchanged. */
  readonly effects: Effects<Message>;
}

/** What a behaviour does at each point of a step. */
export interface Hooks<Own extends Json> {
  /** The memory of the behaviour at first. */
  readonly init: () => Own;
  /** Called before the node's own machine receives the event. Whether it receives it. */
  readonly intercept?: (context: ByzantineStep<Own>, event: Event<Message>) => boolean;
  /** What is sent in place of a message of the node's own machine: itself, another, or nothing. */
  readonly alter?: ((context: ByzantineStep<Own>, body: Message) => Message | null) | undefined;
  /** The node's own machine follows a leader. */
  readonly follow?: (context: ByzantineStep<Own>, leader: Rank) => void;
  /** Whether the behaviour decides which leader the node follows, instead of its own machine. */
  readonly electsForNode?: boolean | undefined;
}

/** The Byzantine machine around `machine`. */
export function createByzantine<Own extends Json>(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  hooks: Hooks<Own>,
): Machine<ByzantineState<Own>, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), observed: nothingObserved(), own: hooks.init() }),
    step(self, state, event, effects) {
      const context = { byzantineNode, self, state, effects };
      observeReturn(state.observed, self, event);
      if (event.type === 'deliver') {
        observe(state.observed, byzantineNode, { from: event.from, sealed: event.message });
      }
      const isPassedOn = hooks.intercept?.(context, event) ?? true;
      if (isPassedOn) machine.step(self, state.inner, event, watched(context, hooks));
    },
  };
}

/** Sends forged messages about a node to `recipients`, in the name of `by`. */
export function sendForged<Own extends Json>(
  context: ByzantineStep<Own>,
  forged: ForgedMessages,
  speech: {
    readonly about: Rank;
    readonly by: Rank;
    readonly recipients: readonly Rank[];
    readonly home?: Rank;
  },
): void {
  const { self, state, byzantineNode, effects } = context;
  const { about, by, recipients, home = self.rank } = speech;
  state.observed.forged += 1;
  const subject: ForgerySubject = {
    about,
    home,
    epoch: epochOf(state.observed, byzantineNode),
    ringNodes: self.ringNodes,
    serial: SERIALS + state.observed.forged,
  };
  const bodies = forged.messages(subject);
  for (const to of recipients) {
    for (const body of bodies)
      effects.send(to, forge(state.observed, byzantineNode, { by, to, body }));
  }
}

/** Above the numbers of all tokens that the node itself makes in an election. */
const SERIALS = 2 ** 32;

/** The recipients of a message for all nodes. */
export function recipientsOf<Own extends Json>({
  byzantineNode,
  self,
}: ByzantineStep<Own>): readonly Rank[] {
  if (PROTOCOLS[byzantineNode.protocol].forgery.route === 'each-node') {
    return self.members.filter((member) => member !== self.rank);
  }
  const [next] = self.successors;
  return next === undefined || next === self.rank ? [] : [next];
}

/** The highest rank among the accomplices. */
export function bestAccomplice({ accomplices, rank }: ByzantineNode): Rank {
  return accomplices.reduce((best, each) => (each > best ? each : best), rank);
}

function watched<Own extends Json>(
  context: ByzantineStep<Own>,
  hooks: Hooks<Own>,
): Effects<Message> {
  const { byzantineNode, self, state, effects } = context;
  const { observed } = state;
  return intercepted(effects, {
    send(to, message: SealedMessage) {
      const body = bodyOf(message);
      const altered = hooks.alter === undefined ? body : hooks.alter(context, body);
      if (altered === null) return;
      observe(observed, byzantineNode, { from: self.rank, sealed: message });
      // Of another behaviour, inside this one, it may be in any name.
      const by = message.seal?.by ?? self.rank;
      if (altered === body) effects.send(to, passOn(observed, byzantineNode, { to, message }));
      else effects.send(to, forge(observed, byzantineNode, { by, to, body: altered }));
    },
    elect(leader, epoch) {
      if (hooks.electsForNode !== true) effects.elect(leader, epoch);
      hooks.follow?.(context, leader);
    },
    stepDown() {
      if (hooks.electsForNode !== true) effects.stepDown();
    },
  });
}
