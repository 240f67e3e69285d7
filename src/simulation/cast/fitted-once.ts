/**
 * @module
 * Machines around machines, each made once, however many nodes share the inner one.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';

/** The machine that `make` makes of another, the same at every call. */
export function memoisedWrapper(
  make: (machine: AnyMachine) => AnyMachine,
): (machine: AnyMachine) => AnyMachine {
  const fitted = new Map<AnyMachine, AnyMachine>();
  return (machine) => {
    const before = fitted.get(machine);
    if (before !== undefined) return before;
    const made = make(machine);
    fitted.set(machine, made);
    return made;
  };
}
