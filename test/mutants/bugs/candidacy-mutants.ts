/**
 * @module
 * Seeded bugs in the check of candidacies by honest nodes, and the check that finds each.
 */

import type { CheckName } from '../checks/checks.ts';
import type { Mutant } from '../mutation.ts';

export const CANDIDACY_MUTANTS = [
  {
    name: 'candidacy-own-unchecked',
    bug: 'A node does not check that it signed the candidacy that names it.',
    file: 'src/election/authentication/authenticated.ts',
    inside: 'isCandidate',
    kind: 'logical',
    of: '&&',
    nth: 2,
    becomes: '{left} || rank === self.rank',
    killedBy: 'nodes that Byzantine nodes can name on a ring',
  },
  {
    name: 'candidacy-unchecked-in-bully',
    bug: 'Candidacies are checked on rings only.',
    file: 'src/election/authentication/authenticated.ts',
    inside: 'prove',
    kind: 'call',
    of: 'every',
    becomes: "protocol.startsWith('bully') || {node}",
    killedBy: 'nodes that Byzantine nodes can name in Bully',
  },
  {
    name: 'candidacy-of-any-election',
    bug: 'A candidacy signed for one election is valid in all elections.',
    file: 'src/election/authentication/signed-text.ts',
    inside: 'candidacyText',
    kind: 'array',
    nth: 3,
    becomes: '[{0}, {1}, {2}]',
    killedBy: 'nodes that Byzantine nodes can name on a ring',
  },
  {
    name: 'own-word-repeated',
    bug: 'Any node may send what only the coordinator may state about itself.',
    file: 'src/election/authentication/authenticated.ts',
    inside: 'prove',
    kind: 'logical',
    of: '&&',
    nth: 3,
    becomes: 'false',
    killedBy: 'nodes that Byzantine nodes can name in Bully',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
