/**
 * @module
 * Searches for a violated claim: three nodes of a protocol under each set of faults, timing and mode of starts, with the
 * properties that the protocol claims under exactly these conditions.
 */

import type { Bounds, StartMode } from '../../../src/checking/instance.ts';
import { claimedBy } from '../../../src/checking/properties/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { checked } from '../checked.ts';
import { instanceOf } from '../small-instances.ts';

const FAULTS: readonly Partial<Bounds>[] = [
  {},
  { loss: 1 },
  { duplicate: 1 },
  { crash: 1 },
  { crash: 1, recover: 1 },
  { crash: 1, amnesia: 1 },
  { pause: 1 },
  { partition: 1 },
  { crash: 1, loss: 1 },
  { crash: 1, partition: 1 },
  { loss: 1, duplicate: 1 },
  { pause: 1, crash: 1 },
  { jump: 1 },
  { failover: 1 },
  { crash: 1, recover: 1, failover: 2 },
];
const STARTS: readonly StartMode[] = ['together', 'any'];

export interface Scan {
  /** Conditions under which the protocol claims something that can be violated. */
  readonly searches: number;
  /** One line for each violated claim. */
  readonly violations: readonly string[];
}

/** Searches at most this number of worlds under each of the conditions. */
export function scanClaims(protocol: ProtocolName, statesMax: number): Scan {
  const violations: string[] = [];
  let searches = 0;
  for (const timing of ['asynchronous', 'synchronous'] as const)
    for (const starts of STARTS)
      for (const bounds of FAULTS) {
        const given = { timing, starts, bounds };
        const claimed = claimedBy(PROTOCOLS[protocol], instanceOf(protocol, 3, given));
        const properties = claimed.filter(({ kind }) => kind !== 'sometimes');
        if (properties.length === 0) continue;
        searches += 1;
        const result = checked(protocol, 3, { ...given, properties, statesMax });
        if (result.type === 'violated')
          violations.push(`${JSON.stringify(given)}: ${JSON.stringify(result.breach)}`);
      }
  return { searches, violations };
}
