/**
 * @module
 * Protocols in which the rank has no meaning: watched elections follow the law E[K/(n+K)] of the share, a
 * majority is captured or denied at its threshold, and an adversary registers all that it finds.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns, settled } from '../../../src/experiment/runs/run.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { STILL } from '../models.ts';
import { lowest, SEED, watchedModel, winsOf } from '../staging/watched-models.ts';

const FORGING = 'adversaries.main={budget: {attempts: 12}, goal: all, behaviours: []}';
const DRAWN = ['work=sampled', 'network.election.latency=uniform:1:2'];

describe('the share of an adversary', () => {
  // Time-outs, the order of a ring and the speed of a store decide, and none of them knows the identity.
  it.each([
    ['raft', 300],
    ['quorum-lease', 100],
    ['itai-rodeh', 300],
    ['lease-local', 100],
  ])('in watched elections of %s is E[K/(n+K)] in %d runs', (protocol, runs) => {
    const model = watchedModel(protocol, 'leads-more-than-share', ...DRAWN, FORGING);

    const tally = executeRuns(model, SEED, { from: 0, count: runs }, STILL);
    const theory = theoryOf(model, tally, null);

    const law = topProbability({ honest: 4, attempts: 12, difficultyBits: 2 });
    const interval = exactInterval({ wins: tally.wins[0] ?? 0, runs, confidence: 0.9999 });
    expect(theory).toEqual({
      probability: law,
      formula: 'E[K/(n+K)], K ~ Bin(12, 2^-2), n = 4',
    });
    expect(interval[0]).toBeLessThan(law);
    expect(interval[1]).toBeGreaterThan(law);
  });

  it.each([
    ['a protocol that ranks nodes', 'cr-join', FORGING, []],
    ['a behaviour', 'raft', FORGING.replace('[]', '[swallow]'), []],
    ['one identity of all that are found', 'raft', FORGING.replace('all', 'any'), []],
    ['an ordinary identity', 'raft', lowest(), []],
    ['a fault', 'raft', FORGING, ['faults={pause: 2@0-9}']],
    ['a defence', 'raft', FORGING, ['network.election.defences=[pre-vote]']],
  ])('has no closed form with %s', (_name, protocol, adversary, settings) => {
    const model = watchedModel(protocol, 'leads-more-than-share', ...DRAWN, adversary, ...settings);

    expect(theoryOf(model, executeRuns(model, SEED, { from: 0, count: 1 }, STILL), null)).toEqual({
      probability: null,
      formula: expect.stringMatching(/^none: /),
    });
  });
});

describe('the response where the rank has no meaning', () => {
  const open = (attempts: number, honest: number) =>
    watchedModel(
      'raft',
      'leads-more-than-share',
      ...DRAWN,
      `network.honest=${honest}`,
      `adversaries.main={budget: {attempts: ${attempts}}, behaviours: []}`,
    );

  it('registers all identities, as each is one more node', () => {
    const [chosen] = settled(open(100, 50), null).responses;

    expect(chosen?.response.goal).toBe('all');
    expect(chosen?.reason).toContain('the rank has no meaning in raft');
  });

  it('registers as many as can be watched if it finds more', () => {
    const [chosen] = settled(open(100_000, 50), null).responses;

    expect(chosen?.response.goal).toBe('count:206');
    expect(chosen?.reason).toContain('more than 256 nodes are not watched');
  });
});

describe('a majority', () => {
  it.each([
    ['majority-captured', 5],
    ['majority-denied', 4],
  ])('is the threshold of %s: %d of 4 honest identities and its own', (property, least) => {
    const wins = [least - 1, least].map((identities) =>
      winsOf(
        watchedModel(
          'raft',
          property,
          'work=sampled',
          `adversaries.main={identities: ${identities}, goal: all, behaviours: []}`,
        ),
        2,
      ),
    );

    expect(wins).toEqual([0, 2]);
  });

  // Nodes that never vote are to the others as if they had crashed.
  it.each(['raft', 'quorum-lease'] as const)('of %s is denied by silent identities', (protocol) => {
    const agreed = [3, 4, 5].map((silent) => {
      const nodes = 4 + silent;
      const crashedBefore = Array.from({ length: silent }, (_, index) => index + 1);
      const simulation = createSimulation({ protocol, nodes, crashedBefore, seed: SEED });
      simulation.start();
      simulation.advance({ until: 2000 });
      return simulation.status().agreed;
    });

    expect(agreed).toEqual([true, false, false]);
  });
});
