/**
 * @module
 * The built WASM kernels. A thread reads each when it first needs it, and prepares the key kernel once for
 * each scheme.
 */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { LabError } from '../../errors.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { SolutionKernel } from '../../mining/kernel/solution-kernel.ts';
import { loadSolutionKernel } from '../../mining/kernel/solution-kernel.ts';
import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import { loadTextKernel } from '../../mining/kernel/text-kernel.ts';
import type { LoadedKernel } from '../../mining/kernel/wasm-kernel.ts';
import { loadKernel } from '../../mining/kernel/wasm-kernel.ts';
import type { KernelSource } from '../../mining/strategy.ts';

const KERNEL_FILE = new URL('../../../build/kernel.wasm', import.meta.url);

const SOLUTIONS_FILE = new URL('../../../build/solutions.wasm', import.meta.url);

const TEXTS_FILE = new URL('../../../build/texts.wasm', import.meta.url);

interface KernelFiles {
  readonly keys?: URL;
  readonly solutions?: URL;
}

/**
 * A source of kernels from the built files, or from others. Its functions throw LabError `file.missing` if
 * the file was not built, and `file.unreadable` if it is not this kernel.
 */
export function kernelSource(files: KernelFiles = {}): KernelSource {
  const { keys: keysFile = KERNEL_FILE, solutions: solutionsFile = SOLUTIONS_FILE } = files;
  const loaded = new Map<SchemeName, LoadedKernel>();
  let solutions: SolutionKernel | null = null;
  return {
    keys(scheme) {
      const kernel = loaded.get(scheme) ?? load(keysFile, (bytes) => loadKernel(bytes, scheme));
      loaded.set(scheme, kernel);
      return kernel;
    },
    solutions() {
      solutions ??= load(solutionsFile, loadSolutionKernel);
      return solutions;
    },
  };
}

/** The kernel that hashes many texts. Null if it was not built: then the runs of sweeps are drawn one by one. */
export function textHasher(): TextHasher | null {
  return existsSync(TEXTS_FILE) ? load(TEXTS_FILE, loadTextKernel) : null;
}

function load<Kernel>(file: URL, prepare: (bytes: Uint8Array) => Kernel): Kernel {
  const bytes = readKernel(file);
  // Without this flag three of about a hundred processes stayed on V8's baseline code and ran at half
  // the speed. Optimising at once takes 12 ms.
  setFlagsFromString('--no-liftoff');
  try {
    return prepare(bytes);
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
