/**
 * @module
 * A3: passes nothing on and answers no message, but sends its own as if it had received none, and is up
 * for every detector. Signatures do not help: a unidirectional ring has one path, and this node is on it.
 */

import { STORE_ALONE } from '../../../election/definition/forgery.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { defineBehaviour } from '../behaviour.ts';
import { createByzantine } from '../byzantine-machine.ts';
import { isBlocked } from './blocked.ts';

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
