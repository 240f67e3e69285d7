/**
 * @module
 * Lassos: the same verdicts as an oracle on drawn instances, each lasso a fair execution, and the known errors of
 * other checkers: a property that is missed on a cycle or where paths join.
 */

import { describe, expect, it } from 'vitest';

import { codeOf, KIND, kindOf, valueIn } from '../../src/checking/action-codes.ts';
import type { Instance } from '../../src/checking/instance.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { owedIn } from '../../src/checking/liveness/fairness.ts';
import type { LassoSearch } from '../../src/checking/liveness/lasso.ts';
import { components, findLasso } from '../../src/checking/liveness/lasso.ts';
import { LEADER_ELECTED, SOMEONE_LEADS } from '../../src/checking/properties/followers.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { Search } from '../../src/checking/search.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { drawInstance } from './drawn.ts';
import { canFail, lassoFault } from './plain-liveness.ts';
import { instanceOf } from './small-instances.ts';

/** From this one on, several of the instances have endless executions that are no rests. */
const FIRST_INSTANCE = 0;
const INSTANCES = 250;
const WORLDS_MAX = 800;
const BYTES_MAX = 2 ** 28;

/** Properties that fail on many instances. */
const PROPERTIES: readonly CheckedProperty[] = [
  LEADER_ELECTED,
  { ...SOMEONE_LEADS, kind: 'eventually' },
  { ...LEADER_ELECTED, name: 'leader-again', recurs: true },
];

/** The search if it was exhausted. */
function exhausted(
  instance: Instance,
  properties: readonly CheckedProperty[],
  statesMax = WORLDS_MAX,
): Search | null {
  const search = new Search({
    ...{ instance, properties, byzantine: new Set<number>(), order: 'breadth' },
    ...{ statesMax, bytesMax: BYTES_MAX },
  });
  return search.run(statesMax + 1)?.type === 'exhausted' ? search : null;
}

function ended(steps: Generator<number, LassoSearch>): LassoSearch {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('lassos of drawn instances', () => {
  it('are found where the oracle finds one, and are fair executions without the property', () => {
    const seen = { found: 0, cycles: 0, none: 0 };
    for (let index = 0; index < INSTANCES; index += 1) {
      const { instance, text } = drawInstance(FIRST_INSTANCE + index);
      const search = exhausted(instance, PROPERTIES);
      if (search === null) continue;
      for (const property of PROPERTIES) {
        const result = ended(findLasso(search, property, BYTES_MAX));

        expect(result.type, text).toBe(canFail(search, property) ? 'found' : 'none');
        if (result.type !== 'found') {
          seen.none += 1;
          continue;
        }
        expect(lassoFault(search, property, result.lasso), text).toBe(null);
        seen.found += 1;
        if (result.lasso.cycle.length > 0) seen.cycles += 1;
      }
    }

    expect(seen.none).toBeGreaterThan(20);
    expect(seen.found).toBeGreaterThan(20);
    expect(seen.cycles).toBeGreaterThan(4);
  });

  it('are not judged when the graph takes more memory than allowed', () => {
    const drawn = Array.from({ length: 40 }, (_, index) => drawInstance(index).instance);
    const [search] = drawn.flatMap((instance) => exhausted(instance, PROPERTIES) ?? []);
    if (search === undefined) throw new Error('expected an exhausted search');

    const result = ended(findLasso(search, LEADER_ELECTED, 1));

    expect(result.type).toBe('capped');
  });
});

describe('a partition before an execution without a leader', () => {
  const again: CheckedProperty = { ...LEADER_ELECTED, name: 'leader-again', recurs: true };

  it.each([
    // The PROBE is lost. Nothing is left, but the partition must end.
    ['cr-join', 2, false],
    // After the partition each node waits for what the other sent before.
    ['zab-fle', 2, true],
  ] as const)('of %s with %i nodes ends, as fairness demands', (protocol, nodes, isEndless) => {
    const limits = { isShifted: true, perLink: 1, spread: 2, initiators: [nodes] };
    const given = { ...limits, timing: 'synchronous', bounds: { partition: 1 } } as const;
    const search = exhausted(instanceOf(protocol, nodes, given), [again], 20_000);
    if (search === null) throw new Error('expected an exhausted search');

    const result = ended(findLasso(search, again, BYTES_MAX));

    if (result.type !== 'found') throw new Error('expected a lasso');
    const { prefix, cycle } = result.lasso;
    const events = prefix.filter((code) => kindOf(code) === KIND.split);
    expect(events.map((code) => valueIn(code) > 0)).toEqual([true, false]);
    expect(cycle.filter((code) => kindOf(code) === KIND.split)).toEqual([]);
    expect(cycle.length > 0).toBe(isEndless);
    expect(lassoFault(search, again, result.lasso)).toBeNull();
    // While it lasts, its end is owed, so that no lasso is there.
    const lasting = prefix.slice(0, prefix.lastIndexOf(events[1] ?? 0));
    expect(owedAfter(search, lasting)).toContain(codeOf(KIND.split, 1, 0));
    expect(owedAfter(search, prefix)).not.toContain(codeOf(KIND.split, 1, 0));
  });
});

/** What is owed in the world after a path. */
function owedAfter({ worlds }: Search, path: readonly number[]): number[] {
  let [world, next] = [emptyPacked(), emptyPacked()];
  worlds.first(world);
  for (const code of path) {
    worlds.apply(world, code, next);
    [world, next] = [next, world];
  }
  return owedIn(worlds, world);
}

/** The strongly connected components that have an edge inside, each sorted. */
function componentsOf(edges: readonly (readonly number[])[]): number[][] {
  const starts = edges.map((_, vertex) => edges.slice(0, vertex).flat().length);
  const targets = edges.flat();
  const found: number[][] = [];
  const graph = {
    size: edges.length,
    edgesFrom: (vertex: number) => starts[vertex] ?? targets.length,
    targetOf: (edge: number) => targets[edge] ?? 0,
  };
  for (const _ of components(graph, (vertices) => {
    found.push([...vertices].toSorted((left, right) => left - right));
    return false;
  }));
  return found.toSorted((left, right) => (left[0] ?? 0) - (right[0] ?? 0));
}

describe('strongly connected components', () => {
  it.each([
    ['no edge', [[], []], []],
    ['an edge to itself', [[0], []], [[0]]],
    ['a cycle', [[1], [2], [0]], [[0, 1, 2]]],
    ['two paths that join', [[1, 2], [3], [3], []], []],
    ['a cycle behind a join', [[1, 2], [3], [3], [4], [3]], [[3, 4]]],
    ['a cycle that is entered in its middle', [[2], [2], [3], [1]], [[1, 2, 3]]],
    [
      'two cycles in a row',
      [[1], [0, 2], [3], [2]],
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ] as const)('of a graph with %s', (_name, edges, expected) => {
    expect(componentsOf(edges)).toEqual(expected);
  });

  it('of drawn graphs are the sets of vertices that reach each other', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = createRandom(parseSeed(String(seed)), 'graph');
      const size = 1 + random.below(12);
      const edges = Array.from({ length: size }, () =>
        Array.from({ length: random.below(4) }, () => random.below(size)),
      );

      expect(componentsOf(edges), JSON.stringify(edges)).toEqual(mutuallyReached(edges));
    }
  });

  it('of a long path need no recursion', () => {
    const edges = Array.from({ length: 20_000 }, (_, vertex) => [(vertex + 1) % 20_000]);
    const graph = {
      size: edges.length,
      edgesFrom: (vertex: number) => vertex,
      targetOf: (edge: number) => edges[edge]?.[0] ?? 0,
    };
    const sizes: number[] = [];

    for (const _ of components(graph, ({ length }) => sizes.push(length) > 9));

    expect(sizes).toEqual([20_000]);
  });
});

/** By the transitive closure. */
function mutuallyReached(edges: readonly (readonly number[])[]): number[][] {
  const reach = edges.map((targets) => new Set(targets));
  for (const _ of edges) {
    for (const set of reach)
      for (const to of [...set]) for (const next of edges[to] ?? []) set.add(next);
  }
  const isJoined = (left: number, right: number) =>
    reach[left]?.has(right) === true && reach[right]?.has(left) === true;
  const groups = edges.map((_, vertex) =>
    [...edges.keys()].filter((each) => isJoined(vertex, each)),
  );
  return groups.filter((group, vertex) => group[0] === vertex);
}
