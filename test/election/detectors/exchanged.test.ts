/**
 * @module
 * Heartbeats of lower members as answers to those of higher ones.
 */

import { expect, it } from 'vitest';

import { createExchangedDetector } from '../../../src/election/detectors/detecting.ts';
import type { AnyDetector, DetectorEffects } from '../../../src/election/detectors/detector.ts';
import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { Flight } from './detector-network.ts';
import { runDetectors } from './detector-network.ts';

const TIMING = { latencyTicksMax: 10 };
const EVERY = 21;
const AKKA = parseDetector('fd-phi-akka');
const DELAY = 3;
const cast = createCast({
  ...{ protocol: 'cr-join', timing: TIMING, ring: [1, 2, 3], crashedBefore: [] },
});
const NO_EFFECTS: DetectorEffects<Message> = {
  send: () => undefined,
  setTimer: () => undefined,
  cancelTimer: () => undefined,
  choose: () => undefined,
  suspect: () => undefined,
  trust: () => undefined,
};

/** Three nodes until 4 000 ticks, with all heartbeats that they sent. `isLost` says which ones do not arrive. */
function run({
  isLost = (_: Flight): boolean => false,
  crashAt = null as number | null,
  crashed = 3,
} = {}) {
  const flights: Flight[] = [];
  const outcome = runDetectors({
    nodes: 3,
    create() {
      const detector = createExchangedDetector(AKKA, TIMING);
      if (detector === null) throw new Error('it is a machine');
      return detector;
    },
    delay(flight) {
      flights.push(flight);
      return isLost(flight) ? null : DELAY;
    },
    lives: crashAt === null ? [] : [{ at: crashAt, rank: crashed, type: 'crash' }],
    until: 4_000,
  });
  const between = (from: number, to: number) =>
    flights.filter((each) => each.from === from && each.to === to).map(({ at }) => at);
  return { ...outcome, between };
}

it('each heartbeat of a higher member is answered when it arrives, and a lower one sends no others', () => {
  const { between, words } = run();
  const higher = between(3, 1).slice(1);
  const answers = between(1, 3).filter((at) => at > 2 * EVERY);

  expect(higher.length).toBeGreaterThan(4_000 / EVERY - 3);
  expect(answers).toEqual(
    higher.map((at) => at + DELAY).filter((at) => at > 2 * EVERY && at <= 4_000),
  );
  expect(words).toEqual([]);
});

it('a lower member sends its heartbeats at its own beats when those of the higher one do not come', () => {
  const { between, words, suspected } = run({ crashAt: 2_000 });
  const later = between(1, 3).filter((at) => at > 2_100);

  expect(later.length).toBeGreaterThan(1_800 / EVERY);
  expect(words.map(({ by, about, type }) => `${by} ${type}s ${about}`)).toEqual([
    '1 suspects 3',
    '2 suspects 3',
  ]);
  expect(suspected).toEqual(['1<3', '2<3']);
});

it('a lower member that crashes is suspected as soon as without answers', () => {
  const answering = run({ crashAt: 2_000, crashed: 1 }).words;
  const times = answering.map(({ at }) => at);

  const plain = runDetectors({
    nodes: 3,
    create() {
      const detector = createDetector(AKKA, TIMING);
      if (detector === null) throw new Error('it is a machine');
      return detector;
    },
    delay: () => DELAY,
    lives: [{ at: 2_000, rank: 1, type: 'crash' }],
    until: 4_000,
  }).words;

  expect(answering.map(({ about }) => about)).toEqual([1, 1]);
  expect(Math.abs((times[0] ?? 0) - (plain[0]?.at ?? 0))).toBeLessThanOrEqual(EVERY + 2 * DELAY);
});

it('the loss of any one heartbeat makes no node suspected', () => {
  for (let lost = 0; lost < 30; lost += 1) {
    let sent = -1;
    const isLost = () => {
      sent += 1;
      return sent === 600 + lost;
    };

    expect(run({ isLost }).words).toEqual([]);
  }
});

/** When node 1 of three answers a heartbeat of the highest that comes at each of these times. */
function answered(detector: AnyDetector | null, times: readonly number[]): readonly number[] {
  const self = cast.selfOf(1);
  const state = detector?.init(self) ?? null;
  return times.filter((at) => {
    let count = 0;
    const message = { type: 'FD_HEARTBEAT', ...{ seq: at } };
    detector?.step(self, state, { type: 'deliver', from: toRank(3), message }, at, {
      ...NO_EFFECTS,
      send() {
        count += 1;
      },
    });
    return count > 0;
  });
}

it('heartbeats that come faster than those of an honest member are not answered', () => {
  const detector = createExchangedDetector(AKKA, TIMING);

  expect(answered(detector, [100, 101, 105, 111, 112, 130])).toEqual([100, 111, 130]);
});

it.each(['fd-heartbeat', 'fd-phi-normal', 'fd-phi-akka:pause=10', 'fd-gossip'])(
  '%s tolerates no longer silence, and answers none',
  (text) => {
    expect(answered(createExchangedDetector(parseDetector(text), TIMING), [100, 200])).toEqual([]);
  },
);

it('there is none of the oracle, which is no machine', () => {
  expect(createExchangedDetector(parseDetector('fd-oracle'), TIMING)).toBeNull();
});
