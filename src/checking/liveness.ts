/**
 * @module
 * Violations of `eventually` in an exhausted state space: an execution that ends, or a lasso that repeats for ever,
 * without a world in which the property holds. The executions are weakly fair: a delivery, choice, start or report
 * that stays possible is carried out at some time, and a timer that stays set fires at some time, unless it is set
 * again. (Under synchronous timing a timer cannot fire while messages are in flight, but time passes.) The environment
 * owes nothing, except that a pause ends. Equal messages of one link are exchangeable, so that fairness to one of them
 * is fairness to all.
 *
 * The worlds without the property that can be reached through such worlds alone form a graph. A violation is a world
 * of it at rest, or a strongly connected component (Tarjan 1972, in its iterative form) in which everything that is owed
 * in every world is also done. A part of a component that is unfair is unfair too, so that the
 * components need no further division. Worlds are never merged where paths join (the search has all of them), hence
 * neither cycles nor joins hide a violation.
 */

import { isFault, KIND, kindOf } from './action-codes.ts';
import type { CheckedProperty } from './property.ts';
import type { Search } from './search.ts';
import type { Packed, Worlds } from './worlds.ts';
import { emptyPacked } from './worlds.ts';

/** An execution without the property. */
export interface Lasso {
  /** Codes of the actions from the first world to the world at rest, or to the first world of the cycle. */
  readonly prefix: readonly number[];
  /** Codes of the actions that repeat; empty if the execution ends. */
  readonly cycle: readonly number[];
  /** The number of the world in which the prefix ends. */
  readonly world: number;
}

interface Edge {
  readonly code: number;
  /** What the action does of what is owed: itself, and timers that it sets again. */
  readonly does: readonly number[];
  /** Number of the world that the action leads to. */
  readonly to: number;
}

/** The graph of the worlds in which the property does not hold and has not held. */
interface Graph {
  /** Worlds in the order in which they were found, by breadth-first search: prefixes are shortest. */
  readonly worlds: readonly number[];
  readonly edges: ReadonlyMap<number, readonly Edge[]>;
  /** What is owed in each world, as codes of actions. */
  readonly owed: ReadonlyMap<number, readonly number[]>;
  /** The edge by which each world was first found; null for the first world. */
  readonly parents: ReadonlyMap<number, { readonly from: number; readonly code: number } | null>;
}

/** The shortest found violation of an `eventually` property in an exhausted search; null if it holds. */
export function findLasso(search: Search, property: CheckedProperty): Lasso | null {
  const graph = graphWithout(search, property);
  const ending = graph.worlds.find((world) => isEnding(graph, world));
  if (ending !== undefined) return { prefix: pathIn(graph, ending), cycle: [], world: ending };
  for (const component of componentsOf(graph)) {
    const cycle = fairCycle(graph, component);
    if (cycle === null) continue;
    return { prefix: pathIn(graph, cycle.from), cycle: cycle.codes, world: cycle.from };
  }
  return null;
}

/** Whether nothing is owed, so that the execution may end here. */
function isEnding(graph: Graph, world: number): boolean {
  return (graph.owed.get(world) ?? []).length === 0;
}

/** What is owed in a world in which these actions are possible. */
function owedIn(worlds: Worlds, world: Packed, codes: readonly number[]): number[] {
  const actions = codes.filter(
    (code) => (!isFault(code) && kindOf(code) !== KIND.timeout) || kindOf(code) === KIND.resume,
  );
  return [...actions, ...worlds.setTimers(world)];
}

function graphWithout(search: Search, property: CheckedProperty): Graph {
  const { worlds, store } = search;
  const [source, target] = [emptyPacked(), emptyPacked()];
  const edges = new Map<number, readonly Edge[]>();
  const parents: Map<number, { from: number; code: number } | null> = new Map();
  const order: number[] = [];
  const holdsIn = (world: number) => {
    store.read(world, target);
    return property.holds(search.viewOf(target, worlds.isAtRest(target)));
  };
  const owed = new Map<number, readonly number[]>();
  if (holdsIn(0)) return { worlds: order, edges, owed, parents };
  parents.set(0, null);
  order.push(0);
  for (const world of order) {
    store.read(world, source);
    const codes: number[] = [];
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    owed.set(world, owedIn(worlds, source, codes));
    const outgoing = codes.map((code): Edge => {
      worlds.apply(source, code, target);
      return { code, does: [code, ...worlds.timersSet], to: store.find(target) };
    });
    edges.set(world, outgoing);
    for (const { code, to } of outgoing) {
      if (parents.has(to) || holdsIn(to)) continue;
      parents.set(to, { from: world, code });
      order.push(to);
    }
  }
  return { worlds: order, edges, owed, parents };
}

function pathIn({ parents }: Graph, world: number): number[] {
  const codes: number[] = [];
  for (let at = parents.get(world); at !== undefined && at !== null; at = parents.get(at.from)) {
    codes.push(at.code);
  }
  return codes.toReversed();
}

/** The strongly connected components with at least one edge inside. */
function* componentsOf(graph: Graph): Generator<ReadonlySet<number>> {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const path: number[] = [];
  const onPath = new Set<number>();
  const inside = (world: number) =>
    (graph.edges.get(world) ?? []).filter(({ to }) => graph.parents.has(to));
  for (const root of graph.worlds) {
    if (index.has(root)) continue;
    const calls = [enter(root)];
    while (calls.length > 0) {
      const call = calls.at(-1);
      if (call === undefined) break;
      const edge = call.edges[call.next];
      call.next += 1;
      if (edge === undefined) {
        calls.pop();
        const lowest = low.get(call.world) ?? 0;
        const caller = calls.at(-1)?.world;
        if (caller !== undefined) low.set(caller, Math.min(low.get(caller) ?? 0, lowest));
        if (lowest !== index.get(call.world)) continue;
        const component = leave(call.world);
        if (component.size > 1 || call.edges.some(({ to }) => to === call.world)) yield component;
      } else if (!index.has(edge.to)) {
        calls.push(enter(edge.to));
      } else if (onPath.has(edge.to)) {
        low.set(call.world, Math.min(low.get(call.world) ?? 0, index.get(edge.to) ?? 0));
      }
    }
  }
  function enter(world: number) {
    index.set(world, index.size);
    low.set(world, index.size - 1);
    path.push(world);
    onPath.add(world);
    return { world, edges: inside(world), next: 0 };
  }
  function leave(world: number): Set<number> {
    const component = new Set<number>();
    for (let top = path.pop(); top !== undefined; top = path.pop()) {
      onPath.delete(top);
      component.add(top);
      if (top === world) break;
    }
    return component;
  }
}

/** A cycle through a component that owes nothing; null if the component is unfair. */
function fairCycle(
  graph: Graph,
  component: ReadonlySet<number>,
): { readonly from: number; readonly codes: readonly number[] } | null {
  const doing = doingEdges(graph, component);
  const owed = new Set([...component].flatMap((world) => graph.owed.get(world) ?? []));
  const isOwedIn = (world: number, code: number) => graph.owed.get(world)?.includes(code) === true;
  for (const code of owed) {
    if (!doing.has(code) && [...component].every((world) => isOwedIn(world, code))) return null;
  }
  const [from = 0] = component;
  const codes: number[] = [];
  let at = from;
  const walkTo = (isGoal: (world: number) => boolean) => {
    const path = shortestPath(graph, component, at, isGoal);
    codes.push(...path.codes);
    at = path.end;
  };
  const take = (edge: Edge) => {
    codes.push(edge.code);
    at = edge.to;
  };
  // The cycle does all that is owed, or visits a world in which it is not owed.
  for (const code of owed) {
    const edge = doing.get(code);
    if (edge === undefined) walkTo((world) => !isOwedIn(world, code));
    else {
      walkTo((world) => world === edge.from);
      take(edge);
    }
  }
  if (codes.length === 0) {
    const edge = (graph.edges.get(at) ?? []).find(({ to }) => component.has(to));
    if (edge === undefined) throw new RangeError('"component" expected an edge inside');
    take(edge);
  }
  walkTo((world) => world === from);
  return { from, codes };
}

/** An edge inside the component for each code that is done inside it. */
function doingEdges(
  graph: Graph,
  component: ReadonlySet<number>,
): ReadonlyMap<number, Edge & { readonly from: number }> {
  const doing = new Map<number, Edge & { readonly from: number }>();
  for (const world of component) {
    for (const edge of graph.edges.get(world) ?? []) {
      if (!component.has(edge.to)) continue;
      for (const code of edge.does) if (!doing.has(code)) doing.set(code, { ...edge, from: world });
    }
  }
  return doing;
}

/** The shortest path inside a component to a world of the goal, which it contains. */
function shortestPath(
  graph: Graph,
  component: ReadonlySet<number>,
  start: number,
  isGoal: (world: number) => boolean,
): { readonly codes: readonly number[]; readonly end: number } {
  const reached = new Map<number, { readonly from: number; readonly code: number } | null>();
  reached.set(start, null);
  for (const world of reached.keys()) {
    if (isGoal(world)) {
      const codes: number[] = [];
      for (let at = reached.get(world); at; at = reached.get(at.from)) codes.push(at.code);
      return { codes: codes.toReversed(), end: world };
    }
    for (const { code, to } of graph.edges.get(world) ?? []) {
      if (component.has(to) && !reached.has(to)) reached.set(to, { from: world, code });
    }
  }
  throw new RangeError('"component" expected a world of the goal');
}
