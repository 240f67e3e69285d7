/**
 * @module
 * Two false reports to failure detectors, sent with each of the node's own beats. The first keeps the node
 * that it last followed alive, so that its crash is not noticed: a beat in its name, or a count in the
 * table of a gossip (R. van Renesse, Y. Minsky, M. Hayden, Middleware 1998). The second gets a live node
 * suspected: its number is so high that the node's own beats no longer count. A beat in another's name is
 * accepted at L0 only. Gossiped counts are in all tables and not signed, so that gossip accepts both at
 * every level (a bound on counts prevents the second).
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
import type { Observed } from '../../forging.ts';
import { bodyOf, nothingObserved, observeReturn } from '../../forging.ts';
import type { BehaviourStage, ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn, sendAs } from '../sender.ts';

export type FalseBeatState = {
  inner: Json;
  observed: Observed;
  /** The node whose beats it forges: the leader that it followed last. */
  about: Rank | null;
  /** Whether the node's own detector contradicts its reports: the forger takes no part in what follows. */
  quiet: boolean;
};

/** A false report about another node, given the sender's own count, which follows the clock. */
interface FalseReport {
  readonly countFrom: (own: number) => number;
  /** Whether an election is to be avoided: then it starts none. */
  readonly hushes: boolean;
}

const ALIVE: FalseReport = { countFrom: (own) => own, hushes: true };
const DEAD: FalseReport = { countFrom: () => Number.MAX_SAFE_INTEGER, hushes: false };

export const HEARTBEAT_FORGER = defineBehaviour({
  name: 'heartbeat-forger',
  attack: 'A13',
  summary:
    'Reports to failure detectors that the leader is up, in the name of the leader or by its count, so that it is not replaced after it has crashed.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: (protocol) => ({ events: ['leader-dies'], ...detectorStage(protocol, 'fd-heartbeat') }),
  unsupportedReason: detectorUnsupportedReason,
  remains: (protocol) =>
    hidesCrashes(protocol)
      ? 'A table of the gossip detector contains counts that their nodes have not signed, so that each node can raise the count of a dead one.'
      : null,
  wrap: (machine, byzantineNode) => createForging(machine, byzantineNode, ALIVE),
});

export const FALSE_ACCUSER = defineBehaviour({
  name: 'false-accuser',
  attack: 'A13',
  summary:
    "Uses up the leader's numbers at failure detectors, so that they ignore its beats and suspect it while it is up.",
  aim: 'split',
  needsTopId: false,
  comesLate: false,
  stage: (protocol) => detectorStage(protocol, 'fd-heartbeat'),
  unsupportedReason: detectorUnsupportedReason,
  remains: () => null,
  wrap: (machine, byzantineNode) => createForging(machine, byzantineNode, DEAD),
});

/** Whether the nodes close around a dead one, so that false beats hide a crash. */
function hidesCrashes(protocol: ProtocolName): boolean {
  const { family, overLinks, successors } = PROTOCOLS[protocol];
  const isOpen = overLinks || (family === 'ring' && successors === 1);
  return detectorUnsupportedReason(protocol) === null && !isOpen;
}

/** Why false reports to a detector change nothing. Null if they may. */
export function detectorUnsupportedReason(protocol: ProtocolName): string | null {
  const { family } = PROTOCOLS[protocol];
  const isAlone = ['quorum', 'lease', 'groups'].includes(family) && protocol !== 'zk-slide-quorum';
  return isAlone ? 'it has its own time-outs and uses no failure detector' : null;
}

/** A detector on the nodes, if the protocol uses one. */
export function detectorStage(protocol: ProtocolName, detector: string): BehaviourStage {
  return detectorUnsupportedReason(protocol) === null ? { detector } : {};
}

function createForging(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  report: FalseReport,
): Machine<FalseBeatState, Message> {
  return {
    init: (self) => ({
      inner: machine.init(self),
      observed: nothingObserved(),
      about: others(self, self.incumbent),
      quiet: false,
    }),
    step(self, state, event, effects) {
      observeReturn(state.observed, self, event);
      const out = forging({ byzantineNode, report, self, state, effects }, event);
      machine.step(self, state.inner, event, out);
    },
  };
}

interface Step {
  readonly byzantineNode: ByzantineNode;
  readonly report: FalseReport;
  readonly self: Self;
  readonly state: FalseBeatState;
  readonly effects: Effects<Message>;
}

function forging(context: Step, event: Event<Message>): Effects<Message> {
  const { byzantineNode, report, self, state, effects } = context;
  const sender = { byzantineNode, observed: state.observed, effects };
  const isDetectors = isDetectorEvent(event);
  // Messages of others show that the report was not accepted, or is not needed.
  if (event.type === 'deliver' && !isDetectors) state.quiet = false;
  const hush = () => {
    if (report.hushes && isDetectors) state.quiet = true;
  };
  return intercepted(effects, {
    send(to, message) {
      if (isDetectorType(message.type)) {
        beat(context, to, message);
        return;
      }
      hush();
      if (!state.quiet) passOn(sender, to, message);
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

/** Sends the own beat of the node, and the false report beside it or in it. */
function beat({ byzantineNode, report, state, effects }: Step, to: Rank, message: Message): void {
  const sender = { byzantineNode, observed: state.observed, effects };
  const { about } = state;
  const table = memberOf(message, 'table');
  if (about === null || about === to) {
    passOn(sender, to, message);
  } else if (Array.isArray(table)) {
    const own = ownCount(table, byzantineNode.rank);
    const rest = table.filter((entry) => !Array.isArray(entry) || entry[0] !== about);
    const said: Message & { table: unknown } = {
      ...bodyOf(message),
      table: [...rest, [about, report.countFrom(own)]],
    };
    sendAs(sender, to, said);
  } else {
    passOn(sender, to, message);
    const forged = { ...bodyOf(message), seq: report.countFrom(integerIn(message, 'seq')) };
    sendAs(sender, to, forged, about);
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
