/**
 * @module
 * The messages between the driver of a sweep and its workers through Redis: names of keys, orders,
 * cells, results and notes of presence, and their readers. Each message is parsed once, here, because
 * other programs and other versions of usurp may write to the same Redis. A malformed message is null.
 *
 * Every version of the code has a BullMQ queue of its own, so that a worker never takes a job that it
 * would have to refuse.
 */

import { createHash } from 'node:crypto';

import { z } from 'zod';

import { checkThreatModel } from '../../experiment/reading/schema-faults.ts';
import { OBSERVATION_NAMES } from '../../experiment/runs/observations.ts';
import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import { SEED_RULES } from '../../experiment/sweep/grid.ts';
import type { Chunk, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { hexDigest } from '../../experiment/sweep/sweep.ts';
import { parseSeed } from '../../random.ts';

export const QUEUE_DEFAULT = 'default';
/** Allowed names of queues. They become part of keys. */
export const QUEUE_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Maximum length of a result. Redis itself allows 512 MB. */
export const RESULT_CHARACTERS_MAX = 2 ** 26;
const CHUNK_COUNT_MAX = 2 ** 24;
const FAILURE_CHARACTERS_MAX = 2 ** 16;

/** The prefix of all keys, BullMQ's and ours. */
export function keyPrefix(queue: string): string {
  return `usurp:${queue}`;
}

export const HEAD_FIELD = 'head';
export const cellField = (cell: number) => `cell:${cell}`;
/** A hash: the head of the sweep and the cells of its jobs. Workers drop jobs whose hash is missing. */
export const sweepKey = (queue: string, sweep: string) => `${keyPrefix(queue)}:sweep:${sweep}`;
/** A list: results that the driver has not taken yet. */
export const resultsKey = (queue: string, sweep: string) => `${keyPrefix(queue)}:results:${sweep}`;

/** BullMQ's name of the queue for one version of the code. */
export function jobsQueue(codeVersion: string): string {
  return `jobs-${hexDigest('usurp/code/v1', codeVersion).slice(0, 16)}`;
}

/** Digest of everything that the rows of a sweep depend on. */
export function sweepDigest(spec: SweepSpec): string {
  const hash = createHash('sha256').update(
    JSON.stringify(['usurp/sweep/v1', spec.seed, spec.seedRule, spec.codeVersion]),
  );
  for (const cell of spec.cells) hash.update(cell.digest);
  return hash.digest('hex');
}

/** A job's id. The same chunk of the same sweep is never in a queue twice. */
export function jobId(digest: string, { cell, from, count }: Chunk): string {
  return `c${hexDigest('usurp/chunk/v1', digest, String(cell), String(from), String(count))}`;
}

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const orderSchema = z.object({
  /** Part of the sweep's keys. Another driver of the same sweep has another. */
  sweep: z.string().regex(/^[0-9a-f]{1,64}$/),
  cell: count,
  from: count,
  count: z.int().min(1).max(CHUNK_COUNT_MAX),
});
/** The data of a job. */
export type ChunkOrder = Readonly<z.infer<typeof orderSchema>>;

/** The data of a job. Null if it is malformed. */
export function readOrder(data: unknown): ChunkOrder | null {
  return orderSchema.safeParse(data).data ?? null;
}

export function headText({ seed, seedRule, codeVersion }: SweepSpec): string {
  return JSON.stringify({ seed, seedRule, codeVersion });
}

export function cellText({ digest, model }: SweepCell): string {
  return JSON.stringify({ digest, model });
}

const headSchema = inJson(
  z.object({
    seed: z.string().max(80).transform(orInvalid(parseSeed)),
    seedRule: z.enum(SEED_RULES),
    codeVersion: z.string().max(200),
  }),
);
const cellSchema = inJson(
  z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), model: z.unknown() }),
);

/** What a worker needs to execute chunks of one cell, which has the index 0 in the spec. */
export interface StoredCell {
  readonly codeVersion: string;
  readonly spec: ChunkSpec;
}

/** The texts of a head and of a cell. Null if either is malformed. */
export function readCell(head: unknown, cell: unknown): StoredCell | null {
  const sweep = headSchema.safeParse(head).data;
  const stored = cellSchema.safeParse(cell).data;
  if (sweep === undefined || stored === undefined) return null;
  const checked = checkThreatModel(stored.model);
  if (checked.outcome !== 'valid') return null;
  const { digest } = stored;
  const { model } = checked;
  const { seed, seedRule, codeVersion } = sweep;
  const cells = [{ index: 0, values: [], settings: [], model, refusal: null, digest }];
  return { codeVersion, spec: { cells, seed, seedRule } };
}

/** The records of a chunk, checked. */
export interface CheckedRecords {
  /** Records as `packRecords` writes them. */
  readonly packed: string;
  readonly count: number;
  /** Records with a failure. */
  readonly failed: number;
  /** Groups of protocols with an outcome. 0 if all records failed. */
  readonly groups: number;
}

export interface ChunkResult {
  readonly job: string;
  readonly wallSeconds: number;
  /** Null if they are malformed. */
  readonly records: CheckedRecords | null;
}

/** A result: a line about the job, and the packed records, which are not quoted again. */
export function resultText(
  job: string,
  { packed, wallSeconds }: { readonly packed: string; readonly wallSeconds: number },
): string {
  return `${JSON.stringify({ job, wallSeconds })}\n${packed}`;
}

const resultSchema = inJson(z.object({ job: z.string().max(80), wallSeconds: z.number().min(0) }));

/** A result. Null if its job is unknown. */
export function readResult(text: string): ChunkResult | null {
  if (text.length > RESULT_CHARACTERS_MAX) return null;
  const end = text.indexOf('\n');
  const { data } = resultSchema.safeParse(text.slice(0, Math.max(0, end)));
  return data === undefined ? null : { ...data, records: checkedRecords(text.slice(end + 1)) };
}

const packedSchema = inJson(
  z.strictObject({
    count: z.int().min(0),
    groups: z.array(
      z.strictObject({
        won: z.string().regex(/^[wlf]*$/),
        observations: z.partialRecord(z.enum(OBSERVATION_NAMES), z.unknown()),
      }),
    ),
    failures: z.record(z.string(), z.string().max(FAILURE_CHARACTERS_MAX)),
  }),
);

function checkedRecords(packed: string): CheckedRecords | null {
  const { data } = packedSchema.safeParse(packed);
  if (data === undefined) return null;
  const { count, groups, failures } = data;
  const indices = Object.keys(failures);
  const failed = indices.length;
  const areIndices = indices.every((text) => /^(0|[1-9]\d*)$/.test(text) && Number(text) < count);
  const areSound = groups.every(({ won, observations }) => {
    // Each index has one spelling, so equal numbers mean equal sets.
    const areFailures = indices.every((index) => won[Number(index)] === 'f');
    const isExplained = areFailures && won.replaceAll(/[^f]/g, '').length === failed;
    const columns = Object.values(observations);
    return won.length === count && isExplained && columns.every((each) => isColumn(each, count));
  });
  const isWhole = groups.length > 0 || failed === count;
  if (!areIndices || !areSound || !isWhole) return null;
  return { packed, count, failed, groups: groups.length };
}

/** Without a schema, which would be slow for a hundred thousand numbers. */
function isColumn(column: unknown, count: number): boolean {
  if (!Array.isArray(column)) return isCell(column);
  return column.length === count && column.every(isCell);
}

function isCell(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

const workerSchema = inJson(
  z.object({
    id: z.string().max(200),
    codeVersion: z.string().max(200),
    threads: z.int().min(1).max(1024),
  }),
);
/** The note of a live worker. */
export type WorkerNote = Readonly<z.infer<typeof workerSchema>>;

export function readWorkerNote(text: string): WorkerNote | null {
  return workerSchema.safeParse(text).data ?? null;
}

const sweepSchema = inJson(
  z.object({ sweep: z.string().max(64), codeVersion: z.string().max(200) }),
);
/** The note of a live driver about its sweep. */
export type SweepNote = Readonly<z.infer<typeof sweepSchema>>;

export function readSweepNote(text: string): SweepNote | null {
  return sweepSchema.safeParse(text).data ?? null;
}

/** The schema of a JSON text. */
function inJson<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform(orInvalid(JSON.parse)).pipe(schema);
}

/** A function that may throw, as a transformation of a schema. */
function orInvalid<Value>(parse: (text: string) => Value) {
  return (text: string, context: z.RefinementCtx): Value => {
    try {
      return parse(text);
    } catch {
      context.addIssue('malformed');
      return z.NEVER;
    }
  };
}
