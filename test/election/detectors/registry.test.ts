/**
 * @module
 * Detectors by name: their text form, what it refuses, and what is left to defaults.
 */

import { describe, expect, it } from 'vitest';
import {
  createDetector,
  DETECTOR_MESSAGES,
  DETECTOR_NAMES,
  DETECTORS,
  detectionTicks,
  detectorClash,
  detectorOptions,
  detectorText,
  parseDetector,
} from '../../../src/election/detectors/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { LabError } from '../../../src/errors.ts';
import { runDetectors } from './detector-network.ts';

const TIMING = { latencyTicksMax: 5 };
const MACHINES = DETECTOR_NAMES.filter((name) => DETECTORS[name].create !== null);

describe('the text of a detector', () => {
  it.each([
    'fd-heartbeat',
    'fd-heartbeat:every=10,timeout=35,adaptive',
    'fd-heartbeat:timeout=35,adaptive,max=700',
    'fd-phi-akka:threshold=8',
    'fd-phi-normal:threshold=1.5,window=20,cap=on,form=textbook',
    'fd-phi-exp:cap=40',
    'fd-gossip:every=5,fail=60,cleanup=120,bounded',
    'fd-oracle:class=eventually-S,stableAt=100,node=3',
  ])('is read and written: %s', (text) => {
    expect(detectorText(parseDetector(text))).toBe(text);
  });

  it('puts options in one order and switches in one form', () => {
    const spec = parseDetector('fd-heartbeat:adaptive=on,timeout=35,every=10');

    expect(detectorText(spec)).toBe('fd-heartbeat:every=10,timeout=35,adaptive');
  });

  it.each([
    ['', 'detector "" names no detector; one of fd-heartbeat, '],
    ['fd-hearbeat', 'detector "fd-hearbeat" names no detector'],
    ['constructor', 'names no detector'],
    ['fd-gossip:', 'has no option ""; fd-gossip has every, fail, cleanup, bounded'],
    ['fd-gossip:constructor=1', 'has no option "constructor"'],
    ['fd-gossip:every', 'gives every no value, as in every=…'],
    ['fd-gossip:every=0', 'has every=0; it must be a whole number in 1..1000000000'],
    ['fd-gossip:every=1000000001', 'it must be a whole number in 1..1000000000'],
    ['fd-gossip:every=1.5', 'it must be a whole number'],
    ['fd-gossip:every=1e3', 'it must be a whole number'],
    ['fd-gossip:every=5,every=6', 'has every twice'],
    ['fd-gossip:bounded=yes', 'has bounded=yes; it must be off or on'],
    ['fd-phi-akka:threshold=0', 'it must be a number in 0.001..10000'],
    ['fd-phi-akka:cap=never', 'it must be a whole number in 1..1000000000 or off or on'],
    ['fd-phi-akka:window=1', 'it must be a whole number in 2..10000'],
    ['fd-phi-akka:form=textbook', 'has no option "form"'],
    [
      'fd-oracle:class=Q',
      'it must be P or eventually-P or S or eventually-S or incomplete or inacc',
    ],
    ['fd-oracle:class=P:x', 'has class=P:x; it must be'],
  ])('is refused: %s', (text, detail) => {
    const parse = () => parseDetector(text);

    expect(parse).toThrow(LabError);
    expect(parse).toThrow(detail);
  });
});

describe('what is not given', () => {
  it('follows from the bound on latency', () => {
    const read = detectorOptions(parseDetector('fd-heartbeat'), TIMING);

    expect(read.number('every')).toBe(11);
    expect(read.number('timeout')).toBe(17);
    expect(read.isOn('adaptive')).toBe(false);
  });

  it('follows from the other options', () => {
    const beats = detectorOptions(parseDetector('fd-heartbeat:every=100'), TIMING);
    const akka = detectorOptions(parseDetector('fd-phi-akka:every=1000'), TIMING);
    const gossip = detectorOptions(parseDetector('fd-gossip:fail=60'), TIMING);

    expect(beats.number('timeout')).toBe(106);
    expect(beats.number('max')).toBe(64 * 106);
    expect([akka.number('pause'), akka.number('minDeviation')]).toEqual([3000, 100]);
    expect([akka.number('threshold'), akka.number('window')]).toEqual([8, 1000]);
    expect(gossip.number('cleanup')).toBe(120);
  });

  it('is no deviation where intervals are taken as exponential', () => {
    expect(() => parseDetector('fd-phi-exp:minDeviation=3')).toThrow(
      'fd-phi-exp has every, threshold, window, pause, cap',
    );
    expect(createDetector(parseDetector('fd-phi-exp'), TIMING)).not.toBeNull();
  });

  it('is no option of another detector', () => {
    const read = detectorOptions(parseDetector('fd-gossip'), TIMING);

    expect(() => read.number('timeout')).toThrow(RangeError);
  });
});

describe('options that cannot work together', () => {
  it.each([
    [
      'fd-gossip:fail=100,cleanup=100',
      'fd-gossip:fail=100,cleanup=99',
      'has cleanup=99; it must be at least fail, which is 100',
    ],
    // By default 20 periods and as many latencies.
    [
      'fd-gossip:cleanup=320',
      'fd-gossip:cleanup=319',
      'has cleanup=319; it must be at least fail, which is 320',
    ],
    [
      'fd-heartbeat:timeout=35,adaptive,max=35',
      'fd-heartbeat:timeout=35,adaptive,max=34',
      'has max=34; it must be at least timeout, which is 35',
    ],
    [
      'fd-phi-normal:minDeviation=3',
      'fd-phi-normal:minDeviation=3,form=textbook',
      'has form=textbook, to which minDeviation is nothing',
    ],
  ])('are told: %s can, %s cannot', (fit, unfit, detail) => {
    expect(detectorClash(parseDetector(fit), TIMING)).toBeNull();
    expect(detectorClash(parseDetector(unfit), TIMING)).toBe(detail);
  });

  it.each(['fd-heartbeat:timeout=35,max=34', 'fd-heartbeat:every=50,timeout=20', ...MACHINES])(
    'are not those of %s',
    (form) => {
      expect(detectorClash(parseDetector(form), TIMING)).toBeNull();
    },
  );
});

describe.each(MACHINES)('%s at its defaults', (name) => {
  const spec = parseDetector(name);
  const outcome = runDetectors({
    nodes: 6,
    create: () => {
      const detector = createDetector(spec, TIMING);
      if (detector === null) throw new TypeError('"detector" expected a machine, got none');
      return detector;
    },
    delay: (_flight, random) => 1 + random.below(TIMING.latencyTicksMax),
    lives: [{ at: 2000, rank: 6, type: 'crash' }],
    until: 3500,
  });

  it('suspects crashed nodes, everywhere and for good, and no other', () => {
    expect(outcome.suspected).toEqual(['1<6', '2<6', '3<6', '4<6', '5<6']);
    expect(outcome.words).toHaveLength(5);
  });

  it('does so about as soon as it says', () => {
    for (const { at } of outcome.words) {
      expect(at - 2000).toBeLessThanOrEqual(detectionTicks(spec, TIMING));
    }
  });

  it('sends what it lists', () => {
    expect(Object.keys(outcome.messages)).toEqual(Object.keys(DETECTORS[name].messages));
  });
});

describe('the ceiling of an accrual detector', () => {
  it.each([
    ['fd-phi-normal:every=10', 500],
    ['fd-phi-normal:every=10,cap=off', 500],
    ['fd-phi-normal:every=10,cap=on', 15],
    ['fd-phi-exp:every=10,cap=40', 40],
  ])('%s learns an interval of 500 as %d', (text, learnt) => {
    const detector = createDetector(parseDetector(text), TIMING);
    const self = createCast({
      protocol: 'cr-join',
      timing: TIMING,
      ring: [1, 2],
      crashedBefore: [],
    }).selfOf(1);
    const state = detector?.init(self) ?? null;
    const ignore = () => undefined;
    const effects = {
      ...{ send: ignore, setTimer: ignore, cancelTimer: ignore, choose: ignore },
      ...{ suspect: ignore, trust: ignore },
    };
    const beat = { type: 'FD_HEARTBEAT', seq: 1 };

    detector?.step(self, state, { type: 'start' }, 0, effects);
    detector?.step(self, state, { type: 'deliver', from: toRank(2), message: beat }, 500, effects);

    expect(state).toMatchObject({ peers: { 2: { memory: { intervals: [8, 12, learnt] } } } });
  });
});

it('makes no machine of the oracle', () => {
  expect(createDetector(parseDetector('fd-oracle'), TIMING)).toBeNull();
});

it('lists the types that no protocol sends', () => {
  expect(Object.keys(DETECTOR_MESSAGES)).toEqual(['FD_HEARTBEAT', 'FD_GOSSIP']);
});
