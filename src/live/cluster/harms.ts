/**
 * @module
 * The harm that honest nodes suffer during an attack, besides that the adversary leads: from their records, by real time,
 * for how long they followed different leaders, several of them led, or none led.
 */

import type { LiveRecord } from '../node-record.ts';

/** For how long, in seconds. */
export interface Harms {
  /** Honest nodes followed different leaders. */
  readonly split: number;
  /** Two or more honest nodes led. */
  readonly twoLeaders: number;
  /** An honest node followed no leader. */
  readonly leaderless: number;
  /** An honest node followed a rank that no node has. */
  readonly phantom: number;
  /** What of it lasted until the end. */
  readonly lasting: readonly HarmName[];
}

export const HARM_NAMES = ['split', 'twoLeaders', 'leaderless', 'phantom'] as const;
export type HarmName = (typeof HARM_NAMES)[number];

export interface HonestNodes {
  /** The rank that each honest node followed at the beginning, by number. */
  readonly followed: ReadonlyMap<number, string | null>;
  readonly rankOf: (node: number) => string | null;
  /** Whether a node has the rank. */
  readonly isNode: (rank: string) => boolean;
}

/** The harm in this time, in ms since 1970. */
export function harmsIn(
  records: readonly { readonly node: number; readonly record: LiveRecord }[],
  honest: HonestNodes,
  [from, to]: readonly [from: number, to: number],
): Harms {
  const followed = new Map(honest.followed);
  const ms = { split: 0, twoLeaders: 0, leaderless: 0, phantom: 0 };
  let at = from;
  const passUntil = (t: number) => {
    const present = presentHarms(followed, honest);
    for (const name of present) ms[name] += Math.max(0, Math.min(t, to) - at);
    at = Math.max(at, Math.min(t, to));
    return present;
  };
  const ordered = records
    .filter(({ node }) => followed.has(node))
    .toSorted((one, other) => one.record.t - other.record.t);
  for (const { node, record } of ordered) {
    passUntil(record.t);
    if (record.event.type === 'crash') followed.set(node, null);
    for (const effect of record.effects) {
      if (effect.type === 'elect') followed.set(node, String(effect.leader));
      if (effect.type === 'step-down') followed.set(node, null);
    }
  }
  const lasting = passUntil(to);
  const seconds = (name: HarmName) => Number((ms[name] / 1000).toFixed(3));
  return {
    ...{ split: seconds('split'), twoLeaders: seconds('twoLeaders') },
    ...{ leaderless: seconds('leaderless'), phantom: seconds('phantom'), lasting },
  };
}

function presentHarms(
  followed: ReadonlyMap<number, string | null>,
  { rankOf, isNode }: HonestNodes,
): readonly HarmName[] {
  const leaders = [...followed.values()];
  const named = new Set(leaders.filter((leader) => leader !== null));
  const leading = [...followed].filter(
    ([node, leader]) => leader !== null && leader === rankOf(node),
  );
  const holds: Readonly<Record<HarmName, boolean>> = {
    split: named.size > 1,
    twoLeaders: leading.length > 1,
    leaderless: leaders.includes(null),
    phantom: [...named].some((leader) => !isNode(leader)),
  };
  return HARM_NAMES.filter((name) => holds[name]);
}
