/**
 * @module
 * Elections of Raft beside a program of figure 2 that was written anew (figure-2.ts): one lost link between the leader
 * and a follower, and the order of messages and timers of one tick.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { SameTickOrder, SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../schedules.ts';
import type { Figure2, Figure2Run } from './figure-2.ts';
import { runFigure2 } from './figure-2.ts';

const ORDERS = ['messages-first', 'timers-first'] as const;

describe('one lost link between the leader and one of two followers', () => {
  const [cutAt, until, runs] = [101, 3000, 40];
  // The follower stands again and again. The third server's answer to the next heartbeat deposes the old leader.
  const figure2 = {
    ...{ servers: 3, latencyTicks: 1, electionTicks: 30, spreadTicks: 30, heartbeatTicks: 3 },
    ...({ lost: [[0, 1]], dead: [], leader: 0, untilTicks: until - cutAt } as const),
  };
  const lostLink = (flags: Flags, sameTick?: SameTickOrder) => {
    const schedule = scheduleOf({
      ...{ type: 'partition', cut: { kind: 'links', links: [[1, 2]] } },
      ...{ from: cutAt, to: null },
    });
    const measured = measuredRuns({ nodes: 3, flags, sameTick, schedule }, runs, until);
    // If the first leader is server 3, which reaches both others, nothing happens.
    return measured.filter(({ changes }) => changes > 0);
  };

  it.each(ORDERS)('leaves an old leader in charge up to its next heartbeat, %s', (sameTick) => {
    const measured = lostLink({}, sameTick);
    const expected = figure2Runs({ ...figure2, first: firstOf(sameTick), ties: 'in order' }, runs);

    // The third server receives a heartbeat 0 to 2 ticks after the VOTE, each as often.
    expect(splitsPerChange(expected)).toBeCloseTo(1, 1);
    expect(perChange(measured)).toBeCloseTo(splitsPerChange(expected), 1);
    expect(Math.max(...measured.map(({ ticksSplit }) => ticksSplit))).toBeLessThan(82);
  });

  it('takes half a tick more where ties of timers are drawn: 82 to 105 ticks in most runs', () => {
    const drawn = figure2Runs({ ...figure2, first: 'messages', ties: 'drawn' }, runs);

    expect(splitsPerChange(drawn)).toBeCloseTo(1.5, 1);
    const within = drawn.filter(({ splitTicks }) => splitTicks >= 82 && splitTicks <= 105);
    expect(within.length).toBeGreaterThan(0.8 * runs);
  });

  it('leaves it in charge to the end by the rules of etcd, unless it counts answers', () => {
    const ignoring = lostLink({ rules: 'etcd' }).map(({ ticksSplit }) => ticksSplit);
    const counting = lostLink({ rules: 'etcd', checkQuorum: 'on' });

    expect(Math.min(...ignoring)).toBeGreaterThan(2800);
    expect(Math.max(...counting.map(({ ticksSplit }) => ticksSplit))).toBeLessThan(105);
  });

  // Section 9.6 of Ongaro's dissertation: a server that receives the heartbeats of a leader grants no pre-vote.
  it('changes no leader with pre-votes, but for those of etcd', () => {
    const asEtcd = lostLink({ rules: 'etcd', preVote: 'on' });

    expect(lostLink({ preVote: 'on' })).toEqual([]);
    expect(asEtcd.length).toBeGreaterThan(runs / 2);
    expect(Math.max(...asEtcd.map(({ changes }) => changes))).toBeGreaterThan(50);
  });
});

describe('five servers without their leader, five lengths of a time-out, latency 5', () => {
  const [runs, until] = [400, 40_000];

  // Measured by another program: 1953 and 3018 ticks.
  it.each([
    ['messages-first', 1953],
    ['timers-first', 3018],
  ] as const)(
    'have none for about as long as figure 2 says, %s: about %i',
    (sameTick, published) => {
      const flags = { electionTicks: '300', spreadTicks: '5' };
      const latency = { type: 'constant', ticks: 5 } as const;
      const measured = measuredRuns(
        { nodes: 5, flags, latency, sameTick, crashedBefore: [5], untilTicks: until },
        ...([runs, 'idle'] as const),
      ).map(({ ticksWithoutLeader }) => ticksWithoutLeader);
      const expected = figure2Runs(
        {
          ...{
            servers: 5,
            latencyTicks: 5,
            electionTicks: 300,
            spreadTicks: 5,
            heartbeatTicks: 30,
          },
          ...({ lost: [], dead: [4], leader: null, untilTicks: until, untilLed: true } as const),
          ...{ first: firstOf(sameTick), ties: 'in order' },
        },
        runs,
      ).map(({ ledAt }) => ledAt);

      const error = Math.hypot(standardError(measured), standardError(expected));
      expect(Math.abs(mean(measured) - mean(expected))).toBeLessThan(4 * error);
      expect(Math.abs(mean(measured) - published)).toBeLessThan(4 * standardError(measured));
    },
  );
});

function measuredRuns(
  options: Omit<SimulationOptions, 'protocol' | 'seed'>,
  runs: number,
  until: number | 'idle',
): LeadershipMeasures[] {
  return Array.from({ length: runs }, (_, index) => {
    const seed = parseSeed(String(index + 1));
    const simulation = createSimulation({ protocol: 'raft', ...options, seed, audit: true });
    simulation.start();
    simulation.advance({ until });
    const measures = simulation.audit()?.finish(simulation.status().ticks);
    if (measures === undefined) throw new RangeError('the options ask for an audit');
    return measures;
  });
}

function figure2Runs(given: Figure2, runs: number): Figure2Run[] {
  return Array.from({ length: runs }, (_, index) => {
    return runFigure2(given, createRandom(parseSeed(String(index + 1)), 'figure 2'));
  });
}

function firstOf(sameTick: SameTickOrder): Figure2['first'] {
  return sameTick === 'messages-first' ? 'messages' : 'timers';
}

function splitsPerChange(runs: readonly Figure2Run[]): number {
  return perChange(runs.map(({ splitTicks, changes }) => ({ ticksSplit: splitTicks, changes })));
}

function perChange(runs: readonly Pick<LeadershipMeasures, 'ticksSplit' | 'changes'>[]): number {
  return mean(runs.map(({ ticksSplit }) => ticksSplit)) / mean(runs.map(({ changes }) => changes));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardError(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)) / values.length);
}
