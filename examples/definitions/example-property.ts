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
  description: 'in all elections the nodes agree on a leader, and it is honest',
  // What happened in a run that has it: a clause in the past tense, for the verdict.
  happened: () => 'the nodes agreed on an honest leader',
  // How each kind of run is judged. A run without this kind of evidence cannot show the property.
  judges: {
    // An election in which all nodes follow the protocol: who won, and whether the highest rank leads.
    election: ({ winner }) => winner === 'honest',
    // An election that is watched tick by tick, with Byzantine nodes: what was seen.
    watched: ({ leader, isUsurped }) => leader !== null && !isUsurped,
  },
});
