/**
 * @module
 * A2a: brings in a rank above all others that nobody holds: as candidate, as the leader, and where
 * candidates are answered, as one above that is alive. Initiators wait for it for ever, its candidacy
 * goes round without coming home, or everybody follows nobody. The cheapest attack there is while ranks
 * need not be proved.
 */

import { PROTOCOLS } from '../../../election/registry.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { Forger } from '../byzantine-machine.ts';
import { audience, say } from '../byzantine-machine.ts';
import type { Spoken } from './speaking.ts';
import { createSpeaking } from './speaking.ts';

export const PHANTOM_ID = defineBehaviour({
  name: 'phantom-id',
  attack: 'A2a',
  summary:
    'Brings in a candidate and leader above all others that nobody is, so that initiators wait for ever or everybody follows nobody.',
  aim: 'stop',
  needsTopId: false,
  stage: () => ({ namesPhantom: true }),
  unsupportedReason(protocol) {
    const { acceptsStrangers, candidacy } = PROTOCOLS[protocol].forgery;
    if (typeof candidacy === 'string') return candidacy;
    return acceptsStrangers ? null : 'a node hears and names members alone';
  },
  wrap: (machine, byzantineNode) =>
    createSpeaking(machine, byzantineNode, { name: 'phantom-id', speak }),
});

function speak(forger: Forger<Spoken>): void {
  const { byzantineNode, self } = forger;
  const { phantom, protocol } = byzantineNode;
  const { candidacy, answer, announcement } = PROTOCOLS[protocol].forgery;
  const recipients = audience(forger);
  for (const forged of [candidacy, answer, announcement]) {
    if (typeof forged === 'string') continue;
    const by = forged.names === 'sender' ? phantom : self.rank;
    say(forger, forged, { about: phantom, by, recipients });
  }
}
