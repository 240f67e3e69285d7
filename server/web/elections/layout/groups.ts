/**
 * @module
 * This folder arranges the nodes and marks the types of messages. Up to 60 nodes are drawn one by one, more in groups of
 * neighbouring ranks, so that also 500 nodes are legible. The ring and the diagram use the same groups.
 */

/** Neighbouring ranks that are drawn as one; usually one rank. */
export interface Group {
  readonly first: number;
  readonly last: number;
  readonly ranks: readonly number[];
  /** `7`, `7–16` or `store`. */
  readonly label: string;
}

const SINGLE_NODES_MAX = 60;
const GROUPS_MAX = 50;

/** The groups of these ranks, in their order; a store has a group of its own after them. */
export function groupsOf(ranks: readonly number[], store: number | null): Group[] {
  const size = ranks.length <= SINGLE_NODES_MAX ? 1 : Math.ceil(ranks.length / GROUPS_MAX);
  const groups: Group[] = [];
  for (let start = 0; start < ranks.length; start += size) {
    const members = ranks.slice(start, start + size);
    const [first = 0] = members;
    const last = members.at(-1) ?? first;
    const label = first === last ? String(first) : `${first}–${last}`;
    groups.push({ first, last, ranks: members, label });
  }
  if (store !== null) groups.push({ first: store, last: store, ranks: [store], label: 'store' });
  return groups;
}

/** The facts of an election that decide where its nodes are. */
interface Arrangement {
  readonly protocol: string;
  /** Number of ranks. */
  readonly ranks: number;
  /** The ranks, clockwise. */
  readonly ring: readonly number[];
}

const RING_PROTOCOLS = /^(ring|cr|hs|peterson|franklin|itai)/;
const STORE_PROTOCOLS: ReadonlySet<string> = new Set(['db-lease', 'zk-recipe']);

/** The number under which events name the store of a protocol; null for a protocol without one. */
export function storeOf({ protocol, ranks }: Omit<Arrangement, 'ring'>): number | null {
  return STORE_PROTOCOLS.has(protocol) ? ranks + 1 : null;
}

/** The groups of the nodes that are present, in the order in which they are on the circle. */
export function arrangedNodes(present: readonly number[], facts: Arrangement) {
  const { protocol, ring } = facts;
  const isRing = RING_PROTOCOLS.test(protocol);
  const groups = groupsOf(present, storeOf(facts));
  const circle = isRing && groups.length === present.length ? inRing(groups, ring) : groups;
  return { groups: circle, slots: slotsOf(circle), isRing };
}

/** Groups of one node each, clockwise as the ring has them. */
function inRing<One extends { readonly first: number }>(
  groups: readonly One[],
  ring: readonly number[],
): One[] {
  const slots = new Map(ring.map((rank, index) => [rank, index]));
  return [...groups].sort(
    (one, other) => (slots.get(one.first) ?? 0) - (slots.get(other.first) ?? 0),
  );
}

/** The place of each rank among the groups; -1 for ranks without a node. */
export function slotsOf(groups: readonly Group[]): Int32Array {
  const highest = groups.reduce((most, { last }) => Math.max(most, last), 0);
  const slots = new Int32Array(highest + 1).fill(-1);
  for (const [slot, { ranks }] of groups.entries()) for (const rank of ranks) slots[rank] = slot;
  return slots;
}

/** Colours for light and for dark paper (Okabe and Ito), each at least 3:1 against its paper. */
export const SERIES = {
  light: ['#0072b2', '#c75200', '#00805e', '#a8508a', '#8a5e00', '#5a4fcf', '#1b1b1b', '#6a6a6a'],
  dark: ['#4da3dd', '#ff8a3d', '#2bc79a', '#e3a0c6', '#f2b733', '#b3aaff', '#f0f0f0', '#a0a0a0'],
} as const;

/** Lengths of strokes and gaps, one for each colour. */
export const DASHES: readonly (readonly number[])[] = [
  [],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
  [4, 2],
  [12, 4],
  [2, 2, 6, 2],
  [1, 4],
];

export interface TypeMark {
  readonly type: string;
  /** Slot of its colour and of its dashes. */
  readonly series: number;
  /** One to three letters, different for each of the types. */
  readonly letters: string;
}

/** The marks of types in the order of their first occurrence. */
export function marksOf(types: readonly string[]): TypeMark[] {
  const taken = new Set<string>();
  return types.map((type, index) => {
    const letters = lettersOf(type, taken);
    taken.add(letters);
    return { type, series: index % DASHES.length, letters };
  });
}

function lettersOf(type: string, taken: ReadonlySet<string>): string {
  const words = type.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const plain = words.join('').toUpperCase();
  const [first = '?'] = plain;
  const initials = words.map(([letter = '']) => letter).join('');
  const pairs = [...plain.slice(1)].map((letter) => first + letter.toLowerCase());
  const candidates = [first, initials.slice(0, 3).toUpperCase(), ...pairs];
  return candidates.find((each) => each !== '' && !taken.has(each)) ?? '·';
}

/** Where the groups of nodes are on the circle, and how large they are. */
interface Slot {
  readonly x: number;
  readonly y: number;
}

/** Side of the square picture. */
export const SIDE = 360;
/** Radius of the circle on which the nodes are. */
export const CIRCLE_RADIUS = SIDE / 2 - 34;

/** The centres of the groups on a circle, clockwise from the top. */
export function circleOf(count: number): Slot[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / Math.max(1, count) - Math.PI / 2;
    const at = (cosine: number) => Math.round(10 * (SIDE / 2 + CIRCLE_RADIUS * cosine)) / 10;
    return { x: at(Math.cos(angle)), y: at(Math.sin(angle)) };
  });
}

/** Radius of a node, so that neighbours do not touch. */
export function nodeRadius(count: number): number {
  const apart = (2 * Math.PI * CIRCLE_RADIUS) / Math.max(1, count);
  return Math.max(6, Math.min(20, apart / 2 - 2));
}
