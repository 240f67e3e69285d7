/**
 * @module
 * Timers whose names contain the rank of a node. In the log of a live node the rank is hex, in the model a position. The
 * model takes the steps of such a log, and its trace has its own names.
 */

import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Event, Message, Rank, Self } from '../../src/election/machine.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../src/election/world/effect-record.ts';
import { replayLogs } from '../../src/live/check/live-trace.ts';
import { liveCast } from '../../src/live/live-machine.ts';
import type { LiveRecord } from '../../src/live/node-record.ts';
import { createLiveRecorder } from '../../src/live/node-record.ts';
import { parsePeers } from '../../src/live/peers.ts';
import { testNetwork } from './network.ts';

const made = await testNetwork(2);
rmSync(made.folder, { recursive: true });
const network = parsePeers(made.peers);
const [lower, higher] = [rankAt(1), rankAt(2)];
const cast = liveCast(
  { protocol: 'bully-oneshot', timing: { latencyTicksMax: 10 }, defences: ['back-off'] },
  network,
);

function rankAt(position: number): Rank {
  const rank = network.peers[position - 1]?.rank;
  if (rank === undefined) throw new Error('two peers were expected');
  return rank;
}

/** The log of node 2, which goes through these events. Its machine is that of a live node, with ranks in hex. */
function logged(events: readonly Event<Message>[]): readonly LiveRecord[] {
  const recorder = createLiveRecorder(higher, { sent: 0, clock: {} }, { now: () => 0 });
  const machine = recorder.around(cast.machineOf(2));
  const self: Self = {
    ...{
      rank: higher,
      members: [lower, higher],
      founders: [lower, higher],
      successors: [lower],
      predecessor: lower,
    },
    ...{ ringNodes: 2, links: null, incumbent: null },
  };
  const state = machine.init(self);
  for (const event of events) machine.step(self, state, event, recordingEffects([]));
  return recorder.take();
}

function timersIn(effects: readonly EffectRecord[]): readonly string[] {
  return effects.flatMap((effect) => (effect.type === 'set-timer' ? effect.timer : []));
}

const returned: readonly Event<Message>[] = [
  { type: 'start' },
  { type: 'suspect', node: lower },
  { type: 'trust', node: lower },
];

it('the model takes a timer that is named after a node, when it is set and when it fires', () => {
  const turn = { type: 'timeout', timer: `off:turn:${lower}` } as const;
  const records = logged([...returned, turn]);

  const { defect, records: trace } = replayLogs(cast, network, [
    { position: 2, records, isByzantine: false },
  ]);

  const named = records.flatMap(({ effects }) => timersIn(effects));
  expect(named).toEqual(expect.arrayContaining([turn.timer, `off:forget:${lower}`]));
  expect(defect).toBeNull();
  expect(trace.at(-1)?.action).toEqual({ type: 'timeout', node: 2, timer: 'off:turn:1' });
  const shown = trace.flatMap(({ effects }) => timersIn(effects));
  expect(shown).toEqual(expect.arrayContaining(['off:turn:1', 'off:forget:1']));
});

it('the model refuses a timer that is named after another node than it has set', () => {
  const turn = { type: 'timeout', timer: `off:turn:${higher}` } as const;
  const records = logged([...returned, turn]);

  const { defect } = replayLogs(cast, network, [{ position: 2, records, isByzantine: false }]);

  expect(defect?.record).toBe(3);
  expect(defect?.reason).toContain('got off:turn:2');
});
