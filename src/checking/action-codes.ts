/**
 * @module
 * Actions as integers of 28 bits: the kind in bits 0–3, the node in bits 4–7, and above them what the kind needs:
 * the number of a message, timer or name, the value of a choice, the node that a report is about, 1 for amnesia or a
 * departure (of the kind `enter`; of the store it is a lost write), from 2 on the timer of a clock that jumps (of the same
 * kind), or what links are cut (0 ends this): in bits 0–11 one for each node on the other side of
 * a partition, and above them the node that is on both sides, or sender and recipient of a link, with four bits each.
 */

/** The kinds of actions. Their order is part of the code. */
export const KINDS = [
  ...(['start', 'deliver', 'timeout', 'choose', 'name', 'suspect'] as const),
  ...(['crash', 'recover', 'drop', 'duplicate', 'pause', 'resume'] as const),
  ...(['enter', 'split', 'lie'] as const),
] as const;

export type Kind = (typeof KINDS)[number];

export const KIND = {
  start: 0,
  deliver: 1,
  timeout: 2,
  choose: 3,
  name: 4,
  suspect: 5,
  crash: 6,
  recover: 7,
  drop: 8,
  duplicate: 9,
  pause: 10,
  resume: 11,
  enter: 12,
  split: 13,
  lie: 14,
} as const satisfies Readonly<Record<Kind, number>>;

/** The kind of a report that a node has returned or joined, or is to leave, which is a part of that and no action of its own. */
const REPORTED = 15;
const JOINED_BIT = 16;
const LEFT_BIT = 32;
const REPORT_BITS = { trust: 0, join: JOINED_BIT, leave: LEFT_BIT } as const;
export type ReportType = keyof typeof REPORT_BITS;

/** The code by which a node receives such a report. */
export function reportCode(type: ReportType, node: number, about: number): number {
  return codeOf(REPORTED, node, about | REPORT_BITS[type]);
}

/** The report with this code; null for another code. */
export function reportIn(
  code: number,
): { readonly type: ReportType; readonly node: number; readonly about: number } | null {
  if (kindOf(code) !== REPORTED) return null;
  const value = valueIn(code);
  const isLeft = (value & LEFT_BIT) !== 0;
  const type = (value & JOINED_BIT) !== 0 ? 'join' : isLeft ? 'leave' : 'trust';
  return { type, node: nodeIn(code), about: value & (JOINED_BIT - 1) };
}

/** Largest number of a message, a timer or a value. */
export const VALUE_MAX = 2 ** 20 - 1;

export function codeOf(kind: number, node: number, value: number): number {
  return kind | (node << 4) | (value << 8);
}

export function kindOf(code: number): number {
  return code & 15;
}

export function nodeIn(code: number): number {
  return (code >>> 4) & 15;
}

export function valueIn(code: number): number {
  return code >>> 8;
}

/** In an action `enter`: a clock jumps, and the timer with the number above this one fires. */
export const JUMPED_FROM = 2;

/** Bits for the sides of a partition in the value of a cut. */
export const SIDE_BITS = 12;

/** Whether an action is one of the environment. */
export function isFault(code: number): boolean {
  return kindOf(code) >= KIND.crash;
}
