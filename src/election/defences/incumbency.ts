/**
 * @module
 * Incumbency: a living leader is left alone for a term when a better node comes or returns. Honest nodes
 * that return hold themselves back (return-back-off.ts) and hold off nodes that do not (holding-off.ts),
 * so that they stop a node that ignores both. The better node's turn comes when the leader is gone or
 * has had its term.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { createReturnBackOff } from '../return-back-off.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks } from '../timing.ts';
import type { DefenceContext } from './defence.ts';
import { defineDefence } from './defence.ts';
import { createHoldingOff, TERM_ELECTIONS } from './holding-off.ts';

export const INCUMBENCY = defineDefence({
  kind: 'inside',
  name: 'incumbency',
  code: 'D8',
  summary: `Leaves a living leader alone for ${TERM_ELECTIONS} elections' time when a better node comes or returns, which is ignored until then; this ends outbidding after an election and, in a Bully, storms of a top node that flaps; costs 2(n − 1) messages a return, the better leader meanwhile, and where all nodes were down the wait for one.`,
  unsupportedReason,
  limit: (protocol) =>
    PROTOCOLS[protocol].family === 'bully'
      ? null
      : 'no node is elected on a ring while one is down, so that it calms no storm; it stops bids after the election',
  needsLevel: null,
  response: { newcomers: 'held-off', ranks: 'by-id' },
  guard: (machine, context) =>
    PROTOCOLS[context.protocol].family === 'bully'
      ? underIncumbents(machine, context)
      : createHoldingOff(machine, {
          ...{ protocol: context.protocol, speaking: 'by-token' },
          turns: termOf(context.timing),
        }),
});

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

function unsupportedReason(protocol: ProtocolName): string | null {
  const { family, tokens, carries } = PROTOCOLS[protocol];
  if (family === 'bully') return null;
  if (carries !== null) return 'every death and every return begins another election of all';
  return typeof tokens !== 'string' && tokens.outbidsLeaders
    ? null
    : 'a node that comes or returns takes the lead from no leader by being better';
}
