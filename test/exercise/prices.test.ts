/**
 * @module
 * Prices that exercises ask for, against what the lab measures: messages of small networks, and threat models whose honest
 * nodes come and go.
 */

import { describe, expect, it } from 'vitest';

import { fewestBits, priceOf } from '../../src/exercise/goals/churned-cost.ts';
import { messagesOfFailures } from '../../src/exercise/goals/message-counts.ts';
import { executeRuns } from '../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../src/experiment/runs/tally.ts';
import { report } from '../../src/experiment/verdict/report.ts';
import { theoryOf } from '../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../src/random.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { STILL, topId } from '../experiment/models.ts';

const SEED = parseSeed('1');

describe('the messages of failures', () => {
  const measured = (nodes: number, failures: number, defences: readonly string[]) => {
    const simulation = createSimulation({ protocol: 'bully-oneshot', nodes, seed: SEED, defences });
    const sent = () => simulation.status().messages.total ?? 0;
    simulation.start();
    simulation.advance({ until: 100 });
    const before = sent();
    for (let failure = 0; failure < failures; failure += 1) {
      const at = 100 + 120 * failure;
      simulation.crash(nodes);
      simulation.advance({ until: at + 60 });
      simulation.recover(nodes);
      simulation.advance({ until: at + 120 });
    }
    return sent() - before;
  };

  it.each([
    [3, 3],
    [4, 4],
    [7, 3],
    [12, 4],
    [40, 3],
  ])('of %i nodes with %i failures are those of an election', (nodes, failures) => {
    const { none, incumbency } = messagesOfFailures({ nodes, failures });

    expect(measured(nodes, failures, [])).toBe(none);
    expect(measured(nodes, failures, ['incumbency'])).toBe(incumbency);
  });
});

describe('the price of identities under churn', () => {
  const task = { honest: 60, churn: 0.2, windowAttempts: 30_000, lifetimeMax: 9, probability: 0.1 };
  const modelOf = (lifetime: number, c1: number) =>
    topId(
      ...['work=sampled', 'confirmRuns=null', 'network.honest=60', `network.identity.c1=${c1}`],
      `epochs={count: 60, salt: both, lifetime: ${lifetime}, churn: 20%}`,
      `adversaries.main.budget.attempts=${task.windowAttempts}`,
    );

  it.each([1, 3, 7])('with the lifetime %i has bits that are just safe', (lifetime) => {
    const bits = fewestBits(task, lifetime);
    const leads = (c1: number) => theoryOf(modelOf(lifetime, c1), EMPTY_TALLY, null).probability;

    expect(leads(bits)).toBeLessThanOrEqual(task.probability);
    expect(leads(bits - 1)).toBeGreaterThan(task.probability);
  });

  it.each([1, 3, 7])('with the lifetime %i is what runs cost in the long run', (lifetime) => {
    const model = modelOf(lifetime, fewestBits(task, lifetime));
    const tally = executeRuns(model, SEED, { from: 0, count: 40 }, STILL);
    const { workByEpoch = [] } = report(model, tally, {
      ...{ id: 'churn', seed: SEED, runs: 40, settings: [], rateMeasured: null },
    });
    // In the first epochs all identities expire together.
    const late = workByEpoch.filter(({ epoch }) => epoch > 40);
    const attempts = late.reduce((sum, { inEpoch }) => sum + inEpoch.honest.attempts, 0);

    expect(late).toHaveLength(20);
    expect(attempts / late.length / priceOf(task, lifetime)).toBeCloseTo(1, 1);
  });
});
