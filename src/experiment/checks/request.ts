/**
 * @module
 * This folder contains checks as documents: what is asked, counterexamples as files, and results for programs.
 * What a check is asked for, with defaults for what is left out: the body of a request over HTTP, and the options of
 * `usurp check`.
 */

import { z } from 'zod';

import { findBehaviour } from '../../adversary/behaviours/registry.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { goalStageOf, instanceOf } from '../../checking/check-request.ts';
import type { Bounds, Instance } from '../../checking/instance.ts';
import {
  assertInstance,
  BOUND_MAX,
  BOUND_NAMES,
  ENDPOINTS_MAX,
  NO_FAULTS,
  PER_LINK_MAX,
  START_MODES,
} from '../../checking/instance.ts';
import { GOAL_NAMES, GOALS, soughtBy } from '../../checking/properties/goals.ts';
import type { Conditions } from '../../checking/properties/registry.ts';
import { CHECKED_PROPERTY_NAMES, checkedByDefault } from '../../checking/properties/registry.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import { parseClients, unservedReason } from '../../election/clients/client-form.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import { integer, list, must, object, oneOf, text } from '../../simulation/faults/schemas.ts';

const ranks = list(integer(1, ENDPOINTS_MAX), ENDPOINTS_MAX);
const flagText = text.max(64, must('a string of at most 64 characters'));
const bound = integer(0, BOUND_MAX).optional();

function choice<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, oneOf(names));
}

/** Largest numbers of random walks, and of the actions of one. */
export const WALKS_MAX = { count: 1_000_000_000, depth: 100_000 } as const;

/** Most actions of a random walk by default. */
export const WALK_DEPTH = 200;

/** The members of a check. Only the protocol and the ring are required. */
export const CHECK = object({
  protocol: z.enum(PROTOCOL_NAMES, oneOf(PROTOCOL_NAMES)),
  flags: z.record(z.string().max(64), flagText, must('an object')).optional(),
  /** Every rank 1..n once, clockwise. */
  ring: ranks.min(1, must('a list of at least one rank')),
  initiators: ranks.optional(),
  crashedBefore: ranks.optional(),
  absent: ranks.optional(),
  phantoms: ranks.optional(),
  /** What nodes check of messages. L0 if there are Byzantine nodes. */
  level: choice(LEVELS).optional(),
  byzantine: list(
    object({
      rank: integer(1, ENDPOINTS_MAX),
      /** The innermost first. */
      behaviours: list(text.max(64, must('a name')), 8),
    }),
    ENDPOINTS_MAX,
  ).optional(),
  starts: choice(START_MODES).optional(),
  timing: choice(['synchronous', 'asynchronous']).optional(),
  links: choice(['fifo', 'any']).optional(),
  /** Which nodes have a link, as parseTopology reads it. The ring gives the positions. */
  topology: text.max(64, must('a string of at most 64 characters')).optional(),
  /** Pairs of nodes without a link. */
  cut: list(ranks.length(2, must('two ranks')), 100).optional(),
  /** Largest number of messages in flight on a link. */
  perLink: integer(1, PER_LINK_MAX).optional(),
  /** Whether worlds that differ only in how high their counters are count as one. By default they do. */
  terms: choice(['shifted', 'exact']).optional(),
  /** Largest distance between two values of a counter, such as two terms. */
  spread: integer(1, PER_LINK_MAX).optional(),
  bounds: object(Object.fromEntries(BOUND_NAMES.map((name) => [name, bound]))).optional(),
  /** The resource that leaders write to. By default there is none. */
  resource: choice(RESOURCE_KINDS).optional(),
  /** Clients that leaders serve, as `usurp elect` takes them. By default there are none. */
  clients: text.max(100, must('clients')).optional(),
  /** By default those that the protocol claims. */
  properties: list(z.enum(CHECKED_PROPERTY_NAMES, oneOf(CHECKED_PROPERTY_NAMES)), 100)
    .min(
      1,
      must('a list of at least one property; leave it out for those that the protocol claims'),
    )
    .optional(),
  /** What the Byzantine nodes seek. The check then looks for a shortest example of it instead of properties. */
  goal: choice(GOAL_NAMES).optional(),
  order: choice(['breadth', 'depth']).optional(),
  /** Whether worlds may be left out whose omission changes no verdict. By default they are. */
  reduction: choice(['on', 'off']).optional(),
  /** Whether worlds that differ only in which node has which rank count as one, where that changes no verdict. By default they do. */
  symmetry: choice(['on', 'off']).optional(),
  /** Random walks instead of a search of all worlds. */
  walks: object({
    count: integer(1, WALKS_MAX.count),
    /** Most actions of a walk. */
    depth: integer(1, WALKS_MAX.depth).default(WALK_DEPTH),
    seed: z
      .string(must('a decimal string'))
      .regex(/^(?:0|[1-9][0-9]{0,76})$/, 'must be a decimal string of at most 77 digits')
      .default('1'),
  }).optional(),
});

export type Check = z.infer<typeof CHECK>;

/** Nodes of a check that states none. */
export const CHECKED_NODES = 3;

/** A ring by rank. */
export function ringOf(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}

/** Clients of a check: each has more worlds than the one before. */
const CHECKED_CLIENTS_MAX = 4;

function clientsIn({ clients: given, protocol, flags = {}, resource }: Check): Clients | undefined {
  if (given === undefined) return undefined;
  const clients = parseClients(given);
  const reason =
    clients.count > CHECKED_CLIENTS_MAX
      ? `at most ${CHECKED_CLIENTS_MAX} clients`
      : unservedReason(protocol, flags, resource ?? null);
  if (reason !== null) throw refusal('/clients', reason);
  return clients;
}

/** The request with all members. Throws LabError `arguments` for members that do not fit together. */
export function requestOf(check: Check): CheckRequest {
  const { protocol, flags = {}, ring, crashedBefore = [], starts = 'together' } = check;
  const { absent = [], phantoms = [] } = check;
  assertFitting(check);
  const conditions = {
    timing: check.timing ?? 'asynchronous',
    links: check.links ?? (PROTOCOLS[protocol].fifo ? 'fifo' : 'any'),
    cut: (check.cut ?? []).map(([one = 0, other = 0]) => [one, other] as const),
    perLink: check.perLink ?? null,
    // The counters of a protocol are not where they were in a state with a workload around it.
    isShifted: check.terms !== 'exact' && check.resource === undefined,
    spread: check.spread ?? null,
    bounds: boundsOf(check.bounds ?? {}),
    starts,
    resource: check.resource,
    clients: clientsIn(check),
    flags,
  } as const;
  assertGoal(check);
  const { goal, byzantine } = check;
  const request: CheckRequest = {
    protocol,
    ring,
    crashedBefore,
    absent,
    phantoms,
    topology: check.topology,
    ...conditions,
    initiators: check.initiators ?? ring.toSorted((left, right) => left - right),
    properties:
      goal === undefined
        ? (check.properties ?? defaultNames(protocol, { ...conditions, byzantine }))
        : soughtBy(goal, goalStageOf(check)).map(({ property }) => property.name),
    goal,
    order: check.order ?? 'breadth',
    isReduced: check.reduction !== 'off',
    isSymmetric: check.symmetry !== 'off',
    level: check.level ?? (byzantine === undefined ? undefined : 'L0'),
    byzantine,
    walks: check.walks && { ...check.walks, seed: parseSeed(check.walks.seed) },
  };
  if (request.spread !== null && PROTOCOLS[protocol].counters.length === 0) {
    throw refusal('/spread', `${protocol} states no counters, so that they have no spread`);
  }
  if (request.spread !== null && (!request.isShifted || request.level !== undefined)) {
    throw refusal(
      '/spread',
      'worlds have a spread only if their terms are shifted, without a resource and a level',
    );
  }
  const instance = instanceFor(request);
  const endpoints = instance.cast.store ?? instance.cast.nodes;
  if (endpoints > ENDPOINTS_MAX) {
    throw refusal('/ring', `at most ${ENDPOINTS_MAX} nodes with the store, got ${endpoints}`);
  }
  assertInstance(instance);
  return request;
}

/** The instance of a request. Throws LabError `arguments`, which points at the topology. */
function instanceFor(request: CheckRequest): Instance {
  try {
    return instanceOf(request);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw refusal('/topology', error.message.replace(/^topology /, ''));
  }
}

function defaultNames(protocol: ProtocolName, conditions: Conditions): string[] {
  return checkedByDefault(PROTOCOLS[protocol], conditions).map(({ name }) => name);
}

function boundsOf(given: Readonly<Record<string, number | undefined>>): Bounds {
  const bounds = { ...NO_FAULTS };
  for (const name of BOUND_NAMES) {
    const value = given[name];
    if (value !== undefined) bounds[name] = value;
  }
  return bounds;
}

function assertFitting(check: Check): void {
  const { protocol, flags = {}, ring, crashedBefore = [], initiators = [] } = check;
  const { absent = [], phantoms = [], bounds = {} } = check;
  const { votersIn }: Protocol = PROTOCOLS[protocol];
  const fault = flagFault(protocol, flags);
  if (fault !== null) throw refusal(`/flags/${fault.flag}`, `flag ${fault.flag}: ${fault.detail}`);
  const isPermutation = ring
    .toSorted((left, right) => left - right)
    .every((rank, index) => rank === index + 1);
  if (!isPermutation) {
    const detail = `the ring must have every rank 1..${ring.length} once, got ${ring.join()}`;
    throw refusal('/ring', detail);
  }
  const cut = (check.cut ?? []).flat();
  const ranksIn = { crashedBefore, initiators, absent, phantoms, cut };
  for (const [member, named] of Object.entries(ranksIn)) {
    const strange = named.find((rank) => rank > ring.length);
    if (strange === undefined) continue;
    const detail =
      member === 'phantoms'
        ? `a phantom is one of the ranks 1..${ring.length} that no node has: --phantoms ${ring.length}, got ${strange}`
        : `there is no node ${strange}: the ranks are 1..${ring.length}`;
    throw refusal(`/${member}`, detail);
  }
  assertCut(check.cut ?? []);
  assertByzantine(check);
  assertMembers([...crashedBefore, ...absent, ...phantoms], ring.length);
  if ((bounds.leave ?? 0) > 0 && votersIn === null) {
    const detail = `the members of ${protocol} never leave; leave the bound out, or check raft`;
    throw refusal('/bounds/leave', detail);
  }
  if (absent.length > 0 !== (bounds.join ?? 0) > 0) {
    const detail =
      'absent nodes and a bound of joins need each other; ranks that never join are phantoms';
    throw refusal('/absent', detail);
  }
}

/** Each pair has two nodes, and is there once, in one of its two orders. */
function assertCut(cut: readonly (readonly number[])[]): void {
  const names = cut.map((pair) => pair.toSorted((left, right) => left - right).join('-'));
  const wrong = names.findIndex((name, index) => {
    const [one, other] = cut[index] ?? [];
    return one === other || names.indexOf(name) !== index;
  });
  if (wrong < 0) return;
  const detail = `${cut[wrong]?.join('-')} must be two different nodes, and be named once`;
  throw refusal('/cut', detail);
}

function assertByzantine(check: Check): void {
  const { protocol, ring, byzantine = [], phantoms = [], level, absent = [], bounds } = check;
  const found = byzantine.map(({ rank }) => rank);
  const wrong = found.find((rank, index) => rank > ring.length || found.indexOf(rank) !== index);
  const gone = found.find((rank) => phantoms.includes(rank));
  if (wrong !== undefined || gone !== undefined) {
    const detail = `node ${wrong ?? gone} must be a node, and named once as Byzantine`;
    throw refusal('/byzantine', detail);
  }
  for (const name of byzantine.flatMap(({ behaviours }) => behaviours)) {
    const behaviour = findBehaviour(name);
    const reason =
      behaviour === null ? 'there is no such one' : behaviour.unsupportedReason(protocol);
    if (reason !== null) throw refusal('/byzantine', `behaviour ${name}: ${reason}`);
    if (name === 'phantom-id' && !phantoms.includes(ring.length)) {
      throw refusal(
        '/phantoms',
        `behaviour ${name} names the highest rank, which must not exist: --phantoms ${ring.length}`,
      );
    }
  }
  if ((bounds?.lies ?? 0) > 0 && found.length === 0) {
    throw refusal('/bounds/lies', 'lies need a Byzantine node');
  }
  if (level === 'L3' && absent.length > 0 && PROTOCOLS[protocol].family === 'ring') {
    const detail = 'joins at L3 begin another election on a ring, which a check does not explore';
    throw refusal('/level', detail);
  }
}

function assertGoal(check: Check): void {
  const { goal, properties } = check;
  if (goal === undefined) return;
  const stage = goalStageOf(check);
  const sought = soughtBy(goal, stage).map(({ property }) => property.name);
  if (properties?.every((name) => sought.includes(name)) === false) {
    throw refusal('/goal', 'give a goal or properties, not both');
  }
  const reason = GOALS[goal].unsupportedReason(stage);
  if (reason !== null) throw refusal('/goal', `no world shows the goal ${goal}: ${reason}`);
}

/** A node is down, absent or a phantom at most, and one node is none of them. */
function assertMembers(gone: readonly number[], nodes: number): void {
  const twice = gone.find((rank, index) => gone.indexOf(rank) !== index);
  if (twice !== undefined) {
    const detail = `node ${twice} is down before the election, absent, or a phantom: name it once`;
    throw refusal('/absent', detail);
  }
  if (gone.length < nodes) return;
  const detail = 'nodes that are down before the election, absent or phantoms must leave a node up';
  throw refusal('/crashedBefore', detail);
}

function refusal(pointer: string, detail: string): LabError {
  return new LabError('arguments', detail, [{ pointer, detail }]);
}
