/**
 * @module
 * The heartbeat detector: perfect where its time-out is right, eventually perfect where it may grow,
 * and what forged beats do to it.
 */

import { describe, expect, it } from 'vitest';
import type { DetectorEffects } from '../../../src/election/detectors/detector.ts';
import { createHeartbeatDetector } from '../../../src/election/detectors/fd-heartbeat.ts';
import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { Flight } from './detector-network.ts';
import { runDetectors } from './detector-network.ts';

const EVERY = 10;
const LATENCY_MAX = 5;
/** Beats alternate between the shortest and the longest way: the largest gap, 10 + 5 − 1. */
const alternating = ({ message }: Flight) => (seqOf(message) % 20 === 0 ? 1 : LATENCY_MAX);

describe('a fixed time-out', () => {
  it('is perfect at the largest gap between beats', () => {
    const timeoutTicks = EVERY + LATENCY_MAX - 1;

    const { words, suspected } = runDetectors({
      nodes: 4,
      create: () => createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks }),
      delay: alternating,
      lives: [{ at: 500, rank: 4, type: 'crash' }],
      until: 1000,
    });

    expect(words.filter(({ at }) => at < 500)).toEqual([]);
    expect(suspected).toEqual(['1<4', '2<4', '3<4']);
    expect(words).toHaveLength(3);
    for (const { at } of words) expect(at - 500).toBeLessThanOrEqual(timeoutTicks + LATENCY_MAX);
  });

  it('makes mistakes for ever one tick below', () => {
    const { words } = runDetectors({
      nodes: 2,
      create: () => createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 13 }),
      delay: alternating,
      until: 1000,
    });

    const suspicions = words.filter(({ type }) => type === 'suspect');
    // Every second gap but the first, at both.
    expect(suspicions).toHaveLength(98);
    expect(suspicions.at(-1)?.at).toBeGreaterThan(970);
  });

  it('is right by default, whatever the latencies within their bound', () => {
    const detector = createDetector(parseDetector('fd-heartbeat'), { latencyTicksMax: 5 });
    if (detector === null) throw new TypeError('"detector" expected a machine, got none');

    const { words } = runDetectors({
      nodes: 5,
      create: () => detector,
      delay: (_flight, random) => 1 + random.below(LATENCY_MAX),
      until: 3000,
    });

    expect(words).toEqual([]);
  });

  it('costs n(n−1) beats a period', () => {
    const { messages } = runDetectors({
      nodes: 5,
      create: () => createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 30 }),
      delay: () => 1,
      until: 99,
    });

    expect(messages).toEqual({ FD_HEARTBEAT: 5 * 4 * 10 });
  });

  it('suspects who was down from the beginning, and trusts it when it comes', () => {
    const { words } = runDetectors({
      nodes: 2,
      create: () => createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 15 }),
      delay: () => 1,
      lives: [
        { at: 0, rank: 2, type: 'crash' },
        { at: 50, rank: 2, type: 'return' },
      ],
      until: 200,
    });

    expect(words).toEqual([
      { at: 15, by: 1, about: 2, type: 'suspect' },
      { at: 51, by: 1, about: 2, type: 'trust' },
    ]);
  });

  it('accepts a later life although it forgot its last count', () => {
    const { words } = runDetectors({
      nodes: 2,
      create: () => createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 15 }),
      delay: () => 1,
      lives: [
        { at: 995, rank: 2, type: 'crash' },
        { at: 1100, rank: 2, type: 'return' },
      ],
      until: 1200,
    });

    expect(words.map(({ at, type }) => [at, type])).toEqual([
      [1006, 'suspect'],
      [1101, 'trust'],
    ]);
  });
});

describe('a time-out that doubles', () => {
  const slow = (timeoutTicksMax?: number) =>
    runDetectors({
      nodes: 4,
      create: () =>
        createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 11, timeoutTicksMax }),
      // A bound that the detector does not know.
      delay: (_flight, random) => 1 + random.below(60),
      lives: [{ at: 15_000, rank: 4, type: 'crash' }],
      until: 20_000,
    });

  it('is eventually perfect where latencies have an unknown bound', () => {
    const { words, suspected } = slow(1000);

    const mistakes = words.filter(({ type, at }) => type === 'suspect' && at < 15_000);
    // 11 · 2³ > 10 + 60: at most three mistakes a pair.
    expect(mistakes.length).toBeGreaterThan(0);
    expect(mistakes.length).toBeLessThanOrEqual(3 * 12);
    expect(words.filter(({ at }) => at >= 5000 && at < 15_000)).toEqual([]);
    expect(suspected).toEqual(['1<4', '2<4', '3<4']);
  });

  it('is not where it is fixed, or may not grow far enough', () => {
    for (const { words } of [slow(), slow(22)]) {
      const late = words.filter(({ type, at }) => type === 'suspect' && at > 14_000 && at < 15_000);

      expect(late.length).toBeGreaterThan(10);
    }
  });
});

describe('forged beats', () => {
  it('keep the dead alive as long as they come', () => {
    const words = listen([...beats(1, 20), ...beats(21, 40)]);

    expect(words).toEqual([]);
  });

  it('silence the living by one number that they never reach', () => {
    const words = listen([{ at: 5, seq: Number.MAX_SAFE_INTEGER }, ...beats(1, 5)]);

    expect(words).toEqual(['suspect']);
  });

  it.each([Number.NaN, 1.5, Number.POSITIVE_INFINITY, '7', null, undefined])(
    'count for nothing where their number is %o',
    (seq) => {
      expect(listen([{ at: 10, seq }])).toEqual(['suspect']);
    },
  );

  it('count for nothing the second time', () => {
    expect(listen([{ at: 10, seq: 1 }])).toEqual(['suspect']);
    expect(
      listen([
        { at: 10, seq: 1 },
        { at: 40, seq: 1 },
      ]),
    ).toEqual(['suspect']);
    expect(
      listen([
        { at: 10, seq: 1 },
        { at: 40, seq: 2 },
      ]),
    ).toEqual(['suspect', 'trust', 'suspect']);
  });
});

interface Beat {
  readonly at: number;
  readonly seq: unknown;
}

function beats(first: number, last: number): Beat[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    return { at: EVERY * (first + index), seq: first + index };
  });
}

/** What a node says of the other, whose beats these are, until long after the last. */
function listen(heard: readonly Beat[]): string[] {
  const detector = createHeartbeatDetector({ everyTicks: EVERY, timeoutTicks: 25 });
  const self = createCast({
    protocol: 'cr-join',
    timing: { latencyTicksMax: 1 },
    ring: [1, 2],
    crashedBefore: [],
  }).selfOf(1);
  const state = detector.init(self);
  const words: string[] = [];
  let deadline = Number.POSITIVE_INFINITY;
  let now = 0;
  const effects: DetectorEffects<Message> = {
    send: () => undefined,
    choose: () => undefined,
    setTimer(timer, ticks) {
      if (timer !== 'beat') deadline = now + ticks;
    },
    cancelTimer() {
      deadline = Number.POSITIVE_INFINITY;
    },
    suspect: () => words.push('suspect'),
    trust: () => words.push('trust'),
  };
  // Twice: a driver would not, but the second must say nothing.
  const expire = (until: number) => {
    if (deadline >= until) return;
    now = deadline;
    deadline = Number.POSITIVE_INFINITY;
    detector.step(self, state, { type: 'timeout', timer: 'deadline:2' }, now, effects);
    detector.step(self, state, { type: 'timeout', timer: 'deadline:2' }, now, effects);
  };
  detector.step(self, state, { type: 'start' }, 0, effects);
  for (const { at, seq } of heard) {
    expire(at);
    now = at;
    // What comes over the wire is not what the type says.
    const message = { type: 'FD_HEARTBEAT', seq } as { type: 'FD_HEARTBEAT'; seq: number };
    detector.step(self, state, { type: 'deliver', from: toRank(2), message }, now, effects);
  }
  if (heard.length < 20) expire(Number.POSITIVE_INFINITY);
  return words;
}

function seqOf(message: Message): number {
  return 'seq' in message && typeof message.seq === 'number' ? message.seq : 0;
}
