/**
 * @module
 * This folder contains what other programs import: functions on plain JSON data, with the names that the command line and
 * the HTTP API use. This file asks an operation, as its verb does.
 */

import { randomBytes } from 'node:crypto';
import { LabError } from '../errors.ts';
import type { ThreatModel } from '../experiment/document/threat-model.ts';
import type { Operation, OperationContext } from '../operations/operation.ts';

/** How a question is computed. */
export interface Asking {
  /** Number of threads, 1 by default. It changes no result. */
  readonly threads?: number;
  /** An abort of this signal rejects the promise with the reason of the abort, unless a part is finished. */
  readonly signal?: AbortSignal;
  /** Receives how far the work is. `total` is null if it is not known. */
  readonly onProgress?: (progress: {
    readonly now: string;
    readonly done: number;
    readonly total: number | null;
  }) => void;
}

/** A refusal: an error whose `name` is LabError. `code` is one of the closed list that the pages of /problems explain. */
export interface Refusal extends Error {
  readonly code: string;
}

type Heard = Pick<OperationContext, 'onSecret'>;

/**
 * The output of an operation for this input, with the members of a request over HTTP. The type of the output is that of the
 * caller, which repeats the schema of the operation. Throws LabError.
 */
export async function ask<Output>(
  name: string,
  question: object,
  { threads = 1, signal = new AbortController().signal, onProgress, onSecret }: Asking & Heard,
): Promise<Output> {
  // These modules list the names of all definitions, so that the files of `load` are loaded before them.
  const { operationNamed } = await import('../operations/registry.ts');
  const { THIS_MACHINE: machine } = await import('../runtime/sweep/machine.ts');
  const { parseSeed } = await import('../random.ts');
  const operation = operationNamed(name);
  const input = await inputOf(operation, question);
  operation.check(input, false);
  const output =
    operation.atOnce(input) ??
    (await operation.run(input, {
      ...{ threads, signal, isRemote: false, machine },
      onProgress: (progress) => onProgress?.(progress),
      onPartial: () => undefined,
      onNote: () => undefined,
      onSecret: (secret) => onSecret?.(secret),
      seedFor: (given) =>
        parseSeed(given ?? BigInt(`0x${randomBytes(32).toString('hex')}`).toString()),
    }));
  signal.throwIfAborted();
  // The schema of the operation describes it.
  return output as Output;
}

/** Reads the members, and the threat models and files that they contain. */
async function inputOf(operation: Operation, question: object): Promise<Record<string, unknown>> {
  const [{ inputSchema }, { parseBySchema }, { fileOf }] = await Promise.all([
    import('../operations/operation.ts'),
    import('../schema.ts'),
    import('../operations/file.ts'),
  ]);
  // A program gives what a command line names: threat models and texts. The limits are those of this machine.
  const members = Object.entries(operation.members).map(([key, member]) => {
    const isNamed = member.entry.as === 'model' || member.entry.as === 'file';
    return [key, isNamed ? { ...member, schema: member.remote } : member] as const;
  });
  const schema = inputSchema({ members: Object.fromEntries(members) }, false);
  const input = parseBySchema(schema, question, operation.name);
  const read = Object.entries(input).map(async ([key, value]) => {
    const entry = operation.members[key]?.entry;
    if (entry?.as === 'file') return [key, value === undefined ? value : fileOf(key, value)];
    if (entry?.as !== 'model') return [key, value];
    const model = await modelOf(value);
    return [key, { name: typeof value === 'string' ? value : `${model.id}.yaml`, model }];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The threat model of the catalogue with this id, or a whole document. Throws LabError. */
async function modelOf(source: unknown): Promise<ThreatModel> {
  if (typeof source === 'string') {
    return (await import('../runtime/files/catalogue.ts')).findInCatalogue(source);
  }
  const { checkThreatModel } = await import('../experiment/reading/schema-faults.ts');
  const checked = checkThreatModel(source);
  if (checked.outcome === 'valid') return checked.model;
  throw new LabError('document', checked.faults.map(({ text }) => text).join('; '));
}
