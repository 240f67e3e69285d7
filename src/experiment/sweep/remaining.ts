/**
 * @module
 * The remaining time of a sweep. Cells differ in cost by many orders of magnitude, so counting cells or rows
 * misleads. The document gives a first estimate of the work of a row; the time of finished rows of similar
 * work corrects it. Pure: times are arguments.
 */

import { PROTOCOLS } from '../../election/registry.ts';
import { winProbability } from '../../mining/odds.ts';
import { realBits } from '../../mining/policy-cost.ts';
import { ALL_IDENTITIES } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, runKindOf } from '../document/threat-model.ts';
import { budgetAttempts, isTimed } from '../runs/budget.ts';
import { electionRuns } from '../runs/sampled-run.ts';
import type { Chunk, SweepCell } from './sweep.ts';

/** First estimates, in seconds. Finished rows correct them, so that only their ratios matter. */
const SECONDS = {
  row: 1e-5,
  drawnKey: 5e-8,
  claim: 1e-6,
  candidate: 1e-6,
  message: 1.5e-6,
} as const;

/**
 * The expected work of one run among this number, in seconds of a thread on an ordinary machine. Drawn runs hold
 * the election in the first of them alone.
 */
export function expectedWork(model: ThreatModel, runs: number = model.runs): number {
  const { honest, identity } = model.network;
  const kind = runKindOf(model);
  const epochs = model.epochs?.count ?? 1;
  const claims = kind === 'epochs' ? identitiesMade(model) * SECONDS.claim : 0;
  const keys = epochs * honest * SECONDS.drawnKey + claims;
  const held = heldShare(model, runs);
  const elections = held === 0 ? 0 : held * messagesOf(model) * SECONDS.message;
  const mining =
    model.work === 'mined' ? miningSeconds(model, honest * 2 ** realBits(identity).c1) : 0;
  return SECONDS.row + keys + elections + mining;
}

/** The share of the runs that hold their elections. */
function heldShare(model: ThreatModel, runs: number): number {
  const kind = runKindOf(model);
  if (kind === 'watched') return 1;
  if (kind !== 'ranking') return 0;
  if (model.work === 'mined' || !isKnown(model)) return 1;
  return Math.min(1, electionRuns(model, null) / Math.max(runs, 1));
}

/** Messages of the elections of one run, about. */
function messagesOf(model: ThreatModel): number {
  const nodes = model.network.honest + adversariesOf(model).length + identitiesMade(model);
  const messages = model.network.election.protocols.map((name) =>
    PROTOCOLS[name].messagesAbout(nodes),
  );
  return messages.reduce((sum, each) => sum + each, 0);
}

/** Identities that the adversaries find on average, for runs that register all of them. */
function identitiesMade(model: ThreatModel): number {
  if (!isKnown(model)) return 0;
  const valid = winProbability(model.network.identity, { type: 'any' });
  const made = adversariesOf(model).map(([, adversary]) => {
    const registersAll = adversary.goal === ALL_IDENTITIES || model.epochs !== undefined;
    return registersAll ? valid * budgetAttempts(model, adversary, null) : 0;
  });
  return made.reduce((sum, each) => sum + each, 0);
}

/** Whether no rate must be measured. */
function isKnown(model: ThreatModel): boolean {
  return adversariesOf(model).every(
    ([, { budget, rate }]) => !isTimed(budget) || typeof rate === 'number',
  );
}

function miningSeconds(model: ThreatModel, honestCandidates: number): number {
  const spent = adversariesOf(model).map(([, adversary]) => {
    const { cpuSeconds, wallSeconds } = adversary.budget;
    if (isTimed(adversary.budget)) return cpuSeconds ?? wallSeconds ?? 0;
    return budgetAttempts(model, adversary, null) * SECONDS.candidate;
  });
  return spent.reduce((sum, each) => sum + each, honestCandidates * SECONDS.candidate);
}

/** Rows of similar work: those whose expected work has the same power of two. */
interface Bucket {
  /** Expected work of the rows that are missing. */
  left: number;
  /** Expected work of the rows that were timed, and the time they took. Later chunks count more. */
  timed: number;
  seconds: number;
  /** Chunks that were timed, with the same weights. */
  chunks: number;
}

/** The weight of a chunk falls by this factor with each later one. The first rows of a thread are slow. */
const MEMORY = 0.85;
/** The weight of a bucket falls by this factor with each power of two of distance. */
const DECAY = 32;
/**
 * Seconds of a chunk that are not the work of its rows. Without them, slow chunks of tiny rows would announce hours
 * for large ones.
 */
const CHUNK_SECONDS = 0.1;

export interface RemainingRequest {
  readonly cells: readonly SweepCell[];
  /** The number of missing rows of a cell. */
  readonly missing: (cell: number) => number;
}

/** Estimates the remaining time from finished chunks. */
export class RemainingWork {
  readonly #buckets = new Map<number, Bucket>();
  /** Expected work of a row, by cell. */
  readonly #work: Float64Array;
  /** Thread seconds of all finished chunks. */
  #seconds = 0;
  #chunks = 0;

  constructor({ cells, missing }: RemainingRequest) {
    this.#work = new Float64Array(cells.length);
    for (const { index, model } of cells) {
      if (model === null) continue;
      const rows = missing(index);
      const work = expectedWork(model, rows);
      this.#work[index] = work;
      this.#bucket(work).left += work * rows;
    }
  }

  /** Adds a chunk that took this long on one thread. */
  finish({ cell, count }: Chunk, threadSeconds: number): void {
    const work = this.#work[cell] ?? 0;
    const bucket = this.#bucket(work);
    bucket.left = Math.max(0, bucket.left - work * count);
    bucket.timed = MEMORY * bucket.timed + work * count;
    bucket.seconds = MEMORY * bucket.seconds + threadSeconds;
    bucket.chunks = MEMORY * bucket.chunks + 1;
    this.#seconds += threadSeconds;
    this.#chunks += 1;
  }

  /**
   * The remaining time, in seconds. Null before the second chunk and in the first second, because the first rows of
   * a thread are slow.
   */
  secondsLeft(elapsedSeconds: number): number | null {
    if (this.#chunks < 2 || elapsedSeconds < 1 || this.#seconds === 0) return null;
    const timed = [...this.#buckets].filter(([, bucket]) => bucket.timed > 0);
    const threadSeconds = [...this.#buckets].reduce((sum, [power, { left }]) => {
      return left > 0 ? sum + left * slowness(timed, power) : sum;
    }, 0);
    // Threads that work at the same time, also those of other machines.
    const threads = this.#seconds / Math.max(elapsedSeconds, 1e-3);
    return threadSeconds / threads;
  }

  #bucket(work: number): Bucket {
    const power = Math.floor(Math.log2(work));
    const known = this.#buckets.get(power);
    if (known !== undefined) return known;
    const bucket = { left: 0, timed: 0, seconds: 0, chunks: 0 };
    this.#buckets.set(power, bucket);
    return bucket;
  }
}

/** Seconds per second of expected work for rows of this power: mostly those of the nearest timed rows. */
function slowness(timed: readonly (readonly [number, Bucket])[], power: number): number {
  let [seconds, work] = [0, 0];
  for (const [other, bucket] of timed) {
    const own = other === power ? bucket.timed : bucket.timed + CHUNK_SECONDS * bucket.chunks;
    const weight = DECAY ** -Math.abs(other - power) / own;
    seconds += weight * bucket.seconds;
    work += weight * own;
  }
  return seconds / work;
}
