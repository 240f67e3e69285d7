/**
 * @module
 * What a protocol states as drawn lengths of timers, changed for one comparison.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';

/** The value of a function while the protocol states these members. */
export function withDrawnTicks<Value>(
  protocol: ProtocolName,
  drawnTicks: readonly string[],
  produce: () => Value,
): Value {
  const stated = PROTOCOLS[protocol].drawnTicks;
  Object.assign(PROTOCOLS[protocol], { drawnTicks });
  try {
    return produce();
  } finally {
    Object.assign(PROTOCOLS[protocol], { drawnTicks: stated });
  }
}
