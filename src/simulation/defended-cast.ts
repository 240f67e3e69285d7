/**
 * @module
 * A cast whose honest nodes have defences next to their protocol, inside detectors and work; those that
 * see seals are put around the authentication (corrupted-cast.ts). A defence binds those who run it, so
 * that corrupted places have none: no adversary holds itself back.
 */

import type { AnyMachine } from '../election/algorithm.ts';
import type { Cast } from '../election/cast.ts';
import type { DefenceContext, SealedDefenceContext } from '../election/defences/defence.ts';
import type { DefenceName } from '../election/defences/registry.ts';
import { DEFENCES } from '../election/defences/registry.ts';

import { fittedOnce } from './fitted-once.ts';
import type { Plan } from './options.ts';

/** The cast whose honest nodes have the defences that are next to their protocol. */
export function withGuards(cast: Cast, plan: Plan): Cast {
  const { algorithm, timing, defences, byzantine } = plan;
  if (defences.length === 0) return cast;
  const corrupted = new Set(byzantine.map(({ rank }) => rank));
  const guarded = fittedOnce((machine) => guardInside(machine, defences, { algorithm, timing }));
  const machineOf = (place: number) => {
    const machine = cast.machineOf(place);
    return place === cast.store || corrupted.has(place) ? machine : guarded(machine);
  };
  return { ...cast, machineOf };
}

/** An authenticated machine with those of the defences that see seals, the first of them nearest. */
export function guardAround(
  machine: AnyMachine,
  defences: readonly DefenceName[],
  context: SealedDefenceContext,
): AnyMachine {
  return defences.reduce((inner, name) => {
    const defence = DEFENCES[name];
    return defence.kind === 'around' ? defence.guard(inner, context) : inner;
  }, machine);
}

function guardInside(
  machine: AnyMachine,
  defences: readonly DefenceName[],
  context: DefenceContext,
): AnyMachine {
  return defences.reduce((inner, name) => {
    const defence = DEFENCES[name];
    if (defence.kind === 'inside') return defence.guard(inner, context);
    return defence.kind === 'around' ? (defence.inside?.(inner, context) ?? inner) : inner;
  }, machine);
}
