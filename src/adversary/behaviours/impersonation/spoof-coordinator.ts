/**
 * @module
 * A1: says that somebody leads who has not won. Where members follow whoever is announced, that is its
 * best accomplice, and no forgery is needed: an announcement proves who is named, not that it won. Where
 * they follow nobody below themselves it is the highest member whose name it can use, dead or alive: they
 * wait for a dead one.
 */

import type { ForgedMessages } from '../../../election/definition/forgery.ts';
import { reasonIn } from '../../../election/definition/forgery.ts';
import type { Rank } from '../../../election/machine.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { canSay } from '../../forging.ts';
import type { BehaviourStage } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { Forger } from '../byzantine-machine.ts';
import { audience, bestAccomplice, say } from '../byzantine-machine.ts';
import type { Spoken } from './speaking.ts';
import { createSpeaking } from './speaking.ts';

export const SPOOF_COORDINATOR = defineBehaviour({
  name: 'spoof-coordinator',
  attack: 'A1',
  summary:
    'Announces itself as leader, or where nobody follows one below himself the highest member that it can name, at once and whenever an election should be over.',
  aim: 'lead',
  needsTopId: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  wrap: (machine, byzantineNode) =>
    createSpeaking(machine, byzantineNode, {
      name: 'spoof-coordinator',
      speak,
      // A leader by its own account, whatever its own machine is told by the others.
      speaksForNode: PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank',
      // It would soon stand for election against it.
      mutesNode: PROTOCOLS[byzantineNode.protocol].forgery.replacesSilentLeaders,
    }),
});

/** A Bully follows no node below itself, so only a dead leader above it can be announced. */
export function deadLeader(protocol: ProtocolName): BehaviourStage {
  return PROTOCOLS[protocol].family === 'bully' ? { events: ['leader-dead'] } : {};
}

function speak(forger: Forger<Spoken>): void {
  const { byzantineNode, self, state, effects } = forger;
  const { announcement } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const about = subjectOf(forger, announcement);
  // At L0 in the name of whom it is about, as an honest announcement would be.
  const isMasked = byzantineNode.authentication.level === 'L0' || announcement.names === 'sender';
  const by = isMasked ? about : self.rank;
  const recipients = audience(forger).filter((member) => member !== about);
  say(forger, announcement, { about, by, recipients });
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank')
    effects.elect(about, state.hand.said);
}

function subjectOf({ byzantineNode, self, state }: Forger<Spoken>, forged: ForgedMessages): Rank {
  const best = bestAccomplice(byzantineNode);
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank') return best;
  const nameable = self.members.filter((rank) => canSay(state.hand, byzantineNode, forged, rank));
  const top = nameable.findLast((rank) => rank > best);
  // Its own name would be contested: without a higher one it tries the highest all the same.
  return top ?? self.members.at(-1) ?? best;
}
