/**
 * @module
 * What a run of a threat model consists of, which follows from what the document says: identities and
 * who ranks highest, identities and who holds which places, epochs of registration, or elections that
 * are watched from tick to tick because somebody misbehaves or something goes wrong.
 */

import { isCapture, isWatched } from './property.ts';
import type { ThreatModel } from './threat-model.ts';

export type RunKind = 'ranking' | 'capture' | 'epochs' | 'watched';

export function runKindOf(model: ThreatModel): RunKind {
  const { expect, network, faults, epochs, adversaries } = model;
  if (epochs !== undefined) return 'epochs';
  if (isCapture(expect.property)) return 'capture';
  const { level, defences, detector, resource, ticks } = network.election;
  const isStaged =
    isWatched(expect.property) ||
    faults !== undefined ||
    defences.length > 0 ||
    [level, detector, resource, ticks].some((member) => member !== undefined) ||
    Object.values(adversaries).some((each) => each.behaviours.length > 0 || each.identities > 0);
  return isStaged ? 'watched' : 'ranking';
}
