/**
 * @module
 * Fencing tokens: the resource refuses epochs below the highest that it has seen. This defence is a
 * setting of the resource that leaders work on. It wraps no machine.
 */

import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { defineDefence, fittingSetting, WITHOUT_LIMITS } from './defence.ts';
import { EPOCH_STEP_MAX } from './epoch-step.ts';

export const FENCING = defineDefence({
  kind: 'setting',
  name: 'fencing',
  code: 'D9',
  summary: `The resource refuses epochs below the highest that it has seen, and those more than ${EPOCH_STEP_MAX} above, so that a former leader does no harm; costs the resource the memory of one number, and does not prevent two leaders.`,
  unsupportedReason,
  ...WITHOUT_LIMITS,
  setting: (protocol) =>
    fittingSetting({ name: 'fencing', reason: unsupportedReason(protocol) }, protocol, {
      work: { resource: 'fencing-max', everyTicks: null, epochStepMax: EPOCH_STEP_MAX },
    }),
});

/** Only epochs that no two leaders share order the leaders. */
function unsupportedReason(protocol: ProtocolName): string | null {
  return PROTOCOLS[protocol].unique === 'epoch'
    ? null
    : 'its leaders have no epochs, by which a resource could distinguish them';
}
