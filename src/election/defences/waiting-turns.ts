/**
 * @module
 * Incumbency and back-off among the defences: two ways in which a better node waits for its turn. Honest
 * nodes that return hold themselves back (holding-back.ts), and hold off whoever does not
 * (holding-off.ts), so that they stop a node that heeds neither. Under an incumbent its turn comes when the
 * leader is gone or has had a term of office; with back-off after a wait that doubles with each return.
 */

import type { AnyMachine } from '../protocol.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { createReturnBackOff } from '../return-back-off.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks } from '../timing.ts';
import type { DefenceContext, InsideDefence } from './defence.ts';
import { createHoldingOff } from './holding-off.ts';

/** Elections that an incumbent is left alone for, once to twice. */
export const TERM_ELECTIONS = 64;

export const INCUMBENCY: InsideDefence = {
  kind: 'inside',
  name: 'incumbency',
  code: 'D8',
  summary: `Leaves a living leader alone for ${TERM_ELECTIONS} elections' time when a better node comes or returns, whom nobody hears until then, which ends storms of a top node that flaps and outbidding after an election; costs 2(n − 1) messages a return, the better leader meanwhile, and where all were down the wait for one.`,
  unsupportedReason: incumbencyUnsupportedReason,
  needsLevel: null,
  guard: (machine, context) =>
    isBully(context.protocol)
      ? underIncumbents(machine, context)
      : createHoldingOff(machine, {
          ...{ protocol: context.protocol, speaking: 'by-token' },
          turns: termOf(context.timing),
        }),
};

export const BACK_OFF: InsideDefence = {
  kind: 'inside',
  name: 'back-off',
  code: 'D8',
  summary:
    'Has a returned node wait before it contests a living leader, twice as long at each return, and does not hear it before, which thins out the storms of a node that flaps; costs 2(n − 1) messages a return and the better leader meanwhile, and is nothing against who has never failed.',
  unsupportedReason: (protocol) =>
    isBully(protocol) ? null : 'a node that returns deposes no living leader by asking',
  needsLevel: null,
  guard(machine, { protocol, timing }) {
    const electionTicks = announcementTicks(timing);
    // A returned node counts from its return, of which others hear Δ later.
    const firstTicks = electionTicks - timing.latencyTicksMax - 1;
    const ticksMax = TERM_ELECTIONS * firstTicks;
    return createHoldingOff(createReturnBackOff(machine, timing), {
      ...{ protocol, speaking: 'by-sender' },
      turns: { type: 'back-off', firstTicks, ticksMax },
    });
  },
};

function underIncumbents(machine: AnyMachine, { protocol, timing }: DefenceContext): AnyMachine {
  const turns = termOf(timing);
  const { termTicks: backOffTicks } = turns;
  const back = createReturnBackOff(machine, timing, {
    backOffTicks,
    backOffTicksMax: backOffTicks,
  });
  return createHoldingOff(back, { protocol, turns, speaking: 'by-sender' });
}

function termOf(timing: Timing) {
  const electionTicks = announcementTicks(timing);
  return { type: 'term', electionTicks, termTicks: TERM_ELECTIONS * electionTicks } as const;
}

function isBully(protocol: ProtocolName): boolean {
  return PROTOCOLS[protocol].family === 'bully';
}

/** Plain rings in which a token of the highest candidate takes the lead from whoever has it. */
const OUTBID: readonly ProtocolName[] = [
  'ring-collect',
  'ring-maxtoken',
  'cr-join',
  'cr-replace',
  'cr-always',
  'hs-wake',
  'hs-slide',
];

function incumbencyUnsupportedReason(protocol: ProtocolName): string | null {
  if (isBully(protocol) || OUTBID.includes(protocol)) return null;
  return protocol === 'ring-robust'
    ? 'every death and every return begins another election of all'
    : 'a node that comes or returns takes the lead from nobody by being better';
}
