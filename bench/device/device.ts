/**
 * @module
 * This folder measures a machine with a graphics card: `npm run bench:device -- --out rates.json`. It needs no network and
 * less than five minutes. The clone must have `node_modules`, the kernels in `build`, and the package `webgpu`, in `node_modules` or
 * where `npm run generators` installs it. One JSON file has the rates of `usurp advantage` with both schemes, those of
 * `usurp calibrate` for the processor, and searches for keys that the device and the processor both must find. `--policies strict,xor
 * --seconds 0.1 --bits 12` measures less.
 */

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
import { measureAdvantage } from '../../src/runtime/threads/advantage.ts';
import { calibrate } from '../../src/runtime/threads/calibration.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';

const THREADS = availableParallelism();

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'device-rates.json' },
    policies: { type: 'string', default: RATED_NAMES.join() },
    seconds: { type: 'string' },
    /** Zero bits of the keys that are searched. */
    bits: { type: 'string' },
  },
});

/** A card tests 2^26 keys in a second, and a software device 2^16. */
const BITS = { card: 26, software: 14 } as const;

// Threads also look for the package in this folder.
process.env.NODE_PATH ??= fileURLToPath(
  new URL('../../test/mining/device/node_modules', import.meta.url),
);
await measure();

async function measure(): Promise<void> {
  const started = performance.now();
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  const policies = RATED_NAMES.filter((name) => values.policies.split(',').includes(name));
  // Rejects with the remedy if there is no device.
  const [first, ...others] = SCHEME_NAMES;
  const asked = values.bits === undefined ? undefined : Number(values.bits);
  const tried = await search(first, asked ?? BITS.software);
  const { device } = tried;
  console.log(`device: ${deviceText(device)}`);
  const bits = asked ?? (device.isSoftware ? BITS.software : BITS.card);
  const searches = [bits === tried.bits ? tried : await search(first, bits)];
  for (const scheme of others) searches.push(await search(scheme, bits));
  const say = (what: string) => console.log(what);
  const advantage = [];
  for (const scheme of SCHEME_NAMES) {
    // The scheme decides nothing of a search for X, and little of one under a slow function.
    const own = policies.filter((each) => scheme === first || isFastForKeys(each));
    const options = { scheme, policies: own, seconds, threads: THREADS, device: 'gpu' as const };
    const rates = await measureAdvantage({ ...options, onProgress: say });
    advantage.push({ scheme, rates: machineRates(rates) });
  }
  // The rates of the device under its policies are among those above. A driver compiles a program in up to some seconds.
  const calibration = await calibrate({ threads: 1, seconds, onProgress: say });
  const result = {
    device,
    processor: { model: cpus()[0]?.model, cores: THREADS, memoryBytes: totalmem() },
    ...{ node: process.version, platform: process.platform, advantage, calibration, searches },
    published: PUBLISHED_RATES,
    seconds: (performance.now() - started) / 1e3,
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
