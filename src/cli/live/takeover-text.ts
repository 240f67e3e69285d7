/**
 * @module
 * The report of a takeover for people.
 */

import type { HarmName } from '../../live/cluster/harms.ts';
import { HARM_NAMES } from '../../live/cluster/harms.ts';
import type { Takeover } from '../../live/cluster/takeover.ts';
import { formatSeconds } from '../../operations/figures.ts';
import { columns } from '../shell/layout.ts';

const OUTCOMES = {
  leads: 'the adversary leads',
  harms:
    'the adversary does not lead all honest nodes, but at the end they do not follow one leader',
  refused: 'the adversary does not lead all honest nodes',
  'not-found': 'the adversary found no identity',
} as const;

const HARMS: Readonly<Record<HarmName, string>> = {
  split: 'honest nodes followed different leaders',
  twoLeaders: 'several honest nodes led at once',
  leaderless: 'an honest node followed no leader',
  phantom: 'an honest node followed a leader that does not exist',
};

/** The outcome, the times from the first hash, the ledger, and what honest nodes noticed. */
export function takeoverText(takeover: Takeover): string {
  const { outcome, node, behaviours, ledger, seconds, refusedBy, observations, harms } = takeover;
  const { attempts, hashes, cpuSeconds } = ledger;
  const { firstHash } = takeover;
  const at = (time: number | null) => (time === null ? 'never' : `${time} s after the first hash`);
  const rows = [
    ...(node === null ? [] : [['node', [String(node), ...behaviours].join(', ')]]),
    ['first hash', `${firstHash} s after the start`],
    ['identity found', at(seconds.found)],
    ['joined', at(seconds.joined)],
    ['leads', seconds.leads === null ? 'never all honest nodes at once' : at(seconds.leads)],
    [
      'ledger',
      `${exactly(attempts, 'attempt')}, ${exactly(hashes, 'hash')}, ${formatSeconds(cpuSeconds)} CPU`,
    ],
    ...refusedBy.map((cause) => ['why not', cause]),
    ...HARM_NAMES.flatMap((name) => {
      const time = harms?.[name] ?? 0;
      const until = harms?.lasting.includes(name) ? ', until the end' : '';
      return time > 0 || until !== '' ? [['harm', `${HARMS[name]} for ${time} s${until}`]] : [];
    }),
    ...observations.map(({ node: by, what, seconds: first, count }) => {
      return [`node ${by}`, `${what} ${at(first)}${count > 1 ? `, ${count} times` : ''}`];
    }),
  ];
  return `${OUTCOMES[outcome]}\n${columns(rows)}`;
}

function exactly(count: number, noun: 'attempt' | 'hash'): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${noun === 'hash' ? 'es' : 's'}`;
}
