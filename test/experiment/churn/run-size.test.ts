/**
 * @module
 * The steps that a network under churn may take, against those that it takes under each adversary.
 */

import { expect, it } from 'vitest';

import { CHURN_ADVERSARIES } from '../../../src/experiment/churn/adversaries.ts';
import { ChurnNetwork } from '../../../src/experiment/churn/network.ts';
import { CHURN_DEFENCES, parseChurnDefence } from '../../../src/experiment/churn/registry.ts';
import { stepsOf } from '../../../src/experiment/churn/run-size.ts';
import {
  countsIn,
  parseSessionLaw,
  parseTrace,
  sessionsOf,
} from '../../../src/experiment/churn/sessions.ts';
import { parseSeed } from '../../../src/random.ts';

const SEED = parseSeed('1');
const DEFENCES = [
  ...CHURN_DEFENCES.map(({ name }) => name),
  ...[
    'ccom:purge=0.001',
    'age:lifetime=1s',
    'stop-forwarding:every=5s',
    'recent:window=1s',
    'sybil-control:every=1s',
  ],
  ...['ergo:estimate=0.01', 'togcom:estimate=0.2'],
];
const PURSES = [
  ...([
    [0, 1 / 18],
    [1, 1 / 18],
  ] as const),
  ...([
    [100, 1 / 18],
    [100, 1 / 2],
  ] as const),
];

it.each(DEFENCES)('are about as many as %s takes at most', (text) => {
  const { rules } = parseChurnDefence(text);
  const law = parseSessionLaw('exp:10m');
  const [nodes, seconds] = [200, 500];
  const counts = { joins: (nodes * seconds) / law.meanS, least: nodes, most: nodes };
  for (const adversary of CHURN_ADVERSARIES) {
    for (const [rate, power] of PURSES) {
      const sessions = sessionsOf(law, nodes, SEED);
      const asked = { rules, adversary, sessions, rate, power, seconds };
      const network = new ChurnNetwork(asked);
      let steps = 0;
      while (!network.run(100)) steps += 100;

      // For some time nodes are fewer.
      const most = 1.2 * stepsOf(rules, counts, { rate, power, seconds, hashes: 0 });
      expect(steps, `${adversary.name}, ${rate}, ${power}`).toBeLessThan(most);
    }
  }
});

it('count the sessions of a trace', () => {
  const trace = parseTrace('joinS,leaveS\n0,\n0,50\n10,20\n30,\n60,70\n500,\n');

  expect(countsIn(trace, 100)).toEqual({ joins: 3, least: 2, most: 3 });
  expect(countsIn(trace, 10)).toEqual({ joins: 0, least: 2, most: 2 });
  expect(countsIn(parseTrace('joinS,leaveS\n0,5\n8,9\n'), 100)).toMatchObject({ least: 0 });
});
