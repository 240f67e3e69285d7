/**
 * @module
 * This folder arranges the nodes and marks the types of messages. This file computes where the groups of nodes are on
 * the circle, and how large they are.
 */

export interface Slot {
  readonly x: number;
  readonly y: number;
}

/** Side of the square picture. */
export const SIDE = 360;
const MARGIN = 34;

/** The centres of the groups on a circle, clockwise from the top. */
export function circleOf(count: number): Slot[] {
  const radius = SIDE / 2 - MARGIN;
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / Math.max(1, count) - Math.PI / 2;
    const at = (cosine: number) => Math.round(10 * (SIDE / 2 + radius * cosine)) / 10;
    return { x: at(Math.cos(angle)), y: at(Math.sin(angle)) };
  });
}

/** Radius of a node, so that neighbours do not touch. */
export function nodeRadius(count: number): number {
  const apart = (2 * Math.PI * (SIDE / 2 - MARGIN)) / Math.max(1, count);
  return Math.max(6, Math.min(20, apart / 2 - 2));
}
