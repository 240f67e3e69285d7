/**
 * @module
 * The scan of a range by a device, for every phase of a search: the same candidates, winners and numbers of tested attempts
 * as the scan by threads. Noble makes each hit again. A device never stands in silently: what it cannot search is refused
 * before (suited.ts).
 */

import { challengeOf } from '../../identity/puzzles/puzzle.ts';
import { createRandom } from '../../random.ts';
import { headWindow, isClosestGoal } from '../goal.ts';
import {
  candidateAt,
  closestWindows,
  nearSums,
  rememberingLast,
  shownBits,
  walkOf,
} from '../kernel-strategies.ts';
import { countedBits, sift } from '../sieve.ts';
import { scanSolutions, solutionMeter } from '../solution.ts';
import type { Hit, Phase, ScanOrder, ScanResult, SearchSpec } from '../strategy.ts';
import type { Device } from './device.ts';
import { wrongValues } from './device.ts';
import type { DeviceSolutions } from './solution-program.ts';
import { loadSolutions } from './solution-program.ts';
import type { DeviceWalk } from './walk-program.ts';
import { loadWalk } from './walk-program.ts';

/** What a scan found, and the time of the device. */
export interface DeviceScan {
  readonly result: ScanResult;
  readonly deviceSeconds: number;
}

/** Candidates with this number of bits are always reported, as those of the WASM kernel: a few in a second. */
const SHOWN_BITS = 28;

/** The function that scans a range of any phase of a search on a device. */
export function deviceScanner(
  spec: SearchSpec,
  device: Device,
): (phase: Phase, order: ScanOrder) => Promise<DeviceScan> {
  let keys: Promise<DeviceWalk> | null = null;
  let solutions: Promise<DeviceSolutions> | null = null;
  const walk = walkOf(spec, spec.strategy === 'siblings');
  const sums = nearSums();
  const candidate = rememberingLast((attempt) => candidateAt(walk, spec.policy, attempt, sums));
  const random = createRandom(spec.seed, 'device samples');
  const c1 = shownBits(spec.policy, SHOWN_BITS);
  /** The hits of a scan. Noble makes each again, when it is looked at. */
  function* checked(attempts: readonly number[]): Generator<Hit> {
    for (const attempt of attempts) {
      const { nodeId } = candidate(attempt);
      if (countedBits(spec.policy, nodeId) < c1) throw wrongValues(device, `hit ${attempt}`);
      yield { attempt, nodeId };
    }
  }
  const scanKeys = async (order: ScanOrder): Promise<DeviceScan> => {
    keys ??= loadWalk(device, walk, { policy: spec.policy, random });
    const { scan } = await keys;
    const isClosest = isClosestGoal(spec.goal);
    const windows = isClosest ? closestWindows(spec, order) : [headWindow(spec.goal)];
    let deviceSeconds = 0;
    let result: ScanResult = { hits: [], tested: order.count, bestBits: -1 };
    for (const window of windows) {
      const { attempts, seconds } = await scan({ c1, window }, order);
      deviceSeconds += seconds;
      result = sift(spec, order, checked(attempts));
      if (isClosest && result.hits.length > 0) break;
    }
    return { result: isClosest ? { ...result, tested: order.count } : result, deviceSeconds };
  };
  const scanX = async (nodeId: Uint8Array, order: ScanOrder): Promise<DeviceScan> => {
    const { policy } = spec;
    const { dynamic: form, c2 } = policy;
    // The first X solves a puzzle that hashes nothing.
    if (form === 'unhashed')
      return { result: scanSolutions({ policy, nodeId }, order), deviceSeconds: 0 };
    solutions ??= loadSolutions(device, { form, random });
    const shown = Math.min(c2, SHOWN_BITS);
    const bitsOf = solutionMeter(policy, nodeId);
    const search = { form, challenge: challengeOf(policy), nodeId, c2: shown };
    const { attempts, seconds } = await (await solutions).scan(search, order, bitsOf);
    const hits = attempts.map((attempt) => ({ attempt, bits: bitsOf(attempt) }));
    const wrong = hits.find(({ bits }) => bits < shown);
    if (wrong !== undefined) throw wrongValues(device, `solution ${wrong.attempt}`);
    const found = hits.findIndex(({ bits }) => bits >= c2);
    const seen = found < 0 ? hits : hits.slice(0, found + 1);
    const attempt = hits[found]?.attempt;
    const result = {
      hits: attempt === undefined ? [] : [{ attempt, nodeId }],
      tested: attempt === undefined ? order.count : attempt - order.from + 1,
      bestBits: Math.max(-1, ...seen.map(({ bits }) => bits)),
    };
    return { result, deviceSeconds: seconds };
  };
  return async (phase, order) => {
    if (phase.type === 'stock')
      throw new TypeError('"phase" expected keys or solutions, got stock');
    return phase.type === 'keys' ? scanKeys(order) : scanX(phase.nodeId, order);
  };
}
