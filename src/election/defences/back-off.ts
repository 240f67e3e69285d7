/**
 * @module
 * Back-off: a node that returns waits before it contests a living leader, twice as long at each return.
 * Honest nodes hold themselves back (return-back-off.ts) and hold off nodes that do not
 * (holding-off.ts), so that they stop a node that ignores both.
 */

import { PROTOCOLS } from '../registry.ts';
import { createReturnBackOff } from '../return-back-off.ts';
import { announcementTicks } from '../timing.ts';
import { defineDefence, WITHOUT_LIMITS } from './defence.ts';
import { createHoldingOff, TERM_ELECTIONS } from './holding-off.ts';

export const BACK_OFF = defineDefence({
  kind: 'inside',
  name: 'back-off',
  code: 'D8',
  summary:
    'A returned node waits before it contests a living leader, twice as long at each return, and is ignored before that, which thins out the storms of a node that flaps; costs 2(n − 1) messages a return and the better leader meanwhile, and does not stop a node that has never failed.',
  unsupportedReason: (protocol) =>
    PROTOCOLS[protocol].family === 'bully'
      ? null
      : 'a node that returns deposes no living leader by asking',
  ...WITHOUT_LIMITS,
  guard(machine, { protocol, timing }) {
    const electionTicks = announcementTicks(timing);
    // A returned node counts from its return, which others learn Δ later.
    const firstTicks = electionTicks - timing.latencyTicksMax - 1;
    const ticksMax = TERM_ELECTIONS * firstTicks;
    return createHoldingOff(createReturnBackOff(machine, timing), {
      ...{ protocol, speaking: 'by-sender' },
      turns: { type: 'back-off', firstTicks, ticksMax },
    });
  },
});
