/**
 * @module
 * This folder contains the tests of clients and of what serves them.
 */

import { describe, expect, test } from 'vitest';
import { linearize } from '../../../src/checking/histories/linearizability.ts';
import { registerModel } from '../../../src/checking/histories/register.ts';
import { clientsText, parseClients } from '../../../src/election/clients/client-form.ts';
import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const RUN = {
  protocol: 'lease-local',
  nodes: 3,
  latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
  clients: parseClients('3'),
  untilTicks: 2000,
} as const;

function historyOf(options: Partial<SimulationOptions>, seed = 1) {
  const simulation = createSimulation({ ...RUN, seed: parseSeed(String(seed)), ...options });
  simulation.start();
  simulation.advance({ until: 2000 });
  return simulation.history() ?? [];
}

describe('clients', () => {
  test.each([
    '1',
    '3',
    '3:reads=resource',
    '100:reads=resource,patience=7',
    '2:patience=7,every=9',
  ])('have the text form %s', (text) => {
    expect(clientsText(parseClients(text))).toBe(text);
  });

  test.each([
    ...['0', '101', '3:', '3:reads=none', '3:patience=0', '3:every=0', '3:every=', '3:other=1'],
    'three',
  ])('are not %s', (text) => {
    expect(() => parseClients(text)).toThrow('clients are a number 1..100');
  });

  test('operate as often as stated', () => {
    const log = { protocol: 'raft', flags: { log: 'on' } } as const;
    const count = (text: string) => historyOf({ ...log, clients: parseClients(text) }).length;

    expect(count('1:every=2')).toBeGreaterThan(count('1'));
    expect(count('1')).toBeGreaterThan(3 * count('1:every=200'));
  });

  test('need a resource or a log, and no resource beside a log', () => {
    const log = { protocol: 'raft', flags: { log: 'on' } } as const;
    const workload = { resource: 'unfenced', everyTicks: null } as const;

    expect(() => historyOf({})).toThrow(
      'lease-local keeps no log, so that clients need a resource',
    );
    expect(() => historyOf({ ...log, workload })).toThrow('the log serves the clients');
  });

  test.each(['lease-local', 'db-lease', 'zk-recipe', 'raft', 'quorum-lease'] as const)(
    'of %s receive answers of every kind, which are linearizable without faults',
    (protocol) => {
      const history = historyOf({
        protocol,
        workload: { resource: 'fencing-register', everyTicks: null },
      });

      const answered = history.filter(({ returned }) => returned !== null);
      expect(answered.length).toBeGreaterThan(20);
      expect(new Set(answered.map(({ input }) => input.type)).size).toBe(3);
      expect(linearize(registerModel(), history).value).toBe('true');
    },
  );

  test.each([1, 2, 3, 4, 5])(
    'of a register with a fence that is asked at each read see no stale value, seed %i',
    (seed) => {
      const pause = (rank: number, from: number) =>
        ({ type: 'pause', rank, from, to: from + 300 }) as const;
      const history = historyOf(
        {
          clients: parseClients('3:reads=resource'),
          workload: { resource: 'fencing-register', everyTicks: null },
          schedule: {
            faults: [pause(1, 400), pause(2, 800), pause(3, 1200)],
            calm: null,
            detector: 'crashes',
          },
        },
        seed,
      );

      expect(linearize(registerModel(), history).value).toBe('true');
    },
  );
});
