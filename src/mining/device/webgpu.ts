/**
 * @module
 * A device that is used through WebGPU, in Node or in a browser. Calls reject if the device is lost or does not answer.
 */

/// <reference types="@webgpu/types" />

import { LabError } from '../../errors.ts';
import type { Device, DeviceFacts, Dispatch, Program, ProgramOrder } from './device.ts';

/** What a device needs from the thread that uses it. */
export interface DeviceHost {
  readonly nowSeconds: () => number;
  /** Calls `late` after this number of seconds. Returns a function that cancels this call. */
  readonly after: (seconds: number, late: () => void) => () => void;
}

/** A run takes a twentieth of a second, and the first one waits for others. */
const ANSWER_SECONDS = 20;
/** Drivers compile a program in seconds. */
const COMPILE_SECONDS = 120;

/** An open device. */
interface Opened extends Pick<DeviceHost, 'nowSeconds'> {
  readonly name: string;
  readonly device: GPUDevice;
  /** Rejects when the device is lost. */
  readonly lost: Promise<never>;
}

/** Which device an adapter is. */
export function factsOf({ info }: GPUAdapter): DeviceFacts {
  const { description, vendor, architecture } = info;
  const name = description || `${vendor} ${architecture}`.trim() || 'without a name';
  const isSoftware = /swiftshader|llvmpipe|lavapipe|basic render/i.test(`${name} ${architecture}`);
  return { name, isSoftware };
}

/** Opens the device of an adapter. */
export async function openBy(adapter: GPUAdapter, host: DeviceHost): Promise<Device> {
  const { name, isSoftware } = factsOf(adapter);
  const device = await adapter.requestDevice();
  const lost = device.lost.then(({ reason, message }) => {
    throw failed(name, `was lost (${reason}${message === '' ? '' : `: ${message}`})`);
  });
  lost.catch(() => {}); // A later call reports it.
  const { nowSeconds } = host;
  const opened = { name, device, lost, nowSeconds };
  return watched({ name, isSoftware, load: (order) => load(opened, order) }, host);
}

function failed(name: string, what: string): LabError {
  return new LabError(
    'device.failed',
    `the device ${name} ${what}: nothing that it searched since its last answer counts. Search again, or use the processor`,
  );
}

/** A device whose calls reject with LabError `device.failed` if they take too long. */
export function watched(
  device: Device,
  { after }: Pick<DeviceHost, 'after'>,
  limits = { answer: ANSWER_SECONDS, compile: COMPILE_SECONDS },
): Device {
  const within = async <T>(seconds: number, work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = () => reject(failed(device.name, `did not answer in ${seconds} s`));
    return Promise.race([work, promise]).finally(after(seconds, late));
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

async function load(
  { name, device, lost, nowSeconds }: Opened,
  order: ProgramOrder,
): Promise<Program> {
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
    const started = nowSeconds();
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
    const ended = nowSeconds();
    const seconds = ended - Math.max(started, idleSince);
    idleSince = ended;
    return { results, seconds };
  };
  return { dispatch };
}
