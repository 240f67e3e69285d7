/**
 * @module
 * The dynamic program of `sparing.ts` for games with many courses. The sum of leads and shares lies on a grid, and values
 * between two of its points are interpolated. It compares fewer numbers of keys if there are many. If claims of many ages
 * count together, it takes them as if they ended with the newest. A saved budget is counted in keys, at their mean cost.
 */

import type { Trials } from '../theory/binomial-odds.ts';
import { affordable, isPuzzleSalted } from '../theory/epoch-conduct.ts';
import type { Bets } from './bets.ts';
import { chancesOf } from './bets.ts';
import type { Quota, Standing } from './quota.ts';

interface Game extends Bets {
  readonly laws: readonly Trials[];
  /** Most keys that a window is likely to give. */
  readonly keysMax: number;
}

/** Steps of the program, and numbers that it stores. More of them take seconds. */
const STEPS_MAX = 2 ** 23;
const STORED_MAX = 2 ** 22;
/** Points of the grid for one epoch that is led. */
const POINTS = { least: 12, most: 2048 };
/** All numbers of keys up to this one are compared. Above it, each is a quarter larger than the one before. */
const COMPARED_EACH = 10;
const FACTOR = 1.25;
/** Parts of a saved budget. */
const CHIPS_MAX = 32;
/** Combinations of claims by their ages. */
const AGES_MAX = 64;
const NEGLIGIBLE = 1e-9;

/** Returns the function that computes the best number of keys to register. */
export function griddedQuota(game: Game): Quota {
  const program = programOf(game);
  const { chipKeys, chipsBy, first, book } = program;
  return (standing) => {
    const { epoch, registered, keys, tests } = standing;
    if (epoch < first) return 0;
    const at = book.indexOf(claimsAt(game, standing));
    const saved = Math.floor((tests * 2 ** -game.difficultyBits) / chipKeys);
    const spent = game.isSaving ? Math.max(0, chipsBy(epoch) - saved) : 0;
    const most = game.isSaving ? saved * chipKeys : keys;
    const now = { ...standing, own: registered.length, at, spent };
    let [best, chosen] = [program.oddsOf(now, 0), 0];
    for (const added of comparedUpTo(most, chipKeys)) {
      const value = program.oddsOf(now, added);
      if (value > best + NEGLIGIBLE) [best, chosen] = [value, added];
    }
    return chosen;
  };
}

/** The claims that count, by the number of further epochs in which they do. */
function claimsAt({ epochs, lifetimeEpochs }: Game, { epoch, registered }: Standing) {
  const life = Math.min(lifetimeEpochs ?? epochs, epochs);
  if (life === epochs) return [registered.length];
  return Array.from({ length: life - 1 }, (_, further) => {
    return registered.filter((at) => at + life - 1 - epoch === further).length;
  });
}

/** Yields numbers of keys to compare. */
function* comparedUpTo(most: number, unit: number): Generator<number> {
  let chips = 1;
  while (chips * unit < most) {
    yield chips * unit;
    chips = chips < COMPARED_EACH ? chips + 1 : Math.ceil(chips * FACTOR);
  }
  if (most > 0) yield most;
}

/** The claims of an adversary by their ages, as numbers from 0 on. */
interface Book {
  readonly size: number;
  /** Number of claims of each state. */
  readonly owns: readonly number[];
  indexOf(claims: readonly number[]): number;
  /** The state in the next epoch after this number of keys was registered. */
  next(state: number, added: number): number;
}

function bookOf({ epochs, lifetimeEpochs }: Game, added: readonly number[]): Book {
  const life = Math.min(lifetimeEpochs ?? epochs, epochs);
  const isEndless = life === epochs;
  const isMerged = isEndless || (added.length + 1) ** (life - 1) > AGES_MAX;
  const most = Math.max(0, ...added) * (isEndless ? 1 : life);
  const levels = [0, ...new Set([...added, ...comparedUpTo(most, added[0] ?? 1)])].sort(
    (one, other) => one - other,
  );
  const rounded = (own: number) => levels.findLast((each) => each <= own) ?? 0;
  const merged = (claims: readonly number[]) => {
    const newest = claims.findLastIndex((count) => count > 0);
    const own = rounded(sumOf(claims));
    return claims.map((_, further) => (further === newest ? own : 0));
  };
  const numbers = new Map<string, number>();
  const states: (readonly number[])[] = [];
  const indexOf = (claims: readonly number[]) => {
    const state = isMerged ? merged(claims) : claims;
    const key = state.join(' ');
    const known = numbers.get(key) ?? states.push(state) - 1;
    numbers.set(key, known);
    return known;
  };
  const after = (claims: readonly number[], count: number) => {
    if (isEndless) return [(claims[0] ?? 0) + count];
    return life === 1 ? [] : [...claims.slice(1), count];
  };
  indexOf(isEndless ? [0] : Array.from({ length: life - 1 }, () => 0));
  const steps: Map<number, number>[] = [];
  for (let state = 0; state < states.length; state += 1) {
    const claims = states[state] ?? [];
    steps.push(new Map([0, ...added].map((count) => [count, indexOf(after(claims, count))])));
  }
  return {
    size: states.length,
    owns: states.map(sumOf),
    indexOf(claims) {
      const state = isMerged ? merged(claims) : claims;
      return numbers.get(state.join(' ')) ?? nearest(states, state);
    },
    next: (state, count) =>
      steps[state]?.get(count) ?? nearest(states, after(states[state] ?? [], count)),
  };
}

/** The state with the closest numbers of claims. */
function nearest(states: readonly (readonly number[])[], claims: readonly number[]): number {
  const gaps = states.map((each) =>
    sumOf(each.map((count, at) => Math.abs(count - (claims[at] ?? 0)))),
  );
  return gaps.indexOf(Math.min(...gaps));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** A moment of a run for the program. */
interface Moment {
  readonly epoch: number;
  readonly ahead: number;
  readonly honest: number;
  readonly own: number;
  /** The number of the claims in the book. */
  readonly at: number;
  /** Parts of the saved budget that were spent. */
  readonly spent: number;
}

/** The sizes of a program: its last epochs, and the points of its grid for one epoch that is led. */
function sizesOf({ epochs, nodes }: Game, { rows, compared }: Record<'rows' | 'compared', number>) {
  const pointsOf = (horizon: number) => {
    const width = 2 * horizon ** 2 * rows;
    return Math.min(POINTS.most, STEPS_MAX / (width * (compared + 1)), STORED_MAX / width);
  };
  let horizon = epochs;
  while (horizon > 1 && pointsOf(horizon) < POINTS.least) horizon = Math.ceil(horizon * 0.8);
  // With one key in each window, all sums are multiples of its share.
  const even = Math.floor(pointsOf(horizon) / (nodes + 1)) * (nodes + 1);
  const points = Math.max(POINTS.least, even === 0 ? Math.floor(pointsOf(horizon)) : even);
  return { horizon, points, first: epochs - horizon, width: 2 * horizon * points + 1 };
}

type Known = Omit<Moment, 'epoch' | 'ahead'>;

function programOf(game: Game) {
  const { epochs, beacons, isSaving, nodes, newcomers, keysMax } = game;
  const { chipKeys, chipsBy } = chipsOf(game);
  const added = [...comparedUpTo(isSaving ? chipsBy(epochs - 1) * chipKeys : keysMax, chipKeys)];
  const book = bookOf(game, added);
  const chips = isSaving ? chipsBy(epochs - 1) + 1 : 1;
  const rows = book.size * chips;
  const { horizon, points, first, width } = sizesOf(game, { rows, compared: added.length });
  // The values after the last epoch.
  const last = Float32Array.from({ length: width }, (_, cell) => Number(cell > horizon * points));
  const tables: Float32Array[] = [];
  const chanceOf = chancesOf(game.laws);

  /** What registering keys leads to: the row of the next epoch, and the changes of the sum with their probabilities. */
  function betOf(epoch: number, { honest, own, at, spent }: Known, count: number) {
    const claims = own + count;
    const share = claims === 0 ? 0 : claims / (claims + honest);
    const lead = claims === 0 ? 0 : 1 - (1 - share) ** beacons;
    const paid = Math.min(chips - 1, spent + (isSaving ? Math.ceil(count / chipKeys) : 0));
    const table = tables[epoch + 1 - first] ?? last;
    const base = table === last ? 0 : (book.next(at, count) * chips + paid) * width;
    const changes = [[-share, 1 - lead] as const, [1 - share, lead] as const];
    return { row: { table, base, width }, changes };
  }

  function oddsOf(moment: Moment, count: number): number {
    const { row, changes } = betOf(moment.epoch, moment, count);
    return changes.reduce((sum, [change, chance]) => {
      const ahead = moment.ahead + change;
      if (chance === 0) return sum;
      if (row.table === last) return sum + chance * Number(ahead > NEGLIGIBLE);
      return sum + chance * interpolated(row, (ahead + horizon) * points);
    }, 0);
  }

  const [best, odds] = [new Float64Array(width), new Float64Array(width)];
  const fill = (values: Float64Array, epoch: number, moment: Known, count: number) => {
    const { row, changes } = betOf(epoch, moment, count);
    values.fill(0);
    for (const [change, chance] of changes) {
      if (chance > 0) addShifted(values, row, change * points, chance);
    }
  };
  const chanceToAdd = (epoch: number, { own, spent }: Known, count: number) => {
    if (isSaving) return Number(spent + Math.ceil(count / chipKeys) <= chipsBy(epoch));
    // A salted puzzle gives new keys in each window. Without a salt, the claims are among all valid keys.
    return chanceOf(epoch, isPuzzleSalted(game.salt) ? count : own + count);
  };
  for (let epoch = epochs - 1; epoch >= first; epoch -= 1) {
    const table = new Float32Array(rows * width);
    for (let row = 0; row < rows; row += 1) {
      const [at, spent] = [Math.floor(row / chips), row % chips];
      if (isSaving && spent > chipsBy(epoch)) continue;
      const moment = { honest: nodes + epoch * newcomers, own: book.owns[at] ?? 0, at, spent };
      const mean = table.subarray(row * width, (row + 1) * width);
      fill(best, epoch, moment, 0);
      mean.set(best);
      for (const count of added) {
        const chance = chanceToAdd(epoch, moment, count);
        if (chance < NEGLIGIBLE) break;
        fill(odds, epoch, moment, count);
        raise(best, odds, { mean, chance });
      }
    }
    tables[epoch - first] = table;
  }
  return { chipKeys, chipsBy, first, book, oddsOf };
}

/** Raises the best odds to others, and their mean by what can be reached with a probability. */
function raise(
  best: Float64Array,
  odds: Float64Array,
  { mean, chance }: { readonly mean: Float32Array; readonly chance: number },
) {
  for (let cell = 0; cell < best.length; cell += 1) {
    const more = (odds[cell] ?? 0) - (best[cell] ?? 0);
    if (more <= 0) continue;
    best[cell] = odds[cell] ?? 0;
    mean[cell] = (mean[cell] ?? 0) + more * chance;
  }
}

/** A row of a table. Below it all values are 0, and above it 1. */
interface Row {
  readonly table: Float32Array;
  readonly base: number;
  readonly width: number;
}

function interpolated({ table, base, width }: Row, index: number): number {
  const low = Math.floor(index + NEGLIGIBLE);
  if (low < 0) return 0;
  if (low >= width - 1) return 1;
  const [one = 0, other = 0] = [table[base + low], table[base + low + 1]];
  return one + Math.max(0, index - low) * (other - one);
}

/** Adds the values of a row, shifted by a distance and weighted. */
function addShifted(
  sum: Float64Array,
  { table, base, width }: Row,
  distance: number,
  weight: number,
) {
  const low = Math.floor(distance + NEGLIGIBLE);
  const part = Math.max(0, distance - low);
  for (let cell = Math.max(0, -low); cell < width; cell += 1) {
    const index = cell + low;
    const at = base + index;
    const one = table[at] ?? 0;
    const value = index >= width - 1 ? 1 : one + part * ((table[at + 1] ?? 0) - one);
    sum[cell] = (sum[cell] ?? 0) + weight * value;
  }
}

/** Divides a saved budget into parts: the keys of each, and the number of parts up to each epoch. */
function chipsOf({ epochs, isSaving, windowTests, conduct, difficultyBits }: Game) {
  if (!isSaving) return { chipKeys: 1, chipsBy: () => 0 };
  const { perWindow, perKey, perPuzzle } = conduct.hashes;
  const keysBy = (epoch: number) => {
    const windows = epoch + 1;
    const work = { attempts: windows * windowTests, hashes: windows * perWindow };
    return affordable(work, perKey + perPuzzle) * 2 ** -difficultyBits;
  };
  const chipKeys = Math.max(1, Math.ceil(keysBy(epochs - 1) / CHIPS_MAX));
  return { chipKeys, chipsBy: (epoch: number) => Math.floor(keysBy(epoch) / chipKeys) };
}
