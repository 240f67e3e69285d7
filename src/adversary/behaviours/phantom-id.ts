/**
 * @module
 * A2a: brings in a rank above all others that nobody holds: as candidate, as the leader, and where
 * candidates are answered, as one above that is alive. Initiators wait for it for ever, its candidacy
 * goes round without coming home, or everybody follows nobody. The cheapest attack there is while ranks
 * need not be proved.
 */

import { WORDS } from '../words.ts';
import type { Behaviour } from './behaviour.ts';
import type { Forger } from './corrupting.ts';
import { audience, say } from './corrupting.ts';
import type { Spoken } from './speaking.ts';
import { createSpeaking } from './speaking.ts';

export const PHANTOM_ID: Behaviour = {
  name: 'phantom-id',
  attack: 'A2a',
  summary:
    'Brings in a candidate and leader above all others that nobody is, so that initiators wait for ever or everybody follows nobody.',
  aim: 'stop',
  needsTopId: false,
  unsupportedReason(protocol) {
    const { heedsStrangers, lacks } = WORDS[protocol];
    if (lacks.candidacy !== undefined) return lacks.candidacy;
    return heedsStrangers ? null : 'a node hears and names members alone';
  },
  corrupt: (machine, byzantineNode) =>
    createSpeaking(machine, byzantineNode, { name: 'phantom-id', speak }),
};

function speak(forger: Forger<Spoken>): void {
  const { byzantineNode, self } = forger;
  const { phantom, protocol } = byzantineNode;
  const { candidacy, answer, announcement } = WORDS[protocol];
  const recipients = audience(forger);
  for (const word of [candidacy, answer, announcement]) {
    if (word === null) continue;
    const by = word.names === 'sender' ? phantom : self.rank;
    say(forger, word, { about: phantom, by, recipients });
  }
}
