/**
 * @module
 * Actions as integers of 28 bits: the kind in bits 0–3, the node in bits 4–7, and above them what the kind needs:
 * the number of a message, timer or name, the value of a choice, the node that a report is about, or 1 for amnesia.
 */

/** The kinds of actions. Their order is part of the code. */
export const KINDS = [
  ...(['start', 'deliver', 'timeout', 'choose', 'name', 'suspect'] as const),
  ...(['crash', 'recover', 'drop', 'duplicate', 'pause', 'resume'] as const),
] as const;

export type Kind = (typeof KINDS)[number];

export const KIND = {
  ...{ start: 0, deliver: 1, timeout: 2, choose: 3, name: 4, suspect: 5 },
  ...{ crash: 6, recover: 7, drop: 8, duplicate: 9, pause: 10, resume: 11 },
} as const satisfies Readonly<Record<Kind, number>>;

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

/** Whether an action is one of the environment. */
export function isFault(code: number): boolean {
  return kindOf(code) >= KIND.crash;
}
