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
  ...(['skew', 'drift', 'churn', 'join'] as const),
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * For each kind the reason why it cannot change a run of the protocol, or null if it can. It holds for the
 * protocol alone: a detector that runs on the nodes has timers and messages of its own.
 */
export type Unaffected = Readonly<Record<FaultKind, Reason | null>>;

/** The kinds that are no clocks and no links between two nodes. They can change the runs of every protocol. */
const OTHERS_CHANGE = {
  crash: null,
  restart: null,
  amnesia: null,
  pause: null,
  isolate: null,
  halves: null,
  minority: null,
  loss: null,
  duplication: null,
  reordering: null,
  blackout: null,
  slowdown: null,
  churn: null,
  join: null,
} as const;

const LINKS_CHANGE = { 'majorities-ring': null, 'one-way': null, links: null } as const;
const NO_TIMER = 'no node sets a timer, and only timers use a clock';
const STORE_ALONE = 'it cuts only links between nodes, which send messages to the store alone';

/** Every kind can change its runs. */
export const AFFECTED_BY_ALL: Unaffected = {
  ...OTHERS_CHANGE,
  ...LINKS_CHANGE,
  skew: null,
  drift: null,
};

/** A protocol without timers. */
export const AFFECTED_BUT_BY_CLOCKS: Unaffected = {
  ...OTHERS_CHANGE,
  ...LINKS_CHANGE,
  skew: NO_TIMER,
  drift: NO_TIMER,
};

/** A protocol whose nodes send messages to a store alone. */
export const AFFECTED_BUT_BY_CUTS_BETWEEN_NODES: Unaffected = {
  ...OTHERS_CHANGE,
  'majorities-ring': STORE_ALONE,
  'one-way': STORE_ALONE,
  links: STORE_ALONE,
  skew: null,
  drift: null,
};
