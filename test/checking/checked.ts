/**
 * @module
 * One check with defaults for what a test does not state.
 */

import type { Checked, CheckResult } from '../../src/checking/check.ts';
import { check } from '../../src/checking/check.ts';
import { claimedBy } from '../../src/checking/properties/registry.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import type { Asked } from '../../src/checking/visited/parts.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOLS } from '../../src/election/registry.ts';
import type { Given as GivenInstance } from './small-instances.ts';
import { instanceOf } from './small-instances.ts';

export interface Given extends GivenInstance, Asked {
  readonly statesMax?: number;
  readonly bytesMax?: number;
  readonly order?: 'breadth' | 'depth';
  readonly isReduced?: boolean;
  readonly properties?: readonly CheckedProperty[];
}

/** By default all properties are checked that the protocol claims under some timing, links and faults. */
export function checked(protocol: ProtocolName, nodes: number, given: Given = {}): CheckResult {
  const steps = stepsOf(protocol, nodes, given);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The check in slices. */
export function stepsOf(
  protocol: ProtocolName,
  nodes: number,
  given: Given = {},
): Generator<Checked, CheckResult> {
  return check({
    instance: instanceOf(protocol, nodes, given),
    properties: given.properties ?? claimedBy(PROTOCOLS[protocol]),
    byzantine: new Set(),
    order: given.order ?? 'breadth',
    isReduced: given.isReduced ?? false,
    statesMax: given.statesMax ?? 1_000_000,
    bytesMax: given.bytesMax ?? 2 ** 30,
    memoryUsed: given.memoryUsed,
    isDue: given.isDue,
  });
}
