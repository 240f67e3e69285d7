/**
 * @module
 * The population of a run, drawn instead of mined. Rank keys are uniform, and each candidate that an
 * adversary tests is valid with the puzzle's probability. Its response decides which of them it registers.
 * A beacon draws all ranks again after registration, so that a forged identity has no advantage of its own.
 * Short IDs are admitted once: honest nodes register first, then the adversaries in the order of their names.
 */

import { LabError } from '../../errors.ts';
import type { ShortIds } from '../../mining/odds.ts';
import { shortIdsOf, winProbability } from '../../mining/odds.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { CAPTURED_MAX } from '../document/limits.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { victimIndex } from '../properties/registry.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { drawFewFound } from '../theory/filtered-odds.ts';
import { effortOf, spentBy } from './budget.ts';
import type { Owners, Registrant } from './registration.ts';
import { ordinaryOwners, registrantOf, registrationOf } from './registration.ts';
import type { Populate } from './runner.ts';

/** A node by its place among all keys. */
export interface DrawnMember {
  /** The smaller the depth, the higher the rank. For short IDs it is the number of IDs above. */
  readonly depth: number;
  readonly owner: string | null;
}

/** Draws populations. `rateMeasured` as in `budgetAttempts`. */
export function drawnPopulation(model: ThreatModel, rateMeasured: SearchRates): Populate {
  const ordinary = ordinaryOwners(model);
  const spentAt = spentBy(model, rateMeasured);
  const { isBeaconRanked } = registrationOf(model);
  const drawForged = forgedDrawer(model, rateMeasured);
  const ids = shortIdsOf(model.network.identity);
  const isAfterVictim = adversariesOf(model).some(
    ([, adversary]) => registrantOf(model, adversary)?.which === 'after',
  );
  return (runSeed) => {
    const random = createRandom(runSeed, 'population');
    const book = bookOf(ids);
    const registered = drawOrdinary(random, ordinary, book);
    const honestTop = registered.findLast(({ owner }) => owner === null)?.depth ?? 0;
    // The share of all IDs that are higher than the highest honest one.
    const share = ids === null ? -Math.expm1(-honestTop) : honestTop / ids.admissible;
    const victim = () => victimGap(registered, ids, runSeed);
    const forged = drawForged(random, { honestTop, share, book, victim });
    const members = isBeaconRanked
      ? [
          ...drawOrdinary(random, ordinary, bookOf(null)),
          ...forged.map((each) => ({ ...each, depth: drawBestDepth(random, 1) })),
        ]
      : [...registered, ...forged];
    const owners = members
      .sort((left, right) => right.depth - left.depth)
      .map((member) => member.owner);
    const identities = owners.filter((owner) => owner !== null).length;
    const sought = isAfterVictim ? victim().share : share;
    const observations = { ...spentAt(sought), nodes: owners.length, identities };
    return { owners, forges: [], honestLedger: null, observations };
  };
}

/** The lowest first. The owner of an ordinary identity follows from its rank among them. */
function drawOrdinary(random: Random, ordinary: Owners, book: Book): readonly DrawnMember[] {
  const drawFree = () => {
    for (;;) {
      const depth = book.depthOf(drawBestDepth(random, 1));
      if (book.admits(depth)) return depth;
    }
  };
  const depths = ordinary.map(drawFree).sort((left, right) => right - left);
  return depths.map((depth, index) => ({ depth, owner: ordinary[index] ?? null }));
}

/** The IDs that nodes of a run have. */
interface Book {
  /** The depth of the ID of a key. */
  readonly depthOf: (key: number) => number;
  /** Whether no node had this ID before. It has one now. */
  readonly admits: (depth: number) => boolean;
}

function bookOf(ids: ShortIds | null): Book {
  if (ids === null) return { depthOf: (key) => key, admits: () => true };
  const taken = new Set<number>();
  return {
    depthOf: (key) => Math.floor(-ids.admissible * Math.expm1(-key)),
    admits(depth) {
      const isFree = !taken.has(depth);
      taken.add(depth);
      return isFree;
    },
  };
}

/** What an adversary knows of the nodes that are there before it. */
interface Rivals {
  /** Depth of the highest honest ID. */
  readonly honestTop: number;
  /** The share of all IDs above it. */
  readonly share: number;
  readonly book: Book;
  readonly victim: () => Gap;
}

/** A part of the ring of IDs. */
interface Gap {
  /** The share of all IDs that are in the gap. */
  readonly share: number;
  /** The depth of the ID at this part of the gap, 0..1. */
  readonly depthAt: (part: number) => number;
}

/** The IDs after the victim, up to the next honest node. After the highest rank comes the lowest. */
function victimGap(registered: readonly DrawnMember[], ids: ShortIds | null, runSeed: Seed): Gap {
  const honest = registered.flatMap(({ depth, owner }) => (owner === null ? [depth] : []));
  const victim = victimIndex(honest.length, runSeed);
  const [from = 0, next] = [honest[victim], honest[victim + 1]];
  if (ids !== null) return shortGap(ids, { from, next: next ?? -1, last: honest[0] ?? 0 });
  const low = Math.exp(-(next === undefined ? (honest[0] ?? 0) : from));
  if (next !== undefined) {
    const share = Math.exp(-next) - low;
    return { share, depthAt: (part) => -Math.log(low + part * share) };
  }
  const above = -Math.expm1(-from);
  return {
    share: above + low,
    depthAt(part) {
      const over = part * (above + low) - above;
      return over < 0 ? -Math.log1p(over) : -Math.log(over);
    },
  };
}

/** The IDs above every honest one. */
function topGap(ids: ShortIds | null, honestTop: number, share: number): Gap {
  if (ids !== null) return shortGap(ids, { from: honestTop, next: -1, last: ids.admissible - 1 });
  return { share, depthAt: (part) => -Math.log1p(-part * share) };
}

/** The short IDs between two honest ones. If none is higher, `next` is −1, and the IDs below the last one belong to the gap. */
function shortGap(
  { admissible }: ShortIds,
  { from, next, last }: { readonly from: number; readonly next: number; readonly last: number },
): Gap {
  const between = from - next - 1;
  const count = between + (next < 0 ? admissible - 1 - last : 0);
  const depthAt = (part: number) => {
    const index = Math.floor(part * count);
    return index < between ? next + 1 + index : last + 1 + index - between;
  };
  return { share: count / admissible, depthAt };
}

/** All forged identities that join. */
function forgedDrawer(model: ThreatModel, rateMeasured: SearchRates) {
  const { identity } = model.network;
  const ids = shortIdsOf(identity);
  const validProbability = ids?.share ?? winProbability(identity, { type: 'any' });
  const adversaries = adversariesOf(model).map(([name, adversary]) => ({
    name,
    effort: effortOf(model, adversary, rateMeasured),
    registrant: drawableRegistrant(model, adversary),
  }));
  return (random: Random, { honestTop, share, book, victim }: Rivals): readonly DrawnMember[] =>
    adversaries.flatMap(({ name, effort, registrant: { most, which } }) => {
      // Two keys with one ID are one node.
      const join = (draw: () => number, found: number, room: number) => {
        assertFew(Math.min(found, room));
        const joining = { length: Math.min(found, room) };
        const depths = ids === null ? Array.from(joining, draw) : drawDistinct(draw, found, room);
        return depths.filter(book.admits).map((depth) => ({ depth, owner: name }));
      };
      if (which === 'after' || (which !== 'any' && most > 1)) {
        const gap = which === 'after' ? victim() : topGap(ids, honestTop, share);
        const law = { share: gap.share, validProbability };
        const found =
          effort.few === null
            ? drawBinomial(random, effort.attempts(gap.share), gap.share * validProbability)
            : drawFewFound(random, effort.few, law);
        const room = ids === null ? most : Math.min(most, Math.round(gap.share * ids.admissible));
        return join(() => gap.depthAt(random.unit()), found, room);
      }
      if (effort.few !== null && ids === null) {
        const found = drawFewFound(random, effort.few, { share, validProbability });
        return found === 0 ? [] : [{ depth: drawDepthAbove(random, found, share), owner: name }];
      }
      const valid = drawBinomial(random, effort.attempts(share), validProbability);
      if (which !== 'any') {
        const depth = book.depthOf(drawBestDepth(random, valid));
        const joins = which === 'above' ? depth < honestTop : valid > 0;
        return joins && book.admits(depth) ? [{ depth, owner: name }] : [];
      }
      const room = Math.min(most, ids?.admissible ?? Number.POSITIVE_INFINITY);
      return join(() => book.depthOf(drawBestDepth(random, 1)), valid, room);
    });
}

/** Draws depths until `most` of them are different. It draws at most `tries` times. */
function drawDistinct(draw: () => number, tries: number, most: number): readonly number[] {
  const drawn = new Set<number>();
  for (let key = 0; key < tries && drawn.size < most; key += 1) drawn.add(draw());
  return [...drawn];
}

/** Throws LabError `job.size` if not all ranks of a run can be examined. */
function assertFew(identities: number): void {
  if (identities <= CAPTURED_MAX) return;
  const detail = `an adversary registers more than ${CAPTURED_MAX} identities in a run: raise network.identity.c1, or lower its budget`;
  throw new LabError('job.size', detail);
}

/**
 * The depth −ln(key) of the best of `count` uniform keys, which is exponential with mean 1/count. Infinity
 * if there is none. Depths distinguish keys near 1, which doubles no longer can if `count` is large.
 */
export function drawBestDepth(random: Random, count: number): number {
  return count === 0 ? Number.POSITIVE_INFINITY : -Math.log1p(-random.unit()) / count;
}

/** The depth of the best of `count` keys that are above all but a share of the keys. Infinity if there is none. */
export function drawDepthAbove(random: Random, count: number, share: number): number {
  return count === 0
    ? Number.POSITIVE_INFINITY
    : -Math.log1p(share * Math.expm1(-drawBestDepth(random, count)));
}

/** Throws TypeError for a goal that sampled work refuses. */
export function drawableRegistrant(model: ThreatModel, adversary: Adversary): Registrant {
  const registrant = registrantOf(model, adversary);
  if (registrant !== null) return registrant;
  throw new TypeError(`"goal" expected top, any, all or count, got ${adversary.goal}`);
}
