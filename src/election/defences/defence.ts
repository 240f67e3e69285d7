/**
 * @module
 * This folder contains the defences against attacks. This file is the contract of a defence: what honest
 * nodes do beside their protocol against one kind of attack. Most defences are machines around a node's
 * own. One `inside` the authentication receives messages without seals and can add to what is signed. One
 * `around` it receives the seals, and can show to others what a node has signed. Other defences are
 * settings of a protocol, a resource or a run. A defence changes what honest nodes accept, never what a
 * Byzantine node sends.
 */

import type { Authentication, Level } from '../authentication/authenticated.ts';
import { definition } from '../definition/definitions.ts';
import type { Flags } from '../definition/flags.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { ProtocolName } from '../registry.ts';
import type { Timing } from '../timing.ts';

/** What a guard is made for. */
export interface DefenceContext {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
}

/** What a guard that sees seals is made for. */
export interface SealedDefenceContext extends DefenceContext {
  readonly authentication: Authentication;
}

/** How a defence changes the choices of an adversary. */
export interface ResponseFacts {
  /** Nodes that register after the honest nodes are known: they take part, they do not, or they take no lead from a live leader. */
  readonly newcomers: 'admitted' | 'refused' | 'held-off';
  /** Whether the ID decides the rank, so that identities can be aimed at a rank, or ranks are drawn after registration. */
  readonly ranks: 'by-id' | 'drawn';
}

interface Listed {
  readonly name: string;
  /** The number in the catalogue of defences: D1..D12. */
  readonly code: string;
  /** One sentence: what it stops and what it costs. */
  readonly summary: string;
  /** Why it does not fit this protocol. Null if it fits. */
  readonly unsupportedReason: (protocol: ProtocolName) => string | null;
  /** What of its effect is missing on a protocol that it fits, as a clause. Null if nothing is. */
  readonly limit: (protocol: ProtocolName) => string | null;
  /** The lowest level of authentication at which it has an effect. Null for any level, or none. */
  readonly needsLevel: Level | null;
  /** What it changes in the choice of how many identities an adversary registers, where and when. */
  readonly response: ResponseFacts;
}

/** The facts of a defence that has its whole effect at every level, and changes no choice of an adversary. */
export const WITHOUT_LIMITS = {
  limit: () => null,
  needsLevel: null,
  response: { newcomers: 'admitted', ranks: 'by-id' },
} as const satisfies Partial<Listed>;

/** A machine around a protocol's, which is then authenticated. */
export interface InsideDefence extends Listed {
  readonly kind: 'inside';
  readonly guard: (machine: AnyMachine, context: DefenceContext) => AnyMachine;
}

/** A machine around an authenticated one. */
export interface AroundDefence extends Listed {
  readonly kind: 'around';
  /** The part of the defence inside the authentication, which signs what that part sends. Null if it has none. */
  readonly inside: ((machine: AnyMachine, context: DefenceContext) => AnyMachine) | null;
  readonly guard: (machine: AnyMachine, context: SealedDefenceContext) => AnyMachine;
  /** Whether Byzantine nodes run it too, because it adds proofs without which their messages are ignored. */
  readonly isRunByAll: boolean;
}

/** Changes of the plan of a run. An absent part stays unchanged. */
export interface Setting {
  /** Flags of the protocol, over its own. */
  readonly flags?: Flags;
  /** Another protocol instead of this one. */
  readonly protocol?: ProtocolName;
  /** What leaders work on. */
  readonly work?: {
    readonly resource: 'fencing-max';
    /** The resource is written to as often as each write can be answered before the next. */
    readonly everyTicks: null;
    readonly epochStepMax: number;
  };
}

/** No machine: a change of the run's plan. */
export interface SettingDefence extends Listed {
  readonly kind: 'setting';
  /** Throws RangeError for a protocol that it does not fit. */
  readonly setting: (protocol: ProtocolName) => Setting;
}

export type Defence = InsideDefence | AroundDefence | SettingDefence;

/** Makes a definition a defence that registries list. */
export function defineDefence<const Name extends string, D extends Defence>(
  given: D & { readonly name: Name },
): D & { readonly name: Name } {
  return definition('defence', given);
}

/** The setting, for a protocol that the defence fits. Throws RangeError for any other. */
export function fittingSetting(
  { name, reason }: { readonly name: string; readonly reason: string | null },
  protocol: ProtocolName,
  setting: Setting,
): Setting {
  if (reason === null) return setting;
  throw new RangeError(`"protocol" expected one that ${name} fits, got ${protocol}`);
}
