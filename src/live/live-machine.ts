/**
 * @module
 * The machine of a live node: that of the protocol, and around it, as in the simulator, defences, the recorder of its
 * steps, a detector, authentication, and the behaviours of a Byzantine node. The model repeats what is inside the recorder.
 */

import { isDeepStrictEqual } from 'node:util';

import { withBehaviours } from '../adversary/behaviours/byzantine-node.ts';
import { confined } from '../adversary/keys.ts';
import type { Authentication, Keys, Level } from '../election/authentication/authenticated.ts';
import { createAuthenticated } from '../election/authentication/authenticated.ts';
import {
  createInItsOwn,
  createInNewest,
  createNumberedElections,
} from '../election/authentication/numbered-elections.ts';
import { castWithClients, servingMachine } from '../election/clients/client-cast.ts';
import type { Clients } from '../election/clients/client-form.ts';
import { unservedReason } from '../election/clients/client-form.ts';
import type { Defence } from '../election/defences/defence.ts';
import {
  defencesFault,
  guardAround,
  guardInside,
  runByAll,
  settingsOf,
} from '../election/defences/defended.ts';
import type { DefenceName } from '../election/defences/registry.ts';
import { DEFENCES } from '../election/defences/registry.ts';
import type { Flags } from '../election/definition/flags.ts';
import type { AnyMachine } from '../election/definition/protocol.ts';
import { createDetecting, createExchangedDetector } from '../election/detectors/detecting.ts';
import type { DetectorSpec } from '../election/detectors/registry.ts';
import { castWithWorkload, loadedMachine } from '../election/lease/workload-cast.ts';
import type { Rank } from '../election/machine.ts';
import type { ProtocolName } from '../election/registry.ts';
import { flagClash, flagFault, PROTOCOLS } from '../election/registry.ts';
import type { Timing } from '../election/timing.ts';
import type { Cast } from '../election/world/cast.ts';
import { createCast, memoised, withNodes } from '../election/world/cast.ts';
import { LabError } from '../errors.ts';
import { castClientsOf } from '../simulation/plan/clients.ts';
import type { Workload } from '../simulation/plan/workload.ts';
import { workloadEveryTicks } from '../simulation/plan/workload.ts';
import type { Network, Peer } from './peers.ts';
import {
  assertServes,
  ownStoreKind,
  parseStoreAddress,
  storesServing,
} from './stores/open-store.ts';

/** What all nodes of an election run. */
export interface LiveProtocol {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly defences: readonly DefenceName[];
  /** Variants and numbers of the protocol. Those of the protocol itself if absent. */
  readonly flags?: Flags | undefined;
  /** The store that the protocol or its resource needs; without one if absent. */
  readonly store?: string | null | undefined;
  /** The resource in the store that leaders write to; none if absent. */
  readonly workload?: Workload | null | undefined;
  /** The clients that leaders serve, from the resource or from the log of the protocol; none if absent. */
  readonly clients?: Clients | null | undefined;
}

/** What one node runs. */
export interface LiveMachinePlan extends LiveProtocol {
  readonly level: Level;
  readonly election: string;
  readonly detector: DetectorSpec;
  /** The behaviours of a Byzantine node. An honest node has none. */
  readonly behaviours: readonly string[];
  readonly rank: Rank;
  /** Whether each message comes over a connection that has shown the identity of its sender. */
  readonly provesSenders: boolean;
}

/** What the machine needs from its driver. */
export interface LiveMachineHooks {
  readonly keysOf: (rank: Rank) => Keys;
  readonly record: (machine: AnyMachine) => AnyMachine;
  /** The clock of the node, in ms. */
  readonly clock: () => number;
  readonly onReport: (type: 'suspect' | 'trust', about: Rank) => void;
}

/** Levels of live nodes. L1 needs a network that knows who sends. */
export const LIVE_LEVELS = ['L0', 'L2', 'L3'] as const satisfies readonly Level[];

/** What live nodes run unless something else is asked for. */
export const LIVE_DEFAULTS = {
  level: 'L3',
  detector: 'fd-phi-akka',
  latencySeconds: 0.05,
} as const;

/** Throws LabError `arguments` for what live nodes cannot run. */
export function assertLive(live: LiveProtocol, level: Level): void {
  const { protocol, defences, timing } = live;
  assertStore(live);
  const fault = defencesFault(defences, { protocol, level });
  if (fault !== null) throw new LabError('arguments', fault);
  const flags = flagsOf(live);
  const wrong = flagFault(protocol, flags) ?? flagClash(protocol, timing, flags);
  if (wrong !== null) {
    throw new LabError('arguments', `--flags: ${wrong.flag} ${wrong.detail}`);
  }
  const unserved = live.clients
    ? unservedReason(protocol, flags, live.workload?.resource ?? null)
    : null;
  if (unserved !== null)
    throw new LabError(
      'arguments',
      `${unserved}; name one with --resource, or leave --clients out`,
    );
  const replacing = defences.find((name) => {
    const { kind }: Defence = DEFENCES[name];
    return (
      kind === 'setting' &&
      Object.keys(settingsOf([name], protocol)).some((each) => each !== 'flags')
    );
  });
  if (replacing === undefined) return;
  const detail = `${replacing} changes the protocol or the work of leaders, which live nodes do not do; leave it out`;
  throw new LabError('arguments', detail);
}

/** Refuses a store that is missing, without use, or of the wrong kind. */
function assertStore({ protocol, store = null, workload = null }: LiveProtocol): void {
  const user = PROTOCOLS[protocol].store === null && workload === null ? null : protocol;
  if (store === null && user !== null) {
    const hasOwn = PROTOCOLS[protocol].store !== null;
    const isServed = !hasOwn || storesServing(protocol).length > 0;
    const remedy = isServed
      ? 'so name one with --store'
      : 'and no real store serves it; simulate it with usurp elect';
    throw new LabError('arguments', `${hasOwn ? protocol : 'a resource'} needs a store, ${remedy}`);
  }
  if (store === null) return;
  if (user === null) {
    throw new LabError('arguments', `${protocol} uses no store; leave --store out`);
  }
  assertServes(ownStoreKind(store) ?? parseStoreAddress(store).kind, protocol);
}

/** The settings that a node had before and has no more, each with its present value. */
export function settingsDifference(before: object, now: object): string {
  const present = new Map<string, unknown>(Object.entries(now));
  const shown = (value: unknown) => String(value ?? '') || 'none';
  const differing = Object.entries(before).flatMap(([name, value]) =>
    isDeepStrictEqual(value ?? null, present.get(name) ?? null)
      ? []
      : `${name} ${shown(value)}, not ${shown(present.get(name))}`,
  );
  return differing.join(', and ');
}

/** What leaders do at a resource. */
function workloadOf({ workload = null, timing }: LiveProtocol) {
  if (workload === null) return null;
  return { resource: workload.resource, everyTicks: workloadEveryTicks(workload, timing) };
}

/** What the machines of clients and nodes need of clients. */
function clientsOf({ protocol, timing, workload = null }: LiveProtocol, clients: Clients) {
  return castClientsOf(clients, { protocol, timing, workload });
}

/**
 * The flags with which the protocol runs. Clients without a resource need a log, which is on unless a flag turns it off. The flags of
 * a defence cannot be changed.
 */
export function flagsOf(live: LiveProtocol): Flags {
  const { protocol, defences, clients = null, workload = null } = live;
  const flags = { ...live.flags, ...settingsOf(defences, protocol).flags };
  const needsLog = clients !== null && workload === null;
  const isLogged = PROTOCOLS[protocol].servesClients?.({ ...flags, log: 'on' }) === true;
  return needsLog && isLogged ? { log: 'on', ...flags } : flags;
}

/** The cast of the model that corresponds to a network. */
export function liveCast(
  live: LiveProtocol,
  {
    ring,
    peers,
  }: Pick<Network, 'ring'> & {
    readonly peers: readonly Pick<Peer, 'isFounder' | 'position'>[];
  },
): Cast {
  const { protocol, timing, defences, clients = null } = live;
  const flags = flagsOf(live);
  const absent = peers.flatMap(({ isFounder, position }) => (isFounder ? [] : position));
  const cast = createCast({ protocol, timing, flags, ring, crashedBefore: [], absent });
  const guarded = withNodes(
    cast,
    memoised((machine) => guardInside(machine, defences, { protocol, timing })),
  );
  const workload = workloadOf(live);
  if (clients !== null) return castWithClients(guarded, clientsOf(live, clients));
  return workload === null ? guarded : castWithWorkload(guarded, { protocol, ...workload });
}

/** The machine of one node. */
export function liveMachine(plan: LiveMachinePlan, hooks: LiveMachineHooks): AnyMachine {
  const { protocol, timing, level, election, behaviours, provesSenders } = plan;
  const isByzantine = behaviours.length > 0;
  const defences = isByzantine ? runByAll(plan.defences) : plan.defences;
  const numbers = isNumbered(protocol, level);
  const authenticationIn = (number: string): Authentication => ({
    level,
    protocol,
    keysOf: hooks.keysOf,
    provesSenders,
    election: numbers ? `${election}.${number}` : election,
  });
  const watched = watchedMachine({ ...plan, defences: isByzantine ? [] : defences }, hooks);
  const create = (number: string) => createAuthenticated(watched, authenticationIn(number));
  const sealed: AnyMachine = numbers ? createNumberedElections(create, timing) : create('');
  const guardedIn = (number: string): AnyMachine => {
    const authentication = authenticationIn(number);
    const guarded = guardAround(sealed, defences, { protocol, timing, authentication });
    if (!isByzantine) return guarded;
    return withBehaviours(guarded, behaviours, {
      protocol,
      timing,
      rank: plan.rank,
      accomplices: [plan.rank],
      phantom: phantomFor(plan.rank),
      authentication: confined(authentication, [plan.rank]),
    });
  };
  if (!numbers) return guardedIn('');
  if (isByzantine) return createInNewest(guardedIn);
  return defences.includes('receipts')
    ? createInItsOwn(guardedIn, authenticationIn)
    : guardedIn('');
}

/** The protocol with what is inside its authentication. */
function watchedMachine(
  plan: LiveMachinePlan,
  { record, clock, onReport }: LiveMachineHooks,
): AnyMachine {
  const { protocol, timing, defences, detector, clients = null } = plan;
  const own = PROTOCOLS[protocol].create(timing, flagsOf(plan));
  const guarded = guardInside(own, defences, { protocol, timing });
  const workload = workloadOf(plan);
  const loaded = workload === null ? guarded : loadedMachine(guarded, workload);
  const recorded = record(
    clients === null ? loaded : servingMachine(guarded, clientsOf(plan, clients)),
  );
  const watching = createExchangedDetector(detector, timing);
  // Nodes with a store send each other nothing. None needs to know which others are up.
  if (watching === null || PROTOCOLS[protocol].store !== null) return recorded;
  return createDetecting(recorded, watching, clock, ({ type, about }) => onReport(type, about));
}

/** Each join begins, as in the simulator, another election of a ring whose candidates are relayed. */
function isNumbered(protocol: ProtocolName, level: Level): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  return level === 'L3' && family === 'ring' && successors === 1;
}

/** The highest rank of this length: a node ID of ones, out of reach of every search. */
function phantomFor(rank: Rank): Rank {
  return 'f'.repeat(String(rank).length) as string as Rank; // It is written like the ranks of live nodes.
}
