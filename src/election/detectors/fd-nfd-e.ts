/**
 * @module
 * NFD-E of W. Chen, S. Toueg and M. K. Aguilera ("On the quality of service of failure detectors", IEEE Transactions
 * on Computers 51(5), 2002). The next heartbeat is expected when the mean delay of the last ones says, and its sender is
 * suspected `alpha` ticks later. Unlike a time-out from the last arrival, a late heartbeat does not postpone the
 * suspicion, and a fast one does not hasten it. The clocks need not agree: a constant difference is part of the delay.
 * A heartbeat that arrives after the next was due renews no trust.
 */

import { createBeats } from './beats.ts';
import {
  BEATING_NODES_MAX,
  defineDetector,
  EVERY_OPTION,
  ticksFrom,
} from './detector-definition.ts';

type Memory = {
  /** Delays by the clocks of sender and receiver, the oldest first. */
  delays: number[];
  /** Ticks until the suspicion, counted from the last arrival. Below 0 if it was due before. */
  waitTicks: number;
};

export const FD_NFD_E = defineDetector({
  name: 'fd-nfd-e',
  rule: 'suspects alpha ticks after the expected arrival of the next beat, by the mean delay of the last ones',
  messageBound: 'n(n−1) a period',
  source:
    'W. Chen, S. Toueg, M. K. Aguilera, On the quality of service of failure detectors, IEEE Trans. Computers 51(5), 2002',
  messages: { FD_HEARTBEAT: { seq: 'integer' } },
  options: {
    every: EVERY_OPTION,
    alpha: {
      ...ticksFrom(1),
      meaning: 'ticks from the expected arrival of a beat to the suspicion',
      byDefault: (timing) => timing.latencyTicksMax + 1,
    },
    window: {
      type: 'number',
      min: 1,
      max: 10_000,
      decimal: false,
      words: [],
      meaning: 'number of arrivals that are remembered',
      byDefault: () => 32,
    },
  },
  clash: null,
  nodesMax: BEATING_NODES_MAX,
  detectionTicks: (timing, read) =>
    timing.latencyTicksMax + read.number('every') + read.number('alpha'),
  create(_timing, read) {
    const [every, alpha, window] = [
      read.number('every'),
      read.number('alpha'),
      read.number('window'),
    ];
    return createBeats<Memory>(every, {
      begin: () => ({ delays: [], waitTicks: every + alpha }),
      // The number of a heartbeat is the clock of its sender.
      receive(memory, now, _wasSuspected, seq) {
        memory.delays.push(now - seq);
        if (memory.delays.length > window) memory.delays.shift();
        const mean = memory.delays.reduce((sum, delay) => sum + delay, 0) / memory.delays.length;
        const ticks = Math.ceil(mean + seq + every + alpha - now);
        // A forged number could otherwise postpone the suspicion for ever.
        memory.waitTicks = ticks > 0 ? Math.min(ticks, 2 * every + alpha) : -1;
      },
      deadlineTicks: (memory) => memory.waitTicks,
    });
  },
});
