/**
 * @module
 * Successor lists: the protocol runs on a ring that heals itself (ring/ring-robust.ts). This defence
 * replaces the protocol. It wraps no machine.
 */

import type { ProtocolName } from '../registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../registry.ts';
import { defineDefence, fittingSetting, WITHOUT_LIMITS } from './defence.ts';

export const SUCCESSOR_LIST = defineDefence({
  kind: 'setting',
  name: 'successor-list',
  code: 'D6',
  summary:
    'Runs the protocol on a ring that goes past nodes that are down or accused; costs an election for each node that goes down, and needs a detector that never errs.',
  unsupportedReason,
  ...WITHOUT_LIMITS,
  setting(protocol) {
    const robust = robustRingOf(protocol);
    const reason = unsupportedReason(protocol);
    return fittingSetting(
      { name: 'successor-list', reason },
      protocol,
      robust === undefined ? {} : { protocol: robust },
    );
  },
});

/** The protocol whose tokens carry the messages of this one. */
function robustRingOf(protocol: ProtocolName): ProtocolName | undefined {
  return PROTOCOL_NAMES.find((name) => PROTOCOLS[name].carries?.name === protocol);
}

function unsupportedReason(protocol: ProtocolName): string | null {
  return robustRingOf(protocol) === undefined
    ? 'there is no robust ring that carries its tokens'
    : null;
}
