/**
 * @module
 * A property that a threat model can expect of its runs (`expect.property`), and that `usurp check` looks for in all
 * worlds (`--properties`). Replace these lines.
 *
 * A run has it if the nodes agree on a leader in every election, and no adversary leads. A world has it if no honest
 * node follows a Byzantine one.
 */

import type { CheckedNode } from 'usurp';
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
  epochs: null,
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
  // How `usurp check` judges a world. Without it a check refuses the property.
  worlds: {
    // always: in every world. sometimes: in one. eventually: in one of every execution.
    kind: 'always',
    // What it says of a world: a clause.
    description: 'no live honest node follows a Byzantine node',
    // What it sees. 'leaders': which nodes are up, which leader each follows, and whether the world is at rest.
    // 'everything': also the states, records and timers of nodes, the store, and the messages in flight.
    reads: 'leaders',
    // A function of the world alone. Equal worlds count as one, whatever happened before.
    holds: ({ nodes }) => misledIn(nodes).length === 0,
    // What is wrong in a world in which it does not hold, as words that follow a colon.
    breach: ({ nodes }) =>
      misledIn(nodes)
        .map(({ rank, leader }) => `node ${rank} follows node ${leader}, which is Byzantine`)
        .join('; '),
  },
  // The probability of the property for each kind of run. Null if it has no closed form.
  closedForms: { election: null, watched: null, ranking: null, epochs: null },
});

/** Live honest nodes that follow a Byzantine one. */
function misledIn(nodes: readonly CheckedNode[]): readonly CheckedNode[] {
  return nodes.filter(
    ({ up, byzantine, leader }) =>
      up && !byzantine && leader !== null && nodes[leader - 1]?.byzantine === true,
  );
}
