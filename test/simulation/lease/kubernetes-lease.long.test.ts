/**
 * @module
 * When two nodes lead at once by a Kubernetes Lease: never without pauses, while clocks run equally fast and answers take
 * at most LeaseDuration − RenewDeadline − RetryPeriod. Slower answers can do it, unless callTimeout gives them up.
 */

import { expect, it } from 'vitest';

import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { SEED } from '../ring/rings.ts';
import { scheduleOf, swarmRun } from '../schedules.ts';
import { measuresOf } from './lease-runs.ts';

const KINDS = FAULT_KINDS.filter((kind) => !['pause', 'skew', 'drift', 'jump'].includes(kind));
const RUNS = Array.from({ length: 60 }, (_, index) => index + 1);

it.each<[string, Flags]>([
  ['the flags by default', {}],
  ['releaseOnCancel', { releaseOnCancel: 'true' }],
  ['a wait for the own duration, which is the same', { expiry: 'own' }],
])('one leads at a time, with %s, whatever is lost, slow or down', (_what, flags) => {
  // The slack is 39 ticks, and an answer of at most 90 ticks is given up after 30.
  const given = { callTimeout: '30', ...flags };
  for (const number of RUNS) {
    const run = swarmRun(number, { protocol: 'kubernetes-lease', kinds: KINDS });
    const { ticksSplit, leadersPerEpochMax } = measuresOf({ ...run, flags: given }, 2000);

    expect([ticksSplit, leadersPerEpochMax], `run ${number}`).toEqual([0, 1]);
  }
});

/**
 * Node 1 leads. From its 20th answer on, answers need 60 ticks more to reach it, and from tick 2000 on it reaches the store
 * no more. The slack is 15 ticks. Returns for how many ticks two lead at once.
 */
function splitTicks(callTimeout: string): number {
  const flags = { leaseDuration: '190', renewDeadline: '170', retryPeriod: '5', callTimeout };
  const machine = PROTOCOLS['kubernetes-lease'].create({ latencyTicksMax: 2 }, flags);
  const cut = { kind: 'isolate', rank: 1 } as const;
  const options: SimulationOptions = {
    protocol: 'kubernetes-lease',
    nodes: 3,
    seed: SEED,
    flags,
    latency: { type: 'constant', ticks: 2 },
    crashedBefore: [2, 3],
    schedule: scheduleOf(
      ...[2, 3].map((rank): ScheduledFault => ({ type: 'restart', rank, at: 100, amnesia: true })),
      { type: 'partition', cut, from: 2000, to: null },
    ),
  };
  const slow = slowed(machine);
  return measuresOf(options, 3000, (rank) => (rank === 1 ? slow : machine)).ticksSplit;
}

/** The machine, whose answers come late from the 20th on. */
function slowed(machine: AnyMachine): AnyMachine {
  return {
    init: (self) => ({ inner: machine.init(self), answers: 0, late: [] }),
    step(self, state, event, effects) {
      // A driver passes back only the states of this machine.
      const slow = state as unknown as { inner: Json; answers: number; late: Message[] };
      const isLate = event.type === 'timeout' && event.timer.startsWith('late-');
      if (event.type === 'reply') {
        slow.answers += 1;
        if (slow.answers >= 20) {
          slow.late.push(event.value);
          effects.setTimer(`late-${slow.answers}`, 60, false);
          return;
        }
      }
      const value = isLate ? slow.late.shift() : undefined;
      machine.step(
        self,
        slow.inner,
        value === undefined ? event : { type: 'reply', value },
        effects,
      );
    },
  };
}

it('two lead at once after a slow answer that callTimeout allows, and never if it is given up within the slack', () => {
  expect(splitTicks('85')).toBeGreaterThan(0);
  expect(splitTicks('15')).toBe(0);
});
