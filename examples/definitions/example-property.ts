/**
 * @module
 * A property that a threat model can expect of its runs (`expect.property`). Replace these lines.
 *
 * A run has it if the nodes agree on a leader in every election, and no adversary leads.
 */

import { defineProperty } from 'usurp';

export const EXAMPLE_PROPERTY = defineProperty({
  name: 'example-property',
  // When a run has it: a clause, for documents and errors.
  description: 'the nodes agree on a leader, and it is honest',
  // What happened in a run that has it: a clause in the past tense, for the verdict.
  happened: () => 'the nodes agreed on an honest leader',
  // Whether `expect.count` of a threat model applies to it.
  isCounted: false,
  // Whether it is about the writes of leaders, so that elections need a resource.
  needsResource: false,
  // What an adversary aims at: lead, stop, split, outlive-lease or capture.
  aim: 'stop',
  // Whether a successful attack gives a run the property ('holds') or prevents it ('fails').
  underAttack: 'fails',
  // How each kind of evidence is judged. Null if that evidence cannot show the property.
  judges: {
    // An election in which all nodes follow the protocol: who won, and whether the highest rank leads.
    election: ({ winner }) => winner === 'honest',
    // An election that is watched tick by tick, with Byzantine nodes: what was seen.
    watched: ({ leader, isUsurped }) => leader !== null && !isUsurped,
    // The owner of the highest rank instead, so that sampled runs need no election.
    top: null,
    // The ranks after registration.
    ranking: null,
    // All epochs of a run.
    epochs: null,
  },
  // The probability of the property for each kind of run. Null if it has no closed form.
  closedForms: { election: null, watched: null, ranking: null, epochs: null },
});
