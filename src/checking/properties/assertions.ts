/**
 * @module
 * The two assertions of H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1),
 * 1982, about the states of nodes. The tasks of Assertion 1 (b) are left out, because READY carries none.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { Json } from '../../election/machine.ts';
import type { CheckedProperty, Reading, WorldView } from '../property.ts';
import { honestLive, isDeserted, listed, nodesText } from './followers.ts';

/** The status of a node and its coordinator, 0 for none. Null for a node that is down. */
const STANDING: Reading<{ readonly status: string; readonly coordinator: number } | null> = {
  of: ({ state }) => gm82Standing(innermost(state)),
};

/** The state of the protocol's machine, without those of the machines around it. */
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
