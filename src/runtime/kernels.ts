/**
 * @module
 * The built WASM kernel, read once a thread when it is first asked for and prepared once a scheme.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { LabError } from '../errors.ts';
import type { SchemeName } from '../identity/scheme.ts';
import type { LoadedKernel } from '../mining/kernel/wasm-kernel.ts';
import { loadKernel } from '../mining/kernel/wasm-kernel.ts';
import type { KernelSource } from '../mining/strategy.ts';

const KERNEL_FILE = new URL('../../build/kernel.wasm', import.meta.url);

/**
 * A source of kernels over one file. Asking it throws LabError `file.missing` where the file was not
 * built and `file.unreadable` where it is not this kernel.
 */
export function kernelSource(file: URL = KERNEL_FILE): KernelSource {
  const loaded = new Map<SchemeName, LoadedKernel>();
  return (scheme) => {
    const kernel = loaded.get(scheme) ?? load(file, scheme);
    loaded.set(scheme, kernel);
    return kernel;
  };
}

function load(file: URL, scheme: SchemeName): LoadedKernel {
  const bytes = readKernel(file);
  // Three of about a hundred processes stayed on V8's baseline code and ran at half the speed;
  // compiling for speed at once takes 12 ms and none of them did.
  setFlagsFromString('--no-liftoff');
  try {
    return loadKernel(bytes, scheme);
  } catch {
    const path = fileURLToPath(file);
    throw new LabError('file.unreadable', `${path} is no mining kernel; run: npm run build`);
  }
}

function readKernel(file: URL): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file));
  } catch {
    const path = fileURLToPath(file);
    throw new LabError('file.missing', `the mining kernel ${path} is missing; run: npm run build`);
  }
}
