/**
 * @module
 * Seeded bugs in what honest nodes demand of candidacies, and the check that kills each.
 */

import type { CheckName } from './checks.ts';
import type { Mutant } from './mutation.ts';

const AUTHENTICATED = 'src/election/authenticated.ts';

export const CANDIDACY_MUTANTS = [
  {
    name: 'candidacy-own-unchecked',
    bug: 'A node believes anybody that it is a candidate itself.',
    file: AUTHENTICATED,
    oldText: 'if (known !== undefined && (!isAsked || signature === known)) return true;',
    newText: 'if (known !== undefined || rank === self.rank) return true;',
    killedBy: 'whom liars can name on a ring',
  },
  {
    name: 'candidacy-unchecked-in-bully',
    bug: 'Candidacies are looked at on rings alone.',
    file: AUTHENTICATED,
    oldText: 'return candidates.every(',
    newText: "return protocol.startsWith('bully') || candidates.every(",
    killedBy: 'whom liars can name in Bully',
  },
  {
    name: 'candidacy-of-any-election',
    bug: 'What was signed for one election counts in all.',
    file: AUTHENTICATED,
    oldText: "'usurp/candidacy/v1', protocol, candidate, ...fresh]",
    newText: "'usurp/candidacy/v1', protocol, candidate]",
    killedBy: 'whom liars can name on a ring',
  },
  {
    name: 'own-word-repeated',
    bug: 'Anybody may say what a coordinator says of itself.',
    file: AUTHENTICATED,
    oldText: 'if (isAnothers && isOwnWord(protocol, message)) ',
    newText: 'if (isAnothers && false) ',
    killedBy: 'whom liars can name in Bully',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
