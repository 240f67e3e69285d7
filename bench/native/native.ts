/**
 * @module
 * The kernels over the naive searches of `usurp calibrate`, keys over keys and solutions over solutions; and over native
 * code, if a C compiler and a processor with SHA instructions are at hand, or else over the constant that stands for it.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { concatBytes, u64be } from '../../src/bytes.ts';
import type { SchemeName } from '../../src/identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import { NATIVE_CORE } from '../../src/mining/native.ts';
import { nativeKeyTest, nativeSolutionTest } from '../../src/runtime/openssl/native-search.ts';

import type { Report, Row, Subject, Yardstick } from '../measure.ts';
import { measure, rowOf, yardstickOf } from '../measure.ts';
import {
  keySubject,
  NODE_ID,
  scanning,
  solutionKernelSubject,
  solutionSubject,
} from '../mining.ts';
import { opensslSha256 } from '../yardstick.ts';

const ROUNDS = 5;
const SLICE_MS = 500;
const SOURCE = fileURLToPath(new URL('./candidates.c', import.meta.url));
const COMPILER = 'gcc';
/** What the compiler may use: the SHA instructions alone, or all that the processor has. */
const TARGETS = [['-msha', '-msse4.1'], ['-march=native']];

export function measureNative(): Report {
  const rows = measure({
    subjects: baselineSubjects(),
    rounds: ROUNDS,
    sliceMs: SLICE_MS,
    notes: [],
  });
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  try {
    const program = compiled(folder);
    if (program !== null) return { rows: [...rows, ...nativeRows(program)], notes: [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { source, keysOverKernel, doubleHashesPerSecond } = NATIVE_CORE;
  const note = `no ${COMPILER} with SHA instructions: native code made ${keysOverKernel} times the keys of the kernel, and ${doubleHashesPerSecond} double hashes/s (${source})`;
  return { rows, notes: [note] };
}

/** Each kernel over both baselines of its kind, and the native baseline over that with noble. */
function baselineSubjects(): readonly Subject[] {
  const keys = SCHEME_NAMES.flatMap((scheme) => {
    const noble = yardstickOf(keySubject('fresh', scheme, null));
    const native = nativeKeySubject(scheme);
    const kernel = keySubject('siblings', scheme, null);
    return withYardsticks(kernel, native, noble);
  });
  const noble = yardstickOf(solutionSubject({ ...STRICT_POLICY, c2: 255 }, null));
  return [
    ...keys,
    ...withYardsticks(solutionKernelSubject('concat', null), nativeSolutionSubject(), noble),
  ];
}

function withYardsticks(kernel: Subject, native: Subject, noble: Yardstick): readonly Subject[] {
  return [
    { ...native, yardstick: noble },
    { ...kernel, yardstick: noble },
    { ...kernel, yardstick: yardstickOf(native) },
  ];
}

function nativeKeySubject(scheme: SchemeName): Subject {
  const test = nativeKeyTest(scheme, STRICT_POLICY);
  const scan = (_from: number, count: number) => {
    for (let made = 0; made < count; made += 1) test?.();
  };
  const name = `fresh ${scheme}, node:crypto, 1 thread`;
  return { name, unit: 'candidates', clock: 'cpu', ...scanning(scan), yardstick: null };
}

function nativeSolutionSubject(): Subject {
  const test = nativeSolutionTest(concatBytes(challengeOf(STRICT_POLICY), NODE_ID, u64be(0)));
  const scan = (from: number, count: number) => {
    for (let number = from; number < from + count; number += 1) test(number);
  };
  const name = 'solutions concat, node:crypto, 1 thread';
  return { name, unit: 'solutions', clock: 'cpu', ...scanning(scan), yardstick: null };
}

/**
 * The fastest program, or null if none can be made here and runs. With vectors of 512 bits the SHA instructions of some
 * processors stall, so that code for all of the processor is a hundred times as slow as code for these instructions alone.
 */
function compiled(folder: string): string | null {
  const programs = TARGETS.flatMap((flags, index) => {
    const program = join(folder, `candidates-${index}`);
    const { status } = spawnSync(COMPILER, ['-O3', ...flags, SOURCE, '-o', program]);
    const [keys = 0] = status === 0 ? (ratesIn(program)[0] ?? []) : [];
    return keys > 0 ? [{ program, keys }] : [];
  });
  return programs.toSorted((left, right) => right.keys - left.keys)[0]?.program ?? null;
}

/** Keys and double hashes per CPU second, in each round of the program. */
function ratesIn(program: string): readonly (readonly number[])[] {
  const { stdout, status } = spawnSync(program, { encoding: 'utf8' });
  if (status !== 0) return [];
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map((millions) => 1e6 * Number(millions)));
}

/** Native keys over those of the kernel, and native double hashes over the hashes of openssl. */
function nativeRows(program: string): Row[] {
  const kernel = yardstickOf(keySubject('siblings', 'ed25519', null));
  const openssl = opensslSha256();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const kernelRates = kernel.rates(SLICE_MS);
    const opensslRates = openssl?.rates(SLICE_MS) ?? [];
    const lines = ratesIn(program);
    const column = (index: number) => lines.map((line) => line[index] ?? Number.NaN);
    return {
      keys: { own: column(0), standard: kernelRates },
      hashes: { own: column(1), standard: opensslRates },
    };
  });
  const named = (name: string, unit: string, yardstick: Yardstick | null) => ({
    name,
    unit,
    yardstick,
    isBound: true,
  });
  return [
    rowOf(
      named('C with SHA-NI, ed25519, strict', 'candidates', kernel),
      rounds.map(({ keys }) => keys),
    ),
    rowOf(
      named('C with SHA-NI, double hashes', 'double hashes', openssl),
      rounds.map(({ hashes }) => hashes),
    ),
  ];
}
