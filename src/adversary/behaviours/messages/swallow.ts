/**
 * @module
 * A3: passes nothing on and answers no message, but sends its own as if it had received none, and is up
 * for every detector. Signatures do not help: a unidirectional ring has one path, and this node is on it.
 */

import { settingsOf } from '../../../election/defences/defended.ts';
import { RECEIPTS } from '../../../election/defences/receipts.ts';
import { SUCCESSOR_LIST } from '../../../election/defences/settings.ts';
import { STORE_ALONE } from '../../../election/definition/forgery.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { defineBehaviour } from '../behaviour.ts';
import { createByzantine } from '../byzantine-machine.ts';

export const SWALLOW = defineBehaviour({
  name: 'swallow',
  attack: 'A3',
  summary: 'Drops every message that it should pass on or answer, and is up all the same.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: (protocol) => (PROTOCOLS[protocol].store === null ? null : STORE_ALONE),
  remains: (protocol) =>
    isBlocked(protocol)
      ? 'The tokens pass every node, and no defence leads them round one that drops them.'
      : null,
  wrap: (machine, byzantineNode) =>
    createByzantine(machine, byzantineNode, {
      init: () => null,
      intercept: (_forger, event) => event.type !== 'deliver' || isDetectorType(event.message.type),
    }),
});

/**
 * Whether the protocol is such a ring. Rings in which no defence leads the tokens round a node that drops or changes
 * them. Receipts and a second successor do, so the ring must have both, or be carried by a robust ring that has
 * them.
 */
export function isBlocked(protocol: ProtocolName): boolean {
  if (PROTOCOLS[protocol].family !== 'ring') return false;
  const isCarried = SUCCESSOR_LIST.unsupportedReason(protocol) === null;
  const carrier = isCarried ? settingsOf([SUCCESSOR_LIST.name], protocol).protocol : undefined;
  const played = carrier ?? protocol;
  return PROTOCOLS[played].successors === 1 || RECEIPTS.unsupportedReason(played) !== null;
}
