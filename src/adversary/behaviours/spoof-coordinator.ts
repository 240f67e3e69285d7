/**
 * @module
 * A1: says that somebody leads who has not won. Where members follow whoever is announced, that is its
 * best accomplice, and no forgery is needed: an announcement proves who is named, not that it won. Where
 * they follow nobody below themselves it is the highest member whose name it can use, dead or alive: they
 * wait for a dead one.
 */

import type { Rank } from '../../election/machine.ts';
import { canSay } from '../forging.ts';
import type { Word } from '../words.ts';
import { WORDS } from '../words.ts';
import type { Behaviour } from './behaviour.ts';
import type { Forger } from './corrupting.ts';
import { audience, bestAccomplice, say } from './corrupting.ts';
import type { Spoken } from './speaking.ts';
import { createSpeaking } from './speaking.ts';

export const SPOOF_COORDINATOR: Behaviour = {
  name: 'spoof-coordinator',
  attack: 'A1',
  summary:
    'Announces itself as leader, or where nobody follows one below himself the highest member that it can name, at once and whenever an election should be over.',
  aim: 'lead',
  needsTopId: false,
  unsupportedReason: (protocol) => WORDS[protocol].lacks.announcement ?? null,
  corrupt: (machine, byzantineNode) =>
    createSpeaking(machine, byzantineNode, {
      name: 'spoof-coordinator',
      speak,
      // A leader by its own account, whatever its own machine is told by the others.
      speaksForNode: WORDS[byzantineNode.protocol].believes === 'anybody',
      // It would soon stand for election against it.
      mutesNode: WORDS[byzantineNode.protocol].fades,
    }),
};

function speak(forger: Forger<Spoken>): void {
  const { byzantineNode, self, state, effects } = forger;
  const { announcement } = WORDS[byzantineNode.protocol];
  if (announcement === null) return;
  const about = subjectOf(forger, announcement);
  // At L0 in the name of whom it is about, as an honest announcement would be.
  const isMasked = byzantineNode.authentication.level === 'L0' || announcement.names === 'sender';
  const by = isMasked ? about : self.rank;
  const recipients = audience(forger).filter((member) => member !== about);
  say(forger, announcement, { about, by, recipients });
  if (WORDS[byzantineNode.protocol].believes === 'anybody') effects.elect(about, state.hand.said);
}

function subjectOf({ byzantineNode, self, state }: Forger<Spoken>, word: Word): Rank {
  const best = bestAccomplice(byzantineNode);
  if (WORDS[byzantineNode.protocol].believes === 'anybody') return best;
  const nameable = self.members.filter((rank) => canSay(state.hand, byzantineNode, word, rank));
  const top = nameable.findLast((rank) => rank > best);
  // Its own name would be contested: without a higher one it tries the highest all the same.
  return top ?? self.members.at(-1) ?? best;
}
