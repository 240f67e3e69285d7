/**
 * @module
 * This folder gives access to graphics cards. This file opens one by WebGPU, with the optional package `webgpu` (Dawn). It
 * notices a device that is lost, and one that does not answer.
 */

/// <reference types="@webgpu/types" />

import { createRequire } from 'node:module';
import { LabError } from '../../errors.ts';
import type { Device, Dispatch, Program, ProgramOrder } from '../../mining/device/device.ts';

/** The package, and what a user must do to have it. */
export const DEVICE_PACKAGE = {
  name: 'webgpu',
  remedy: 'npm install --no-save webgpu@0.6.2 (132 MB, prebuilt)',
} as const;

/** A run takes a twentieth of a second, and the first one waits for others. */
const ANSWER_SECONDS = 20;
/** Drivers compile a program in seconds. */
const COMPILE_SECONDS = 120;

/** An open device. */
interface Opened {
  readonly name: string;
  readonly device: GPUDevice;
  /** Rejects when the device is lost. */
  readonly lost: Promise<never>;
}

/** The object of the package. The device is used as long as it exists, so that it must not be collected. */
let gpu: GPU | null = null;

/** Opens the device of this machine. Throws LabError `device.missing` with the remedy if there is none. */
export async function openDevice(): Promise<Device> {
  gpu ??= loadPackage();
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) {
    throw new LabError(
      'device.missing',
      'no graphics card with a driver for WebGPU (Vulkan, Metal or Direct3D 12) was found: install its driver, or search without --device gpu',
    );
  }
  const { description, vendor, architecture } = adapter.info;
  const name = description || `${vendor} ${architecture}`.trim() || 'without a name';
  const isSoftware = /swiftshader|llvmpipe|lavapipe|basic render/i.test(`${name} ${architecture}`);
  const device = await adapter.requestDevice();
  const lost = device.lost.then(({ reason, message }) => {
    throw failed(name, `was lost (${reason}${message === '' ? '' : `: ${message}`})`);
  });
  lost.catch(() => {}); // A later call reports it.
  return watched({ name, isSoftware, load: (order) => load({ name, device, lost }, order) });
}

function loadPackage(): GPU {
  try {
    // Unlike an import, it also looks in NODE_PATH.
    const { create, globals } = createRequire(import.meta.url)(DEVICE_PACKAGE.name);
    Object.assign(globalThis, globals);
    return create([]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new LabError(
      'device.missing',
      `--device gpu needs the package ${DEVICE_PACKAGE.name}, which cannot be loaded (${reason}): ${DEVICE_PACKAGE.remedy}`,
    );
  }
}

function failed(name: string, what: string): LabError {
  return new LabError(
    'device.failed',
    `the device ${name} ${what}: nothing that it searched since its last answer counts. Search again, or without --device gpu`,
  );
}

/** A device whose calls reject with LabError `device.failed` if they take too long. */
export function watched(
  device: Device,
  limits = { answer: ANSWER_SECONDS, compile: COMPILE_SECONDS },
): Device {
  const within = async <T>(seconds: number, work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = () => reject(failed(device.name, `did not answer in ${seconds} s`));
    const timer = setTimeout(late, 1e3 * seconds);
    return Promise.race([work, promise]).finally(() => clearTimeout(timer));
  };
  return {
    ...device,
    async load(order) {
      const { dispatch } = await within(limits.compile, device.load(order));
      return { dispatch: (run) => within(limits.answer, dispatch(run)) };
    },
  };
}

const WORD_BYTES = 4;

async function load({ name, device, lost }: Opened, order: ProgramOrder): Promise<Program> {
  const buffer = (words: number, usage: number) => {
    return device.createBuffer({ size: WORD_BYTES * words, usage });
  };
  const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
  const types = ['read-only-storage', 'read-only-storage', 'storage', 'storage'] as const;
  const layout = device.createBindGroupLayout({
    entries: types.map((type, binding) => {
      return { binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } };
    }),
  });
  const module = device.createShaderModule({ code: order.code });
  const pipelines = new Map<string, GPUComputePipeline>();
  for (const [, entryPoint = ''] of order.code.matchAll(/@compute .*? fn (\w+)\(/g)) {
    const pipeline = device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint },
    });
    const compiled = pipeline.catch((cause: unknown) => {
      throw failed(name, `does not compile its program (${cause})`);
    });
    pipelines.set(entryPoint, await Promise.race([compiled, lost]));
  }
  const table = buffer(order.table.length, STORAGE | COPY_DST);
  device.queue.writeBuffer(table, 0, order.table);
  const scratch = buffer(order.scratchWords, STORAGE);
  let idleSince = 0;
  const dispatch = async ({ parameters, entries }: Dispatch) => {
    const started = performance.now();
    const input = buffer(parameters.length, STORAGE | COPY_DST);
    const output = buffer(order.resultWords, STORAGE | COPY_SRC);
    const copy = buffer(order.resultWords, MAP_READ | COPY_DST);
    device.queue.writeBuffer(input, 0, parameters);
    const bound = [input, table, scratch, output];
    const group = device.createBindGroup({
      layout,
      entries: bound.map((each, binding) => ({ binding, resource: { buffer: each } })),
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setBindGroup(0, group);
    for (const [entry, workgroups] of entries) {
      const pipeline = pipelines.get(entry);
      if (pipeline === undefined)
        throw new TypeError(`"entry" expected one of the program, got ${entry}`);
      pass.setPipeline(pipeline);
      pass.dispatchWorkgroups(workgroups);
    }
    pass.end();
    encoder.copyBufferToBuffer(output, 0, copy, 0, copy.size);
    device.queue.submit([encoder.finish()]);
    const read = copy.mapAsync(GPUMapMode.READ).catch((cause: unknown) => {
      throw failed(name, `has no results (${cause})`);
    });
    await Promise.race([read, lost]);
    const results = new Uint32Array(copy.getMappedRange().slice(0));
    for (const each of [input, output, copy]) each.destroy();
    const ended = performance.now();
    const seconds = (ended - Math.max(started, idleSince)) / 1e3;
    idleSince = ended;
    return { results, seconds };
  };
  return { dispatch };
}
