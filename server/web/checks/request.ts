/**
 * @module
 * The form of a check as the values of an address, as the request of the API and as the arguments of the command.
 */

import type { Schema } from '../api/contract.ts';
import type { Query } from '../shell/router.ts';

export type CheckRequest = Schema<'CheckRequest'>;
type Bounds = NonNullable<CheckRequest['bounds']>;

/** Faults that the form offers, with the words for them. */
export const FAULTS = {
  crash: 'crashes',
  recover: 'recoveries',
  amnesia: 'recoveries without memory',
  loss: 'lost messages',
  duplicate: 'repeated messages',
  pause: 'pauses',
  partition: 'partitions',
} as const satisfies Partial<Record<keyof Bounds, string>>;

const FAULT_NAMES = Object.keys(FAULTS) as (keyof typeof FAULTS)[]; // Its keys, no others.

/** The values that an empty form has. */
export const DEFAULTS = {
  protocol: 'bully-oneshot',
  nodes: '3',
  timing: 'asynchronous',
  maxStates: '200000',
} as const;

/** The request that an address stands for. What the server refuses is left to it. */
export function requestOf(query: Readonly<Record<string, string>>): CheckRequest {
  const values: Readonly<Record<string, string | undefined>> = { ...DEFAULTS, ...query };
  const bounds = FAULT_NAMES.flatMap((name) => {
    const count = Number(values[name] ?? 0);
    return count > 0 ? [[name, count]] : [];
  });
  const { protocol, timing, property, level, behaviour, rank } = values;
  const byzantine =
    behaviour === undefined ? [] : [{ rank: Number(rank), behaviours: [behaviour] }];
  return {
    ...{ protocol, timing },
    nodes: Number(values.nodes),
    maxStates: Number(values.maxStates),
    ...(bounds.length > 0 && { bounds: Object.fromEntries(bounds) }),
    ...(property !== undefined && { properties: [property] }),
    ...(byzantine.length > 0 && { byzantine, level: level ?? 'L0' }),
  } as CheckRequest; // The server refuses names that it does not know.
}

/** The address of a request that the form can show. */
export function queryOf({ bounds = {}, properties, byzantine, ...request }: CheckRequest): Query {
  const [lie] = byzantine ?? [];
  return {
    ...{ protocol: request.protocol, timing: request.timing },
    nodes: request.nodes ?? request.ring?.length,
    maxStates: request.maxStates,
    ...bounds,
    property: properties?.[0],
    ...(lie !== undefined && {
      rank: lie.rank,
      behaviour: lie.behaviours[0],
      level: request.level,
    }),
  };
}

/** The arguments of `usurp check` for a request of the form. */
export function commandOf(request: CheckRequest): string[] {
  const { protocol, nodes, timing, bounds = {}, properties = [], byzantine = [], level } = request;
  const faults = Object.entries(bounds).map(([name, count]) => `${name}=${count}`);
  return [
    ...['check', protocol, '--nodes', String(nodes)],
    ...['--timing', timing === 'synchronous' ? 'sync' : 'async'],
    ...(faults.length > 0 ? ['--bounds', faults.join(',')] : []),
    ...properties.flatMap((name) => ['--property', name]),
    ...byzantine.flatMap(({ rank, behaviours }) => [
      '--behaviour',
      `${rank}=${behaviours.join('+')}`,
    ]),
    ...(level === undefined ? [] : ['--level', level]),
    ...['--max-states', String(request.maxStates)],
  ];
}
