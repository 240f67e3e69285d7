/**
 * @module
 * The answers of a store in the logs of nodes are repeated in an order that the store can have had: those of a lower number
 * first, and those of one number by their causes and times. Writes of leaders to the resource may have no answer.
 */

import { describe, expect, it } from 'vitest';

import { checkText } from '../../../src/cli/live/log-check.ts';
import { servingMachine } from '../../../src/election/clients/client-cast.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { createLeaseLocal } from '../../../src/election/lease/lease-local.ts';
import { loadedMachine } from '../../../src/election/lease/workload-cast.ts';
import type { Event, Message, Rank, Self } from '../../../src/election/machine.ts';
import { recordingEffects } from '../../../src/election/world/effect-record.ts';
import { replayLogs } from '../../../src/live/check/live-trace.ts';
import type { CheckedLogs } from '../../../src/live/check/log-check.ts';
import { mergedSteps } from '../../../src/live/check/merged-steps.ts';
import { liveCast } from '../../../src/live/live-machine.ts';
import type { LiveLog, LiveRecord, StoreMark } from '../../../src/live/node-record.ts';
import { createLiveRecorder, STORE_RANK } from '../../../src/live/node-record.ts';
import { castClientsOf } from '../../../src/simulation/plan/clients.ts';
import { parseWorkload, workloadEveryTicks } from '../../../src/simulation/plan/workload.ts';

const timing = { latencyTicksMax: 10 };
const workload = parseWorkload('unfenced');
const FENCED = parseWorkload('fencing-register');
const writing = { resource: workload.resource, everyTicks: workloadEveryTicks(workload, timing) };
const ranks = [1, 2, 3].map((number) => `${number}`.repeat(16) as string as Rank);
const rankAt = (position: number) => ranks[position - 1] as Rank;

const CLIENTS = { count: 1, reads: 'leader', patienceTicks: 100, everyTicks: null } as const;

/** Nodes of lease-local whose store is the test. Leaders write by themselves, or serve clients. */
function leaseRun(serves = false) {
  let now = 1_000;
  const nodes = ranks.map((rank) => {
    const recorder = createLiveRecorder(rank, { sent: 0, clock: {} }, { now: () => now });
    // A driver passes back only the states that this machine made.
    const lease = createLeaseLocal(timing) as unknown as AnyMachine;
    const served = { protocol: 'lease-local', timing, workload: FENCED } as const;
    const machine = recorder.around(
      serves
        ? servingMachine(lease, castClientsOf(CLIENTS, served))
        : loadedMachine(lease, writing),
    );
    const self = {
      rank,
      members: ranks,
      founders: ranks,
      successors: [],
      predecessor: rank,
      ringNodes: 3,
      links: null,
      incumbent: null,
    };
    return { recorder, machine, self: self satisfies Self, state: machine.init(self) };
  });
  const step = (position: number, event: Event<Message>) => {
    const node = nodes[position - 1];
    if (node === undefined) throw new Error(`there is no node ${position}`);
    node.machine.step(node.self, node.state, event, recordingEffects([]));
    return node.recorder;
  };
  return {
    at(t: number) {
      now = t;
    },
    step,
    /** Starts a node, which calls the store with request 1 as its call 0. */
    start(position: number) {
      step(position, { type: 'start' });
      step(position, { type: 'chosen', value: 0 });
    },
    answer(position: number, value: object, mark: StoreMark | null) {
      nodes[position - 1]?.recorder.answering(mark);
      // An answer of the lease service.
      step(position, { type: 'reply', value: value as Message });
    },
    checked(): CheckedLogs {
      const logs = nodes.map(({ recorder }, index) => {
        return { position: index + 1, records: recorder.take(), isByzantine: false };
      });
      const live = {
        ...({ protocol: 'lease-local', timing, defences: [] } as const),
        ...(serves ? { workload: FENCED, clients: CLIENTS } : { workload }),
      };
      const peers = ranks.map((rank, index) => ({ rank, position: index + 1, isFounder: true }));
      const network = { ring: [1, 2, 3], peers };
      const cast = liveCast(live, network);
      const replayed = replayLogs(cast, network, logs);
      return {
        ...{ protocol: live.protocol, election: 'test', network, latencyMs: 10, store: cast.store },
        ...{
          logs,
          numbers: network.ring,
          missing: [],
          replayed,
          disturbances: [],
          adversaries: [],
        },
        clash: null,
      };
    },
  };
}

/** Node 3 saw the lease of node 2 before its end, which node 2 saw after a pause of the store. */
function endSeenBy(endMark: Pick<StoreMark, 'revision' | 'wrote'>, heldSeenAt: number) {
  const run = leaseRun();
  run.start(2);
  run.start(3);
  run.at(1_010);
  const epoch = 1;
  run.answer(2, { type: 'GRANTED', request: 1, epoch }, { call: 0, revision: 1, wrote: true });
  const sawHeld = () => {
    const value = { type: 'REFUSED', request: 1, holder: rankAt(2), epoch };
    run.answer(3, value, { call: 0, revision: 1, wrote: false });
  };
  if (heldSeenAt < 2_000) {
    run.at(heldSeenAt);
    sawHeld();
  }
  run.at(1_060);
  run.step(2, { type: 'timeout', timer: 'renew' });
  run.at(2_000);
  run.answer(2, { type: 'REFUSED', request: 2, holder: null, epoch }, { call: 1, ...endMark });
  if (heldSeenAt > 2_000) {
    run.at(heldSeenAt);
    sawHeld();
  }
  run.at(3_000);
  run.answer(2, { type: 'GRANTED', request: 3, epoch: 2 }, { call: 2, revision: 3, wrote: true });
  return run.checked().replayed;
}

describe('the check of a run in which a lease ended', () => {
  it('takes an answer from before the end of the lease, although a node of a lower ID saw the end', () => {
    const { defect, records } = endSeenBy({ revision: 1, wrote: false }, 1_020);

    expect(defect).toBeNull();
    expect(records.length).toBeGreaterThan(8);
  });

  it('takes one that arrived after an answer from after the end, which has a higher number', () => {
    const { defect } = endSeenBy({ revision: 2, wrote: true }, 2_010);

    expect(defect).toBeNull();
  });

  it('refuses one from after an answer of a higher number', () => {
    const run = leaseRun();
    run.start(2);
    run.start(3);
    const held = { type: 'REFUSED', request: 1, holder: rankAt(2), epoch: 1 };
    run.answer(2, { type: 'GRANTED', request: 1, epoch: 1 }, { call: 0, revision: 2, wrote: true });
    run.answer(3, held, { call: 0, revision: 1, wrote: false });

    const checked = run.checked();
    expect(checked.replayed.defect?.reason).toContain('has {"type":"REFUSED"');
    expect(checkText(checked)).toContain('\nin these steps the resource accepted 0 writes,');
  });
});

it('answers of one number are repeated by their causes if clocks of machines differ', () => {
  const called = (t: number, id: number): LiveRecord => {
    const operation = { type: 'READ' };
    const effects = [{ type: 'call', id, to: STORE_RANK, operation } as const];
    return { t, event: { type: 'timeout', timer: 'poll' }, effects, clock: {} };
  };
  const answered = (t: number, call: number): LiveRecord => {
    const mark = { call, revision: 1, wrote: false };
    const event = { type: 'reply', value: { type: 'ROW' }, mark } as const;
    const effects = [
      { type: 'send', id: call + 1, to: rankAt(1), message: { type: 'M' } } as const,
    ];
    return { t, event, effects, clock: {} };
  };
  const received: LiveRecord = {
    ...{ t: 100, effects: [], clock: {} },
    event: { type: 'deliver', from: rankAt(2), id: 1, message: { type: 'M' } },
  };
  // The clock of node 2 is ahead. Node 1 calls when it has received what node 2 sent after its answer.
  const log = (position: number, records: readonly LiveRecord[]): LiveLog => {
    return { position, records, isByzantine: false };
  };
  const logs = [
    log(1, [received, called(101, 0), answered(102, 0)]),
    log(2, [called(900, 0), answered(901, 0)]),
  ];

  const steps = [...mergedSteps(logs, (rank) => ranks.indexOf(rank) + 1)];

  expect(steps.map(({ type, position, index }) => `${type} ${position} ${index}`)).toEqual([
    ...['node 2 0', 'store 2 1', 'node 2 1'],
    ...['node 1 0', 'node 1 1', 'store 1 2', 'node 1 2'],
  ]);
});

it('the check says how many writes have no answer, which the resource may have accepted', () => {
  const textAfter = (writes: number) => {
    const run = leaseRun();
    run.start(2);
    run.answer(2, { type: 'GRANTED', request: 1, epoch: 1 }, { call: 0, revision: 1, wrote: true });
    for (let write = 1; write <= writes; write += 1) {
      run.step(2, { type: 'timeout', timer: 'work:write' });
    }
    run.answer(2, { type: 'WRITTEN', epoch: 1, value: 1 }, { call: 1, revision: 2, wrote: true });
    return checkText(run.checked());
  };

  expect(textAfter(1)).toMatch(
    /accepted 1 write, 0 of them stale and 0 late, and refused 0 stale writes\n$/,
  );
  expect(textAfter(2)).toMatch(/\n1 write has no answer: the resource may have accepted it\n$/);
  expect(textAfter(3)).toMatch(/\n2 writes have no answer: the resource may have accepted them\n$/);
});

it('a write without an answer can have taken effect before the next leader registered', () => {
  const found = (content: number | null) => {
    const run = leaseRun(true);
    const lead = (position: number, epoch: number, revision: number, has: number | null) => {
      run.start(position);
      const granted = { type: 'GRANTED', request: 1, epoch };
      run.answer(position, granted, { call: 0, revision, wrote: true });
      const registered = { type: 'REGISTERED', epoch };
      run.answer(position, registered, { call: 2, revision: revision + 1, wrote: true });
      const fetched = { type: 'FETCHED', epoch, content: has };
      run.answer(position, fetched, { call: 3, revision: revision + 1, wrote: false });
    };
    lead(1, 1, 1, null);
    const asked = { type: 'ASK', client: 0, serial: 1, input: { type: 'write', value: 7 } };
    run.answer(1, asked, null);
    lead(2, 2, 4, content);
    return run.checked().replayed;
  };

  expect(found(null).defect).toBeNull();
  expect(found(7).defect).toBeNull();
  expect(found(8).defect?.reason).toContain('has {"type":"FETCHED","epoch":2,"content":8}');
});
