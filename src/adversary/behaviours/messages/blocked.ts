/**
 * @module
 * Rings in which no defence leads the tokens round a node that drops or changes them. Receipts and a second
 * successor do, so the ring must have both, or be carried by a robust ring that has them.
 */

import { settingsOf } from '../../../election/defences/defended.ts';
import { RECEIPTS } from '../../../election/defences/receipts.ts';
import { SUCCESSOR_LIST } from '../../../election/defences/successor-list.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';

/** Whether the protocol is such a ring. */
export function isBlocked(protocol: ProtocolName): boolean {
  if (PROTOCOLS[protocol].family !== 'ring') return false;
  const isCarried = SUCCESSOR_LIST.unsupportedReason(protocol) === null;
  const carrier = isCarried ? settingsOf([SUCCESSOR_LIST.name], protocol).protocol : undefined;
  const played = carrier ?? protocol;
  return PROTOCOLS[played].successors === 1 || RECEIPTS.unsupportedReason(played) !== null;
}
