/**
 * @module
 * The gossip detector: complete and quiet if counts spread in time, safe from stale tables, and open to
 * nodes with false counts.
 */

import { describe, expect, it } from 'vitest';
import type { AnyDetector } from '../../../src/election/detectors/detector.ts';
import type { Gossip, GossipOptions } from '../../../src/election/detectors/fd-gossip.ts';
import { createGossipDetector } from '../../../src/election/detectors/fd-gossip.ts';
import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import { runDetectors } from './detector-network.ts';

const OPTIONS: GossipOptions = {
  everyTicks: 5,
  failTicks: 100,
  cleanupTicks: 200,
  refusesAhead: false,
};

describe('gossip', () => {
  it('costs n messages a period', () => {
    const { messages } = runDetectors({
      nodes: 6,
      create: () => createGossipDetector(OPTIONS),
      delay: () => 1,
      until: 49,
    });

    expect(messages).toEqual({ FD_GOSSIP: 6 * 10 });
  });

  it.each(['1', '2', '3', '4', '5'])(
    'suspects at the default no node that is up, and everywhere each that is not (seed %s)',
    (seed) => {
      const detector = createDetector(parseDetector('fd-gossip'), { latencyTicksMax: 3 });
      if (detector === null) throw new TypeError('"detector" expected a machine, got none');

      const { words, suspected } = runDetectors({
        nodes: 16,
        create: () => detector,
        delay: (_flight, random) => 1 + random.below(3),
        lives: [{ at: 1500, rank: 16, type: 'crash' }],
        until: 2500,
        seed: parseSeed(seed),
      });

      expect(suspected).toHaveLength(15);
      expect(words).toHaveLength(15);
      expect(words.every(({ about, at }) => about === 16 && at > 1500)).toBe(true);
    },
  );

  it('makes mistakes where counts have no time to spread', () => {
    const { words } = runDetectors({
      nodes: 16,
      create: () => createGossipDetector({ ...OPTIONS, failTicks: 20, cleanupTicks: 40 }),
      delay: () => 1,
      until: 2000,
    });

    expect(words.filter(({ type }) => type === 'suspect').length).toBeGreaterThan(10);
    expect(words.filter(({ type }) => type === 'trust').length).toBeGreaterThan(10);
  });

  it('trusts a later life although it forgot how far it had counted', () => {
    const { suspected, words } = runDetectors({
      nodes: 5,
      create: () => createGossipDetector(OPTIONS),
      delay: () => 1,
      lives: [
        { at: 500, rank: 5, type: 'crash' },
        { at: 900, rank: 5, type: 'return' },
      ],
      until: 1200,
    });

    expect(suspected).toEqual([]);
    expect(words.filter(({ type }) => type === 'trust')).toHaveLength(4);
  });
});

describe('a stale table', () => {
  const stale: Gossip = { type: 'FD_GOSSIP', table: [[toRank(3), 50]] };

  it('cannot bring back a member whose last count is remembered', () => {
    const node = createListener(OPTIONS);
    node.receive(50, stale);

    const words = [...node.tick(150), ...node.receive(249, stale)];

    expect(words).toEqual(['suspect 2', 'suspect 3']);
  });

  it('can once it is forgotten, as it is at once where cleanup is no later than failure', () => {
    const node = createListener({ ...OPTIONS, cleanupTicks: 100 });
    node.receive(50, stale);

    const words = [...node.tick(150), ...node.receive(151, stale)];

    expect(words).toEqual(['suspect 2', 'suspect 3', 'trust 3']);
  });

  it('is not passed on: suspects are in no table', () => {
    const node = createListener(OPTIONS);
    node.receive(50, stale);

    const [before] = node.handle(149);
    node.tick(150);
    const [after] = node.handle(151);

    expect(before).toEqual({
      type: 'FD_GOSSIP',
      table: [
        [1, expect.any(Number)],
        [3, 50],
      ],
    });
    expect(after).toEqual({ type: 'FD_GOSSIP', table: [[1, expect.any(Number)]] });
  });
});

describe('a node with false counts', () => {
  const attack = (count: (now: number) => number, victim: number, refusesAhead: boolean) =>
    runDetectors({
      nodes: 6,
      create: (rank) => {
        const detector = createGossipDetector({ ...OPTIONS, refusesAhead });
        return rank === 2 ? lying(detector, victim, count) : detector;
      },
      delay: () => 1,
      lives: victim === 6 ? [{ at: 300, rank: 6, type: 'crash' }] : [],
      until: 2000,
    });

  it('keeps the dead alive by raising their counts, bounded or not', () => {
    for (const refusesAhead of [false, true]) {
      const { suspected } = attack((now) => now, 6, refusesAhead);

      expect(suspected.filter((pair) => !pair.startsWith('2'))).toEqual([]);
    }
  });

  it('silences the living by the largest count there is, again whenever it is forgotten', () => {
    const { words } = attack(() => Number.MAX_SAFE_INTEGER, 5, false);

    const suspicions = words.filter(({ type }) => type === 'suspect');
    expect(suspicions.every(({ about }) => about === 5)).toBe(true);
    for (const by of [1, 3, 4, 6]) {
      expect(suspicions.filter((word) => word.by === by).length).toBeGreaterThan(4);
    }
  });

  it('does not where counts ahead of the clock are dropped', () => {
    const { words } = attack(() => Number.MAX_SAFE_INTEGER, 5, true);

    expect(words).toEqual([]);
  });
});

it('sends nothing before it has drawn a recipient', () => {
  const node = createListener(OPTIONS);

  const [asked, unasked] = [node.handle(1), node.handle(1)];

  expect(asked).toHaveLength(1);
  expect(unasked).toEqual([]);
});

it.each([
  null,
  'table',
  [null],
  [[]],
  [[toRank(3)]],
  [[toRank(3), Number.NaN]],
  [[toRank(3), 1.5]],
  [[toRank(3), '9']],
  [[toRank(9), 5]],
  [['constructor', 5]],
  // No other node knows its own count better.
  [[toRank(1), 1000]],
])('learns nothing from the table %o', (table) => {
  const node = createListener(OPTIONS);
  const before = JSON.stringify(node.state);

  // What comes over the wire is not what the type says.
  const message: unknown = { type: 'FD_GOSSIP', table };
  node.receive(10, message as Gossip);

  expect(JSON.stringify(node.state)).toBe(before);
});

/** Node 1 of three, one step at a time. */
function createListener(options: GossipOptions) {
  const detector = createGossipDetector(options);
  const self = createCast({
    protocol: 'cr-join',
    timing: { latencyTicksMax: 1 },
    ring: [1, 2, 3],
    crashedBefore: [],
  }).selfOf(1);
  const state = detector.init(self);
  const step = (event: Parameters<typeof detector.step>[2], now: number) => {
    const words: string[] = [];
    const sent: Message[] = [];
    detector.step(self, state, event, now, {
      send: (_to, message) => sent.push(message),
      setTimer: () => undefined,
      cancelTimer: () => undefined,
      choose: () => undefined,
      suspect: (node) => words.push(`suspect ${node}`),
      trust: (node) => words.push(`trust ${node}`),
    });
    return { words, sent };
  };
  step({ type: 'start' }, 0);
  return {
    state,
    receive: (now: number, message: Gossip) =>
      step({ type: 'deliver', from: toRank(2), message }, now).words,
    tick: (now: number) => step({ type: 'timeout', timer: 'gossip' }, now).words,
    handle: (now: number) => step({ type: 'chosen', value: 0 }, now).sent,
  };
}

/** A detector that adds a count of its own to every table it sends. */
function lying(
  detector: AnyDetector,
  victim: number,
  countAt: (now: number) => number,
): AnyDetector {
  return {
    init: (self) => detector.init(self),
    step(self, state, event, now, effects) {
      detector.step(self, state, event, now, {
        setTimer: (timer, ticks, periodic) => effects.setTimer(timer, ticks, periodic),
        cancelTimer: (timer) => effects.cancelTimer(timer),
        choose: (below) => effects.choose(below),
        suspect: (node) => effects.suspect(node),
        trust: (node) => effects.trust(node),
        send(to) {
          const lie: Gossip = {
            type: 'FD_GOSSIP',
            table: [
              [self.rank, now],
              [toRank(victim), countAt(now)],
            ],
          };
          effects.send(to, lie);
        },
      });
    },
  };
}
