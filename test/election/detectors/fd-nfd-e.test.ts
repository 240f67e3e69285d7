/**
 * @module
 * NFD-E: what it says at each tick, against freshness points that are computed from all flights of a run, and what a
 * forged number gains.
 */

import { describe, expect, it } from 'vitest';
import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message } from '../../../src/election/machine.ts';
import { parseSeed } from '../../../src/random.ts';
import type { DetectorRun } from './detector-network.ts';
import { runDetectors } from './detector-network.ts';

const [EVERY, ALPHA, WINDOW, UNTIL] = [10, 6, 4, 2000];

function watching(run: Pick<DetectorRun, 'delay' | 'seed'>) {
  const text = `fd-nfd-e:every=${EVERY},alpha=${ALPHA},window=${WINDOW}`;
  const detector = createDetector(parseDetector(text), { latencyTicksMax: 30 });
  if (detector === null) throw new TypeError('"detector" expected a machine, got none');
  const { words } = runDetectors({ nodes: 2, create: () => detector, until: UNTIL, ...run });
  return words.filter(({ by }) => by === 1).map(({ at, type }) => `${type} ${at}`);
}

const numberOf = (message: Message) => Number(Reflect.get(message, 'seq'));

/** The words of node 1, from a scan over all ticks. A flight has its number and its arrival. */
function wordsOf(flights: readonly { readonly seq: number; readonly at: number }[]) {
  const words: string[] = [];
  const kept: { seq: number; delay: number }[] = [];
  let [freshUntil, trusts] = [EVERY + ALPHA, true];
  for (let tick = 0; tick <= UNTIL; tick += 1) {
    for (const { seq } of flights.filter(({ at }) => at === tick)) {
      if (kept.some((one) => one.seq >= seq)) continue;
      kept.push({ seq, delay: tick - seq });
      const last = kept.slice(-WINDOW);
      const mean = last.reduce((sum, { delay }) => sum + delay, 0) / last.length;
      const point = Math.ceil(seq + EVERY + mean + ALPHA);
      freshUntil = Math.min(point, tick + 2 * EVERY + ALPHA);
      if (!trusts && freshUntil > tick) {
        words.push(`trust ${tick}`);
        trusts = true;
      }
    }
    if (trusts && freshUntil <= tick) {
      words.push(`suspect ${tick}`);
      trusts = false;
    }
  }
  return words;
}

describe('NFD-E', () => {
  it.each(['1', '2', '3', '4'])('says what the freshness points say, with seed %s', (seed) => {
    const flights: { seq: number; at: number }[] = [];
    const words = watching({
      seed: parseSeed(seed),
      delay({ to, at, message }, random) {
        const ticks = random.below(10) === 0 ? null : 1 + random.below(30);
        if (to === 1 && ticks !== null) flights.push({ seq: numberOf(message), at: at + ticks });
        return ticks;
      },
    });

    expect(words.length).toBeGreaterThan(20);
    expect(words).toEqual(wordsOf(flights));
  });

  it('waits at most two periods and alpha longer for a forged number', () => {
    const words = watching({
      delay({ at, message }) {
        if (at > 100) return null;
        if (at === 100) Reflect.set(message, 'seq', 1e9);
        return 1;
      },
    });

    expect(words).toEqual([`suspect ${101 + 2 * EVERY + ALPHA}`]);
  });
});
