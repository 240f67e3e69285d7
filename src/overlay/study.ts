/**
 * @module
 * Many lookups in one network, and what they measure: the share that succeeds, the lengths of paths, messages, and whether
 * the adversary leads the keys. A key that the adversary prepares has a network of its own, in which the forged IDs are.
 */

import type { Random, Seed } from '../random.ts';
import { createRandom } from '../random.ts';
import type { Forging } from './forging.ts';
import { forgedNear, forgingHashes, freePathOdds, leadingHashes } from './forging.ts';
import type { LookupRules, OverlayLinks } from './lookup.ts';
import { Lookups } from './lookup.ts';
import type { Key, Network } from './network.ts';
import { closestTo, drawKey, networkOf } from './network.ts';
import type { TableRules, Tables } from './tables.ts';
import { buildTables, drawParties, poisonedShare } from './tables.ts';

/** What messages meet. */
export interface Timing {
  /** Draws the ticks that a message takes. */
  readonly delayBy: (random: Random) => () => number;
  /** Probability that a message is lost. */
  readonly loss: number;
  /** Share of the honest nodes that have left since the tables were filled. The adversary stays. */
  readonly left: number;
  /** Ticks until a question counts as unanswered. */
  readonly timeoutTicks: number;
}

/** A cell of a study: one network of honest nodes with a share of adversaries. */
export interface Cell {
  readonly ids: readonly Key[];
  /** Share of these nodes that belongs to the adversary. */
  readonly share: number;
  readonly tables: TableRules;
  readonly rules: LookupRules;
  /** Null: the model is synchronous, and no node has left. */
  readonly timing: Timing | null;
  readonly lookups: number;
  /** Number of keys for which the adversary forges. 0 without forging: each lookup has a key of its own. */
  readonly keys: number;
  readonly forging: Forging;
  /** Shares of adversaries for which the lengths of the paths give an expected number of successes. */
  readonly expectAt: readonly number[];
  readonly seed: Seed;
}

/** What the lookups of a cell gave. */
export interface Measured {
  readonly lookups: number;
  /** Lookups with a path that succeeded. */
  readonly successes: number;
  /** Lookups that failed, or whose key has an adversary as its closest node. */
  readonly led: number;
  /** Lookups that failed, or whose key has adversaries alone as siblings. */
  readonly eclipsed: number;
  /** Number of paths that succeeded after each number of steps. */
  readonly lengths: readonly number[];
  /** Like `lengths`, but the paths of each lookup together count as one. */
  readonly lookupLengths: readonly number[];
  /** Expected number of successes at each share of `expectAt`, if each node on these paths is an adversary by chance. */
  readonly expected: readonly number[];
  readonly messages: number;
  /** Ticks until each lookup that succeeded did so. Empty if the model is synchronous. */
  readonly ticks: readonly number[];
  /** Questions that were not answered in time. */
  readonly timeouts: number;
  /** Share of the contacts of honest nodes that are adversaries. */
  readonly poisoned: number;
  /** Keys whose closest node is an adversary, of all keys. */
  readonly keysLed: number;
  /** Keys that the adversary leads only because of forged IDs: without them, the closest node is honest. */
  readonly keysCaptured: number;
  readonly keys: number;
  /** Hashes for all IDs that join for one key, on average. 0 without forging. */
  readonly hashesPerKey: number;
  /** Hashes that leading the captured keys takes, with what the attempts for the others took. 0 without forging. */
  readonly hashesToLead: number;
}

/** A network with its tables, which cells of several rules share. */
export interface Built {
  readonly network: Network;
  readonly tables: Tables;
  /** Share of the contacts of honest nodes that are adversaries. */
  readonly poisoned: number;
}

/** The network of a cell without forged IDs. The seed and the share alone decide it. */
export function buildCell(cell: Cell): Built {
  return built(cell, [], 'tables');
}

/** The network of a cell with these forged IDs. */
function built(
  cell: Cell,
  forged: readonly Key[],
  ...labels: readonly [string, ...number[]]
): Built {
  const { tables: rules, seed } = cell;
  const network = networkWith(cell, forged);
  const tables = buildTables(network, rules, createRandom(seed, ...labels));
  return { network, tables, poisoned: poisonedShare(network, tables) };
}

function networkWith({ ids, share, seed }: Cell, forged: readonly Key[]): Network {
  const { honest, adversaries } = drawParties(ids, share, createRandom(seed, 'adversaries'));
  return networkOf(honest, [...adversaries, ...forged]);
}

/** Carries out the lookups of a cell, in the built network if no IDs are forged. */
export function measure(cell: Cell, network: Built | null): Measured {
  return sumOf([...partsOf(cell, network)]);
}

/** Lookups of a part of a cell without forged IDs. */
const PART_LOOKUPS = 10_000;

/** The lookups of a cell in parts, between which a caller can stop: one for each key for which IDs are forged. */
export function* partsOf(cell: Cell, network: Built | null): Generator<Measured> {
  const { lookups, keys, forging, seed } = cell;
  const shared = keys === 0 ? (network ?? buildCell(cell)) : null;
  const unforged = shared === null ? networkWith(cell, []) : null;
  const random = createRandom(seed, 'keys');
  const parts = shared === null ? keys : Math.ceil(lookups / PART_LOOKUPS);
  for (let index = 0; index < parts; index += 1) {
    const count = Math.floor(lookups / parts) + Number(index < lookups % parts);
    if (shared !== null) {
      yield measureKey(cell, shared, { key: null, isHeld: false, hashes: 0, count, index });
      continue;
    }
    const key = drawKey(random);
    const forged = forgedNear(key, forging, createRandom(seed, 'forged', index));
    const hashes = forgingHashes(forging, forged.length);
    const isHeld = unforged !== null && leads(unforged, key);
    const part = { key, isHeld, hashes, count, index };
    yield measureKey(cell, built(cell, forged, 'tables', index), part);
  }
}

/** Whether an adversary is the closest node to a key. */
function leads(network: Network, key: Key): boolean {
  return closestTo(network, key, 1).some((node) => network.isAdversary[node] === 1);
}

/** Lookups of one key, or of random keys. */
interface Part {
  readonly key: Key | null;
  /** Whether the adversary leads the key without forged IDs. */
  readonly isHeld: boolean;
  /** Hashes that the adversary spends on it. */
  readonly hashes: number;
  readonly count: number;
  readonly index: number;
}

/** Lookups from random honest nodes. */
function measureKey(
  { rules, timing, forging, expectAt, seed }: Cell,
  { network, tables, poisoned }: Built,
  { key: given, isHeld, hashes, count, index }: Part,
): Measured {
  const random = createRandom(seed, 'lookups', index);
  const links = timing === null ? undefined : linksOf(timing, network, { seed, index });
  const lookups = new Lookups(network, tables, rules, links);
  const lengths: number[] = [];
  const lookupLengths: number[] = [];
  const ticks: number[] = [];
  const expected = expectAt.map(() => 0);
  const sums = { successes: 0, led: 0, eclipsed: 0, messages: 0, timeouts: 0, keysLed: 0 };
  for (let lookup = 0; lookup < count; lookup += 1) {
    const key = given ?? drawKey(random);
    const siblings = siblingsOf(network, key, rules.siblings, links?.hasLeft);
    const found = lookups.from(honestNode(network, random, links?.hasLeft), key, siblings);
    const isAdversary = siblings.map((node) => network.isAdversary[node] === 1);
    const isLost = found.lengths.length === 0;
    for (const length of found.lengths) {
      lengths[length] = (lengths[length] ?? 0) + 1;
      lookupLengths[length] = (lookupLengths[length] ?? 0) + 1 / found.lengths.length;
    }
    for (const [at, share] of expectAt.entries()) {
      expected[at] = (expected[at] ?? 0) + freePathOdds(found.lengths, share);
    }
    sums.successes += Number(!isLost);
    sums.led += Number(isLost || isAdversary[0] === true);
    sums.eclipsed += Number(isLost || isAdversary.every(Boolean));
    sums.messages += found.messages;
    sums.timeouts += found.timeouts;
    if (found.ticks !== null) ticks.push(found.ticks);
    sums.keysLed += Number(isAdversary[0] === true);
  }
  const isLed = given !== null && sums.keysLed > 0;
  const isCaptured = isLed && !isHeld;
  const toLead = leadingHashes(forging);
  return {
    ...sums,
    lookups: count,
    lengths: Array.from(lengths, (paths) => paths ?? 0),
    lookupLengths: Array.from(lookupLengths, (lookups) => lookups ?? 0),
    ticks,
    expected,
    poisoned,
    keysLed: given === null ? sums.keysLed : Number(isLed),
    keysCaptured: Number(isCaptured),
    keys: given === null ? count : 1,
    hashesPerKey: hashes,
    // A key that the adversary leads already is worth no attempt.
    hashesToLead:
      given === null || isHeld ? 0 : toLead.attempts + (isCaptured ? toLead.puzzles : 0),
  };
}

function honestNode(
  { size, isAdversary }: Network,
  random: Random,
  hasLeft: Uint8Array | undefined,
): number {
  for (;;) {
    const node = random.below(size);
    if (isAdversary[node] === 0 && hasLeft?.[node] !== 1) return node;
  }
}

/** What messages meet in a part of a cell. At least one honest node stays. */
function linksOf(
  { delayBy, loss, left, timeoutTicks }: Timing,
  { size, isAdversary }: Network,
  { seed, index }: { readonly seed: Seed; readonly index: number },
): OverlayLinks {
  const random = createRandom(seed, 'links', index);
  const leaving = createRandom(seed, 'left', index);
  const hasLeft = Uint8Array.from({ length: size }, (_, node) => {
    return Number(leaving.unit() < left && isAdversary[node] === 0);
  });
  const stays = isAdversary.some((each, node) => each === 0 && hasLeft[node] === 0);
  if (!stays) hasLeft[isAdversary.indexOf(0)] = 0;
  const isLost = () => loss > 0 && random.unit() < loss;
  return { delay: delayBy(random), isLost, hasLeft, timeoutTicks };
}

/** The closest nodes to a key that have not left: `count` of them, or all. */
function siblingsOf(network: Network, key: Key, count: number, hasLeft: Uint8Array | undefined) {
  for (let listed = count; ; listed *= 2) {
    const near = closestTo(network, key, listed);
    const here = hasLeft === undefined ? near : near.filter((node) => hasLeft[node] === 0);
    if (here.length >= count || near.length === network.size) return here.slice(0, count);
  }
}

/** The sum of parts of a cell. */
export function sumOf(parts: readonly Measured[]): Measured {
  const total = (of: (part: Measured) => number) => parts.reduce((sum, part) => sum + of(part), 0);
  const byStep = (of: (part: Measured) => readonly number[]) => {
    const steps = Math.max(0, ...parts.map((part) => of(part).length));
    return Array.from({ length: steps }, (_, at) => total((part) => of(part)[at] ?? 0));
  };
  return {
    lookups: total(({ lookups }) => lookups),
    successes: total(({ successes }) => successes),
    led: total(({ led }) => led),
    eclipsed: total(({ eclipsed }) => eclipsed),
    lengths: byStep(({ lengths }) => lengths),
    lookupLengths: byStep(({ lookupLengths }) => lookupLengths),
    expected: parts[0]?.expected.map((_, at) => total(({ expected }) => expected[at] ?? 0)) ?? [],
    messages: total(({ messages }) => messages),
    ticks: parts.flatMap(({ ticks }) => ticks),
    timeouts: total(({ timeouts }) => timeouts),
    poisoned: total(({ poisoned }) => poisoned) / parts.length,
    keysLed: total(({ keysLed }) => keysLed),
    keysCaptured: total(({ keysCaptured }) => keysCaptured),
    keys: total(({ keys }) => keys),
    hashesPerKey: total(({ hashesPerKey }) => hashesPerKey) / parts.length,
    hashesToLead: total(({ hashesToLead }) => hashesToLead),
  };
}
