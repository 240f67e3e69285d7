/**
 * @module
 * Which leaders the live honest nodes of a world follow: what most properties are about.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { Json } from '../../election/machine.ts';
import type { NodeView } from '../../election/properties.ts';
import type { CheckedProperty, Reading, WorldView } from '../property.ts';

/** The nodes of which properties demand something: up and not Byzantine. */
export function honestLive({ nodes, byzantine }: WorldView): readonly NodeView[] {
  return nodes.filter(({ rank, up }) => up && !byzantine.has(rank));
}

/** Whether no honest node is up. Then there is no election, and no property demands a leader. */
export function isDeserted(view: WorldView): boolean {
  return honestLive(view).length === 0;
}

/** Live honest nodes that lead themselves. */
export function leadersIn(view: WorldView): readonly number[] {
  return honestLive(view).flatMap(({ rank, leader }) => (leader === rank ? [rank] : []));
}

/** The ranks that live honest nodes follow, each once; 0 for none. */
export function followedIn(view: WorldView): ReadonlySet<number> {
  return new Set(honestLive(view).map(({ leader }) => leader ?? 0));
}

/** Which live honest nodes follow which leader, as clauses: "node 3 leads, and nodes 1 and 2 follow node 4, which is down". */
export function followingText(view: WorldView): string {
  const live = honestLive(view).filter(({ leader }) => leader !== null);
  const clauses = [...followedIn(view)]
    .filter((leader) => leader > 0)
    .map((leader) => {
      const ranks = live.filter((node) => node.leader === leader).map(({ rank }) => rank);
      if (ranks.join() === String(leader)) return `node ${leader} leads`;
      const verb = ranks.length === 1 ? 'follows' : 'follow';
      return `${nodesText(ranks)} ${verb} node ${leader}${missingText(view, leader)}`;
    });
  return clauses.length < 2
    ? clauses.join('')
    : `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1) ?? ''}`;
}

function missingText({ nodes, phantoms }: WorldView, rank: number): string {
  if (phantoms.has(rank)) return ', which does not exist';
  return nodes[rank - 1]?.up === true ? '' : ', which is down';
}

/** Ranks as words: "node 1", "nodes 1 and 3". */
export function nodesText(ranks: readonly number[]): string {
  return `${ranks.length === 1 ? 'node' : 'nodes'} ${listed(ranks)}`;
}

export function highestLive(view: WorldView): number {
  return Math.max(0, ...honestLive(view).map(({ rank }) => rank));
}

/** Ranks as words: "1", "1 and 3", "1, 2 and 3". */
export function listed(ranks: readonly number[]): string {
  return ranks.length < 2
    ? ranks.join()
    : `${ranks.slice(0, -1).join(', ')} and ${ranks.at(-1) ?? ''}`;
}

/** Uniqueness at a moment, as election/properties.ts defines it. */
export const ONE_LEADER: CheckedProperty = {
  name: 'one-leader',
  kind: 'always',
  description: 'two honest live nodes never lead at the same time',
  claim: {
    unsupportedReason: ({ unique }) =>
      unique === 'moment' ? null : 'it allows two leaders at a time, of different epochs',
    matrix: ['S1'],
  },
  partner: 'someone-leads',
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => leadersIn(view).length < 2,
  breach: (view) => `nodes ${listed(leadersIn(view))} lead at the same time`,
};

/** Agreement at the end, as election/properties.ts defines it. */
export const AGREEMENT: CheckedProperty = {
  name: 'agreement',
  kind: 'always',
  description: 'at rest no two honest live nodes follow different leaders',
  claim: { unsupportedReason: () => null, matrix: ['S2'] },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => !view.isAtRest || [...followedIn(view)].filter((rank) => rank > 0).length < 2,
  breach: (view) => `at rest, ${followingText(view)}`,
};

/**
 * The highest live node wins, as election/properties.ts defines it for protocols that elect by rank. Nodes that
 * follow a leader that is down do not violate it: that they have no other leader is a matter of liveness. A
 * Byzantine leader may be higher.
 */
export const HIGHEST_WINS: CheckedProperty = {
  name: 'highest-wins',
  kind: 'always',
  description:
    'at rest no honest live node follows a live node that ranks below another honest live node',
  claim: {
    unsupportedReason: ({ elects }) =>
      elects === 'highest' ? null : 'it does not elect the highest node',
    matrix: ['S2', 'S3'],
  },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  holds: (view) => !view.isAtRest || lowerIn(view).length === 0,
  breach: (view) =>
    `at rest, honest live nodes follow ${listed(lowerIn(view))}, but ${highestLive(view)} is up`,
};

/** The live leaders that live honest nodes follow, and that are lower than the highest of those. */
function lowerIn(view: WorldView): readonly number[] {
  const highest = highestLive(view);
  return [...followedIn(view)].filter(
    (rank) => rank < highest && view.nodes[rank - 1]?.up === true,
  );
}

/** The property demands nothing while no node is up, as L of the fault matrix. */
function isElected(view: WorldView): boolean {
  if (isDeserted(view)) return true;
  const [leader = 0, ...others] = followedIn(view);
  return leader !== 0 && others.length === 0 && view.nodes[leader - 1]?.up === true;
}

/** Termination, as election/properties.ts defines it, in some world of every execution. */
export const LEADER_ELECTED: CheckedProperty = {
  name: 'leader-elected',
  kind: 'eventually',
  description: 'at some moment all honest live nodes follow one live node',
  claim: { unsupportedReason: () => null, matrix: ['L'] },
  partner: 'someone-leads',
  histories: [],
  readings: [],
  holds: isElected,
  breach(view) {
    const without = honestLive(view).filter(({ leader }) => leader === null);
    if (without.length === 0) return followingText(view);
    const verb = without.length === 1 ? 'follows' : 'follow';
    return `${nodesText(without.map(({ rank }) => rank))} ${verb} no leader`;
  },
};

/**
 * The election is over at some moment: it has a leader, or nothing more happens. A violation is an election that
 * goes on for ever. Fischer, Lynch and Paterson (1985) show that asynchronous consensus has such executions.
 */
export const SETTLES: CheckedProperty = {
  ...LEADER_ELECTED,
  name: 'settles',
  description: 'at some moment all honest live nodes follow one live node, or nothing more happens',
  claim: { unsupportedReason: () => null, matrix: null },
  holds: (view) => view.isAtRest || LEADER_ELECTED.holds(view),
};

/** An honest node leads. If none ever does, the properties about leaders hold but say nothing. */
export const SOMEONE_LEADS: CheckedProperty = {
  name: 'someone-leads',
  kind: 'sometimes',
  description: 'an honest live node leads',
  claim: { unsupportedReason: () => null, matrix: [] },
  partner: null,
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => leadersIn(view).length > 0,
  breach: () => 'no honest node leads',
};

/**
 * At some moment a node leads. It is weaker than that all nodes follow a leader, which no protocol can reach if
 * links between nodes and the leader are missing.
 */
export const LEADER_APPEARS: CheckedProperty = {
  ...SOMEONE_LEADS,
  name: 'leader-appears',
  kind: 'eventually',
  description: 'at some moment an honest live node leads',
  claim: { unsupportedReason: () => null, matrix: null },
  partner: 'someone-leads',
  holds: (view) => isDeserted(view) || SOMEONE_LEADS.holds(view),
};

/**
 * A world at rest. Without one, the properties about worlds at rest hold but say nothing. A protocol whose leader
 * repeats its messages never comes to rest.
 */
export const COMES_TO_REST: CheckedProperty = {
  name: 'comes-to-rest',
  kind: 'sometimes',
  description: 'nothing more happens without the environment',
  claim: {
    unsupportedReason: ({ steadyTicks }) =>
      steadyTicks === null ? null : 'its leader repeats messages or a timer for ever',
    matrix: [],
  },
  partner: null,
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: ({ isAtRest }) => isAtRest,
  breach: () => 'something is still to happen',
};

/** The status of a node and its coordinator, 0 for none. Null for a node that is down. */
const STANDING: Reading<{ readonly status: string; readonly coordinator: number } | null> = {
  of: ({ state }) => gm82Standing(innermost(state)),
};

/**
 * The state of the protocol's machine, without those of the machines around it. The two assertions of H.
 * Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982, about the states
 * of nodes. The tasks of Assertion 1 (b) are left out, because READY carries none.
 */
export function innermost(state: Json): Json {
  if (state === null || typeof state !== 'object' || !('inner' in state)) return state;
  return innermost(state.inner ?? null);
}

function unsupportedReason({ name }: Protocol): string | null {
  return name === 'bully-gm82' ? null : 'its nodes have no states Reorganization and Normal';
}

/** The coordinators of live honest nodes with one of these states, each once. */
function coordinatorsIn(view: WorldView, states: readonly string[]): readonly number[] {
  const standings = honestLive(view).map(({ rank }) => view.factOf(STANDING, rank));
  const coordinators = standings.flatMap((each) =>
    each !== null && states.includes(each.status) && each.coordinator > 0 ? [each.coordinator] : [],
  );
  return [...new Set(coordinators)].toSorted((left, right) => left - right);
}

export const ASSERTION_1: CheckedProperty = {
  name: 'assertion-1',
  kind: 'always',
  description: 'honest live nodes in Reorganization or Normal never have different coordinators',
  claim: { unsupportedReason, matrix: ['S1'] },
  partner: 'someone-leads',
  histories: [],
  readings: [STANDING],
  holds: (view) => coordinatorsIn(view, ['reorganization', 'normal']).length < 2,
  breach: (view) =>
    `honest nodes in Reorganization or Normal have the coordinators ${listed(coordinatorsIn(view, ['reorganization', 'normal']))}`,
};

export const ASSERTION_2: CheckedProperty = {
  name: 'assertion-2',
  kind: 'eventually',
  description: 'at some moment all honest live nodes are Normal and have one live coordinator',
  claim: { unsupportedReason, matrix: ['L'] },
  partner: 'someone-leads',
  histories: [],
  readings: [STANDING],
  holds(view) {
    if (isDeserted(view)) return true;
    const live = honestLive(view);
    const isNormal = live.every(({ rank }) => view.factOf(STANDING, rank)?.status === 'normal');
    const [coordinator = 0, ...others] = coordinatorsIn(view, ['normal']);
    const isShared = live.every(
      ({ rank }) => view.factOf(STANDING, rank)?.coordinator === coordinator,
    );
    return isNormal && isShared && others.length === 0 && view.nodes[coordinator - 1]?.up === true;
  },
  breach(view) {
    const strange = honestLive(view).filter(
      ({ rank }) => view.factOf(STANDING, rank)?.status !== 'normal',
    );
    if (strange.length === 0) {
      return `honest live nodes are Normal, with the coordinators ${listed(coordinatorsIn(view, ['normal']))}`;
    }
    const verb = strange.length === 1 ? 'is' : 'are';
    return `${nodesText(strange.map(({ rank }) => rank))} ${verb} not Normal`;
  },
};

/** How a node of bully-gm82 stands, in the terms of the paper's assertions: its s, and its c or 0. Null for another state. */
function gm82Standing(
  state: Json,
): { readonly status: string; readonly coordinator: number } | null {
  if (state === null || typeof state !== 'object' || !('status' in state)) return null;
  const { status, coordinator } = state;
  if (typeof status !== 'string') return null;
  return { status, coordinator: typeof coordinator === 'number' ? coordinator : 0 };
}
