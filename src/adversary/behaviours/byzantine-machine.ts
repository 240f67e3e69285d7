/**
 * @module
 * A machine around a node's own, sealed one: a forger hears what the node hears, before it and instead
 * of it, sees what it sends, and speaks in any name. Its own timers are named 'byz:<behaviour>'; whatever
 * it does not care for goes through as it is, so that one can stand around another.
 */

import type { SealedMessage } from '../../election/authentication/authenticated.ts';
import type { ForgedMessages, ForgerySubject } from '../../election/definition/forgery.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Hand } from '../forging.ts';
import { bodyOf, emptyHand, epochOf, forge, heedReturn, overhear, passOn } from '../forging.ts';
import type { ByzantineNode } from './behaviour.ts';

export type ByzantineState<Own extends Json> = { inner: Json; hand: Hand; own: Own };

/** Everything one step of a forger works with. */
export interface Forger<Own extends Json> {
  readonly byzantineNode: ByzantineNode;
  readonly self: Self;
  readonly state: ByzantineState<Own>;
  /** The node's; what is sent here is sent as it is. */
  readonly effects: Effects<Message>;
}

/** What a forger does. Each part is optional but the first. */
export interface Hooks<Own extends Json> {
  /** Its own memory at first. */
  readonly init: () => Own;
  /** Before the node's own machine hears of it, and whether it does. */
  readonly hear?: (forger: Forger<Own>, event: Event<Message>) => boolean;
  /** What is sent in place of a message of the node's own machine: itself, another, or nothing. */
  readonly alter?: ((forger: Forger<Own>, body: Message) => Message | null) | undefined;
  /** The node's own machine follows a leader. */
  readonly follow?: (forger: Forger<Own>, leader: Rank) => void;
  /** Whether it says itself whom the node follows, and not the node's own machine. */
  readonly speaksForNode?: boolean | undefined;
}

/** The Byzantine machine around `machine`. */
export function createByzantine<Own extends Json>(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  hooks: Hooks<Own>,
): Machine<ByzantineState<Own>, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), hand: emptyHand(), own: hooks.init() }),
    step(self, state, event, effects) {
      const forger = { byzantineNode, self, state, effects };
      heedReturn(state.hand, self, event);
      if (event.type === 'deliver') {
        overhear(state.hand, byzantineNode, { from: event.from, sealed: event.message });
      }
      const isHeard = hooks.hear?.(forger, event) ?? true;
      if (isHeard) machine.step(self, state.inner, event, watched(forger, hooks));
    },
  };
}

/** Says a word about somebody to `recipients`, in the name of `by`. */
export function say<Own extends Json>(
  forger: Forger<Own>,
  forged: ForgedMessages,
  speech: {
    readonly about: Rank;
    readonly by: Rank;
    readonly recipients: readonly Rank[];
    readonly home?: Rank;
  },
): void {
  const { self, state, byzantineNode, effects } = forger;
  const { about, by, recipients, home = self.rank } = speech;
  state.hand.forged += 1;
  const subject: ForgerySubject = {
    ...{ about, home, epoch: epochOf(state.hand, byzantineNode), ringNodes: self.ringNodes },
    serial: SERIALS + state.hand.forged,
  };
  const bodies = forged.messages(subject);
  for (const to of recipients) {
    for (const body of bodies) effects.send(to, forge(state.hand, byzantineNode, { by, to, body }));
  }
}

/** Above the numbers of all tokens that the node itself makes in an election. */
const SERIALS = 2 ** 32;

/** To whom a word is sent that all are to hear. */
export function audience<Own extends Json>({ byzantineNode, self }: Forger<Own>): readonly Rank[] {
  if (PROTOCOLS[byzantineNode.protocol].forgery.route === 'everybody') {
    return self.members.filter((member) => member !== self.rank);
  }
  const [next] = self.successors;
  return next === undefined || next === self.rank ? [] : [next];
}

/** The highest rank among the accomplices. */
export function bestAccomplice({ accomplices, rank }: ByzantineNode): Rank {
  return accomplices.reduce((best, each) => (each > best ? each : best), rank);
}

function watched<Own extends Json>(forger: Forger<Own>, hooks: Hooks<Own>): Effects<Message> {
  const { byzantineNode, self, state, effects } = forger;
  const { hand } = state;
  return intercepted(effects, {
    send(to, message: SealedMessage) {
      const body = bodyOf(message);
      const altered = hooks.alter === undefined ? body : hooks.alter(forger, body);
      if (altered === null) return;
      overhear(hand, byzantineNode, { from: self.rank, sealed: message });
      // Of another behaviour, inside this one, it may be in any name.
      const by = message.seal?.by ?? self.rank;
      if (altered === body) effects.send(to, passOn(hand, byzantineNode, { to, message }));
      else effects.send(to, forge(hand, byzantineNode, { by, to, body: altered }));
    },
    elect(leader, epoch) {
      if (hooks.speaksForNode !== true) effects.elect(leader, epoch);
      hooks.follow?.(forger, leader);
    },
    stepDown() {
      if (hooks.speaksForNode !== true) effects.stepDown();
    },
  });
}
