/**
 * @module
 * Candidates per second of one thread for every strategy and scheme under a strict policy, and
 * solutions of the dynamic puzzle, over the native SHA-256 of this machine.
 */

import process from 'node:process';
import type { SchemeName } from '../src/identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../src/identity/keys/scheme.ts';
import type { Policy } from '../src/identity/policy.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { challengeOf, PUZZLE_BITS_MAX } from '../src/identity/puzzles/puzzle.ts';
import { scanSolutions } from '../src/mining/solution.ts';
import { STRATEGIES } from '../src/mining/strategies.ts';
import { parseSeed } from '../src/random.ts';
import { kernelSource } from '../src/runtime/threads/kernels.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { opensslSha256 } from './yardstick.ts';

/** The ways to search for keys; one that tests keys in stock has none to make. */
const KEY_STRATEGIES = ['fresh', 'walk', 'batch', 'siblings'] as const;
/** Long enough for the CPU clock, with a margin for code that is not optimised yet. */
const CALL_MS = 250;
/** More bits than can be met, so that no scan ends early. */
const POLICY = { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX, c2: PUZZLE_BITS_MAX };
export const NODE_ID = new Uint8Array(32).fill(0xa5);

export function miningSuite(): Suite {
  const yardstick = opensslSha256();
  const candidates = KEY_STRATEGIES.flatMap((strategy) =>
    SCHEME_NAMES.map((scheme) => keySubject(strategy, scheme, yardstick)),
  );
  const solutions = (['concat', 'xor'] as const).flatMap((dynamic) => [
    solutionSubject({ ...POLICY, dynamic }, yardstick),
    solutionKernelSubject(dynamic, yardstick),
  ]);
  return {
    subjects: [...candidates, ...solutions],
    rounds: 5,
    sliceMs: 1000,
    notes: yardstick === null ? ['openssl not found: nothing to divide by'] : [],
  };
}

/** A search for keys under the strict policy. */
export function keySubject(
  strategy: (typeof KEY_STRATEGIES)[number],
  scheme: SchemeName,
  yardstick: Yardstick | null,
): Subject {
  const goal = { type: 'any' } as const;
  const seed = parseSeed('1');
  const spec = {
    scheme,
    strategy,
    dynamicStrategy: 'dynamic',
    policy: POLICY,
    goal,
    seed,
  } as const;
  const searcher = STRATEGIES[strategy].searcher(spec, kernelSource());
  const name = `${strategy} ${scheme}, strict, 1 thread`;
  const scan = (from: number, count: number) => searcher.scan({ from, count, wanted: 1 });
  return { name, unit: 'candidates', clock: 'cpu', ...scanning(scan), yardstick };
}

/** A search for solutions with noble. */
export function solutionSubject(policy: Policy, yardstick: Yardstick | null): Subject {
  const nodeId = NODE_ID;
  const name = `solutions ${policy.dynamic}, noble, 1 thread`;
  const scan = (from: number, count: number) => scanSolutions({ policy, nodeId }, { from, count });
  return { name, unit: 'solutions', clock: 'cpu', ...scanning(scan), yardstick };
}

/** A search for solutions with the kernel. */
export function solutionKernelSubject(
  form: 'concat' | 'xor',
  yardstick: Yardstick | null,
): Subject {
  const kernel = kernelSource().solutions();
  const search = { form, challenge: challengeOf(POLICY), nodeId: NODE_ID, c2: POLICY.c2 };
  const name = `solutions ${form}, kernel, 1 thread`;
  const scan = (from: number, count: number) => kernel.scan(search, { from, count });
  return { name, unit: 'solutions', clock: 'cpu', ...scanning(scan), yardstick };
}

/** Calls that scan one range of at least `least` after the other, each as long as takes about CALL_MS here. */
export function scanning(scan: (from: number, count: number) => unknown, least = 64) {
  let count = least;
  let next = 0;
  const call = () => {
    next += count;
    return scan(next, count);
  };
  const durationMs = () => {
    const before = process.threadCpuUsage();
    call();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1e3;
  };
  while (durationMs() < CALL_MS) count *= 2;
  return { unitsPerCall: count, call };
}
