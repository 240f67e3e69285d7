/**
 * @module
 * A cast whose honest nodes have defences next to their protocol, inside detectors and work; those that
 * see seals are put around the authentication (corrupted-cast.ts). A defence binds those who run it, so
 * that corrupted places have none: no adversary holds itself back.
 */

import { guardInside } from '../../election/defences/defended.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { Plan } from '../plan/plan.ts';
import { memoisedWrapper } from './fitted-once.ts';

/** The cast whose honest nodes have the defences that are next to their protocol. */
export function withGuards(cast: Cast, plan: Plan): Cast {
  const { protocol, timing, defences, byzantine } = plan;
  if (defences.length === 0) return cast;
  const corrupted = new Set(byzantine.map(({ rank }) => rank));
  const guarded = memoisedWrapper((machine) =>
    guardInside(machine, defences, { protocol, timing }),
  );
  const machineOf = (place: number) => {
    const machine = cast.machineOf(place);
    return place === cast.store || corrupted.has(place) ? machine : guarded(machine);
  };
  return { ...cast, machineOf };
}
