/**
 * @module
 * This folder measures a machine with a graphics card: `npm run bench:device -- --out rates.json`. It needs no network. The clone
 * must have `node_modules`, the kernels in `build`, and the package `webgpu`, in `node_modules` or where `npm run generators` installs
 * it. One JSON file has the rates of `usurp advantage` with both schemes, those of `usurp calibrate` for the processor, and searches
 * for keys that the device and the processor both must find. Measurements that do not begin within `--seconds` (240) are named in
 * `missing`. `--policies strict,xor --bits 12` measures less.
 */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bytesToHex } from '../../src/bytes.ts';
import type { SchemeName } from '../../src/identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { isSlow } from '../../src/identity/puzzles/puzzle-function.ts';
import { deviceText } from '../../src/mining/device/facts.ts';
import type { MiningTask } from '../../src/mining/search.ts';
import { PUBLISHED_RATES } from '../../src/operations/advantage/published-rates.ts';
import type { RatedName } from '../../src/operations/advantage/rates.ts';
import { machineRates, RATED, RATED_NAMES } from '../../src/operations/advantage/rates.ts';
import { parseSeed } from '../../src/random.ts';
import { findDevice } from '../../src/runtime/device/webgpu.ts';
import { isSuited, measureAdvantage } from '../../src/runtime/threads/advantage.ts';
import { calibrate } from '../../src/runtime/threads/calibration.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';

const THREADS = availableParallelism();

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'device-rates.json' },
    policies: { type: 'string', default: RATED_NAMES.join() },
    /** Time for everything, divided over the measurements. One that has begun is ended. */
    seconds: { type: 'string', default: '240' },
    /** Zero bits of the keys that are searched. */
    bits: { type: 'string' },
  },
});

/** A card tests 2^26 keys in a second, and a software device 2^16. A core tests 2^22. */
const BITS = { card: 24, software: 14 } as const;
/** Rows of a policy, and of the calibration. */
const ROWS = { policy: 5, calibration: 16 } as const;
const MEASURED_SECONDS_MAX = 0.5;

// The package is also looked for in this folder. A process reads the variable at its start.
if (process.env.NODE_PATH === undefined) {
  const NODE_PATH = fileURLToPath(
    new URL('../../test/mining/device/node_modules', import.meta.url),
  );
  const env = { ...process.env, NODE_PATH };
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else await measure();

async function measure(): Promise<void> {
  const started = performance.now();
  const spent = () => (performance.now() - started) / 1e3;
  const policies = RATED_NAMES.filter((name) => values.policies.split(',').includes(name));
  // Rejects with the remedy if there is no device.
  const device = await findDevice();
  console.log(`device: ${deviceText(device)}`);
  const bits = Number(values.bits ?? (device.isSoftware ? BITS.software : BITS.card));
  const searches = [];
  for (const scheme of SCHEME_NAMES) searches.push(await search(scheme, bits));
  // The scheme decides nothing of a search for X, and little of one under a slow function.
  const plan = SCHEME_NAMES.flatMap((scheme, index) => {
    const own = policies.filter((each) => index === 0 || isFastForKeys(each));
    return own.filter((each) => isSuited(each, scheme)).map((policy) => ({ scheme, policy }));
  });
  let rows = ROWS.policy * plan.length + ROWS.calibration;
  /** The time of each of the next rows. A half of its share is for threads that start and programs that are compiled. */
  const next = (count: number) => {
    const seconds = Math.min(MEASURED_SECONDS_MAX, (Number(values.seconds) - spent()) / rows / 2);
    rows -= count;
    return seconds > 0 ? { seconds, onProgress: (what: string) => console.log(what) } : null;
  };
  const advantage = [];
  const missing: string[] = [];
  for (const { scheme, policy } of plan) {
    const means = next(ROWS.policy);
    const options = { scheme, policies: [policy], threads: THREADS, device: 'gpu' as const };
    if (means === null) {
      missing.push(`${policy} with ${scheme}`);
      continue;
    }
    const rates = machineRates(await measureAdvantage({ ...options, ...means }));
    advantage.push(...rates.map((rate) => ({ scheme, ...rate })));
  }
  // The rates of the device under its policies are among those above. A driver compiles a program in up to some seconds.
  const means = next(ROWS.calibration);
  if (means === null) missing.push('calibration');
  const calibration = means && (await calibrate({ threads: 1, ...means }));
  const result = {
    device,
    processor: { model: cpus()[0]?.model, cores: THREADS, memoryBytes: totalmem() },
    ...{ node: process.version, platform: process.platform, advantage, calibration, searches },
    published: PUBLISHED_RATES,
    missing,
    seconds: spent(),
  };
  writeFileSync(values.out, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`${values.out} was written after ${result.seconds.toFixed(0)} s`);
  if (!searches.every(({ isSame }) => isSame)) process.exitCode = 1;
}

function isFastForKeys(name: RatedName): boolean {
  const policy = RATED[name];
  return typeof policy !== 'string' && !isSlow(policy.puzzle);
}

/** The same search on the device and on all cores: both must find the same key. */
async function search(scheme: SchemeName, c1: number) {
  const task: MiningTask = {
    ...{ scheme, strategy: 'siblings', dynamicStrategy: 'dynamic', goal: { type: 'any' } },
    ...{ seed: parseSeed('1'), budget: {}, policy: { ...STRICT_POLICY, c1 } },
  };
  const own = await mineInThreads({ ...task, device: 'gpu' }, { threads: 1 });
  const other = await mineInThreads(task, { threads: THREADS });
  const { device, identity } = own;
  if (device === undefined) throw new Error('the search used no device');
  const keyOf = (found: typeof identity) => found && bytesToHex(found.claim.publicKey);
  const isSame = identity !== null && keyOf(identity) === keyOf(other.identity);
  return { scheme, bits: c1, isSame, device, onDevice: own.ledger, onCores: other.ledger };
}
