/**
 * @module
 * Refusals of a body that point at the member with the fault.
 */

import type { ErrorCode } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';

/** A refusal of the member at a JSON pointer. */
export function faultAt(code: ErrorCode, pointer: string, detail: string): LabError {
  return new LabError(code, `${pointer}: ${detail}`, [{ pointer, detail }]);
}

/** Makes every LabError of `work` point at a member; `changed` replaces its code or its detail. */
export function pointingAt<T>(
  pointer: string,
  work: () => T,
  changed: { readonly code?: ErrorCode; readonly detail?: string } = {},
): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw faultAt(changed.code ?? error.code, pointer, changed.detail ?? error.message);
  }
}
