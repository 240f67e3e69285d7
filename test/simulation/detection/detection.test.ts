/**
 * @module
 * What a run's detection was worth, from words and lives written by hand.
 */

import { describe, expect, it } from 'vitest';

import type {
  DeliveredReport,
  DetectionFacts,
  UpDownChange,
} from '../../../src/simulation/detection/detection.ts';
import { detectionOf } from '../../../src/simulation/detection/detection.ts';

const NOTHING = { count: 0, meanTicks: null, maxTicks: null };

describe('a crash', () => {
  it('was noticed by each observer after so long', () => {
    const { detections, missed, mistakes } = detectionOf(
      facts([crash(100, 3)], [suspect(110, 1, 3), suspect(130, 2, 3)]),
    );

    expect(detections).toEqual({ count: 2, meanTicks: 20, maxTicks: 30 });
    expect(missed).toBe(0);
    expect(mistakes).toEqual(NOTHING);
  });

  it('was missed by nodes that do not suspect at the end', () => {
    const { detections, missed } = detectionOf(facts([crash(100, 3)], [suspect(110, 1, 3)]));

    expect(detections.count).toBe(1);
    expect(missed).toBe(1);
  });

  it('was noticed when the suspicion began that lasted: a late beat ends one', () => {
    const words = [suspect(110, 1, 3), trust(112, 1, 3), suspect(140, 1, 3), suspect(120, 2, 3)];

    const { detections, mistakes } = detectionOf(facts([crash(100, 3)], words.toSorted(byTick)));

    expect(detections).toEqual({ count: 2, meanTicks: 30, maxTicks: 40 });
    expect(mistakes).toEqual(NOTHING);
  });

  it('was noticed at once by nodes that suspected it already', () => {
    const { detections, mistakes } = detectionOf(
      facts([crash(100, 3)], [suspect(90, 1, 3), suspect(104, 2, 3)]),
    );

    expect(detections).toEqual({ count: 2, meanTicks: 2, maxTicks: 4 });
    expect(mistakes).toEqual({ count: 1, meanTicks: 10, maxTicks: 10 });
  });

  it('is neither noticed nor missed where the node was back too soon', () => {
    const lives = [crash(100, 3), back(105, 3)];

    const { detections, missed } = detectionOf(facts(lives, [suspect(103, 1, 3)]));

    expect(detections).toEqual({ count: 1, meanTicks: 3, maxTicks: 3 });
    expect(missed).toBe(0);
  });

  it('is not asked of an observer that was down meanwhile', () => {
    const lives = [crash(100, 3), crash(102, 2), back(110, 2)];

    const { detections, missed } = detectionOf(facts(lives, [suspect(110, 1, 3)]));

    expect([detections.count, missed]).toEqual([1, 0]);
  });

  it('of a node that was down from the beginning counts from 0', () => {
    const { detections } = detectionOf(
      facts([crash(0, 3)], [suspect(12, 1, 3), suspect(14, 2, 3)]),
    );

    expect(detections).toEqual({ count: 2, meanTicks: 13, maxTicks: 14 });
  });
});

describe('a mistake', () => {
  it('lasts until it is taken back', () => {
    const { mistakes, detections } = detectionOf(facts([], [suspect(10, 1, 2), trust(25, 1, 2)]));

    expect(mistakes).toEqual({ count: 1, meanTicks: 15, maxTicks: 15 });
    expect(detections).toEqual(NOTHING);
  });

  it('lasts to the end where it is not', () => {
    expect(detectionOf(facts([], [suspect(10, 1, 2)])).mistakes.maxTicks).toBe(990);
  });

  it('ends with the node that made it', () => {
    const { mistakes } = detectionOf(facts([crash(40, 1)], [suspect(10, 1, 2)]));

    expect(mistakes).toEqual({ count: 1, meanTicks: 30, maxTicks: 30 });
  });

  it('is none where the crash was in the same tick', () => {
    const { mistakes, detections } = detectionOf(facts([crash(10, 2)], [suspect(10, 1, 2)]));

    expect(mistakes).toEqual(NOTHING);
    expect(detections).toEqual({ count: 1, meanTicks: 0, maxTicks: 0 });
  });

  it('can be made of a node that has returned', () => {
    const lives = [crash(10, 2), back(50, 2)];

    const { mistakes } = detectionOf(facts(lives, [suspect(20, 1, 2), suspect(60, 1, 2)]));

    expect(mistakes).toEqual({ count: 1, meanTicks: 940, maxTicks: 940 });
  });
});

it('costs the messages of detectors alone', () => {
  const messages = { ELECTION: 3, FD_HEARTBEAT: 40, FD_GOSSIP: 2, total: 45 };

  expect(detectionOf({ ...facts([], []), messages }).messages).toBe(42);
});

function facts(
  changes: readonly UpDownChange[],
  reports: readonly DeliveredReport[],
): DetectionFacts {
  return { nodes: 3, reports, changes, endsAt: 1000, messages: {} };
}

function byTick(left: DeliveredReport, right: DeliveredReport): number {
  return left.at - right.at;
}

function suspect(at: number, by: number, about: number): DeliveredReport {
  return { at, by, about, type: 'suspect' };
}

function trust(at: number, by: number, about: number): DeliveredReport {
  return { at, by, about, type: 'trust' };
}

function crash(at: number, rank: number): UpDownChange {
  return { at, rank, type: 'crash' };
}

function back(at: number, rank: number): UpDownChange {
  return { at, rank, type: 'return' };
}
