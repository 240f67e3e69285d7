/**
 * @module
 * One node of a quorum protocol, stepped by hand. Describes the effects of each event in the words of a
 * trace. Each choice is 0.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { describeEffects } from '../../../src/simulation/trace/describe.ts';
import { recorded } from '../recorded.ts';

export interface QuorumNode {
  handle(event: Event<Message>): string;
  receive(from: number, message: Message & Readonly<Record<string, Json>>): string;
  fire(timer: string): string;
  recover(persisted: Json): string;
}

export interface NodeSetup {
  readonly protocol: ProtocolName;
  readonly rank: number;
  readonly nodes: number;
  readonly flags?: Flags;
  readonly crashedBefore?: readonly number[];
}

/** A node before its start, of a network with Δ = 1. */
export function createNode({
  protocol,
  rank,
  nodes,
  flags,
  crashedBefore = [],
}: NodeSetup): QuorumNode {
  const timing = { latencyTicksMax: 1 };
  const ring = Array.from({ length: nodes }, (_, index) => index + 1);
  const machine = PROTOCOLS[protocol].create(timing, flags);
  const self = createCast({ protocol, timing, ring, crashedBefore }).selfOf(rank);
  const state = machine.init(self);
  const handle = (event: Event<Message>) =>
    describeEffects(
      recorded((effects) => {
        let asked = false;
        const choose = () => {
          asked = true;
        };
        machine.step(self, state, event, { ...effects, choose });
        if (asked) machine.step(self, state, { type: 'chosen', value: 0 }, effects);
      }),
      { node: rank, wasLeading: true },
    );
  return {
    handle,
    receive: (from, message) => handle({ type: 'deliver', from: toRank(from), message }),
    fire: (timer) => handle({ type: 'timeout', timer }),
    recover: (persisted) => handle({ type: 'recover', persisted }),
  };
}
