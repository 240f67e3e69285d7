/**
 * @module
 * Protocols under every detector: the crash of a leader is noticed, another is elected, and what the
 * detection was worth is told.
 */

import { describe, expect, it } from 'vitest';

import {
  DETECTOR_NAMES,
  detectionTicks,
  parseDetector,
} from '../../../src/election/detectors/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 4 } as const;
const TIMING = { latencyTicksMax: 4 };
const CRASH_AT = 2000;
const PROTOCOLS = ['bully-oneshot', 'bully-gm82', 'bully-2phase', 'ring-robust'] as const;

describe.each(DETECTOR_NAMES)('under %s', (name) => {
  const spec = parseDetector(name);

  it.each(PROTOCOLS)('%s replaces a leader that crashes', (protocol) => {
    const { status, detection } = play({ protocol, detector: spec });

    expect(status.leader).toBe(4);
    expect(status.agreed).toBe(true);
    expect(detection?.missed).toBe(0);
    expect(detection?.detections.count).toBe(4);
    expect(detection?.detections.maxTicks).toBeLessThanOrEqual(detectionTicks(spec, TIMING));
    expect(detection?.mistakes.count).toBe(0);
  });
});

describe('a node that stops for a while', () => {
  const detector = parseDetector('fd-heartbeat:every=10,timeout=20');

  it('is suspected by all while it is paused, and on waking suspects no node that sent to it', () => {
    const pause = { type: 'pause', rank: 5, from: 1000, to: 1500 } as const;
    const { status, detection } = play({
      detector,
      faults: [],
      schedule: { faults: [pause], calm: null, detector: 'crashes' },
    });

    expect(detection?.mistakes.count).toBe(4);
    expect(detection?.mistakes.meanTicks).toBeGreaterThan(470);
    expect([status.leader, status.agreed]).toEqual([5, true]);
  });

  it('is suspected once it has crashed, and trusted and followed when it returns', () => {
    const { status, detection } = play({
      detector,
      faults: [
        { type: 'crash', rank: 5, at: 1000 },
        { type: 'recover', rank: 5, at: 1500 },
      ],
    });

    expect(detection?.detections.count).toBe(4);
    expect(detection?.mistakes.count).toBe(0);
    expect([status.leader, status.agreed]).toEqual([5, true]);
  });

  it('is forgotten and found again by gossip', () => {
    const { status, detection } = play({
      detector: parseDetector('fd-gossip:every=5,fail=80'),
      faults: [
        { type: 'crash', rank: 5, at: 500 },
        { type: 'recover', rank: 5, at: 1500 },
      ],
    });

    expect(detection?.detections.count).toBe(4);
    expect(detection?.missed).toBe(0);
    expect([status.leader, status.agreed]).toEqual([5, true]);
  });
});

describe('what detection costs', () => {
  it.each([
    ['fd-heartbeat', 'FD_HEARTBEAT', 20],
    ['fd-phi-akka', 'FD_HEARTBEAT', 20],
    ['fd-gossip', 'FD_GOSSIP', 5],
  ])('%s: %s, %d a period', (text, type, messagesAPeriod) => {
    const simulation = createSimulation({
      protocol: 'bully-oneshot',
      nodes: 5,
      latency: LATENCY,
      seed: parseSeed('3'),
      detector: parseDetector(`${text}:every=10`),
      audit: true,
    });
    simulation.start();

    simulation.advance({ until: 199 });

    expect(simulation.status().messages[type]).toBe(20 * messagesAPeriod);
    expect(simulation.detection()?.messages).toBe(20 * messagesAPeriod);
  });

  it('is nothing for the oracle', () => {
    const { detection } = play({ detector: parseDetector('fd-oracle') });

    expect(detection?.messages).toBe(0);
  });
});

describe('a detector that errs', () => {
  it('is told from one that does not, by the same crash in the same run', () => {
    const hasty = play({ detector: parseDetector('fd-heartbeat:every=10,timeout=10') });
    const patient = play({ detector: parseDetector('fd-heartbeat:every=10,timeout=40') });

    expect(hasty.detection?.mistakes.count).toBeGreaterThan(100);
    expect(patient.detection?.mistakes.count).toBe(0);
    expect(hasty.detection?.detections.maxTicks ?? 0).toBeLessThan(
      patient.detection?.detections.maxTicks ?? 0,
    );
  });

  it('errs less and less often where it adapts', () => {
    const { detection } = play({
      detector: parseDetector('fd-heartbeat:every=10,timeout=10,adaptive'),
    });

    // One doubling reaches the largest gap, 10 + 4 − 1: one mistake a pair at most.
    expect(detection?.mistakes.count).toBeGreaterThan(0);
    expect(detection?.mistakes.count).toBeLessThanOrEqual(5 * 4);
    expect(detection?.missed).toBe(0);
  });

  it('keeps the old leader if the oracle never reports its crash', () => {
    const { status, detection } = play({
      detector: parseDetector('fd-oracle:class=incomplete'),
    });

    expect(status.agreed).toBe(false);
    expect(detection?.missed).toBe(4);
    expect(detection?.detections.count).toBe(0);
  });

  it('does no lasting harm where it is eventually right', () => {
    for (const seed of ['1', '2', '3', '4', '5']) {
      const detector = parseDetector('fd-oracle:class=eventually-P,stableAt=500');
      const { status, detection } = play({ detector, seed: parseSeed(seed) });

      expect(status.leader).toBe(4);
      expect(status.agreed).toBe(true);
      expect(detection?.mistakes.count).toBeGreaterThan(0);
    }
  });
});

function play(options: Partial<SimulationOptions>) {
  const simulation = createSimulation({
    protocol: 'bully-oneshot',
    nodes: 5,
    latency: LATENCY,
    seed: parseSeed('3'),
    faults: [{ type: 'crash', rank: 5, at: CRASH_AT }],
    audit: true,
    ...options,
  });
  simulation.start();
  simulation.advance({ until: 3500 });
  return { status: simulation.status(), detection: simulation.detection() };
}

describe('detectors on nodes that do not begin the election', () => {
  it.each(['fd-heartbeat', 'fd-phi-akka', 'fd-gossip'])('run all the same: %s', (detector) => {
    const simulation = createSimulation({
      ...{ protocol: 'bully-oneshot', nodes: 5, seed: parseSeed('1'), audit: true },
      detector: parseDetector(detector),
      schedule: {
        faults: [
          { type: 'crash', rank: 5, at: 400 },
          { type: 'pause', rank: 2, from: 0, to: 1 },
        ],
        calm: null,
        detector: 'crashes',
      },
    });
    simulation.start([1]);

    simulation.advance({ until: 'idle' });

    const { leader, agreed } = simulation.status();
    expect({ leader, agreed }).toEqual({ leader: 4, agreed: true });
    expect(simulation.detection()).toMatchObject({
      detections: { count: 4 },
      missed: 0,
      mistakes: { count: 0 },
    });
  });
});
