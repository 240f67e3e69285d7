/**
 * @module
 * The lines along which a field given on a lattice has one level: marching squares (Lorensen and
 * Cline 1987, in two dimensions), linear along each edge, pieces joined into lines. Squares that lack
 * a corner have no line, so that a line never crosses what was not measured.
 */

/** In units of the lattice: 1.5 is half way between the columns 1 and 2. */
export interface LatticePoint {
  readonly x: number;
  readonly y: number;
}

/** Values by row and column; null where there is none. */
export type Lattice = readonly (readonly (number | null)[])[];

interface Segment {
  readonly from: LatticePoint;
  readonly to: LatticePoint;
}

/** A place on an edge between two corners, one of them at or above the level. */
interface Crossing extends LatticePoint {
  readonly leavesHigh: boolean;
}

/** The lines of the level, each from end to end; a closed one ends where it begins. */
export function contourLines(lattice: Lattice, level: number): LatticePoint[][] {
  const segments = lattice
    .slice(1)
    .flatMap((upper, row) =>
      upper.slice(1).flatMap((_, column) => squareSegments(lattice, level, { row, column })),
    );
  return joined(segments);
}

function squareSegments(
  lattice: Lattice,
  level: number,
  { row, column }: { readonly row: number; readonly column: number },
): Segment[] {
  const corners = [
    { x: column, y: row },
    { x: column + 1, y: row },
    { x: column + 1, y: row + 1 },
    { x: column, y: row + 1 },
  ].map(({ x, y }) => ({ x, y, value: lattice[y]?.[x] ?? null }));
  const crossings: Crossing[] = [];
  let sum = 0;
  for (const [index, corner] of corners.entries()) {
    const next = corners[(index + 1) % corners.length];
    if (next === undefined || corner.value === null || next.value === null) return [];
    sum += corner.value;
    if (corner.value >= level === next.value >= level) continue;
    const share = (level - corner.value) / (next.value - corner.value);
    crossings.push({
      x: corner.x + share * (next.x - corner.x),
      y: corner.y + share * (next.y - corner.y),
      leavesHigh: corner.value >= level,
    });
  }
  return paired(crossings, sum / corners.length >= level);
}

/**
 * Two crossings make a segment. Four are a saddle: its high corners are connected if its middle is
 * high, and then each line cuts off a low corner, from where the round enters it to where it leaves.
 */
function paired(crossings: readonly Crossing[], isMiddleHigh: boolean): Segment[] {
  const [first, second, third, fourth] = crossings;
  if (first === undefined || second === undefined) return [];
  if (third === undefined || fourth === undefined) return [{ from: first, to: second }];
  if (first.leavesHigh === isMiddleHigh) {
    return [
      { from: first, to: second },
      { from: third, to: fourth },
    ];
  }
  return [
    { from: second, to: third },
    { from: fourth, to: first },
  ];
}

/** Segments that share an end become one line, in the order of their first ones. */
function joined(segments: readonly Segment[]): LatticePoint[][] {
  const open = new Set(segments);
  const atPoint = new Map<string, Segment[]>();
  for (const segment of segments) {
    for (const end of [segment.from, segment.to]) {
      atPoint.set(keyOf(end), [...(atPoint.get(keyOf(end)) ?? []), segment]);
    }
  }
  const walk = (start: LatticePoint): LatticePoint[] => {
    const line: LatticePoint[] = [];
    for (let end: LatticePoint | null = start; end !== null; ) {
      const key: string = keyOf(end);
      const next = atPoint.get(key)?.find((segment) => open.has(segment));
      if (next === undefined) break;
      open.delete(next);
      end = keyOf(next.from) === key ? next.to : next.from;
      line.push(end);
    }
    return line;
  };
  return segments.flatMap((segment) => {
    if (!open.delete(segment)) return [];
    const ahead = walk(segment.to);
    const behind = walk(segment.from).reverse();
    return [[...behind, segment.from, segment.to, ...ahead].map(({ x, y }) => ({ x, y }))];
  });
}

/** Neighbouring squares compute a shared crossing in other orders, which may differ in a last digit. */
function keyOf({ x, y }: LatticePoint): string {
  return `${x.toFixed(9)} ${y.toFixed(9)}`;
}
