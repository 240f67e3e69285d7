/**
 * @module
 * What is wrong with the crashes that a request names, in the words of the request: the simulation that
 * would refuse them knows those before its run and those during it by other names.
 */

import { LabError } from '../../../src/errors.ts';
import type { NamedCrash } from '../../../src/simulation/faults/crashes.ts';
import { resolveCrashes } from '../../../src/simulation/faults/crashes.ts';

/** Throws LabError `arguments` that points at the first that cannot be. */
export function assertCrashes(crashes: readonly NamedCrash[], nodes: number): void {
  const down = new Set<number>();
  for (const { crash, index, rank } of inOrder(crashes, nodes)) {
    if (rank > nodes) {
      throw refusal(`/crash/${index}/rank`, `must be at most ${nodes}, the number of nodes`);
    }
    if (down.has(rank)) {
      const when = crash.at === undefined ? '' : ` at ${crash.at}`;
      throw refusal(`/crash/${index}`, `node ${rank} cannot crash${when}, it has crashed before`);
    }
    down.add(rank);
    if (crash.at === undefined && down.size === nodes) {
      throw refusal('/crash', `leaves none of ${nodes} nodes alive`);
    }
  }
}

/** Those before the run first, then by tick; each with its place in the request and whom it means. */
function inOrder(crashes: readonly NamedCrash[], nodes: number) {
  const { faults } = resolveCrashes(nodes, crashes);
  const during = faults.values();
  const named = crashes.map((crash, index) => {
    if (crash.at !== undefined) return { crash, index, rank: during.next().value?.rank ?? nodes };
    return { crash, index, rank: crash.rank === 'highest' ? nodes : crash.rank };
  });
  return named.toSorted((one, other) => (one.crash.at ?? -1) - (other.crash.at ?? -1));
}

function refusal(pointer: string, detail: string): LabError {
  return new LabError('arguments', `${pointer}: ${detail}`, [{ pointer, detail }]);
}
