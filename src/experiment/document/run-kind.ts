/**
 * @module
 * What a run of a threat model consists of, which follows from the document: identities and the owner of
 * the highest rank, identities and the owners of several ranks, epochs of registration, or elections that
 * are watched tick by tick.
 */

import { PROPERTIES } from '../properties/registry.ts';
import type { ThreatModel } from './threat-model.ts';

export type RunKind = 'ranking' | 'capture' | 'epochs' | 'watched';

export function runKindOf({ expect, network, faults, epochs, adversaries }: ThreatModel): RunKind {
  const { judges } = PROPERTIES[expect.property];
  if (epochs !== undefined) return 'epochs';
  if (judges.ranking !== null) return 'capture';
  const { level, defences, detector, resource, ticks } = network.election;
  const isStaged =
    judges.election === null ||
    faults !== undefined ||
    defences.length > 0 ||
    [level, detector, resource, ticks].some((member) => member !== undefined) ||
    Object.values(adversaries).some((each) => each.behaviours.length > 0 || each.identities > 0);
  return isStaged ? 'watched' : 'ranking';
}
