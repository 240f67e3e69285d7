/**
 * @module
 * This folder gives access to graphics cards. This file opens one by WebGPU, with the optional package `webgpu` (Dawn).
 */

/// <reference types="@webgpu/types" />

import { createRequire } from 'node:module';
import { LabError } from '../../errors.ts';
import type { Device, DeviceFacts } from '../../mining/device/device.ts';
import type { DeviceHost } from '../../mining/device/webgpu.ts';
import { factsOf, openBy } from '../../mining/device/webgpu.ts';

/** The package, and what a user must do to have it. */
export const DEVICE_PACKAGE = {
  name: 'webgpu',
  remedy: 'npm install --no-save webgpu@0.6.2 (132 MB, prebuilt)',
} as const;

/** The clock and the timers of this thread. */
export const DEVICE_HOST: DeviceHost = {
  nowSeconds: () => performance.now() / 1e3,
  after(seconds, late) {
    const timer = setTimeout(late, 1e3 * seconds);
    return () => clearTimeout(timer);
  },
};

/** The object of the package. The device is used as long as it exists, so that it must not be collected. */
let gpu: GPU | null = null;

/** Opens the device of this machine. Throws LabError `device.missing` with the remedy if there is none. */
export async function openDevice(): Promise<Device> {
  return openBy(await findAdapter(), DEVICE_HOST);
}

/** Which device this machine has. Throws as `openDevice` does, before anything is compiled. */
export async function findDevice(): Promise<DeviceFacts> {
  return factsOf(await findAdapter());
}

async function findAdapter(): Promise<GPUAdapter> {
  gpu ??= loadPackage();
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter !== null) return adapter;
  throw new LabError(
    'device.missing',
    'no graphics card with a driver for WebGPU (Vulkan, Metal or Direct3D 12) was found: install its driver, or use the processor',
  );
}

function loadPackage(): GPU {
  try {
    // Unlike an import, it also looks in NODE_PATH.
    const { create, globals } = createRequire(import.meta.url)(DEVICE_PACKAGE.name);
    Object.assign(globalThis, globals);
    return create([]);
  } catch (cause) {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    // Callers of a server must not receive its paths.
    const reason = line.replaceAll(/\S*[\\/]/g, '');
    throw new LabError(
      'device.missing',
      `gpu needs the package ${DEVICE_PACKAGE.name}, which cannot be loaded (${reason}): ${DEVICE_PACKAGE.remedy}`,
    );
  }
}
