/**
 * @module
 * Derivations for the documents about paused leaders.
 */

import { numbersOf } from '../../../src/election/definition/flags.ts';
import { DB_LEASE_NUMBERS } from '../../../src/election/lease/db-lease.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { onlyOf } from '../../experiment/models.ts';
import type { Facts } from './fact.ts';
import { fact, long, measured } from './fact.ts';
import { meanOf, watchedRuns } from './watched.ts';

const PAUSES = [
  fact('(Kleppmann, 2016)', () => [2016]),
  fact('lasts 50 ticks by default', (model) => {
    const { timing } = onlyOf(watchedRuns(model, 1)['db-lease'] ?? []);
    return [numbersOf(DB_LEASE_NUMBERS, timing, {}).leaseTicks];
  }),
  fact('paused once for 100 ticks', pauseTicks),
];

export const ZOMBIES: Facts = {
  'zombie-leader-unfenced': [
    ...PAUSES,
    long(
      fact('In every run they are, 1.7 of them on average', (model) => [
        measured(model, model.runs),
        meanSeen(model, 'staleWrites'),
      ]),
    ),
  ],
  'zombie-leader-fenced': [
    ...PAUSES,
    fact('In none of the sixty runs was one accepted', (model) => [
      measured(model, model.runs),
      model.runs,
    ]),
    fact('two leaders for 90 ticks of a run', (model) => [2, meanSeen(model, 'splitTicks')]),
  ],
};

function meanSeen(model: ThreatModel, member: 'staleWrites' | 'splitTicks'): number {
  return meanOf((watchedRuns(model)['db-lease'] ?? []).map(({ seen }) => seen[member]));
}

/** The length of the pauses, if they are one for each node and all of one length. */
function pauseTicks({ network, faults }: ThreatModel): readonly number[] {
  const pauses = [...String(faults?.pause).matchAll(/(\d+)@(\d+)-(\d+)/g)].map((each) =>
    each.slice(1).map(Number),
  );
  const nodes = new Set(pauses.map(([node]) => node));
  const lengths = new Set(pauses.map(([, from = 0, to = 0]) => to - from));
  return nodes.size === network.honest && pauses.length === nodes.size ? [...lengths] : [];
}
