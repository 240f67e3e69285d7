/**
 * @module
 * An election that is carried out in parts is the same as one that is carried out at once.
 */

import { describe, expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import { EMPTY_SCHEDULE } from '../../../src/simulation/faults/schedule.ts';
import { parseFaultText } from '../../../src/simulation/faults/text.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const BASE = { seed: parseSeed('3'), trace: true } as const;

const CASES: Readonly<Record<string, SimulationOptions>> = {
  'a protocol that never falls silent': { ...BASE, protocol: 'raft', nodes: 15 },
  'timers of one tick': { ...BASE, protocol: 'zab-fle', nodes: 9, level: 'L3' },
  'nodes that pause and return': {
    ...{ ...BASE, protocol: 'bully-oneshot', nodes: 12, untilTicks: 2_000 },
    schedule: {
      ...EMPTY_SCHEDULE,
      detector: 'links',
      faults: [
        ...parseFaultText('churn', '20@0-400'),
        ...parseFaultText('pause', '3@5-60'),
        ...parseFaultText('partition', 'halves@100-200'),
      ],
    },
  },
};

function traceOf(simulation: Simulation): string[] {
  return [...simulation.traceLines()];
}

describe.each(Object.entries(CASES))('%s', (_name, options) => {
  const atOnce = createSimulation(options);
  atOnce.start();
  const bound = atOnce.advance({ until: 'idle', events: 5_000 });

  it.each([1, 2, 7])('gives the same events in parts of %i', (eventsPerPart) => {
    const inParts = createSimulation(options);
    for (const _part of inParts.starting());
    const parts = inParts.advancing({ until: 'idle', events: 5_000 }, eventsPerPart);
    let count = 0;
    let step = parts.next();
    for (; step.done !== true; step = parts.next()) count += 1;

    expect(step.value).toBe(bound);
    expect(traceOf(inParts)).toEqual(traceOf(atOnce));
    expect(count).toBeGreaterThan(10);
  });
});

it('carries out each crash of a tick in a part of its own, because a link detector compares all pairs', () => {
  const faults = [5, 6, 7, 8].flatMap((rank) => parseFaultText('crash', `${rank}@10`));
  const schedule = { ...EMPTY_SCHEDULE, detector: 'links', faults } as const;
  const simulation = createSimulation({ ...BASE, protocol: 'bully-oneshot', nodes: 8, schedule });
  simulation.start();
  simulation.advance({ until: 9 });

  const crashed = new Set<number>();
  for (const _part of simulation.advancing({ until: 10 }, 100)) {
    crashed.add(simulation.records().filter(({ action }) => action.type === 'crash').length);
  }

  expect([...crashed].slice(0, 4)).toEqual([1, 2, 3, 4]);
});

describe('a start is refused before the faults that are due with it, because of them:', () => {
  /** What happens to one node at tick 0. */
  const FATES = {
    nothing: () => ({}),
    crash: (rank: number) => ({ script: [{ type: 'crash', rank, at: 0 } as const] }),
    'crash and return': (rank: number) => ({
      script: [{ type: 'crash', rank, at: 0 } as const, { type: 'recover', rank, at: 0 } as const],
    }),
    join: (rank: number) => ({ schedule: parseFaultText('join', `${rank}@0`) }),
    'join late': (rank: number) => ({ schedule: parseFaultText('join', `${rank}@9`) }),
    'join and crash': (rank: number) => ({
      schedule: (['join', 'crash'] as const).flatMap((type) => parseFaultText(type, `${rank}@0`)),
    }),
    pause: (rank: number) => ({ schedule: parseFaultText('pause', `${rank}@0-5`) }),
  };
  const names = Object.keys(FATES) as (keyof typeof FATES)[]; // The keys of the object above.
  const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));

  it.each(pairs)('%s and %s', (...fates) => {
    const each = fates.map((fate, index): Fated => FATES[fate](index + 1));
    const options: SimulationOptions = {
      ...{ ...BASE, protocol: 'bully-oneshot', nodes: 4 },
      faults: each.flatMap(({ script = [] }) => script),
      schedule: { ...EMPTY_SCHEDULE, faults: each.flatMap(({ schedule = [] }) => schedule) },
    };
    const began = createSimulation(options);
    began.start();

    for (const [index, { up }] of began.nodes().slice(0, 2).entries()) {
      const asked = createSimulation(options);
      const before = traceOf(asked);
      if (up) asked.start([index + 1]);
      else expect(() => asked.start([index + 1])).toThrow(`node ${index + 1} is down at 0`);
      expect(traceOf(asked).length > before.length).toBe(up);
    }
  });
});

interface Fated {
  readonly script?: SimulationOptions['faults'];
  readonly schedule?: ReturnType<typeof parseFaultText>;
}
