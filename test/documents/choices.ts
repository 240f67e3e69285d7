/**
 * @module
 * What an adversary can choose under a defence, in the words of the documents.
 */

import type { AttackDefence } from '../../src/experiment/document/defence-names.ts';
import { responseFactsOf } from '../../src/experiment/response/space.ts';

/** What an adversary can choose under one defence, as clauses. */
interface Choices {
  readonly count: string;
  readonly where: string;
  readonly when: string;
  readonly behaviours: string;
}

export function choicesUnder(name: AttackDefence): Choices {
  const { newcomers, ranks } = responseFactsOf(name);
  const isDrawn = ranks === 'drawn';
  const times = {
    admitted: 'before or after the honest nodes are known',
    refused: 'before registration closes; nodes that register later are refused',
    'held-off':
      'before or after; a node that joins after the election does not replace a live leader for a term',
  };
  return {
    count: isDrawn ? 'decisive: each identity is one more chance' : 'one, some or all',
    where: isDrawn
      ? 'without effect: the ranks are drawn later'
      : 'above every honest ID, or anywhere',
    when: times[newcomers],
    behaviours: 'all that fit the protocol',
  };
}
