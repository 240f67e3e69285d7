/**
 * @module
 * The named scenarios: each gives its expected outcome under every seed and size, and not when the
 * fault that it is about is taken away.
 */

import { describe, expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import { EMPTY_SCHEDULE } from '../../../src/simulation/faults/schedule.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { playRun } from '../../../src/simulation/scenarios/played-run.ts';
import { findScenario, SCENARIOS } from '../../../src/simulation/scenarios/registry.ts';
import type { Scenario } from '../../../src/simulation/scenarios/scenario.ts';
import { playScenario } from '../../../src/simulation/scenarios/scenario.ts';

const SEEDS = Number(process.env.SCENARIO_SEEDS ?? 3);
const SEEDS_PER_SIZE = Math.ceil(SEEDS / 10);
const SIZES_MAX = 10;
const BY_NAME = SCENARIOS.map((scenario) => [scenario.name, scenario] as const);

/** The same elections with nothing going wrong in them. */
function withoutFaults(scenario: Scenario): Scenario {
  return {
    ...scenario,
    stage: (setting) =>
      scenario.stage(setting).map((run) => ({
        ...run,
        options: { ...run.options, schedule: EMPTY_SCHEDULE },
      })),
  };
}

describe.each(BY_NAME)('%s', (_name, scenario) => {
  it(`gives its expected outcome under ${SEEDS} seeds`, () => {
    for (let number = 0; number < SEEDS; number += 1) {
      const played = playScenario(scenario, { seed: parseSeed(String(number)) });

      expect(played.observed, `seed ${number}`).toEqual(played.expected);
      expect(played.asExpected, `seed ${number}`).toBe(true);
    }
  });

  it('gives it at other sizes too', () => {
    const { min, max } = scenario.nodes;

    for (let nodes = min; nodes <= Math.min(max, SIZES_MAX); nodes += 1) {
      for (let number = 0; number < SEEDS_PER_SIZE; number += 1) {
        const played = playScenario(scenario, { seed: parseSeed(String(number)), nodes });

        expect(played.observed, `${nodes} nodes, seed ${number}`).toEqual(played.expected);
      }
    }
  });

  it('gives it with as many nodes as it takes', () => {
    const { max } = scenario.nodes;

    const played = playScenario(scenario, { seed: parseSeed('1'), nodes: max });

    expect(played.observed).toEqual(played.expected);
  });

  it('gives another outcome, and says so, when nothing goes wrong', () => {
    const played = playScenario(withoutFaults(scenario), { seed: parseSeed('1') });

    expect(played.asExpected).toBe(false);
    expect(played.observed.sentence).not.toBe(played.expected.sentence);
  });

  it('gives the same again under the same seed, and another trace under another', () => {
    const digests = ['1', '1', '2'].map((seed) =>
      playScenario(scenario, { seed: parseSeed(seed) }).runs.map(({ simulation }) =>
        traceDigest(simulation.traceLines()),
      ),
    );

    expect(digests[1]).toEqual(digests[0]);
    expect(digests[2]).not.toEqual(digests[0]);
  });

  it('can be saved, run by run, and replayed exactly', () => {
    for (const run of playScenario(scenario, { seed: parseSeed('7') }).runs) {
      const { name, simulation, staged } = run;
      const digest = traceDigest(simulation.traceLines());
      const initiators = staged.options.initiators ?? null;

      const { options } = loadRun(saveRun(simulation.plan, { initiators, digest }));
      const again = playRun({ ...staged, options });

      expect(traceDigest(again.simulation.traceLines()), name).toBe(digest);
    }
  });

  it('refuses one node less than it takes, and one more', () => {
    const { min, max } = scenario.nodes;

    for (const nodes of [min - 1, max + 1, 4.5]) {
      const play = () => playScenario(scenario, { seed: parseSeed('1'), nodes });

      expect(play, `${nodes} nodes`).toThrow(
        expect.objectContaining({
          code: 'arguments',
          message: expect.stringContaining(`in ${min}..${max}`),
        }),
      );
    }
  });

  it('is found by its name and by its aliases', () => {
    for (const name of [scenario.name, ...scenario.aliases]) {
      expect(findScenario(name)).toBe(scenario);
    }
  });
});

describe('scenarios', () => {
  it('have names and aliases that are all different', () => {
    const names = SCENARIOS.flatMap(({ name, aliases }) => [name, ...aliases]);

    expect(new Set(names).size).toBe(names.length);
  });

  it('are all named where one is not found', () => {
    const find = () => findScenario('split-brian');

    for (const { name } of SCENARIOS) expect(find).toThrow(name);
  });
});
