/**
 * @module
 * The search on a walk by a device: makes the tables, cuts ranges of attempts into runs of whole batches, and checks what
 * comes back. The numbers of attempts are those of the WASM kernel. Noble searches a batch that the device returns
 * unsearched, and computes some misses again. The hits are not trusted: the user of this file makes each again.
 */

import { idRuleOf, staticBits } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Random } from '../../random.ts';
import type { HeadWindow } from '../goal.ts';
import { headOf, WHOLE_WINDOW } from '../goal.ts';
import { kernelFormat } from '../kernel/memory.ts';
import type { Coset, Walk } from '../kernel/numbering.ts';
import {
  attemptOfSum,
  attemptsPerBatch,
  keysPerSum,
  modulo,
  PAIRS_PER_BATCH,
  POINTS_PER_BATCH,
  pointScalar,
  torsionsOf,
} from '../kernel/numbering.ts';
import type { AffinePoint } from '../kernel/twin.ts';
import { consecutivePoints, sumsOf } from '../kernel/twin.ts';
import type { KernelOptions } from '../kernel/wasm-kernel.ts';
import { isCandidate, searchSlowly } from '../kernel/wasm-kernel.ts';
import { nodeIdsOf } from '../kernel-strategies.ts';
import type { ScanOrder } from '../strategy.ts';
import type { Device, Dispatched, Program, Sampling } from './device.ts';
import { listedHits, RunPace, SamplePlan, wrongValues } from './device.ts';
import { FIELDS, indexes, packed } from './field-text.ts';
import {
  CHUNKS,
  EDWARDS_D,
  HITS_MAX,
  RESULT_WORDS,
  SAMPLES_MAX,
  scratchWords,
  UNSEARCHED_MAX,
  WORKGROUP,
  walkText,
} from './walk-text.ts';

/** What a search on the walk tests. */
export interface WalkTest {
  readonly c1: number;
  readonly window: HeadWindow;
}

/** The hits of a range in rising order, and the time of the device. */
export interface DeviceHits {
  readonly attempts: readonly number[];
  readonly seconds: number;
}

type Range = Pick<ScanOrder, 'from' | 'count'>;

/** A walk whose program is compiled. */
export interface DeviceWalk {
  scan(test: WalkTest, range: Range): Promise<DeviceHits>;
}

/** The hits of a run in no certain order. */
interface Found {
  readonly attempts: readonly bigint[];
  readonly seconds: number;
}

interface Loaded {
  readonly device: Device;
  readonly program: Program;
  readonly walk: Walk;
  readonly policy: Policy;
  readonly random: Random;
  readonly pace: RunPace;
  readonly samples: SamplePlan;
}

/** Some batches with one torsion point. */
interface Run extends Coset {
  readonly batches: number;
  /** The first sample, counted from the first key of the run, and their number. */
  readonly sampled: number;
  readonly samples: number;
}

/** Most batches of one run: eight million Ed25519 keys, for which a device needs 84 MB. */
const BATCHES_MAX = 2048;
const SOFTWARE_BATCHES_MAX = 64;
/** Runs that are ordered before the first of them has ended, so that the device is never idle. */
const RUNS_AHEAD = 2;
/** Batches near the identity that the formulas cannot search: more of them in one run are an error of the device. */
const UNSEARCHED_PLAUSIBLE = 4;

/** Compiles the program of a walk. `random` draws the samples. */
export async function loadWalk(
  device: Device,
  walk: Walk,
  { policy, random, missesPerSample }: Sampling & { readonly policy: Policy },
): Promise<DeviceWalk> {
  const batchesMax = device.isSoftware ? SOFTWARE_BATCHES_MAX : BATCHES_MAX;
  const program = await device.load({
    code: walkText(walk, policy, batchesMax),
    table: tableOf(walk.scheme, batchesMax),
    scratchWords: scratchWords(batchesMax),
    resultWords: RESULT_WORDS,
  });
  const pace = new RunPace(batchesMax);
  const samples = new SamplePlan(SAMPLES_MAX, missesPerSample);
  const loaded = { device, program, walk, policy, random, pace, samples };
  return { scan: (test, range) => scan(loaded, test, range) };
}

async function scan(loaded: Loaded, test: WalkTest, { from, count }: Range): Promise<DeviceHits> {
  const { walk, policy } = loaded;
  const options = { ...walk, rules: policy, ...test };
  const size = attemptsPerBatch(walk);
  const end = Math.ceil((from + count) / size);
  const attempts: number[] = [];
  let seconds = 0;
  const waiting: Promise<Found>[] = [];
  const settle = async () => {
    const found = await waiting.shift();
    if (found === undefined) return;
    seconds += found.seconds;
    for (const attempt of found.attempts) {
      const isInside = attempt >= from && attempt < from + count;
      if (isInside && isCandidate(options, attempt)) attempts.push(Number(attempt));
    }
  };
  for (let torsion = 0; torsion < torsionsOf(walk); torsion += 1) {
    for (let batch = Math.floor(from / size); batch < end; ) {
      const run = runOf(loaded, test, { batch: BigInt(batch), torsion }, end - batch);
      const found = perform(loaded, options, run);
      // A caller awaits this promise later. Until then a rejection must not end the process.
      found.catch(() => {});
      waiting.push(found);
      batch += run.batches;
      if (waiting.length >= RUNS_AHEAD) await settle();
    }
  }
  while (waiting.length > 0) await settle();
  return { attempts: attempts.sort((left, right) => left - right), seconds };
}

/** The next run: at most `batches`, and few enough that the list of hits has room for twice the expected ones. */
function runOf(
  { walk, policy, random, pace, samples }: Loaded,
  test: WalkTest,
  coset: Coset,
  batches: number,
): Run {
  const room = Math.floor(
    HITS_MAX / (2 * hitShare(policy, test) * POINTS_PER_BATCH * keysPerSum(walk)),
  );
  const taken = Math.min(batches, pace.size, Math.max(1, room));
  const keys = taken * POINTS_PER_BATCH * keysPerSum(walk);
  const count = samples.take(keys);
  return { ...coset, batches: taken, sampled: random.below(keys - count + 1), samples: count };
}

/** The share of keys that the program lists. */
function hitShare(
  policy: Policy,
  { c1, window = WHOLE_WINDOW }: Pick<KernelOptions, 'c1' | 'window'>,
): number {
  const bits = Math.max(0, c1 - idRuleOf(policy).puzzle(policy).freeBits);
  return 2 ** -bits * ((widthOf(window) + 1) / 2 ** 32);
}

/** Makes a run and checks its results. A run with too many hits is made again in two halves. */
async function perform(loaded: Loaded, options: KernelOptions, run: Run): Promise<Found> {
  const { device, walk, pace } = loaded;
  const slowly = (batch: number) =>
    searchSlowly(options, { ...run, batch: run.batch + BigInt(batch) });
  const base = baseOf(walk, run);
  // The identity of secp256k1 has no coordinates to start from. No seed is known whose walk meets it.
  if (base === null) return { attempts: indexes(run.batches).flatMap(slowly), seconds: 0 };
  const { results, seconds } = await order(loaded, options, { run, base });
  pace.read(run.batches, seconds);
  const [hits = 0, refused = 0] = results;
  const unsearched = new Set(results.subarray(2, 2 + Math.min(refused, UNSEARCHED_MAX)));
  const isPlausible = refused <= UNSEARCHED_MAX && unsearched.size <= UNSEARCHED_PLAUSIBLE;
  if (!isPlausible) throw wrongValues(device, `${refused} inverses are none`);
  const keys = POINTS_PER_BATCH * keysPerSum(walk);
  const count = run.batches * keys;
  const expected = hitShare(loaded.policy, options) * count;
  const list = results.subarray(2 + UNSEARCHED_MAX, 2 + UNSEARCHED_MAX + hits);
  const listed = hits > HITS_MAX ? null : listedHits(device, list, { count, expected });
  const sampled = results.subarray(RESULT_WORDS - 2 * SAMPLES_MAX);
  checkSamples(loaded, options, { run, unsearched, listed, sampled });
  if (listed === null) {
    if (run.batches === 1) throw wrongValues(device, `${hits} hits of one batch`);
    const half = run.batches >> 1;
    const rest = { batch: run.batch + BigInt(half), batches: run.batches - half };
    const lower = await perform(loaded, options, { ...run, batches: half, samples: 0 });
    const upper = await perform(loaded, options, { ...run, ...rest, samples: 0 });
    const attempts = [...lower.attempts, ...upper.attempts];
    return { attempts, seconds: seconds + lower.seconds + upper.seconds };
  }
  const attempts = [...unsearched].flatMap(slowly);
  for (const hit of listed) {
    if (!unsearched.has(Math.floor(hit / keys))) attempts.push(attemptIn(walk, run, hit));
  }
  return { attempts, seconds };
}

/** The centre of the batch before a run. Null for the identity of secp256k1. */
function baseOf(walk: Walk, { batch, torsion }: Coset): AffinePoint | null {
  const scalar = pointScalar(walk, { batch: batch - 1n, offset: 0 });
  const identity = walk.scheme === 'ed25519' ? { x: 0n, y: 1n } : null;
  return sumsOf(walk, scalar)[torsion] ?? identity;
}

function order(
  { program, policy, walk }: Loaded,
  { c1, window = WHOLE_WINDOW }: KernelOptions,
  { run, base }: { readonly run: Run; readonly base: AffinePoint },
): Promise<Dispatched> {
  const zeros = kernelFormat(policy, walk.scheme)
    .probe(c1)
    .map((probe) => probe.zeros);
  const { batches, sampled, samples } = run;
  return program.dispatch({
    parameters: Uint32Array.from([
      ...[batches, window.low, widthOf(window), sampled],
      ...[...zeros, samples, 0],
      ...packed(base.x),
      ...packed(base.y),
    ]),
    entries: [
      ['centres', Math.ceil(batches / WORKGROUP)],
      ['search', Math.ceil((batches * CHUNKS) / WORKGROUP)],
    ],
  });
}

/** Compares the samples of a run with noble. A sample that is a hit must be in the list, unless that is too long (null). */
function checkSamples(
  { device, walk, policy }: Loaded,
  { c1, window = WHOLE_WINDOW }: KernelOptions,
  {
    run,
    unsearched,
    listed,
    sampled,
  }: {
    readonly run: Run;
    readonly unsearched: ReadonlySet<number>;
    readonly listed: ReadonlySet<number> | null;
    readonly sampled: Uint32Array;
  },
): void {
  if (run.samples === 0) return;
  const keys = POINTS_PER_BATCH * keysPerSum(walk);
  const [from, last] = [run.sampled, run.sampled + run.samples - 1].map((number) =>
    Number(attemptIn(walk, run, number)),
  );
  if (from === undefined || last === undefined) return;
  const nodeIds = new Map<number, Uint8Array>();
  for (const { attempt, nodeId } of nodeIdsOf(walk, policy, { from, count: last + 1 - from })) {
    nodeIds.set(attempt, nodeId);
  }
  for (let index = 0; index < run.samples; index += 1) {
    const number = run.sampled + index;
    const nodeId = nodeIds.get(Number(attemptIn(walk, run, number)));
    if (nodeId === undefined || unsearched.has(Math.floor(number / keys))) continue;
    const [head = 0, probed = 0] = sampled.subarray(2 * index);
    const found = staticBits(nodeId, policy);
    const isRight =
      head === headOf(nodeId) &&
      probedBits(policy, walk.scheme, probed) === Math.min(found, PROBED_MAX);
    const isHit = found >= c1 && (head - window.low) >>> 0 <= widthOf(window);
    if (!isRight || (isHit && listed?.has(number) === false)) {
      throw wrongValues(device, `attempt ${attemptIn(walk, run, number)}`);
    }
  }
}

const PROBED_MAX = 32;

/** The zero bits of the first probed word. */
export function probedBits(policy: Policy, scheme: SchemeName, word: number): number {
  const { probe } = kernelFormat(policy, scheme);
  let bits = 0;
  while (bits < PROBED_MAX && ((probe(bits + 1)[0]?.zeros ?? 0) & word) === 0) bits += 1;
  return bits;
}

/** The attempt of a key of a run. */
function attemptIn(walk: Walk, run: Run, number: number): bigint {
  const first = run.batch * BigInt(POINTS_PER_BATCH * keysPerSum(walk));
  return attemptOfSum(walk, run.torsion, first + BigInt(number));
}

function widthOf({ low, high }: HeadWindow): number {
  return (high - low) >>> 0;
}

/** What the program knows of G, 2G, …, and the steps to the centres of the batches of a run. */
function tableOf(scheme: SchemeName, batchesMax: number): Uint32Array<ArrayBuffer> {
  const { prime } = FIELDS[scheme];
  const points = consecutivePoints({ scheme }, 1n, PAIRS_PER_BATCH);
  const step = BigInt(POINTS_PER_BATCH);
  const steps = consecutivePoints({ scheme }, step, batchesMax, { step });
  const columns =
    scheme === 'secp256k1'
      ? [points.map((point) => point?.x), points.map((point) => point?.y)]
      : edwardsColumns(points);
  const words = [...columns.flat(), ...steps.flatMap((point) => [point?.x, point?.y])].flatMap(
    (value = 0n) => packed(modulo(value, prime)),
  );
  return Uint32Array.from(words);
}

/** y (1 − d x²), d x² and x of each point. */
function edwardsColumns(points: readonly (AffinePoint | null)[]): readonly bigint[][] {
  const finite = points.map((point) => point ?? { x: 0n, y: 1n });
  const { prime } = FIELDS.ed25519;
  const squares = finite.map(({ x }) => modulo(EDWARDS_D * x * x, prime));
  const numerators = finite.map(({ y }, index) => modulo(y * (1n - (squares[index] ?? 0n)), prime));
  return [numerators, squares, finite.map(({ x }) => x)];
}
