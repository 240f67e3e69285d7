/**
 * @module
 * Measures what each implementation makes on one core, on all threads and on a device, under each policy. An honest core
 * searches with noble, and makes each key anew.
 */

import { availableParallelism } from 'node:os';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import { policyUnsupportedReasons } from '../../identity/policy.ts';
import { isSlow } from '../../identity/puzzles/puzzle-function.ts';
import type { MeasuredRate, RatedName } from '../../operations/advantage/rates.ts';
import { RATED, RATED_NAMES } from '../../operations/advantage/rates.ts';
import type { Rate } from '../../operations/calibration.ts';
import { findDevice } from '../device/webgpu.ts';
import { nativePuzzle } from '../openssl/native-search.ts';
import type { CalibrationOptions } from './calibration.ts';
import { measureBaseline, measureStrategy } from './calibration.ts';

export interface AdvantageOptions extends Omit<CalibrationOptions, 'onProgress'> {
  readonly scheme: SchemeName;
  /** All policies by default. */
  readonly policies?: readonly RatedName[] | undefined;
  readonly onProgress?: ((what: string, done: number, total: number) => void) | undefined;
}

type Subject = Pick<MeasuredRate, 'policy' | 'implementation' | 'cores'>;

/** Measures the rates. After an abort, some of them are missing. Rejects at once if it needs a device and finds none. */
export async function measureAdvantage(options: AdvantageOptions): Promise<MeasuredRate[]> {
  const { policies = RATED_NAMES, scheme, signal, onProgress } = options;
  if (options.device !== undefined) await findDevice();
  const suited = policies.filter((name) => isSuited(name, scheme));
  const subjects = suited.flatMap((policy) => subjectsOf(policy, options));
  const rates: MeasuredRate[] = [];
  for (const [done, subject] of subjects.entries()) {
    if (signal?.aborted) break;
    const { policy, implementation, cores } = subject;
    onProgress?.(`measuring ${policy}, ${implementation}`, done, subjects.length);
    const why = lackOf(subject);
    if (why !== null) {
      rates.push({ ...subject, perSecond: null, why });
      continue;
    }
    const { device, perCpuSecond } = await rateOf(subject, options);
    // The time of other programs does not count, as for one core.
    const perSecond = perCpuSecond * Math.max(1, cores);
    rates.push({ ...subject, perSecond, why, ...(device && { device }) });
  }
  return rates;
}

/** Whether keys of the scheme have IDs under the policy, and the policy differs from the strict one for them. */
export function isSuited(name: RatedName, scheme: SchemeName): boolean {
  const policy = RATED[name];
  if (typeof policy === 'string') return true;
  const hasEffect = policy.checks.torsion || schemeOf(scheme).cofactor > 1;
  return hasEffect && policyUnsupportedReasons(policy, scheme).length === 0;
}

function subjectsOf(policy: RatedName, { threads, device }: AdvantageOptions): readonly Subject[] {
  const cores = Math.min(threads, availableParallelism());
  const all = cores > 1 ? [cores] : [];
  const isHard = isMemoryHard(policy);
  return [
    { policy, implementation: 'noble', cores: 1 },
    ...[1, ...(isHard ? all : [])].map((cores) => {
      return { policy, implementation: 'openssl', cores } as const;
    }),
    ...[1, ...(isHard ? [] : all)].map((cores) => {
      return { policy, implementation: 'kernel', cores } as const;
    }),
    ...(device === undefined ? [] : [{ policy, implementation: 'device', cores: 0 } as const]),
  ];
}

function isMemoryHard(name: RatedName): boolean {
  const policy = RATED[name];
  return typeof policy !== 'string' && isSlow(policy.puzzle);
}

/** Why something cannot be measured. Null if it can. */
function lackOf({ policy: name, implementation }: Subject): string | null {
  const policy = RATED[name];
  if (typeof policy === 'string' || !isMemoryHard(name) || implementation === 'noble') return null;
  if (implementation === 'openssl') {
    return nativePuzzle(policy) === null
      ? `node:crypto of ${process.version} has no ${name}`
      : null;
  }
  return 'no kernel has memory-hard functions: see the published rates';
}

function rateOf(
  { policy: name, implementation, cores }: Subject,
  { scheme, device, seconds, signal }: AdvantageOptions,
): Promise<Rate> {
  const measured = { threads: Math.max(1, cores), seconds, signal };
  const policy = RATED[name];
  const isBaseline = implementation === 'noble' || implementation === 'openssl';
  if (typeof policy === 'string') {
    if (isBaseline)
      return measureBaseline({ search: 'solutions', implementation, form: policy }, measured);
    const strategy = policy === 'xor' ? 'amortised-xor' : 'dynamic';
    return measureStrategy({ scheme, strategy, ...measured, ...(cores === 0 && { device }) });
  }
  if (isBaseline)
    return measureBaseline({ search: 'keys', implementation, scheme, policy }, measured);
  const strategy = 'siblings';
  return measureStrategy({ scheme, strategy, policy, ...measured, ...(cores === 0 && { device }) });
}
