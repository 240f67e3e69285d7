/**
 * @module
 * The nodes of two rows of the fault matrix. In `unknown-message` every node also sends messages of types
 * that the machines and the store do not know. In `torn-record` what a node stores as one record reaches
 * the disk in two writes: its first field at once, the rest at its next event. A crash in between leaves
 * a term of the new record and a vote of the old one (hashicorp/raft, issue 661).
 */

import type { FaultName } from '../../election/definition/fault-row.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Effects, Json, Message, Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { createCast } from '../../election/world/cast.ts';
import { planSimulation } from '../plan/options.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';

/** Whether the fault needs no nodes of its own. */
export function isPlain(fault: FaultName): boolean {
  return fault !== 'unknown-message' && fault !== 'torn-record';
}

/** The election of these options, among the nodes that the fault needs. */
export function createFaultSimulation(fault: FaultName, options: SimulationOptions): Simulation {
  if (isPlain(fault)) return createSimulation(options);
  const cast = createCast(planSimulation(options));
  if (fault === 'unknown-message') {
    return createSimulation(options, noisyCast(cast, options.protocol).machineOf);
  }
  const disks = new Map<Rank, Disk>();
  return createSimulation(options, (rank) => torn(cast.machineOf(rank), disks));
}

/** The same election, whose nodes also send messages of unknown types. */
export function noisyCast(cast: Cast, protocol: ProtocolName): Cast {
  const noise = { known: PROTOCOLS[protocol].messageTypes, calls: cast.store !== null };
  return { ...cast, machineOf: (rank) => noisy(cast.machineOf(rank), noise) };
}

interface Noise {
  readonly known: readonly string[];
  /** Whether there is a store to call. */
  readonly calls: boolean;
}

/** Greets all nodes at its start, and answers each known message by the same of a version 2. */
function noisy(machine: AnyMachine, { known, calls }: Noise): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      machine.step(self, state, event, effects);
      if (event.type === 'start') {
        for (const to of self.members) if (to !== self.rank) effects.send(to, { type: 'HELLO' });
        if (calls) effects.call({ type: 'HELLO' });
      }
      if (event.type === 'deliver' && known.includes(event.message.type)) {
        effects.send(event.from, newer(event.message));
      }
      if (event.type === 'reply' && known.includes(event.value.type)) {
        effects.call(newer(event.value));
        // As if the store had sent the reply in both versions.
        machine.step(self, state, { type: 'reply', value: newer(event.value) }, effects);
      }
    },
  };
}

function newer(message: Message): Message {
  return { ...message, type: `${message.type}/2` };
}

type Fields = Readonly<Record<string, Json>>;

interface Disk {
  written: Fields;
  /** The new record, while a part of it is not yet written. */
  rest: Fields | null;
}

/** What a field contains that was never written. */
const EMPTY: Fields = {
  term: 0,
  votedFor: null,
  ackedEpoch: 0,
  ackedId: null,
  acceptedEpoch: 0,
  currentEpoch: 0,
};

function torn(machine: AnyMachine, disks: Map<Rank, Disk>): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const disk = disks.get(self.rank) ?? { written: {}, rest: null };
      disks.set(self.rank, disk);
      // A node that crashes before its next step loses the second write.
      if (event.type === 'recover') disk.rest = null;
      // The answer to a choice belongs to the same step.
      if (event.type !== 'chosen') finish(disk, effects);
      const taps = { persist: (fields: Json) => begin(disk, fields, effects) };
      machine.step(self, state, event, intercepted(effects, taps));
    },
  };
}

/** The second write of the last record, before anything else. */
function finish(disk: Disk, effects: Effects<Message>): void {
  if (disk.rest === null) return;
  disk.written = disk.rest;
  disk.rest = null;
  effects.persist(disk.written);
}

/** The first write of a record. A value without fields is one write. */
function begin(disk: Disk, value: Json, effects: Effects<Message>): void {
  finish(disk, effects);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    effects.persist(value);
    return;
  }
  // A JSON object is the only kind of value that is left.
  const record = value as Fields;
  const [first] = Object.entries(record);
  if (first === undefined) return;
  const before = Object.keys(record).map((key) => [key, disk.written[key] ?? EMPTY[key] ?? null]);
  disk.written = { ...Object.fromEntries([...before, first]) };
  disk.rest = record;
  effects.persist(disk.written);
}
