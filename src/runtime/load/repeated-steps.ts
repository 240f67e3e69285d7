/**
 * @module
 * Whether a machine of the user does the same for the same state and event. A machine with a memory of its own, in a
 * closure or in a variable of its file, gives other results to each driver, and a check that computes each step once is
 * wrong. The first step of each kind is repeated whenever a step of the kind is a sample, and so is that step.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Event, Json, Message, Self } from '../../election/machine.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { unplainIn } from '../../election/world/plain-json.ts';

/** A step before it is made. */
export interface StepCopy {
  readonly self: Self;
  readonly state: Json;
  readonly event: Event<Message>;
}

/** Members of a node whose first steps are kept. */
const MEMBERS_MAX = 1000;

/** A step that can be repeated; null if its state is no plain data, which is refused elsewhere. */
export function copyOfStep(self: Self, state: Json, event: Event<Message>): StepCopy | null {
  if (unplainIn(state, 'state') !== null || unplainIn(event, 'event') !== null) return null;
  return { self, state: structuredClone(state), event: structuredClone(event) };
}

export class RepeatedSteps {
  readonly #machine: AnyMachine;
  /** The first step of each kind, and what it did. */
  readonly #first = new Map<string, { readonly step: StepCopy; readonly done: string }>();

  constructor(machine: AnyMachine) {
    this.#machine = machine;
  }

  /** Repeats a step that has just been made. Returns two different things that one step did; null if there are none. */
  difference(kind: string, step: StepCopy): readonly [string, string] | null {
    const now = { step, done: this.#repeat(step) };
    const first = this.#first.get(kind);
    for (const kept of first === undefined ? [now] : [first, now]) {
      const repeated = this.#repeat(kept.step);
      if (repeated !== kept.done) return [kept.done, repeated];
    }
    if (first === undefined && step.self.members.length <= MEMBERS_MAX) {
      this.#first.set(kind, { ...now, step: unchanging(step) });
    }
    return null;
  }

  #repeat({ self, state, event }: StepCopy): string {
    const after = structuredClone(state);
    const effects: EffectRecord[] = [];
    try {
      this.#machine.step(self, after, structuredClone(event), recordingEffects(effects));
    } catch (error) {
      return `throws ${String(error)}`;
    }
    return JSON.stringify({ state: after, effects });
  }
}

/** What a node knows of itself may change with the membership. */
function unchanging({ self, ...step }: StepCopy): StepCopy {
  const { rank, members, successors, predecessor, ringNodes, incumbent } = self;
  const copies = { members: [...members], successors: [...successors] };
  return { ...step, self: { rank, ...copies, predecessor, ringNodes, incumbent } };
}
