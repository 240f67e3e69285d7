/**
 * @module
 * A2a: names a rank above all others that no node has, as candidate, as leader and, where candidates are
 * answered, as a live node above them. Initiators wait for it for ever, its candidacy never returns to its
 * origin, or all nodes follow a leader that does not exist. It is the cheapest attack if ranks are not
 * proved.
 */

import { PROTOCOLS } from '../../../election/registry.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { recipientsOf, sendForged } from '../byzantine-machine.ts';
import type { Repetitions } from './repeating.ts';
import { createRepeating } from './repeating.ts';

export const PHANTOM_ID = defineBehaviour({
  name: 'phantom-id',
  attack: 'A2a',
  summary:
    'Names a candidate and leader above all others that does not exist, so that initiators wait for ever or all nodes follow no node.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({ namesPhantom: true }),
  unsupportedReason(protocol) {
    const { acceptsStrangers, candidacy } = PROTOCOLS[protocol].forgery;
    if (typeof candidacy === 'string') return candidacy;
    return acceptsStrangers ? null : 'a node accepts and names members only';
  },
  remains: (protocol) =>
    protocol === 'itai-rodeh'
      ? 'Its nodes draw their numbers, so that no proof is needed for a number that no node has drawn.'
      : null,
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, { name: 'phantom-id', speak }),
});

function speak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode, self } = context;
  const { phantom, protocol } = byzantineNode;
  const { candidacy, answer, announcement } = PROTOCOLS[protocol].forgery;
  const recipients = recipientsOf(context);
  for (const forged of [candidacy, answer, announcement]) {
    if (typeof forged === 'string') continue;
    const by = forged.names === 'sender' ? phantom : self.rank;
    sendForged(context, forged, { about: phantom, by, recipients });
  }
}
