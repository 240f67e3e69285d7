/**
 * @module
 * The report of a takeover for people.
 */

import type { Takeover } from '../../runtime/live/cluster/takeover.ts';
import { columns, formatSeconds } from '../shell/layout.ts';

const OUTCOMES = {
  leads: 'the adversary leads',
  refused: 'the adversary does not lead',
  'not-found': 'the adversary found no identity',
} as const;

/** The outcome, the times from the first hash, the ledger, and what honest nodes noticed. */
export function takeoverText(takeover: Takeover): string {
  const { outcome, node, behaviours, ledger, seconds, refusedBy, observations } = takeover;
  const { attempts, hashes, cpuSeconds } = ledger;
  const at = (time: number | null) => (time === null ? 'never' : `${time} s after the first hash`);
  const rows = [
    ...(node === null ? [] : [['node', [String(node), ...behaviours].join(', ')]]),
    ['identity found', at(seconds.found)],
    ['joined', at(seconds.joined)],
    ['leads', at(seconds.leads)],
    ['ledger', `${attempts} attempts, ${hashes} hashes, ${formatSeconds(cpuSeconds)} CPU`],
    ...refusedBy.map((cause) => ['refused by', cause]),
    ...observations.map((each) => [`node ${each.node}`, `${each.what} at ${each.seconds} s`]),
  ];
  return `${OUTCOMES[outcome]}\n${columns(rows)}`;
}
