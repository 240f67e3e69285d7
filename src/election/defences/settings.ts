/**
 * @module
 * Defences that are settings of a protocol or of the resource. They wrap no machine.
 */

import type { ProtocolName } from '../registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../registry.ts';
import { defineDefence, fittingSetting, WITHOUT_LIMITS } from './defence.ts';
import { EPOCH_STEP_MAX } from './epoch-step.ts';

/**
 * Pre-vote and check-quorum (D. Ongaro, Consensus: Bridging Theory and Practice, 2014, sections 6.2 and
 * 9.6): a defence that is a setting of a protocol. It wraps no machine.
 */
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

/**
 * Fencing tokens: the resource refuses epochs below the highest that it has seen. This defence is a setting of the
 * resource that leaders work on. It wraps no machine.
 */
export const FENCING = defineDefence({
  kind: 'setting',
  name: 'fencing',
  code: 'D9',
  summary: `The resource refuses epochs below the highest that it has seen, and those more than ${EPOCH_STEP_MAX} above, so that a former leader does no harm; costs the resource the memory of one number, and does not prevent two leaders.`,
  unsupportedReason: fencingUnsupportedReason,
  ...WITHOUT_LIMITS,
  setting: (protocol) =>
    fittingSetting({ name: 'fencing', reason: fencingUnsupportedReason(protocol) }, protocol, {
      work: { resource: 'fencing-max', everyTicks: null, epochStepMax: EPOCH_STEP_MAX },
    }),
});

/** Only epochs that no two leaders share order the leaders. */
function fencingUnsupportedReason(protocol: ProtocolName): string | null {
  return PROTOCOLS[protocol].unique === 'epoch'
    ? null
    : 'its leaders have no epochs, by which a resource could distinguish them';
}

/**
 * Successor lists: the protocol runs on a ring that heals itself (ring/ring-robust.ts). This defence replaces the
 * protocol. It wraps no machine.
 */
export const SUCCESSOR_LIST = defineDefence({
  kind: 'setting',
  name: 'successor-list',
  code: 'D6',
  summary:
    'Runs the protocol on a ring that goes past nodes that are down or accused; costs an election for each node that goes down, and needs a detector that never errs.',
  unsupportedReason: successorListUnsupportedReason,
  ...WITHOUT_LIMITS,
  setting(protocol) {
    const robust = robustRingOf(protocol);
    const reason = successorListUnsupportedReason(protocol);
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

function successorListUnsupportedReason(protocol: ProtocolName): string | null {
  return robustRingOf(protocol) === undefined
    ? 'there is no robust ring that carries its tokens'
    : null;
}
