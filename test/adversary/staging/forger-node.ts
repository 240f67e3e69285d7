/**
 * @module
 * Byzantine and honest nodes of one election, stepped by hand.
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
import type { Event, Json, Message, Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { parseSeed } from '../../../src/random.ts';
import { recorded } from '../../election/recorded.ts';

const TIMING = { latencyTicksMax: 1 };
const RING = [1, 2, 3, 4, 5];
export const PHANTOM = toRank(6);

export interface Setting {
  readonly protocol: ProtocolName;
  readonly level: Level;
  /** Which election the signatures are for, from L3 on. */
  readonly election?: string;
}

export interface SteppedNode {
  readonly rank: Rank;
  /** Takes a step. Returns its effects. */
  receive(event: Event<Message>): EffectRecord[];
  state(): Json;
}

/** The knowledge of an adversary at `rank` without accomplices. */
export function byzantineNodeOf(setting: Setting, rank: number): ByzantineNode {
  return {
    ...{ protocol: setting.protocol, timing: TIMING, rank: toRank(rank), phantom: PHANTOM },
    accomplices: [toRank(rank)],
    authentication: authenticationOf(setting),
  };
}

export function honestNode(setting: Setting, rank: number): SteppedNode {
  return nodeOf(setting, rank, honestMachine(setting));
}

/** The first behaviour is the innermost. Starts from `state` if given. */
export function nodeWithBehaviours(
  setting: Setting,
  rank: number,
  behaviours: readonly Behaviour[],
  state?: Json,
): SteppedNode {
  const byzantineNode = byzantineNodeOf(setting, rank);
  const machine = behaviours.reduce<AnyMachine>(
    (inner, behaviour) => behaviour.wrap(inner, byzantineNode),
    honestMachine(setting),
  );
  return nodeOf(setting, rank, machine, state);
}

/** What was sent to `rank`, in order. */
export function sentTo(effects: readonly EffectRecord[], rank: number): SealedMessage[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' && effect.to === toRank(rank) ? [effect.message] : [],
  );
}

/** Delivers the messages of `from` to `to`. Returns how many `to` refused, by reason. */
export function carry(
  effects: readonly EffectRecord[],
  { from, to }: { readonly from: SteppedNode; readonly to: SteppedNode },
): Readonly<Record<string, number>> {
  for (const effect of effects) {
    if (effect.type !== 'send' || effect.to !== to.rank) continue;
    to.receive({ type: 'deliver', from: from.rank, message: effect.message });
  }
  return refusedBy(to);
}

/** Number of refused messages by reason, without zeros. */
export function refusedBy(node: SteppedNode): Readonly<Record<string, number>> {
  const { refused = {} } = node.state() as { refused?: Record<string, number> };
  return Object.fromEntries(Object.entries(refused).filter(([, count]) => count > 0));
}

function nodeOf(
  { protocol }: Setting,
  rank: number,
  machine: AnyMachine,
  before?: Json,
): SteppedNode {
  const cast = createCast({ protocol, timing: TIMING, ring: RING, crashedBefore: [] });
  const self = cast.selfOf(rank);
  const state = before ?? machine.init(self);
  return {
    rank: self.rank,
    receive: (event) => recorded((effects) => machine.step(self, state, event, effects)),
    state: () => state,
  };
}

function honestMachine(setting: Setting): AnyMachine {
  return createAuthenticated(PROTOCOLS[setting.protocol].create(TIMING), authenticationOf(setting));
}

function authenticationOf({ protocol, level, election = '1' }: Setting): Authentication {
  const keysOf = symbolicKeys(parseSeed('1'), RING.map(toRank));
  return { level, protocol, election, keysOf };
}
