/**
 * @module
 * A5: says to some that one node leads and to others that another does, in the same election. Both are
 * named as highly as the forger can; from L2 on those are the ones whose candidacies it was shown, and its
 * own, and where nobody announces another it is silent. Round a ring the second announcement follows the first and ends at the node it names, so that only
 * those before that node hear of both.
 */

import type { ForgedMessages } from '../../../election/definition/forgery.ts';
import { reasonIn } from '../../../election/definition/forgery.ts';
import type { Rank } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { canSay } from '../../forging.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { Forger } from '../byzantine-machine.ts';
import { audience, bestAccomplice, say } from '../byzantine-machine.ts';
import type { Spoken } from './speaking.ts';
import { createSpeaking } from './speaking.ts';
import { deadLeader } from './spoof-coordinator.ts';

export const EQUIVOCATE = defineBehaviour({
  name: 'equivocate',
  attack: 'A5',
  summary:
    'Announces one leader to some and another to the others in the same election, so that they follow different ones.',
  aim: 'split',
  needsTopId: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  wrap: (machine, byzantineNode) =>
    createSpeaking(machine, byzantineNode, { name: 'equivocate', speak }),
});

function speak(forger: Forger<Spoken>): void {
  const { byzantineNode } = forger;
  const { announcement, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const all = audience(forger);
  const isAround = route === 'successor';
  const subjects = subjectsOf(forger, announcement);
  if (subjects.length < 2) return;
  subjects.forEach((about, subject) => {
    const half = isAround ? all : all.filter((_, index) => index % 2 === subject);
    announce(forger, announcement, about, half);
  });
}

function announce(
  forger: Forger<Spoken>,
  forged: ForgedMessages,
  about: Rank,
  listeners: readonly Rank[],
): void {
  const { byzantineNode, self } = forger;
  const { route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const isMasked = byzantineNode.authentication.level === 'L0' || forged.names === 'sender';
  // A lap about another ends where that one is.
  const home = route === 'successor' ? about : self.rank;
  const recipients = listeners.filter((member) => member !== about);
  say(forger, forged, { about, by: isMasked ? about : self.rank, recipients, home });
}

/** Whom it announces: the two highest that it can name, or its best accomplice and the highest. */
function subjectsOf(
  { byzantineNode, self, state }: Forger<Spoken>,
  forged: ForgedMessages,
): readonly Rank[] {
  const { believes, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const nameable = self.members
    .filter((rank) => canSay(state.hand, byzantineNode, forged, rank))
    .toReversed();
  if (believes === 'higher-ranks') return nameable.slice(0, 2);
  const own = bestAccomplice(byzantineNode);
  // What is about the next node in a ring goes no further.
  const isDeadEnd = (rank: Rank) => route === 'successor' && rank === self.successors[0];
  const others = nameable.filter((rank) => rank !== own && !isDeadEnd(rank));
  const [other] = others;
  return other === undefined ? [own] : [own, other];
}
