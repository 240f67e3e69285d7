/**
 * @module
 * One Byzantine node, stepped by hand: its events, its effects, and the reaction of an honest node.
 */

import type { Behaviour, ByzantineNode } from '../../../src/adversary/behaviours/behaviour.ts';
import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type {
  Authentication,
  Level,
  SealedMessage,
} from '../../../src/election/authentication/authenticated.ts';
import { createAuthenticated } from '../../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Event, Json, Message, Self } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { parseSeed } from '../../../src/random.ts';
import { recorded } from '../../election/recorded.ts';

export const TIMING = { latencyTicksMax: 1 };

export interface NodeSetup {
  readonly protocol: ProtocolName;
  readonly level?: Level;
  /** Of three. */
  readonly rank?: number;
  readonly accomplices?: readonly number[];
}

/** One Byzantine node of three. 4 is the phantom. */
export function byzantineNodeOf(setup: NodeSetup): ByzantineNode {
  const { protocol, level = 'L0', rank = 2, accomplices = [rank] } = setup;
  const authentication: Authentication = {
    ...{ level, protocol, election: '1' },
    keysOf: symbolicKeys(parseSeed('1'), [1, 2, 3].map(toRank)),
  };
  return {
    ...{ protocol, timing: TIMING, rank: toRank(rank), phantom: toRank(4) },
    ...{ accomplices: accomplices.map(toRank), authentication },
  };
}

export function selfOf({ protocol, rank = 2 }: NodeSetup): Self {
  const ring = [1, 2, 3];
  return createCast({ protocol, timing: TIMING, ring, crashedBefore: [] }).selfOf(rank);
}

/** A node that remembers its state between steps. */
export interface Stepped {
  readonly state: Json;
  handle(event: Event<Message>): EffectRecord[];
}

export function stepped(machine: AnyMachine, self: Self): Stepped {
  const state = machine.init(self);
  return {
    state,
    handle: (event) => recorded((effects) => machine.step(self, state, event, effects)),
  };
}

/** The protocol's own machine with a behaviour. */
export function withBehaviour(behaviour: Behaviour, setup: NodeSetup, inner?: AnyMachine): Stepped {
  const byzantineNode = byzantineNodeOf(setup);
  const own = inner ?? PROTOCOLS[setup.protocol].create(TIMING);
  const sealed = createAuthenticated(own, byzantineNode.authentication);
  return stepped(behaviour.wrap(sealed, byzantineNode), selfOf(setup));
}

/** An honest node. */
export function honest(setup: NodeSetup): Stepped {
  const { authentication } = byzantineNodeOf(setup);
  const own = PROTOCOLS[setup.protocol].create(TIMING);
  return stepped(createAuthenticated(own, authentication), selfOf(setup));
}

export function deliver(from: number, message: Message): Event<Message> {
  return { type: 'deliver', from: toRank(from), message };
}

export function timeout(timer: string): Event<Message> {
  return { type: 'timeout', timer };
}

/** Recipients and messages, in the order of sending. */
export function sendsOf(effects: readonly EffectRecord[]): [to: number, message: SealedMessage][] {
  return effects.flatMap((effect): [number, SealedMessage][] =>
    effect.type === 'send' ? [[Number(effect.to), effect.message]] : [],
  );
}

/** The same without what proves it. */
export function wordsOf(effects: readonly EffectRecord[]): [to: number, body: Message][] {
  return sendsOf(effects).map(([to, { seal: _, ...body }]) => [to, body]);
}
