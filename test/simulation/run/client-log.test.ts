/**
 * @module
 * The history of clients: what a node has refused can still happen if the network copies messages and nodes forget which
 * questions they have accepted.
 */

import { describe, expect, it } from 'vitest';

import { linearize } from '../../../src/checking/histories/linearizability.ts';
import { registerModel } from '../../../src/checking/histories/register.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { NO_EFFECTS } from '../../../src/election/intercepted.ts';
import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { storeSelf } from '../../../src/live/stores/live-store.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { createClientLog } from '../../../src/simulation/run/client-log.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** In these runs a client reads what it had been refused, if refusals count as certain. */
it.each(['88', '183'])('is linearizable although questions arrive twice (seed %s)', (text) => {
  const seed = parseSeed(text);
  const random = createRandom(seed, 'x');
  const faults: ScheduledFault[] = [
    { type: 'duplication', share: 0.5, from: 0, to: 1500 },
    { type: 'reordering', share: 0.5, ticksMax: 60, from: 0, to: 1500 },
  ];
  for (let count = 0; count < 12; count += 1) {
    const at = 300 + random.below(1000);
    const rank = 1 + random.below(3);
    faults.push({ type: 'crash', rank, at });
    faults.push({ type: 'restart', rank, at: at + 1 + random.below(20), amnesia: false });
  }
  const simulation = createSimulation({
    protocol: 'raft',
    flags: { log: 'on', electionTicks: '100', spreadTicks: '60' },
    nodes: 3,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    schedule: { faults, calm: null, detector: 'crashes' },
    clients: { count: 3, reads: 'leader', patienceTicks: 60, everyTicks: null },
    untilTicks: 2500,
  });

  runElection(simulation, undefined);

  const history = simulation.history() ?? [];
  expect(history.some(({ returned }) => returned === null)).toBe(true);
  expect(linearize(registerModel(), history).value).toBe('true');
});

describe('a question that goes on to another node', () => {
  /** What a client knows that asks node 1, is sent on, and has the answer of node 2. */
  function historyOf(isRefusalCertain: boolean) {
    let now = 0;
    const question = { client: 0, serial: 1, input: { type: 'write', value: 1 } };
    const asking: AnyMachine = {
      init: () => ({}),
      step(_self, _state, event, effects) {
        if (event.type === 'start') effects.send(toRank(1), { type: 'ASK', ...question });
        if (event.type === 'deliver' && event.message.type === 'REDIRECT')
          effects.send(toRank(2), { type: 'ASK', ...question });
      },
    };
    const { watched, operations } = createClientLog(asking, { clock: () => now, isRefusalCertain });
    const answer = (rank: number, message: Message) => {
      now += 1;
      const event = { type: 'deliver', from: toRank(rank), message } as const;
      watched.step(self, {}, event, NO_EFFECTS);
    };
    const self = storeSelf(toRank(3));
    watched.step(self, {}, { type: 'start' }, NO_EFFECTS);
    const { client, serial } = question;
    answer(1, Object.assign({ type: 'REDIRECT' }, { client, serial, leader: 2 }));
    answer(2, Object.assign({ type: 'ANSWER' }, { client, serial, output: { done: true } }));
    return operations().map(({ call, returned }) => [call, returned?.at ?? null]);
  }

  it('is one operation if what a node refuses has not happened', () => {
    expect(historyOf(true)).toEqual([[0, 2]]);
  });

  it('is a second operation if it can have happened at the first node', () => {
    expect(historyOf(false)).toEqual([
      [0, null],
      [1, 2],
    ]);
  });
});
