/**
 * @module
 * This folder contains the behaviours that suppress, repeat, change or multiply messages. A4 (this file):
 * keeps the messages that it receives, and sends them to all nodes after a node has failed or the leader
 * has changed, so that they name a former leader. At L0 it sends them in the name of their sender;
 * otherwise as they came, which from L2 on is a message to another recipient. Messages that name a
 * candidate it also sends in its own name, with the candidacies that it was shown: those of an earlier
 * election verify up to L2.
 */

import type { SealedMessage } from '../../../election/authentication/authenticated.ts';
import { namedIn } from '../../../election/authentication/candidacies.ts';
import { STORE_ALONE } from '../../../election/definition/forgery.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import type { Rank } from '../../../election/machine.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { announcementTicks } from '../../../election/timing.ts';
import { bodyOf, forge } from '../../forging.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { createByzantine, recipientsOf } from '../byzantine-machine.ts';

type Memory = {
  /** Messages that it has received, oldest first. */
  kept: Kept[];
  /** How many of these are of before the last failure or change of a leader. */
  old: number;
  /** The leader its node follows, until that is suspected. */
  leader: Rank | null;
  replaysLeft: number;
};
/** The message as it came and its body as texts. A body is kept once. */
type Kept = { readonly from: Rank; readonly sealed: string; readonly body: string };

/** A memory has an end. */
const KEPT_MAX = 64;
/** A replay may change the leader, which would cause another replay. */
const REPLAYS_MAX = 4;
const TIMER = 'byz:replay';

export const REPLAY = defineBehaviour({
  name: 'replay',
  attack: 'A4',
  summary:
    'Sends old messages again to all nodes after a leader has failed or changed, so that they name a former leader.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  // A plain ring does not close around a dead node, so it has no leader then without an attack either.
  stage: (protocol) => ({ events: [isPlainRing(protocol) ? 'leader-replaced' : 'leader-dies'] }),
  unsupportedReason: (protocol) => (PROTOCOLS[protocol].store === null ? null : STORE_ALONE),
  remains: (protocol) =>
    PROTOCOLS[protocol].family === 'groups'
      ? 'Groups exist side by side until they merge, and a repeated question or answer changes which of them merges first.'
      : null,
  wrap: (machine, byzantineNode) =>
    createByzantine<Memory>(machine, byzantineNode, {
      init: () => ({ kept: [], old: 0, leader: null, replaysLeft: REPLAYS_MAX }),
      intercept(context, event) {
        const { own } = context.state;
        if (event.type === 'deliver') keep(context, event.from, event.message);
        if (event.type === 'suspect') {
          if (event.node === own.leader) own.leader = null;
          awaitOutcome(context, own.kept.length);
        }
        if (event.type !== 'timeout' || event.timer !== TIMER) return true;
        replay(context);
        return false;
      },
      follow(context, leader) {
        const { own } = context.state;
        const isChange = own.leader !== null && own.leader !== leader;
        own.leader = leader;
        // The message that caused the change is not old.
        if (isChange) awaitOutcome(context, own.kept.length - 1);
      },
    }),
});

function keep(
  { state, byzantineNode }: ByzantineStep<Memory>,
  from: Rank,
  sealed: SealedMessage,
): void {
  const { kept } = state.own;
  if (kept.length >= KEPT_MAX || isDetectorType(sealed.type)) return;
  const body = JSON.stringify(bodyOf(sealed));
  if (kept.some((each) => each.body === body)) return;
  const isMasked = byzantineNode.authentication.level === 'L0';
  const by = isMasked ? (sealed.seal?.by ?? from) : from;
  kept.push({ from: by, sealed: JSON.stringify(sealed), body });
}

function isPlainRing(protocol: ProtocolName): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  return family === 'ring' && successors === 1;
}

/** What is old now is sent again when the election that follows is over. */
function awaitOutcome(
  { byzantineNode, state, effects, self }: ByzantineStep<Memory>,
  old: number,
): void {
  if (state.own.replaysLeft === 0 || old <= 0) return;
  state.own.old = old;
  const { timing } = byzantineNode;
  const lapTicks = self.ringNodes * timing.latencyTicksMax;
  effects.setTimer(TIMER, 2 * announcementTicks(timing) + 3 * lapTicks, false);
}

function replay(context: ByzantineStep<Memory>): void {
  const { own } = context.state;
  if (own.replaysLeft === 0) return;
  own.replaysLeft -= 1;
  for (const kept of own.kept.slice(0, own.old)) {
    for (const to of recipientsOf(context)) sendAgain(context, kept, to);
  }
}

function sendAgain(
  { byzantineNode, self, state, effects }: ByzantineStep<Memory>,
  kept: Kept,
  to: Rank,
): void {
  const { protocol, authentication } = byzantineNode;
  const sealed: SealedMessage = JSON.parse(kept.sealed);
  const body = bodyOf(sealed);
  const isMasked = authentication.level === 'L0';
  if (!isMasked) effects.send(to, sealed);
  if (!isMasked && (authentication.level === 'L1' || namedIn(protocol, body).length === 0)) return;
  const by = isMasked ? kept.from : self.rank;
  effects.send(to, forge(state.observed, byzantineNode, { by, to, body }));
}
