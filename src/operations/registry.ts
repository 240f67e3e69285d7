/**
 * @module
 * The list of operations. Command line, API, browser and documentation read it.
 */

import { CALIBRATE } from './calibrate.ts';
import { DESIGN } from './design.ts';
import type { Operation } from './operation.ts';

export const OPERATIONS: readonly Operation[] = [CALIBRATE, DESIGN];

/** The operation of that name. Throws TypeError if there is none: callers know the names. */
export function operationNamed(name: string): Operation {
  const found = OPERATIONS.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`"name" expected an operation, got ${name}`);
  return found;
}
