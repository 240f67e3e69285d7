/**
 * @module
 * Two lies to failure detectors, told at each of the liar's own beats. One keeps the node that it last
 * followed alive for everybody, so that its crash goes unnoticed: a beat in its name, a count of its
 * own in the table of a gossip (R. van Renesse, Y. Minsky, M. Hayden, Middleware 1998). The other
 * kills it while it lives: a number so high that its own beats count no more, and it is suspected. A
 * beat in another's name is believed at L0 alone; counts of others are in everybody's tables and
 * nobody signs them, so gossip believes both at every level (a bound on counts ends the second).
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type {
  Effects,
  Event,
  Json,
  Machine,
  Message,
  Rank,
  Self,
} from '../../../election/machine.ts';
import { integerIn, memberOf } from '../../../election/message-members.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { Hand } from '../../forging.ts';
import { bodyOf, emptyHand, heedReturn } from '../../forging.ts';
import type { BehaviourStage, ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, speak } from '../voice.ts';

export type ForgerState = {
  inner: Json;
  hand: Hand;
  /** Whose beats it forges: whom it followed last. */
  about: Rank | null;
  /** Its own detector speaks against what it tells others: it takes no part in what follows. */
  quiet: boolean;
};

/** What is said of the other, given the liar's own count, which follows the clock like all of them. */
interface Lie {
  readonly countFrom: (own: number) => number;
  /** Whether an election is to be avoided: then it starts none. */
  readonly hushes: boolean;
}

const ALIVE: Lie = { countFrom: (own) => own, hushes: true };
const DEAD: Lie = { countFrom: () => Number.MAX_SAFE_INTEGER, hushes: false };

export const HEARTBEAT_FORGER = defineBehaviour({
  name: 'heartbeat-forger',
  attack: 'A13',
  summary:
    'Tells failure detectors that the leader is up, in its name or by its count, so that nobody replaces it once it is not.',
  aim: 'stop',
  needsTopId: false,
  stage: (protocol) => ({
    ...{ events: ['leader-dies'], ...detectorStage(protocol, 'fd-heartbeat') },
  }),
  unsupportedReason: detectorUnsupportedReason,
  wrap: (machine, byzantineNode) => createForging(machine, byzantineNode, ALIVE),
});

export const FALSE_ACCUSER = defineBehaviour({
  name: 'false-accuser',
  attack: 'A13',
  summary:
    "Uses up the leader's numbers at failure detectors, so that its own beats count no more and it is suspected while it is up.",
  aim: 'split',
  needsTopId: false,
  stage: (protocol) => detectorStage(protocol, 'fd-heartbeat'),
  unsupportedReason: detectorUnsupportedReason,
  wrap: (machine, byzantineNode) => createForging(machine, byzantineNode, DEAD),
});

/** Why lies to a detector change nothing; null where they may. */
export function detectorUnsupportedReason(protocol: ProtocolName): string | null {
  const { family } = PROTOCOLS[protocol];
  const isHeard = family === 'bully' || family === 'ring' || protocol === 'zk-slide-quorum';
  return isHeard ? null : 'it has time-outs of its own and asks no failure detector';
}

/** A detector on the nodes, if the protocol asks one. */
export function detectorStage(protocol: ProtocolName, detector: string): BehaviourStage {
  return detectorUnsupportedReason(protocol) === null ? { detector } : {};
}

function createForging(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  lie: Lie,
): Machine<ForgerState, Message> {
  return {
    init: (self) => ({
      ...{ inner: machine.init(self), hand: emptyHand() },
      ...{ about: others(self, self.incumbent), quiet: false },
    }),
    step(self, state, event, effects) {
      heedReturn(state.hand, self, event);
      const out = forging({ byzantineNode, lie, self, state, effects }, event);
      machine.step(self, state.inner, event, out);
    },
  };
}

interface Step {
  readonly byzantineNode: ByzantineNode;
  readonly lie: Lie;
  readonly self: Self;
  readonly state: ForgerState;
  readonly effects: Effects<Message>;
}

function forging(context: Step, event: Event<Message>): Effects<Message> {
  const { byzantineNode, lie, self, state, effects } = context;
  const speaker = { byzantineNode, hand: state.hand, effects };
  const isDetectors = isDetectorEvent(event);
  // What others say shows that the lie was not believed, or is not needed.
  if (event.type === 'deliver' && !isDetectors) state.quiet = false;
  const hush = () => {
    if (lie.hushes && isDetectors) state.quiet = true;
  };
  return intercepted(effects, {
    send(to, message) {
      if (isDetectorType(message.type)) {
        beat(context, to, message);
        return;
      }
      hush();
      if (!state.quiet) passOn(speaker, to, message);
    },
    stepDown() {
      hush();
      effects.stepDown();
    },
    elect(leader, epoch) {
      if (leader === self.rank && state.quiet) return;
      state.about = others(self, leader);
      effects.elect(leader, epoch);
    },
  });
}

/** Its own beat, and the lie beside it or in it. */
function beat({ byzantineNode, lie, state, effects }: Step, to: Rank, message: Message): void {
  const speaker = { byzantineNode, hand: state.hand, effects };
  const { about } = state;
  const table = memberOf(message, 'table');
  if (about === null || about === to) {
    passOn(speaker, to, message);
  } else if (Array.isArray(table)) {
    const own = ownCount(table, byzantineNode.rank);
    const rest = table.filter((entry) => !Array.isArray(entry) || entry[0] !== about);
    const said: Message & { table: unknown } = {
      ...bodyOf(message),
      table: [...rest, [about, lie.countFrom(own)]],
    };
    speak(speaker, to, said);
  } else {
    passOn(speaker, to, message);
    const forged = { ...bodyOf(message), seq: lie.countFrom(integerIn(message, 'seq')) };
    speak(speaker, to, forged, about);
  }
}

function ownCount(table: readonly unknown[], rank: Rank): number {
  const entry = table.find((each) => Array.isArray(each) && each[0] === rank);
  const count: unknown = Array.isArray(entry) ? entry[1] : 0;
  return typeof count === 'number' ? count : 0;
}

function isDetectorEvent(event: Event<Message>): boolean {
  if (event.type === 'timeout') return event.timer.startsWith('fd:');
  return event.type === 'deliver' && isDetectorType(event.message.type);
}

function others({ rank }: Self, node: Rank | null): Rank | null {
  return node === rank ? null : node;
}
