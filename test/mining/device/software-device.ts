/**
 * @module
 * The device of tests: SwiftShader, which computes on the processor, and comes with the chromium of Debian. As a global set-up
 * of vitest it makes the package `webgpu` and this device the ones that are found. Tests of a device are skipped with a
 * notice if there is none.
 */

import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Device } from '../../../src/mining/device/device.ts';
import { openDevice } from '../../../src/runtime/device/webgpu.ts';

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';

/** The environment of this process is that of its threads and of the programs that it starts. */
export function setup(): void {
  if (existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES ??= SWIFTSHADER;
  process.env.NODE_PATH ??= fileURLToPath(new URL('node_modules', import.meta.url));
}

/** The device, or null after a notice. */
export async function deviceOfTests(): Promise<Device | null> {
  try {
    return await openDevice();
  } catch (error) {
    console.log(`skipped: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** Bindings of a program of a test: words that are read, and words that are written. */
export const TEST_BINDINGS = `
@group(0) @binding(1) var<storage, read> table: array<array<u32, 10>>;
@group(0) @binding(3) var<storage, read_write> results: array<array<u32, 8>>;
`;
