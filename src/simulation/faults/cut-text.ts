/**
 * @module
 * Cuts of a partition as text: `halves`, `isolate:3`, `one-way:1>2`, `links:1-2,3-4`.
 */

import type { Cut } from './schedule.ts';

/** Null for a text that is no cut. */
export function parseCut(text: string): Cut | null {
  if (text === 'halves' || text === 'minority' || text === 'majorities-ring') return { kind: text };
  const [, alone] = /^isolate:([1-9]\d*)$/.exec(text) ?? [];
  if (alone !== undefined) return { kind: 'isolate', rank: Number(alone) };
  const [, from, to] = /^one-way:([1-9]\d*)>([1-9]\d*)$/.exec(text) ?? [];
  if (from !== undefined) return { kind: 'one-way', from: Number(from), to: Number(to) };
  const [, list] = /^links:([1-9]\d*-[1-9]\d*(?:,[1-9]\d*-[1-9]\d*)*)$/.exec(text) ?? [];
  if (list === undefined) return null;
  const links = list.split(',').map((link) => {
    const [one = 0, other = 0] = link.split('-').map(Number);
    return [one, other] as const;
  });
  return { kind: 'links', links };
}

/** The text that parses to this cut. */
export function cutText(cut: Cut): string {
  switch (cut.kind) {
    case 'halves':
    case 'minority':
    case 'majorities-ring':
      return cut.kind;
    case 'isolate':
      return `isolate:${cut.rank}`;
    case 'one-way':
      return `one-way:${cut.from}>${cut.to}`;
    case 'links':
      return `links:${cut.links.map((link) => link.join('-')).join(',')}`;
    default:
      return cut satisfies never;
  }
}
