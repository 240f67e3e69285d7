/**
 * @module
 * Elections under drawn schedules: the engine does what the reference semantics does, no message is
 * unaccounted for, a run ends, and the same seed gives the same run. `FAULT_RUNS` makes it more runs.
 */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { judgePhases, simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { countLinks } from '../link-counts.ts';
import { swarmRun } from '../schedules.ts';

const RUNS = Number(process.env.FAULT_RUNS ?? 60);
const PROTOCOLS = ['bully-oneshot', 'cr-join'] as const;
const DETECTORS = ['crashes', 'links'] as const;
const CASES = PROTOCOLS.flatMap((protocol) =>
  DETECTORS.map((detector) => ({ protocol, detector })),
);

function traced(options: SimulationOptions): Simulation {
  const simulation = createSimulation({ ...options, trace: true });
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation;
}

function replay(simulation: Simulation): World {
  const { crashedBefore, absent } = simulation.plan;
  const cast = createCast(simulation.plan);
  let world = createWorld(cast, crashedBefore, absent);
  for (const { action, effects, dropped } of simulation.records()) {
    const next = applyTraced(cast, world, action);
    expect(next.effects).toEqual(effects);
    if (dropped) expect(next.world.dropped).toBe(world.dropped + 1);
    world = next.world;
  }
  return world;
}

describe.each(CASES)('$protocol under drawn faults, detector $detector', (row) => {
  it('does what the reference semantics does', () => {
    const seen = new Set<string>();
    for (let number = 0; number < RUNS; number += 1) {
      const simulation = traced(swarmRun(number, { ...row, restart: number % 3 === 0 }));

      const world = replay(simulation);

      const { messages, inFlight } = simulation.status();
      expect(world.sent, `seed ${number}`).toBe(messages.total);
      expect(world.inFlight.length).toBe(inFlight);
      for (const { rank, up, leader } of simulation.nodes()) {
        expect(world.nodes[rank - 1]).toMatchObject({ up, leader });
        expect(world.nodes[rank - 1]?.state).toEqual(simulation.stateOf(rank));
      }
      for (const { action } of simulation.records()) seen.add(action.type);
    }

    // Every kind of action is in there somewhere, or the comparison says little.
    expect([...seen]).toEqual(
      expect.arrayContaining(['drop', 'duplicate', 'pause', 'resume', 'enter', 'join', 'recover']),
    );
  });

  it('accounts for every message of every link', () => {
    for (let number = 0; number < RUNS; number += 1) {
      const simulation = traced(swarmRun(number, row));

      const links = countLinks(simulation.records());

      for (const { sent, duplicated, delivered, dropped, inFlight } of links) {
        expect(sent + duplicated, `seed ${number}`).toBe(delivered + dropped + inFlight);
        expect(inFlight).toBeGreaterThanOrEqual(0);
      }
      const { messages, inFlight } = simulation.status();
      const total = links.reduce((sum, link) => sum + link.sent, 0);
      expect(total).toBe(messages.total);
      expect(links.reduce((sum, link) => sum + link.inFlight, 0)).toBe(inFlight);
    }
  });

  it('ends by its deadline, at rest or not, and says how', () => {
    const ends = new Set<string>();
    for (let number = 0; number < RUNS; number += 1) {
      const outcome = judgePhases(simulateElection(swarmRun(number, row)));

      expect(outcome.ticks, `seed ${number}`).toBeLessThanOrEqual(2200);
      expect(outcome.liveness).not.toBe('unknown');
      expect(outcome.end === 'leader').toBe(outcome.agreed);
      ends.add(outcome.end);
    }

    expect(ends).toContain('leader');
  });
});

describe.each(PROTOCOL_NAMES)('%s under drawn faults', (protocol) => {
  it('does what the reference semantics does, and accounts for every message', () => {
    for (let number = 0; number < RUNS / 10; number += 1) {
      const detector = number % 2 === 0 ? 'crashes' : 'links';
      const simulation = traced(swarmRun(number, { protocol, detector, restart: true }));

      const world = replay(simulation);

      const { store } = simulation.plan;
      const ranks = simulation.nodes().map(({ rank }) => rank);
      const positions = store === null ? ranks : [...ranks, store];
      const states = positions.map((position) => simulation.stateOf(position));
      expect(
        world.nodes.map(({ state }) => state),
        `seed ${number}`,
      ).toEqual(states);
      const inFlight = countLinks(simulation.records()).map((link) => link.inFlight);
      expect(inFlight.reduce((sum, count) => sum + count, 0)).toBe(world.inFlight.length);
    }
  });
});

describe('a ring whose members neither join nor forget', () => {
  it('never has two leaders, whatever breaks, and often none', () => {
    const kinds = FAULT_KINDS.filter((kind) => kind !== 'join');

    const runs = Array.from({ length: 1000 }, (_, number) =>
      judgePhases(simulateElection(swarmRun(number, { protocol: 'cr-join', kinds }))),
    );

    expect(runs.filter(({ verdict }) => verdict.properties.uniqueness.value === 'false')).toEqual(
      [],
    );
    expect(runs.some(({ end }) => end === 'no-leader')).toBe(true);
    expect(runs.some(({ end }) => end === 'leader')).toBe(true);
  });
});

describe('Bully without faults that break its assumptions', () => {
  it.each(['crash', 'restart', 'duplication', 'amnesia'] as const)('stands %s', (kind) => {
    const outcomes = Array.from({ length: 300 }, (_, number) => {
      const run = swarmRun(number, { protocol: 'bully-oneshot', kinds: [kind] });
      return judgePhases(simulateElection({ ...run, fifo: true }));
    });

    expect(
      outcomes.filter(({ safety, liveness }) => safety !== 'true' || liveness !== 'true'),
    ).toEqual([]);
  });

  it.each(['loss', 'pause', 'halves', 'slowdown', 'one-way', 'skew', 'minority'] as const)(
    'has two leaders at once in some run with %s',
    (kind) => {
      const run = (number: number) =>
        judgePhases(
          simulateElection(swarmRun(number, { protocol: 'bully-oneshot', kinds: [kind] })),
        );
      const breaks = (number: number) =>
        run(number).verdict.properties.uniqueness.value === 'false';

      const found = Array.from({ length: 3000 }, (_, number) => number).find(breaks);

      expect(found).toBeDefined();
    },
  );
});

describe('the same seed and schedule', () => {
  const SIMULATION = fileURLToPath(
    new URL('../../../src/simulation/run/simulation.ts', import.meta.url),
  );
  const TRACE = fileURLToPath(new URL('../../../src/simulation/engine/trace.ts', import.meta.url));

  it.each(PROTOCOLS)('give the same trace twice and in another process: %s', (protocol) => {
    const runs = [3, 4, 5, 6, 7, 8].map((number) => swarmRun(number, { protocol }));
    const program = `
      import { createSimulation } from ${JSON.stringify(SIMULATION)};
      import { traceDigest } from ${JSON.stringify(TRACE)};
      const digests = ${JSON.stringify(runs)}.map((options) => {
        const simulation = createSimulation({ ...options, trace: true });
        simulation.start();
        simulation.advance({ until: 'idle' });
        return traceDigest(simulation.traceLines());
      });
      process.stdout.write(JSON.stringify(digests));`;

    const here = runs.map((options) => traceDigest(traced(options).traceLines()));
    const again = runs.map((options) => traceDigest(traced(options).traceLines()));
    const elsewhere = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });

    expect(again).toEqual(here);
    expect(JSON.parse(elsewhere)).toEqual(here);
    expect(new Set(here).size).toBe(here.length);
  });

  it('give the same run when it is advanced event by event', () => {
    for (let number = 0; number < 60; number += 1) {
      const options = { ...swarmRun(number, { protocol: 'bully-oneshot' }), trace: true };
      const pieces = createSimulation(options);
      pieces.start();

      while (pieces.advance({ until: 'idle', events: 1 }) === 'events');

      expect(pieces.records(), `seed ${number}`).toEqual(traced(options).records());
    }
  });
});
