/**
 * @module
 * The list of operations. Command line, API, browser and documentation read it.
 */

import { namesOf, registry } from '../election/definition/definitions.ts';
import { ADVANTAGE } from './advantage/advantage.ts';
import { ATTACK } from './attack/attack.ts';
import { ATTACK_MATRIX } from './attack/attack-matrix.ts';
import { FAULT_MATRIX } from './attack/fault-matrix.ts';
import { CALIBRATE } from './calibrate.ts';
import { CHEAPEST_ATTACK } from './check/cheapest-attack.ts';
import { CHECK_OPERATION } from './check/check.ts';
import { CHURN } from './churn.ts';
import { COMPARE } from './compare.ts';
import { DESIGN } from './design.ts';
import { DETECTORS_OPERATION } from './detectors.ts';
import { COMPARE_PROTOCOLS } from './elect/compare-protocols.ts';
import { ELECT } from './elect/elect.ts';
import { MINE } from './identity/mine.ts';
import { LOOKUPS } from './lookups/lookups.ts';
import type { Operation } from './operation.ts';
import { REPRODUCE } from './reproduce/reproduce.ts';
import { RUN } from './run/run.ts';

const LISTED: readonly Operation[] = [
  MINE,
  CALIBRATE,
  ADVANTAGE,
  ELECT,
  ATTACK,
  ATTACK_MATRIX,
  FAULT_MATRIX,
  CHECK_OPERATION,
  CHEAPEST_ATTACK,
  COMPARE,
  COMPARE_PROTOCOLS,
  DESIGN,
  DETECTORS_OPERATION,
  LOOKUPS,
  CHURN,
  RUN,
  REPRODUCE,
];

const BY_NAME: Readonly<Record<string, Operation>> = registry('operation', LISTED);

export const OPERATION_NAMES = namesOf(BY_NAME);

/** The operation of that name. Throws TypeError if there is none. */
export function operationNamed(name: string): Operation {
  const found = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (found === undefined) throw new TypeError(`"name" expected an operation, got ${name}`);
  return found;
}

/** All operations, those of the user last: they are added when the process starts. */
export function allOperations(): readonly Operation[] {
  return OPERATION_NAMES.map(operationNamed);
}
