/**
 * @module
 * Pre-vote and check-quorum (D. Ongaro, Consensus: Bridging Theory and Practice, 2014, sections 6.2 and
 * 9.6): a defence that is a setting of a protocol. It wraps no machine.
 */

import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { defineDefence, fittingSetting, WITHOUT_LIMITS } from './defence.ts';

export const PRE_VOTE = defineDefence({
  kind: 'setting',
  name: 'pre-vote',
  code: 'D8',
  summary:
    'A candidate asks for a majority before it raises its term, and leaders and voters keep a leader that reaches a majority, so that a node that was cut off deposes no leader; costs one more round of messages for each election.',
  unsupportedReason,
  ...WITHOUT_LIMITS,
  setting: (protocol) =>
    fittingSetting({ name: 'pre-vote', reason: unsupportedReason(protocol) }, protocol, {
      flags: { preVote: 'on', checkQuorum: 'on' },
    }),
});

function unsupportedReason(protocol: ProtocolName): string | null {
  return Object.hasOwn(PROTOCOLS[protocol].flags, 'preVote')
    ? null
    : 'no leader is deposed by a candidate that cannot win in it';
}
