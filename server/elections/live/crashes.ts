/**
 * @module
 * Checks the crashes of a request, so that a refusal points at a member of the request. The simulation
 * knows crashes before and during its run by other names.
 */

import type { LabError } from '../../../src/errors.ts';
import type { NamedCrash } from '../../../src/simulation/faults/crashes.ts';
import { resolveCrashes } from '../../../src/simulation/faults/crashes.ts';
import { faultAt } from '../../contract/faults.ts';

/** Throws LabError `arguments`, which points at the first crash that is not possible. */
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

/** The crashes before the run, then the others by tick, each with its index in the request and its rank. */
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
  return faultAt('arguments', pointer, detail);
}
