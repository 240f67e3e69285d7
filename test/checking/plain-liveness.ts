/**
 * @module
 * The oracle of liveness: sets and maps of worlds, components by reachability in both directions, and the rules of
 * weak fairness once more, without the graph of the checker.
 */

import { codeOf, isFault, KIND } from '../../src/checking/action-codes.ts';
import type { Packed } from '../../src/checking/layout.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import type { Lasso } from '../../src/checking/liveness/lasso.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import type { Search } from '../../src/checking/search.ts';
import type { Worlds } from '../../src/checking/worlds.ts';

interface PlainEdge {
  readonly code: number;
  readonly does: readonly number[];
  readonly to: number;
}

interface PlainWorld {
  readonly owed: ReadonlySet<number>;
  readonly edges: readonly PlainEdge[];
}

type PlainGraph = ReadonlyMap<number, PlainWorld>;

/** Whether a weakly fair execution of an exhausted search never has the property. */
export function canFail(search: Search, property: CheckedProperty): boolean {
  const graph = graphWithout(search, property);
  if ([...graph.values()].some(({ owed }) => owed.size === 0)) return true;
  const forward = new Map(
    [...graph].map(([number, { edges }]) => [number, edges.map(({ to }) => to)]),
  );
  const backward = new Map<number, number[]>([...graph.keys()].map((number) => [number, []]));
  for (const [number, targets] of forward) for (const to of targets) backward.get(to)?.push(number);
  const seen = new Set<number>();
  return [...graph.keys()].some((number) => {
    if (seen.has(number)) return false;
    const ahead = reachedFrom(number, forward);
    const component = new Set([...reachedFrom(number, backward)].filter((each) => ahead.has(each)));
    for (const each of component) seen.add(each);
    return isFairComponent(graph, component);
  });
}

/** Why a lasso is no fair execution without the property; null if it is one. */
export function lassoFault(search: Search, property: CheckedProperty, lasso: Lasso): string | null {
  const graph = graphWithout(search, property);
  const isRecurring = property.recurs === true;
  let at = isRecurring ? worldAfter(search, lasso.prefix) : 0;
  const take = (code: number) => {
    const edge = graph.get(at)?.edges.find((each) => each.code === code);
    if (edge !== undefined) at = edge.to;
    return edge;
  };
  if (!isRecurring && lasso.prefix.some((code) => take(code) === undefined))
    return 'the prefix is no path';
  if (at !== lasso.world) return 'the prefix ends elsewhere';
  const owed = new Set(graph.get(at)?.owed);
  for (const code of lasso.cycle) {
    const edge = take(code);
    if (edge === undefined) return 'the cycle is no path';
    for (const done of edge.does) owed.delete(done);
    for (const each of owed) if (graph.get(at)?.owed.has(each) !== true) owed.delete(each);
  }
  if (at !== lasso.world) return 'the cycle does not close';
  return owed.size === 0 ? null : `the cycle owes ${[...owed]}`;
}

/** The world after a path of possible actions; −1 if one is not possible. */
function worldAfter({ worlds, store }: Search, path: readonly number[]): number {
  let number = 0;
  const [source, target] = [emptyPacked(), emptyPacked()];
  for (const code of path) {
    store.read(number, source);
    const codes: number[] = [];
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    if (!codes.includes(code)) return -1;
    worlds.apply(source, code, target);
    number = store.find(target);
  }
  return number;
}

function isFairComponent(graph: PlainGraph, component: ReadonlySet<number>): boolean {
  const worlds = [...component].flatMap((number) => graph.get(number) ?? []);
  const inside = worlds.flatMap(({ edges }) => edges.filter(({ to }) => component.has(to)));
  const done = new Set(inside.flatMap(({ does }) => does));
  const [first] = worlds;
  const always = [...(first?.owed ?? [])].filter((code) =>
    worlds.every(({ owed }) => owed.has(code)),
  );
  return inside.length > 0 && always.every((code) => done.has(code));
}

function reachedFrom(start: number, next: ReadonlyMap<number, readonly number[]>): Set<number> {
  const reached = new Set([start]);
  for (const number of reached)
    for (const to of next.get(number) ?? []) if (next.has(to)) reached.add(to);
  return reached;
}

/** The worlds without the property that are reached through such worlds alone, or all if it recurs. */
function graphWithout(search: Search, property: CheckedProperty): PlainGraph {
  const { worlds, store } = search;
  const [source, target] = [emptyPacked(), emptyPacked()];
  const holdsIn = (world: Packed) => property.holds(search.viewOf(world, worlds.isAtRest(world)));
  const graph = new Map<number, PlainWorld>();
  const roots = Array.from({ length: property.recurs === true ? store.size : 1 }, (_, at) => at);
  const reached = new Set(
    roots.filter((number) => {
      store.read(number, source);
      return !holdsIn(source);
    }),
  );
  for (const number of reached) {
    store.read(number, source);
    const codes: number[] = [];
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    const owed = [...codes.filter((code) => !isFault(code)), ...openIn(worlds, source)];
    const edges = codes.flatMap((code): (PlainEdge & { readonly isLost: boolean })[] => {
      worlds.apply(source, code, target);
      if (!worlds.isWithin) return [];
      const does = [code, ...worlds.timersSet];
      return [{ code, does, to: store.find(target), isLost: holdsIn(target) }];
    });
    const left = edges.filter(({ isLost }) => !isLost);
    for (const { to } of left) reached.add(to);
    graph.set(number, { owed: new Set(owed), edges: left });
  }
  return graph;
}

/** All that nodes, network and detector have open, whether or not something goes before it. */
function openIn(worlds: Worlds, { words, length }: Packed): number[] {
  const { layout, steps } = worlds;
  const { endpoints, fixed, starts, reports } = layout;
  const ranks = Array.from({ length: endpoints }, (_, index) => index + 1);
  const awake = ranks.filter((rank) => !worlds.factsAt(words, rank).paused);
  const bit = (at: number, rank: number) => ((words[at] ?? 0) >>> (rank - 1)) % 2 === 1;
  const members = ranks.filter((rank) => rank <= worlds.instance.cast.nodes);
  const starting = awake.filter((rank) => starts >= 0 && bit(starts, rank));
  const arriving = [...new Set(words.subarray(fixed, length))].filter((message, _, all) => {
    // On FIFO links only the first message of a link can arrive.
    const first = all.find((each) => steps.links[each] === steps.links[message]);
    return worlds.instance.links !== 'fifo' || first === message;
  });
  const receivers = arriving.map((message) => ({ message, to: (steps.links[message] ?? 0) % 16 }));
  const paused = members.filter((rank) => worlds.factsAt(words, rank).paused);
  return [
    ...starting.map((rank) => codeOf(KIND.start, rank, 0)),
    ...receivers.flatMap(({ message, to }) =>
      awake.includes(to) ? [codeOf(KIND.deliver, to, message)] : [],
    ),
    ...(reports < 0 ? [] : suspicions(worlds, words, awake)),
    ...awake.flatMap((rank) =>
      worlds.factsAt(words, rank).timers.map((timer) => codeOf(KIND.timeout, rank, timer)),
    ),
    ...paused.map((rank) => codeOf(KIND.resume, rank, 0)),
    ...(worlds.cutIn({ words, length }) === null ? [] : [codeOf(KIND.split, 1, 0)]),
  ];
}

/** The crashes that the detector has not reported to each node that is awake. */
function suspicions(worlds: Worlds, words: Uint16Array, awake: readonly number[]): number[] {
  const { instance, layout } = worlds;
  const { absent = [], phantoms = [] } = instance;
  const isMember = (rank: number) =>
    !phantoms.includes(rank) &&
    !(layout.absent >= 0
      ? ((words[layout.absent] ?? 0) >>> (rank - 1)) % 2 === 1
      : absent.includes(rank));
  const members = Array.from({ length: instance.cast.nodes }, (_, index) => index + 1);
  const down = members.filter((rank) => isMember(rank) && !worlds.factsAt(words, rank).up);
  return members.flatMap((rank) => {
    if (!awake.includes(rank) || !worlds.factsAt(words, rank).up) return [];
    const reported = words[layout.reports + rank - 1] ?? 0;
    return down.flatMap((about) =>
      (reported >>> (about - 1)) % 2 === 1 ? [] : [codeOf(KIND.suspect, rank, about)],
    );
  });
}
