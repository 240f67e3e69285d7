/**
 * @module
 * Nodes whose records are torn: what is stored as one record reaches the disk in two writes, its first
 * field at once and the rest when the node next hears of anything. A crash in between leaves a term of the
 * new record and a vote of the old one (hashicorp/raft, issue 661).
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Effects, Json, Message, Rank } from '../../../src/election/machine.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

interface Disk {
  written: Readonly<Record<string, Json>>;
  /** The record in its new form, while a part of it has yet to be written; null for nothing. */
  rest: Readonly<Record<string, Json>> | null;
}

/** The election of these options, among nodes with such disks. */
export function createTornSimulation(options: SimulationOptions): Simulation {
  const cast = createCast(planSimulation(options));
  const disks = new Map<Rank, Disk>();
  return createSimulation(options, (place) => torn(cast.machineOf(place), disks));
}

/** What is in a field that was never written. */
const EMPTY: Readonly<Record<string, Json>> = {
  ...{ term: 0, votedFor: null },
  ...{ ackedEpoch: 0, ackedId: null },
  ...{ acceptedEpoch: 0, currentEpoch: 0 },
};

function torn(machine: AnyMachine, disks: Map<Rank, Disk>): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const disk = disks.get(self.rank) ?? { written: {}, rest: null };
      disks.set(self.rank, disk);
      // Whoever crashes before its next step has lost the second write.
      if (event.type === 'recover') disk.rest = null;
      // What it has drawn by lot it is told at once.
      if (event.type !== 'chosen') finish(disk, effects);
      machine.step(self, state, event, {
        send: (to, message) => effects.send(to, message),
        setTimer: (timer, ticks, periodic) => effects.setTimer(timer, ticks, periodic),
        cancelTimer: (timer) => effects.cancelTimer(timer),
        choose: (below) => effects.choose(below),
        persist: (fields) => begin(disk, fields, effects),
        call: (operation) => effects.call(operation),
        elect: (leader, epoch) => effects.elect(leader, epoch),
        stepDown: () => effects.stepDown(),
        accuse: (evidence) => effects.accuse(evidence),
        respond: (value) => effects.respond(value),
      });
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

/** The first write of a record. */
function begin(disk: Disk, fields: Json, effects: Effects<Message>): void {
  finish(disk, effects);
  // The records of all protocols that this is for are objects.
  const record = fields as Disk['written'];
  const [name, value] = Object.entries(record)[0] ?? [];
  if (name === undefined || value === undefined) return;
  const before = Object.keys(record).map((key) => [key, disk.written[key] ?? EMPTY[key] ?? null]);
  disk.written = { ...Object.fromEntries(before), [name]: value };
  disk.rest = record;
  effects.persist(disk.written);
}
