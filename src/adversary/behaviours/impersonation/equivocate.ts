/**
 * @module
 * A5: announces one leader to some nodes and another to the others, in the same election. Both have the
 * highest ranks that it can name: from L2 on itself and those whose candidacies it was shown. If only a
 * leader may announce itself, it sends nothing. On a ring the second announcement follows the first and
 * ends at the node that it names, so that only the nodes before that one receive both.
 */

import type { ForgedMessages } from '../../../election/definition/forgery.ts';
import { reasonIn } from '../../../election/definition/forgery.ts';
import type { Rank } from '../../../election/machine.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { canForge } from '../../forging.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { bestAccomplice, recipientsOf, sendForged } from '../byzantine-machine.ts';
import type { Repetitions } from './repeating.ts';
import { createRepeating } from './repeating.ts';
import { deadLeader } from './spoof-coordinator.ts';

export const EQUIVOCATE = defineBehaviour({
  name: 'equivocate',
  attack: 'A5',
  summary:
    'Announces one leader to some nodes and another to the others in the same election, so that they follow different leaders.',
  aim: 'split',
  needsTopId: false,
  comesLate: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  remains: (protocol) =>
    PROTOCOLS[protocol].family === 'ring' &&
    reasonIn(PROTOCOLS[protocol].forgery.announcement) === null
      ? 'A node signs what it passes on for others, so that two announcements are no proof against their sender.'
      : null,
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, { name: 'equivocate', speak }),
});

function speak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode } = context;
  const { announcement, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const all = recipientsOf(context);
  const isAround = route === 'successor';
  const subjects = subjectsOf(context, announcement);
  if (subjects.length < 2) return;
  subjects.forEach((about, subject) => {
    const half = isAround ? all : all.filter((_, index) => index % 2 === subject);
    announce(context, announcement, about, half);
  });
}

function announce(
  context: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
  about: Rank,
  listeners: readonly Rank[],
): void {
  const { byzantineNode, self } = context;
  const { route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const isMasked = byzantineNode.authentication.level === 'L0' || forged.names === 'sender';
  // A lap about another ends where that one is.
  const home = route === 'successor' ? about : self.rank;
  const recipients = listeners.filter((member) => member !== about);
  sendForged(context, forged, { about, by: isMasked ? about : self.rank, recipients, home });
}

/** The leaders that it announces: the two highest that it can name, or its best accomplice and the highest. */
function subjectsOf(
  { byzantineNode, self, state }: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
): readonly Rank[] {
  const { believes, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const nameable = self.members
    .filter((rank) => canForge(state.observed, byzantineNode, forged, rank))
    .toReversed();
  if (believes === 'higher-ranks') return nameable.slice(0, 2);
  const own = bestAccomplice(byzantineNode);
  // What is about the next node in a ring goes no further.
  const isDeadEnd = (rank: Rank) => route === 'successor' && rank === self.successors[0];
  const others = nameable.filter((rank) => rank !== own && !isDeadEnd(rank));
  const [other] = others;
  return other === undefined ? [own] : [own, other];
}
