/**
 * @module
 * This folder contains the tests of proof of work under churn. This file compares networks with brute force that shares
 * no code with them, and with what follows from the rules of a defence.
 */

import { describe, expect, it } from 'vitest';

import type { ChurnAdversary } from '../../../src/experiment/churn/adversaries.ts';
import { CHURN_ADVERSARIES } from '../../../src/experiment/churn/adversaries.ts';
import type { ChurnQuestion } from '../../../src/experiment/churn/network.ts';
import { ChurnNetwork } from '../../../src/experiment/churn/network.ts';
import { parseChurnDefence } from '../../../src/experiment/churn/registry.ts';
import {
  parseSessionLaw,
  parseTrace,
  sessionsIn,
  sessionsOf,
} from '../../../src/experiment/churn/sessions.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { bruteForce } from './brute-force.ts';

const SEED = parseSeed('1');

function adversaryNamed(wanted: string): ChurnAdversary {
  const found = CHURN_ADVERSARIES.find(({ name }) => name === wanted);
  if (found === undefined) throw new RangeError(`no adversary ${wanted}`);
  return found;
}

function measured(asked: ChurnQuestion) {
  const network = new ChurnNetwork(asked);
  while (!network.run(1000));
  return network.measures();
}

/**
 * Twenty nodes at the beginning, and about one join and one departure a second for 100 seconds. With fewer decimals several
 * join at one moment.
 */
function smallTrace(seed: string, decimals = 6): string {
  const random = createRandom(parseSeed(seed), 'trace');
  const rows = Array.from({ length: 120 }, (_, index) => {
    const joinS = index < 20 ? 0 : 100 * random.unit();
    return `${joinS.toFixed(decimals)},${(Math.ceil(joinS) + 0.01 + 40 * random.unit()).toFixed(6)}`;
  });
  return ['joinS,leaveS', ...rows].join('\n');
}

describe('a small network', () => {
  const cases = [
    'ergo',
    'togcom',
    'ccom',
    'recent:window=7',
    'sybil-control',
    'fixed:hardness=3',
    'age:lifetime=11',
    'stop-forwarding:hardness=4,renewal=2,every=7',
  ].flatMap((defence) =>
    ['join', 'keep', 'return'].flatMap((adversary) =>
      // In no period of SybilControl a whole number, which would be a tie.
      [0.31, 4.03, 90.37].map((rate) => [defence, adversary, rate] as const),
    ),
  );

  it.each(cases)('agrees with brute force: %s, %s, %d a second', (defence, adversary, rate) => {
    const { rules } = parseChurnDefence(defence);
    const { keeps, leaves } = adversaryNamed(adversary);
    for (const [seed, decimals] of [
      ...['1', '2', '3'].map((each) => [each, 6] as const),
      ...['4', '5', '6'].map((each) => [each, 0] as const),
    ]) {
      const trace = parseTrace(smallTrace(seed, decimals));
      const common = { rules, rate, power: 1 / 4, seconds: 90 };
      const expected = bruteForce({ trace, keeps, leaves, ...common });
      const found = measured({
        ...{ adversary: adversaryNamed(adversary), sessions: sessionsIn(trace) },
        ...common,
      });

      expect(found.purges).toBe(expected.purges);
      expect(found.members).toBe(expected.members);
      expect(found.badJoinRate * 90).toBeCloseTo(expected.bought, 6);
      expect(found.honestRate * 90).toBeCloseTo(expected.honest, 6);
      expect(found.adversaryRate * 90).toBeCloseTo(expected.spent, 6);
      expect(found.largestShare).toBeCloseTo(expected.largestShare, 9);
      expect(found.electionsLost * 90).toBeCloseTo(expected.badSeconds, 6);
    }
  });
});

describe('an adversary', () => {
  const quiet = { power: 1 / 18, seconds: 10_000, rate: 1 };
  const endless = () => sessionsIn(parseTrace(`joinS,leaveS\n${'0,\n'.repeat(100)}`));

  it.each(['fixed', 'ccom', 'ergo'])('buys under %s though no session begins or ends', (text) => {
    const { rules } = parseChurnDefence(text);
    const found = measured({
      ...{ ...quiet, rules, adversary: adversaryNamed('keep'), sessions: endless() },
    });

    expect(found.adversaryRate).toBeGreaterThan(0.9);
    expect(found.largestShare).toBeGreaterThan(0.1);
  });

  it.each(['fixed', 'recent:window=7', 'sybil-control', 'age:lifetime=100', 'ergo'])(
    'buys under %s though a trace begins without members',
    (text) => {
      const { rules } = parseChurnDefence(text);
      const sessions = sessionsIn(parseTrace('joinS,leaveS\n5,\n6,\n'));
      const found = measured({
        ...{
          ...quiet,
          seconds: 1000,
          rate: 10,
          rules,
          adversary: adversaryNamed('join'),
          sessions,
        },
      });

      expect(found.adversaryRate).toBeGreaterThan(9);
    },
  );

  it('that holds an iteration leads more often than one that fills it evenly', () => {
    const lost = (name: string) => {
      const sessions = sessionsOf(parseSessionLaw('exp:2.3h'), 10_000, SEED);
      const { rules } = parseChurnDefence('ergo');
      const adversary = adversaryNamed(name);
      return measured({ ...quiet, rules, adversary, sessions, rate: 1000 }).electionsLost;
    };

    expect(lost('keep')).toBeLessThan(0.095);
    expect(lost('hold')).toBeGreaterThan(0.12);
  });

  it('that keeps its newest IDs takes the estimate beyond a factor of 10', () => {
    const sessions = sessionsOf(parseSessionLaw('exp:2.3h'), 10_000, SEED);
    const { rules } = parseChurnDefence('ergo');
    const adversary = adversaryNamed('keep');
    const usual = { ...quiet, rules, sessions, rate: 1000, seconds: 30_000 };

    expect(measured({ ...usual, adversary }).estimateLargest).toBeGreaterThan(10);
  });

  it('is interrupted within the purchases of one moment', () => {
    const { rules } = parseChurnDefence('ccom:purge=0.001');
    const sessions = sessionsOf(parseSessionLaw('exp:2.3h'), 1000, SEED);
    const adversary = adversaryNamed('join');
    const network = new ChurnNetwork({ ...quiet, rules, adversary, sessions, rate: 1e8 });

    expect(network.run(10_000)).toBe(false);
    expect(network.measures().purges).toBeLessThanOrEqual(10_000);
  });
});

describe('bursts in one loop', () => {
  const laws = ['exp:1h', 'weibull:0.59:41.9m'].map(parseSessionLaw);

  it.each(
    ['ergo', 'togcom', 'recent'].flatMap((defence) =>
      CHURN_ADVERSARIES.map((adversary) => [defence, adversary.name] as const),
    ),
  )('are the same as in single steps, to the last bit: %s, %s', (defence, name) => {
    const { rules } = parseChurnDefence(defence);
    for (const law of laws) {
      for (const rate of [0.3, 20, 1000]) {
        const found = [undefined, (puzzles: number) => puzzles].map((solve) => {
          const sessions = sessionsOf(law, 300, SEED);
          const common = { rules, sessions, rate, power: 1 / 18, seconds: 2000 };
          // Who solves puzzles takes single steps.
          return measured({ ...common, adversary: adversaryNamed(name), solve });
        });

        expect(found[0]).toEqual(found[1]);
      }
    }
  });
});

describe('a network', () => {
  const law = parseSessionLaw('exp:1h');
  const usual = { adversary: adversaryNamed('join'), power: 1 / 18, seconds: 50_000 };

  it('asks for one puzzle a join where the puzzle is fixed, and never for another', () => {
    const { rules } = parseChurnDefence('fixed:hardness=5');
    const found = measured({ ...usual, rules, sessions: sessionsOf(law, 300, SEED), rate: 2 });

    expect(found.honestRate).toBeCloseTo(5 * found.joinRate, 9);
    expect(found.badJoinRate).toBeCloseTo(2 / 5, 3);
  });

  it('asks every member in each period of SybilControl', () => {
    const { rules } = parseChurnDefence('sybil-control:every=10');
    const found = measured({ ...usual, rules, sessions: sessionsOf(law, 300, SEED), rate: 0 });

    expect((found.honestRate - found.entranceRate) / (300 / 10)).toBeCloseTo(1, 1);
  });

  it('asks for an ID again when it retires', () => {
    const { rules } = parseChurnDefence('age:lifetime=30m');
    const found = measured({ ...usual, rules, sessions: sessionsOf(law, 300, SEED), rate: 3 });

    // A session of the exponential law reaches its k-th half hour with probability e^(-k/2).
    const expected = 300 / 3600 / (1 - Math.exp(-0.5));
    expect(found.honestRate / expected).toBeCloseTo(1, 1);
    // In half an hour the adversary earns as many IDs as it keeps.
    expect(found.largestShare).toBeCloseTo(5400 / (5400 + 300), 1);
  });

  it('costs honest nodes about √(TJ) under Ergo, and T under CCom', () => {
    const slope = (defence: string) => {
      const { rules } = parseChurnDefence(defence);
      const [low = 0, high = 0] = [1e3, 1e5].map((rate) => {
        const sessions = sessionsOf(law, 1000, SEED);
        return measured({ ...usual, rules, sessions, rate, seconds: 5000 }).honestRate;
      });
      return Math.log(high / low) / Math.log(1e5 / 1e3);
    };

    expect(slope('ergo')).toBeCloseTo(0.5, 1);
    expect(slope('ccom')).toBeCloseTo(1, 1);
  });
});
