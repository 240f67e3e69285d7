/**
 * @module
 * A1: announces a leader that has not won. If members follow any leader, that is its best accomplice, and
 * nothing is forged: an announcement proves the name of the leader, not that it won. If they follow higher
 * ranks only, it is the highest member whose name the node can use, alive or dead: they wait for a dead
 * one.
 */

import type { ForgedMessages } from '../../../election/definition/forgery.ts';
import { reasonIn } from '../../../election/definition/forgery.ts';
import type { Rank } from '../../../election/machine.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { canForge } from '../../forging.ts';
import type { BehaviourStage } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { bestAccomplice, recipientsOf, sendForged } from '../byzantine-machine.ts';
import type { Repetitions } from './repeating.ts';
import { createRepeating } from './repeating.ts';

export const SPOOF_COORDINATOR = defineBehaviour({
  name: 'spoof-coordinator',
  attack: 'A1',
  summary:
    'Announces itself as leader at once and whenever an election should be over. If nodes follow higher ranks only, it announces the highest member that it can name.',
  aim: 'lead',
  needsTopId: false,
  comesLate: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  remains(protocol) {
    const { family, forgery, certificate } = PROTOCOLS[protocol];
    const isUnproved = typeof certificate === 'string' && reasonIn(forgery.announcement) === null;
    // A Bully follows no node below itself, and signatures show the true sender.
    return isUnproved && family !== 'bully'
      ? 'An announcement contains no proof of the election: any member can sign that it won.'
      : null;
  },
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, {
      name: 'spoof-coordinator',
      speak,
      // It leads by its own account, whatever its own machine receives.
      electsForNode: PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank',
      // It would soon stand for election against it.
      mutesNode: PROTOCOLS[byzantineNode.protocol].forgery.replacesSilentLeaders,
    }),
});

/** A Bully follows no node below itself, so only a dead leader above it can be announced. */
export function deadLeader(protocol: ProtocolName): BehaviourStage {
  return PROTOCOLS[protocol].family === 'bully' ? { events: ['leader-dead'] } : {};
}

function speak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode, self, state, effects } = context;
  const { announcement } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const about = subjectOf(context, announcement);
  // At L0 in the name of the announced leader, as an honest announcement would be.
  const isMasked = byzantineNode.authentication.level === 'L0' || announcement.names === 'sender';
  const by = isMasked ? about : self.rank;
  const recipients = recipientsOf(context).filter((member) => member !== about);
  sendForged(context, announcement, { about, by, recipients });
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank')
    effects.elect(about, state.observed.highestSent);
}

function subjectOf(
  { byzantineNode, self, state }: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
): Rank {
  const best = bestAccomplice(byzantineNode);
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank') return best;
  const nameable = self.members.filter((rank) =>
    canForge(state.observed, byzantineNode, forged, rank),
  );
  const top = nameable.findLast((rank) => rank > best);
  // Its own name would be contested: without a higher one it tries the highest all the same.
  return top ?? self.members.at(-1) ?? best;
}
