/**
 * @module
 * This folder contains the operations of the model checker. This file has the members that both of them have: the
 * protocol, its links and faults, and how far a search goes.
 */

import { z } from 'zod';
import { BOUND_MAX, BOUND_NAMES, PER_LINK_MAX, START_MODES } from '../../checking/instance.ts';
import { GOAL_NAMES } from '../../checking/properties/goals.ts';
import { LEVEL_CHECKS, LEVELS } from '../../election/authentication/authenticated.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { parseTopology, TOPOLOGY_MEANING } from '../../election/topology/registry.ts';
import { LabError } from '../../errors.ts';
import type { Check } from '../../experiment/checks/request.ts';
import { quantity } from '../../quantities.ts';
import type { InputOf } from '../member.ts';
import { amount, choice, settings, text } from '../member.ts';

/** Visited worlds after which a search stops. */
export const STATES = { local: 10_000_000, remote: 1_000_000 } as const;

/** Memory of the visited worlds of a search, and of its values, such as states of nodes, in bytes. Each is limited. */
export const BYTES_MAX = { local: 2 * 2 ** 30, remote: 512 * 2 ** 20 } as const;

const STATES_MAX = 2 ** 31;
const REMOTE_STATES_MAX = 2_000_000;
const FLAG_CHARACTERS_MAX = 64;
const BOUNDS_RULE = `must be a list such as crash=1,loss=2, of ${BOUND_NAMES.join(', ')}, each from 0 to ${BOUND_MAX}, and each once`;
const bound = quantity('count', { min: 0, max: BOUND_MAX }, BOUNDS_RULE).optional();
const flagText = z.string().max(FLAG_CHARACTERS_MAX);

const perLink = { kind: 'count', bounds: { min: 1, max: PER_LINK_MAX }, slider: [0, 3] } as const;

export const GOAL = {
  label: 'Goal of the adversary',
  example: 'leader',
  meaning: 'What the adversary seeks: a shortest execution that reaches it is searched',
} as const;

/** What both operations ask of a protocol. */
export const WORLDS = {
  protocol: choice(PROTOCOL_NAMES, {
    label: 'Protocol',
    meaning: 'Protocol of the election',
    example: 'bully-oneshot',
    isArgument: true,
    required: true,
  }),
  timing: choice(['asynchronous', 'synchronous'], {
    label: 'Timing',
    meaning:
      'synchronous: timers fire only when nothing is in flight. asynchronous: they fire at any moment',
    example: 'synchronous',
    initial: 'asynchronous',
  }),
  bounds: settings(
    {
      schema: z.strictObject(Object.fromEntries(BOUND_NAMES.map((name) => [name, bound])), {
        error: ({ code }) => (code === 'invalid_type' ? BOUNDS_RULE : undefined),
      }),
      of: BOUND_NAMES,
    },
    {
      label: 'Faults, at most',
      meaning: `Largest number of each fault in one execution, of ${BOUND_NAMES.join(', ')}`,
      example: 'crash=1,loss=2',
      otherwise: 'none, and any number of timers',
    },
  ),
  level: choice(LEVELS, {
    label: 'Level of authentication',
    meaning: 'What nodes check of messages',
    example: 'L3',
    otherwise: 'nothing; L0 with Byzantine nodes',
    each: LEVEL_CHECKS,
  }),
  starts: choice(START_MODES, {
    label: 'Start of initiators',
    meaning:
      'together: before everything else. any: each at any moment until it takes part in the election. again: also later, which begins further elections',
    example: 'any',
    isFurther: true,
    initial: 'together',
  }),
  flags: settings(
    { schema: z.record(flagText, flagText, 'must be a list such as rejoin=naive, each name once') },
    {
      label: 'Variants',
      meaning: 'Variants and numbers of the protocol',
      example: 'spreadTicks=1',
      isFurther: true,
      otherwise: 'those of the protocol',
    },
  ),
  links: choice(['fifo', 'any'], {
    label: 'Order of messages',
    meaning: 'fifo: messages of a link arrive in the order of sending. any: in any order',
    example: 'any',
    isFurther: true,
    otherwise: 'fifo if the protocol needs it, else any',
  }),
  topology: text(
    { read: parseTopology },
    {
      label: 'Topology',
      meaning: TOPOLOGY_MEANING,
      example: 'ring',
      isFurther: true,
      otherwise: 'each pair of nodes has one',
    },
  ),
  perLink: amount({
    ...perLink,
    label: 'Messages on a link',
    meaning: 'Largest number of messages in flight on a link. Actions that exceed it are left out',
    example: '2',
    isFurther: true,
    otherwise: 'no limit',
  }),
  terms: choice(['shifted', 'exact'], {
    label: 'Height of terms',
    meaning:
      'shifted: worlds count as one if they differ only in the height of their terms or other counters. exact: they count separately',
    example: 'exact',
    isFurther: true,
    initial: 'shifted',
  }),
  spread: amount({
    ...perLink,
    label: 'Spread of terms',
    meaning: 'Largest difference between two terms of a world. Actions that exceed it are left out',
    example: '2',
    isFurther: true,
    otherwise: 'no limit',
  }),
  resource: choice(RESOURCE_KINDS, {
    label: 'Resource',
    meaning: 'Resource that leaders write to',
    example: 'fencing-register',
    isFurther: true,
    otherwise: 'none',
  }),
  clients: text(
    { read: parseClients },
    {
      label: 'Clients',
      meaning:
        'Clients that leaders serve, each with two operations, from the resource or from the log of the protocol: a number, with the option reads as in 2:reads=resource',
      example: '2',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  reduction: choice(['on', 'off'], {
    label: 'Reduction',
    meaning:
      'Partial-order reduction, which leaves out worlds without a change of verdict; never with an eventually property',
    example: 'off',
    isFurther: true,
    initial: 'on',
  }),
  symmetry: choice(['on', 'off'], {
    label: 'Symmetry',
    meaning:
      'Whether worlds count as one if they differ only in which node has which rank; never with an eventually property',
    example: 'off',
    isFurther: true,
    initial: 'on',
  }),
  maxStates: amount({
    kind: 'count',
    bounds: { min: 1, max: STATES_MAX },
    remoteMax: REMOTE_STATES_MAX,
    slider: [0, 6.3],
    label: 'Most worlds',
    meaning: 'Number of worlds after which a search stops',
    example: '1e6',
    inForm: '200000',
    otherwise: '1e7; 1e6 on a server',
  }),
} as const;

/** The goals that a search can look for. */
export const GOALS_SOUGHT = GOAL_NAMES;

/** The members of a check that both operations have. */
export function worldsOf(input: InputOf<typeof WORLDS>): Omit<Check, 'ring'> {
  const { maxStates: _maxStates, topology, clients, ...worlds } = input;
  return { ...worlds, topology: topology?.toString(), clients: clients?.toString() };
}

/** The refusal of a member. */
export function refusal(name: string, detail: string): LabError {
  return new LabError('arguments', detail, [{ pointer: `/${name}`, detail }]);
}
