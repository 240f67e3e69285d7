/**
 * @module
 * Incumbency and back-off among the defences: two ways of holding a returned node back (holding-back.ts).
 * With back-off it stands after a wait that doubles with each return; as under an incumbent it stands when
 * the leader that it finds is gone, or after so long that the leader has had a term of office.
 */

import { createHoldingBack } from '../holding-back.ts';
import type { AlgorithmName } from '../registry.ts';
import { announcementTicks } from '../timing.ts';
import type { InsideDefence } from './defence.ts';

/** Elections that an incumbent is left alone for, once to twice. */
export const TERM_ELECTIONS = 64;

export const INCUMBENCY: InsideDefence = {
  kind: 'inside',
  name: 'incumbency',
  code: 'D8',
  summary: `Leaves a living leader alone for ${TERM_ELECTIONS} elections' time when a better node returns, which ends storms of a top node that flaps; costs 2(n − 1) messages a return, the better leader meanwhile, and where all were down the wait for one.`,
  misfit: waitingMisfit,
  needsLevel: null,
  guard: (machine, { timing }) => {
    const backOffTicks = TERM_ELECTIONS * announcementTicks(timing);
    return createHoldingBack(machine, timing, { backOffTicks, backOffTicksMax: backOffTicks });
  },
};

export const BACK_OFF: InsideDefence = {
  kind: 'inside',
  name: 'back-off',
  code: 'D8',
  summary:
    'Has a returned node wait before it contests a living leader, twice as long at each return soon after the last, which thins out the storms of a node that flaps; costs 2(n − 1) messages a return and the better leader meanwhile.',
  misfit: waitingMisfit,
  needsLevel: null,
  guard: (machine, { timing }) => createHoldingBack(machine, timing),
};

const BULLIES: readonly AlgorithmName[] = [
  'bully-oneshot',
  'bully-gm82',
  'bully-2phase',
  'bully-nextinline',
  'bully-improved',
  'bully-modified',
];

function waitingMisfit(algorithm: AlgorithmName): string | null {
  return BULLIES.includes(algorithm)
    ? null
    : 'a node that returns deposes no living leader by asking';
}
