/**
 * @module
 * The warnings of the nodes of a cluster, each with the number of its node. They are bounded: a peer can cause many.
 */

import { printableLine } from '../../printable.ts';

/** Warnings of one node that are shown. */
const SHOWN_MAX = 8;

/** Receives the warnings of nodes, and passes on the lines to show. */
export function warningsOfNodes(
  complain: (line: string) => void,
): (node: number, text: string) => void {
  const counts = new Map<number, number>();
  return (node, text) => {
    const count = (counts.get(node) ?? 0) + 1;
    counts.set(node, count);
    if (count <= SHOWN_MAX) complain(`usurp: node ${node}: ${printableLine(text)}`);
    if (count === SHOWN_MAX + 1) complain(`usurp: node ${node}: its later warnings are not shown`);
  };
}
