/**
 * @module
 * Crashes of the present leader: at a tick, at a drawn tick, and repeated.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { faultText, parseFaultText } from '../../../src/simulation/faults/text.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

function crashesOf(text: string, options: Partial<SimulationOptions> = {}, ...more: string[]) {
  const partitions = more.flatMap((each) => parseFaultText('partition', each));
  const faults = [...parseFaultText('crash', text), ...partitions];
  const schedule: Schedule = { faults, calm: null, detector: 'crashes' };
  const seed = parseSeed('1');
  const shape = { protocol: 'raft', nodes: 5, seed, ...options } as const;
  const simulation = createSimulation({ ...shape, schedule, trace: true, audit: true });
  simulation.start();
  simulation.advance({ until: 'idle' });
  const records = simulation.records();
  const ended = (at: number) => {
    const trail = simulation.audit()?.trail() ?? [];
    return trail.filter((change) => change.at < at && change.leads).at(-1)?.node;
  };
  return records.flatMap(({ t: at, action }) =>
    action.type === 'crash' ? [{ at, node: action.node, leader: ended(at) }] : [],
  );
}

describe('a crash of the leader', () => {
  it.each(['leader@700', 'leader@10-70', 'leader@9:every=500:times=3', 'leader@9-20:back=7'])(
    'reads and writes %s',
    (text) => {
      expect(parseFaultText('crash', text).map(faultText)).toEqual([{ flag: 'crash', text }]);
    },
  );

  it('hits the node that leads at that tick, under each seed', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const crashes = crashesOf('leader@700', { seed: parseSeed(String(seed)) });
      expect(crashes).toHaveLength(1);
      expect(crashes[0]).toMatchObject({ at: 700, node: crashes[0]?.leader });
    }
  });

  it('happens at a tick that the seed draws uniformly from the window', () => {
    const ticks = Array.from({ length: 400 }, (_, index) => {
      const options = { protocol: 'bully-oneshot', nodes: 3, seed: parseSeed(`${index}`) } as const;
      return crashesOf('leader@100-110', options)[0]?.at ?? 0;
    });
    const counts = Array.from({ length: 10 }, (_, at) => ticks.filter((tick) => tick === 100 + at));
    expect(counts.flat()).toHaveLength(400);
    // A uniform count has mean 40 and standard deviation 6.
    for (const { length } of counts) expect(Math.abs(length - 40)).toBeLessThan(24);
  });

  it('repeats, and the node returns', () => {
    const crashes = crashesOf('leader@1000:every=1000:times=3:back=300', { untilTicks: 5000 });
    expect(crashes.map(({ at }) => at)).toEqual([1000, 2000, 3000]);
    for (const { node, leader } of crashes) expect(node).toBe(leader);
  });

  it('does nothing while no node leads', () => {
    expect(crashesOf('leader@0', { protocol: 'bully-oneshot', nodes: 3 })).toEqual([]);
  });

  it('hits the leader with the most followers of a split', () => {
    const split = 'links:1-4,1-5,2-4,2-5,3-4,3-5@0-200';
    const options = { protocol: 'bully-oneshot', nodes: 5 } as const;
    expect(crashesOf('leader@150', options, split)).toMatchObject([{ at: 150, node: 3 }]);
  });

  it('is refused beside a scripted detector, which must know the victims', () => {
    const detector = { name: 'fd-oracle', options: {} } as const;
    expect(() => crashesOf('leader@9', { detector })).toThrow(LabError);
    expect(() => crashesOf('2@9', { detector })).not.toThrow();
  });
});
