/**
 * @module
 * The part of `usurp conform` that needs the checker: whether the counters that a definition states are counters. The
 * checker takes worlds that differ only in them for one. It compares the steps of random walks with those of raised
 * states, as it does in each search (checking/terms/shift.ts).
 */

import { instanceOf } from '../../checking/check-request.ts';
import { RandomWalks } from '../../checking/walks/random-walks.ts';
import type { Finding, Subject } from '../../simulation/conform/finding.ts';
import { nameOf, tried } from '../../simulation/conform/finding.ts';
import type { Check } from './request.ts';
import { requestOf } from './request.ts';

const WALKS = 40;
const ACTIONS_MAX = 200;

/** The environments of the walks in turn. */
const ENVIRONMENTS: readonly Pick<Check, 'timing' | 'bounds'>[] = [
  { timing: 'asynchronous' },
  { timing: 'synchronous' },
  { timing: 'asynchronous', bounds: { crash: 1, loss: 2, duplicate: 1 } },
  { timing: 'asynchronous', bounds: { crash: 1, recover: 1, pause: 1 } },
];

/** The finding about the counters of a protocol. There is none if it states no counters. */
export function checkCounters({ protocol, seed }: Subject): readonly Finding[] {
  const { counters } = protocol;
  if (counters.length === 0) return [];
  const names = counters.map(({ name }) => name).join(' and ');
  const walks = ENVIRONMENTS.map((environment) => {
    const request = requestOf({ protocol: nameOf(protocol.name), ring: [1, 2, 3], ...environment });
    const judged = { instance: instanceOf(request), properties: [], byzantine: new Set<number>() };
    return new RandomWalks(judged, { count: WALKS, depth: ACTIONS_MAX, seed });
  });
  const check = `does the same with higher values of its counters, ${names}`;
  return [
    tried(check, WALKS, (index) => {
      walks[index % walks.length]?.walk(index);
      return null;
    }),
  ];
}
