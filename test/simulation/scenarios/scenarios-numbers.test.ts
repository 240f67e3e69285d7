/**
 * @module
 * What the named scenarios show in numbers, against closed forms and against what the traces say.
 */

import { describe, expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import { leadersAtEnd, ledTogether } from '../../../src/simulation/scenarios/played-run.ts';
import { findScenario } from '../../../src/simulation/scenarios/registry.ts';
import type { PlayedScenario } from '../../../src/simulation/scenarios/scenario.ts';
import { messagesOf, playScenario, runNamed } from '../../../src/simulation/scenarios/scenario.ts';

function play(name: string, nodes?: number): PlayedScenario {
  return playScenario(findScenario(name), { seed: parseSeed('3'), nodes });
}

describe('flapping-top', () => {
  it.each([
    [3, 7],
    [5, 23],
    [10, 98],
    [50, 2498],
  ])('costs %i nodes %i messages a cycle', (nodes, cost) => {
    const { observed, runs } = play('flapping-top', nodes);

    expect(observed.members.messages).toEqual([cost, cost, cost, cost]);
    // The first announcement comes before the cycles.
    expect(messagesOf(runs).total).toBe(4 * cost + nodes - 1);
  });

  it('changes the leader twice in each cycle and never has two', () => {
    const { runs } = play('flapping-top');
    const run = runNamed(runs, 'flapping');

    expect(run.reigns.map(({ rank }) => rank)).toEqual([5, 4, 5, 4, 5, 4, 5, 4, 5]);
    expect(ledTogether(run)).toBe(false);
    expect(run.outcome.verdict.value).toBe('true');
  });
});

describe('split-brain', () => {
  it('ends split if no detector watches the links, and agreed if one does', () => {
    const { runs } = play('split-brain', 7);
    const noticed = runNamed(runs, 'links are watched');
    const unnoticed = runNamed(runs, 'crashes are watched');

    expect(noticed.outcome).toMatchObject({ end: 'leader', leader: 7, safety: 'false' });
    expect(unnoticed.outcome).toMatchObject({ end: 'split', leader: null, safety: 'false' });
    expect(leadersAtEnd(unnoticed)).toEqual([3, 7]);
  });
});

describe('orphan-probe', () => {
  it('counts ever more hops, a third of them in each third of the time', () => {
    const { figures } = play('orphan-probe', 6);
    const { hopsAfterThird = 0, hopsAfterTwoThirds = 0, hopsAtEnd = 0 } = figures;

    // One hop takes 5 or 6 ticks, and 1000 are a third.
    for (const hops of [
      hopsAfterThird,
      hopsAfterTwoThirds - hopsAfterThird,
      hopsAtEnd - hopsAfterTwoThirds,
    ]) {
      expect(hops).toBeGreaterThan(1000 / 6 - 2);
      expect(hops).toBeLessThan(1000 / 5 + 2);
    }
  });

  it('is ended by the bound, not by rest, and elects no leader', () => {
    const { runs } = play('orphan-probe');
    const run = runNamed(runs, 'cr-join');

    expect(run.outcome).toMatchObject({ bound: 'until', leader: null });
    expect(run.outcome.messages.SELECTED).toBe(0);
  });
});

describe('stale-coordinator', () => {
  it('leaves every survivor with a dead leader for good', () => {
    const { runs } = play('stale-coordinator');
    const run = runNamed(runs, 'late COORDINATOR');

    expect(run.outcome).toMatchObject({ bound: 'idle', end: 'no-leader' });
    expect(run.outcome.verdict.reason).toBe('the followed leader 5 is down');
  });
});

describe('one-way-loss', () => {
  it('makes the highest announce itself again in every round', () => {
    const { runs, figures, nodes } = play('one-way-loss');
    const run = runNamed(runs, 'n is not heard by 1');
    const announced = run.sent.filter(
      ({ from, to, message }) => from === nodes && to === 2 && message.type === 'COORDINATOR',
    );

    expect(figures.roundsOfNode1).toBeGreaterThan(20);
    expect(announced.length).toBeGreaterThanOrEqual(figures.roundsOfNode1 ?? 0);
    expect(run.outcome).toMatchObject({ bound: 'until', end: 'until', liveness: 'unknown' });
  });
});

describe('late-joiner', () => {
  it('gives Chang and Roberts two leaders at once, and Bully never', () => {
    const { runs } = play('late-joiner');

    const uniqueness = runs.map(({ name, outcome }) => {
      return [name, outcome.verdict.properties.uniqueness.value];
    });

    expect(uniqueness).toEqual([
      ['bully-oneshot', 'true'],
      ['cr-join', 'false'],
      ['ring-robust', 'true'],
    ]);
  });
});

describe('consensus-by-election', () => {
  it('agrees on the last bit of n, and on both bits once n is cut off', () => {
    const even = play('consensus-by-election', 4);
    const odd = play('consensus-by-election', 5);

    expect(even.observed.members).toEqual({
      whole: [0, 0, 0, 0],
      cut: [1, 1, 1, 0],
      ring: [null, null, null, null],
    });
    expect(odd.observed.members).toMatchObject({
      whole: [1, 1, 1, 1, 1],
      cut: [0, 0, 0, 0, 1],
    });
  });
});
