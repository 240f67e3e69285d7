/**
 * @module
 * One node of a quorum protocol, told of events one at a time, and what it does upon each in the words
 * of a trace. Whatever it asks for by chance falls on 0.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { describeEffects } from '../../../src/simulation/trace/describe.ts';
import { recorded } from '../recorded.ts';

export interface QuorumNode {
  tell(event: Event<Message>): string;
  hear(from: number, message: Message & Readonly<Record<string, Json>>): string;
  fire(timer: string): string;
  recover(persisted: Json): string;
}

export interface Place {
  readonly protocol: ProtocolName;
  readonly rank: number;
  readonly nodes: number;
  readonly flags?: Flags;
  readonly crashedBefore?: readonly number[];
}

/** A node that nobody has started, of a network with Δ = 1. */
export function createNode({
  protocol,
  rank,
  nodes,
  flags,
  crashedBefore = [],
}: Place): QuorumNode {
  const timing = { latencyTicksMax: 1 };
  const ring = Array.from({ length: nodes }, (_, index) => index + 1);
  const machine = PROTOCOLS[protocol].create(timing, flags);
  const self = createCast({ protocol, timing, ring, crashedBefore }).selfOf(rank);
  const state = machine.init(self);
  const tell = (event: Event<Message>) =>
    describeEffects(
      recorded((effects) => {
        let asked = false;
        const choose = () => {
          asked = true;
        };
        machine.step(self, state, event, { ...effects, choose });
        if (asked) machine.step(self, state, { type: 'chosen', value: 0 }, effects);
      }),
      rank,
    );
  return {
    tell,
    hear: (from, message) => tell({ type: 'deliver', from: toRank(from), message }),
    fire: (timer) => tell({ type: 'timeout', timer }),
    recover: (persisted) => tell({ type: 'recover', persisted }),
  };
}
