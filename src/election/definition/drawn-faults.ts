/**
 * @module
 * The kinds of faults that can be drawn from a seed, and the fact of a protocol that says which of them
 * cannot change any of its runs. simulation/faults/draw.ts draws them.
 */

import type { Reason } from './forgery.ts';

/** The kinds, in the order in which they are drawn. Those of links end with `links`. */
export const FAULT_KINDS = [
  ...(['crash', 'restart', 'amnesia', 'pause'] as const),
  ...(['isolate', 'halves', 'minority', 'majorities-ring', 'one-way', 'links'] as const),
  ...(['loss', 'duplication', 'reordering', 'blackout', 'slowdown'] as const),
  ...(['skew', 'drift', 'churn', 'join', 'jump'] as const),
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * For each kind the reason why it cannot change a run of the protocol, or null if it can. It holds for the
 * protocol alone: a detector that runs on the nodes has timers and messages of its own.
 */
export type Unaffected = Readonly<Record<FaultKind, Reason | null>>;

const NO_TIMER = 'no node sets a timer, and only timers use a clock';
const STORE_ONLY = 'it cuts only links between nodes, which send messages to the store alone';

/** The fact for a protocol that these kinds cannot affect, each with the reason. All others can. */
export function unaffectedBy(reasons: Partial<Record<FaultKind, Reason>>): Unaffected {
  const cells = FAULT_KINDS.map((kind) => [kind, reasons[kind] ?? null]);
  // The entries are those of all kinds, which fromEntries forgets.
  return Object.fromEntries(cells) as Unaffected;
}

/** Every kind can change its runs. */
export const AFFECTED_BY_ALL = unaffectedBy({});

/** A protocol without timers. */
export const AFFECTED_BUT_BY_CLOCKS = unaffectedBy({
  skew: NO_TIMER,
  drift: NO_TIMER,
  jump: NO_TIMER,
});

/** A protocol whose nodes send messages to a store alone. */
export const AFFECTED_BUT_BY_CUTS_BETWEEN_NODES = unaffectedBy({
  'majorities-ring': STORE_ONLY,
  'one-way': STORE_ONLY,
  links: STORE_ONLY,
});
