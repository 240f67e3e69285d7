/**
 * @module
 * All connected graphs of few nodes, each once but for the names of its nodes, and their distances. It shares no code with
 * the topologies of the lab.
 */

/** A graph as its links. */
export interface SmallGraph {
  readonly nodes: number;
  readonly edges: readonly (readonly [number, number])[];
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((first, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
  );
}

function pairsOf(nodes: number): [number, number][] {
  const all = Array.from({ length: nodes }, (_, index) => index);
  return all.flatMap((one) => all.slice(one + 1).map((other): [number, number] => [one, other]));
}

/** Distances in links, by Floyd and Warshall. Infinity where no way leads. */
export function distancesIn({ nodes, edges }: SmallGraph): number[][] {
  const all = Array.from({ length: nodes }, (_, index) => index);
  const far = all.map((one) => all.map((other) => (one === other ? 0 : Infinity)));
  const get = (one: number, other: number) => far[one]?.[other] ?? Infinity;
  const set = (one: number, other: number, distance: number) => {
    const row = far[one];
    if (row !== undefined) row[other] = distance;
  };
  for (const [one, other] of edges) {
    set(one, other, 1);
    set(other, one, 1);
  }
  for (const middle of all) {
    for (const one of all) {
      for (const other of all) {
        const way = get(one, middle) + get(middle, other);
        if (way < get(one, other)) set(one, other, way);
      }
    }
  }
  return far;
}

export function diameterIn(graph: SmallGraph): number {
  return Math.max(...distancesIn(graph).flat());
}

/** The connected graphs of this number of nodes. There are 1, 1, 2, 6, 21 and 112 of 1 to 6 nodes. */
export function connectedGraphs(nodes: number): readonly SmallGraph[] {
  const pairs = pairsOf(nodes);
  const bitOf = new Map(pairs.map(([one, other], index) => [one * nodes + other, 1 << index]));
  const renamings = permutations(Array.from({ length: nodes }, (_, index) => index)).map((names) =>
    pairs.map(([one, other]) => {
      const [left, right] = [names[one] ?? 0, names[other] ?? 0];
      return bitOf.get(Math.min(left, right) * nodes + Math.max(left, right)) ?? 0;
    }),
  );
  const seen = new Uint8Array(2 ** pairs.length);
  const found: SmallGraph[] = [];
  for (let mask = 0; mask < seen.length; mask += 1) {
    if (seen[mask] === 1) continue;
    const graph = { nodes, edges: pairs.filter((_, index) => (mask >> index) & 1) };
    for (const bits of renamings) {
      let renamed = 0;
      for (let index = 0; index < bits.length; index += 1) {
        if ((mask >> index) & 1) renamed |= bits[index] ?? 0;
      }
      seen[renamed] = 1;
    }
    if (distancesIn(graph).flat().every(Number.isFinite)) found.push(graph);
  }
  return found;
}
