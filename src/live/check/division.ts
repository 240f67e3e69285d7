/**
 * @module
 * How a partition divides the nodes of a cluster: into sides, with bridges between them, or in one direction alone.
 */

import { LabError } from '../../errors.ts';
import { createCut } from '../../simulation/faults/cuts.ts';
import type { Cut } from '../../simulation/faults/schedule.ts';

/** The sides of a partition, as `Separation` of the model has them, by any names of the nodes. */
export interface Division<Node> {
  readonly sides: readonly (readonly Node[])[];
  readonly isOneWay?: true | undefined;
}

export const UNDIVIDED: Division<number> = { sides: [] };

/** What a disturbance says of the sides. */
export function divisionIn<Node>({ sides, isOneWay }: Division<Node>) {
  return { sides, ...(isOneWay === true ? { isOneWay } : {}) };
}

/** Whether a partition loses what one node sends to another. */
export function separates<Node>(
  { sides, isOneWay }: Division<Node>,
  from: Node,
  to: Node,
): boolean {
  if (isOneWay) return sides[0]?.includes(from) === true && sides[1]?.includes(to) === true;
  const isNamed = (node: Node) => sides.some((side) => side.includes(node));
  const isShared = sides.some((side) => side.includes(from) && side.includes(to));
  return isNamed(from) && isNamed(to) && !isShared;
}

/**
 * A partition with one more side of the nodes that none names; one that cuts a single direction has only its two sides.
 * Throws LabError `arguments` if it separates no two nodes.
 */
export function wholeDivision(
  division: Division<number>,
  nodes: readonly number[],
): Division<number> {
  const { sides, isOneWay } = division;
  const named = sides.flat();
  const rest = isOneWay ? [] : nodes.filter((node) => !named.includes(node));
  const whole = rest.length === 0 ? division : { ...division, sides: [...sides, rest] };
  const all = whole.sides.flat();
  if (isOneWay && sides.length === 2 && sides[0]?.some((node) => sides[1]?.includes(node)))
    throw new LabError('arguments', 'a node is on both sides of the cut; name each node once');
  if (all.some((one) => all.some((other) => separates(whole, one, other)))) return whole;
  throw new LabError(
    'arguments',
    'the partition separates no two nodes; name fewer nodes on its sides, or use a cut that separates so few nodes',
  );
}

/** Whether each node is on one side at most, and no message passes between two sides. */
export function isClean({ sides, isOneWay }: Division<number>): boolean {
  const named = sides.flat();
  return !isOneWay && new Set(named).size === named.length;
}

/** A cut of the simulator as sides. A store that it does not cut off from a node is on no side. */
export function divisionOf(cut: Cut, nodes: number, store: number | null): Division<number> {
  if (cut.kind === 'one-way') return { sides: [[cut.from], [cut.to]], isOneWay: true };
  const isCut = createCut(cut, nodes);
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
  const cutFromStore = numbers.some((node) => isCut(node, nodes + 1));
  const all = store !== null && cutFromStore ? [...numbers, nodes + 1] : numbers;
  let sides: readonly (readonly number[])[] = [all];
  for (const one of all) {
    for (const other of all.filter((each) => each > one && isCut(one, each))) {
      // No side has both. What remains of a side can be within another one.
      const apart = sides.flatMap((side) => {
        if (!side.includes(one) || !side.includes(other)) return [side];
        return [one, other].map((node) => side.filter((each) => each !== node));
      });
      sides = apart.filter((side, index) => {
        return !apart.some(
          (each, at) => isWithin(side, each) && (at < index || !isWithin(each, side)),
        );
      });
    }
  }
  return {
    sides: sides.map((side) => side.map((each) => (each > nodes ? (store ?? each) : each))),
  };
}

function isWithin(side: readonly number[], other: readonly number[]): boolean {
  return side.every((node) => other.includes(node));
}
