/**
 * @module
 * What a simulation takes for one protocol alone, flags and attributes, and how long it lets every
 * protocol go on.
 */

import { describe, expect, it } from 'vitest';

import { parseDetector } from '../../../src/election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import { parseLatency } from '../../../src/simulation/faults/latency.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { settleTicks, TICKS_LIMIT } from '../../../src/simulation/plan/time-limits.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const seed = parseSeed('1');
const BULLY = { protocol: 'bully-oneshot', nodes: 5, crashedBefore: [5], seed } as const;
const CLAIMS = { protocol: 'ring-attr', nodes: 4, attributes: [3, 9, 9, 1], seed } as const;

describe('flags', () => {
  it('change what the protocol sends', () => {
    const counts = [{}, { rejoin: 'naive' }, { coordTo: 'all' }].map((flags) => {
      const { messages } = simulateElection({ ...BULLY, flags, initiators: [1] });
      return [messages.ELECTION, messages.COORDINATOR];
    });

    // n(n−1)/2 and n−2; 2ⁿ⁻¹ − 1; one COORDINATOR more, to the dead.
    expect(counts).toEqual([
      [10, 3],
      [15, 12],
      [10, 4],
    ]);
  });

  it('decide how many nodes there may be', () => {
    const plan = (nodes: number) => () =>
      planSimulation({ ...BULLY, nodes, flags: { rejoin: 'naive' } });

    expect(plan(21)).not.toThrow();
    expect(plan(22)).toThrow('22 nodes are too many for bully-oneshot');
  });
});

describe('numbers', () => {
  it('that clash at one latency may go together at another', () => {
    const plan = (latencyTicks: number) => () =>
      planSimulation({
        ...{ protocol: 'raft', nodes: 3, seed, flags: { heartbeatTicks: '30' } },
        latency: { type: 'constant', ticks: latencyTicks },
      });

    expect(plan(1)).toThrow('must be less than electionTicks, which is 30');
    expect(plan(2)).not.toThrow();
  });
});

describe('attributes', () => {
  it('elect the best, the higher rank of two that are equal', () => {
    const { leader, verdict } = simulateElection(CLAIMS);

    expect(leader).toBe(3);
    expect(verdict.value).toBe('true');
  });
});

describe('a refusal', () => {
  it.each<[string, Partial<SimulationOptions>]>([
    ['flags: rejoin must be dedup or naive, not "no"', { flags: { rejoin: 'no' } }],
    ['attributes do not apply to bully-oneshot', { attributes: [1, 2, 3, 4, 5] }],
    [
      'attributes has 3 entries for 4 nodes',
      { ...CLAIMS, crashedBefore: [], attributes: [1, 2, 3] },
    ],
    [
      `attributes: entry must be a whole number in 0..${Number.MAX_SAFE_INTEGER}, not -1`,
      { ...CLAIMS, crashedBefore: [], attributes: [1, 2, 3, -1] },
    ],
    [
      'flags: heartbeatTicks must be less than electionTicks, which is 30, not 30',
      { protocol: 'raft', flags: { heartbeatTicks: '30' } },
    ],
    [
      'detector "fd-gossip:fail=9,cleanup=8" has cleanup=8; it must be at least fail, which is 9',
      { detector: parseDetector('fd-gossip:cleanup=8,fail=9') },
    ],
  ])('%s', (detail, options) => {
    const plan = () => planSimulation({ ...BULLY, ...options });

    expect(plan).toThrow(new LabError('arguments', detail));
  });
});

describe('a detector on the nodes', () => {
  const plan = (text: string, nodes: number) => () =>
    planSimulation({ protocol: 'cr-join', nodes, seed, detector: parseDetector(text) });

  it.each([
    ['fd-heartbeat', 256],
    ['fd-phi-normal:window=100', 256],
    ['fd-phi-akka:window=100', 256],
    ['fd-phi-exp:window=100', 256],
    ['fd-gossip', 512],
    ['fd-oracle', 512],
  ])('%s takes %d nodes and not one more', (text, most) => {
    const [name] = text.split(':');

    expect(plan(text, most)).not.toThrow();
    expect(plan(text, most + 1)).toThrow(
      new LabError('arguments', `detector: ${name} takes at most ${most} nodes, not ${most + 1}`),
    );
  });

  it('names one of the nodes, or none', () => {
    expect(plan('fd-oracle:class=S,node=5', 5)).not.toThrow();
    expect(plan('fd-oracle:class=S,node=0', 5)).not.toThrow();
    expect(plan('fd-oracle:class=S,node=6', 5)).toThrow(
      new LabError('arguments', 'detector: node=6 is none of 5 nodes'),
    );
  });
});

describe('a saved run', () => {
  it.each([{ ...BULLY, flags: { rejoin: 'naive' } }, CLAIMS])(
    'keeps $protocol whole',
    (options) => {
      const { plan } = createSimulation(options);

      const loaded = loadRun(saveRun(plan, { initiators: null, digest: null }));

      expect(planSimulation(loaded.options)).toEqual(plan);
    },
  );

  it.each([
    ['a flag that is no text', { flags: { rejoin: 1 } }, '/flags/rejoin must be a string'],
    ['a foreign flag', { flags: { rejoins: 'naive' } }, 'flags: rejoins is no flag'],
    ['attributes elsewhere', { attributes: [1, 2, 3, 4, 5] }, 'attributes do not apply to'],
    ['no flags', { flags: undefined }, '/flags is missing'],
    [
      'a number spelt in another way',
      { protocol: 'raft', flags: { electionTicks: '0150' } },
      'flags: electionTicks must be a whole number',
    ],
    ['a node that is not there', { detector: 'fd-oracle:node=6' }, 'node=6 is none of 5 nodes'],
  ])('is refused with %s', (_what, change, detail) => {
    const saved = JSON.parse(saveRun(planSimulation(BULLY), { initiators: null, digest: null }));

    expect(() => loadRun(JSON.stringify({ ...saved, ...change }))).toThrow(detail);
  });
});

describe('the ticks that an election gets', () => {
  it.each(PROTOCOL_NAMES)('are enough for %s, whatever the latency', (protocol) => {
    for (const text of ['1', '200', 'uniform:10:50', 'exp:40']) {
      const latency = parseLatency(text);
      const outcome = simulateElection({ protocol, nodes: 24, latency, seed });

      expect(outcome, text).toMatchObject({ agreed: true, bound: 'idle' });
    }
  });

  it('are enough for Hirschberg and Sinclair among 1 000 nodes', () => {
    const latency = parseLatency('uniform:10:50');

    const outcome = simulateElection({ protocol: 'hs-wake', nodes: 1000, latency, seed });

    expect(outcome).toMatchObject({ agreed: true, bound: 'idle' });
    expect(outcome.ticks).toBeGreaterThan(100 * 1000);
  });

  it('are 100 a node or 16 latencies a node, and 20 time-outs', () => {
    const announcement = (latency: number) => 5 * latency + 3;

    expect(settleTicks(7, { latencyTicksMax: 6 })).toBe(700 + 20 * announcement(6));
    expect(settleTicks(7, { latencyTicksMax: 7 })).toBe(16 * 7 * 7 + 20 * announcement(7));
    expect(settleTicks(1_000_000, { latencyTicksMax: 1_000_000 })).toBe(TICKS_LIMIT);
  });

  it('are counted from the last fault', () => {
    const plan = planSimulation({ ...BULLY, faults: [{ type: 'crash', rank: 4, at: 9000 }] });

    expect(plan.untilTicks).toBe(9000 + settleTicks(5, plan.timing));
  });
});
