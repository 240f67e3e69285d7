/**
 * @module
 * What the driver of a sweep and its workers put into Redis for each other: names of keys, orders,
 * cells, results and notes of presence, and their readers. Whatever is read back is checked, since
 * another program, or another usurp, may write to the same Redis; what has the wrong shape is null.
 *
 * Every version of the code has a BullMQ queue of its own, so that a worker never draws a job that it
 * would have to refuse.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { checkThreatModel } from '../../experiment/reading/schema-faults.ts';
import { OBSERVATION_NAMES } from '../../experiment/runs/observations.ts';
import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import { hexDigest } from '../../experiment/sweep/seeds.ts';
import type { Chunk, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { SEED_RULES } from '../../experiment/sweep/sweep.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';

export const QUEUE_DEFAULT = 'default';
/** What a queue may be called: it becomes part of keys. */
export const QUEUE_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The text of a result; Redis itself takes 512 MB. */
export const RESULT_CHARACTERS_MAX = 2 ** 26;
const CHUNK_COUNT_MAX = 2 ** 24;
const FAILURE_CHARACTERS_MAX = 2 ** 16;

/** The prefix of every key, for BullMQ's as for ours. */
export function keyPrefix(queue: string): string {
  return `usurp:${queue}`;
}

export const HEAD_FIELD = 'head';
export const cellField = (cell: number) => `cell:${cell}`;
/** A hash: the head of the sweep and the cells whose chunks are out. Without it nobody wants them. */
export const sweepKey = (queue: string, sweep: string) => `${keyPrefix(queue)}:sweep:${sweep}`;
/** A list: results that the driver has yet to take. */
export const resultsKey = (queue: string, sweep: string) => `${keyPrefix(queue)}:results:${sweep}`;

/** BullMQ's name of the queue for one version of the code. */
export function jobsQueue(codeVersion: string): string {
  return `jobs-${hexDigest('usurp/code/v1', codeVersion).slice(0, 16)}`;
}

/** The identity of a sweep for its jobs: all that its rows depend on. */
export function sweepDigest(spec: SweepSpec): string {
  const hash = createHash('sha256').update(
    JSON.stringify(['usurp/sweep/v1', spec.seed, spec.seedRule, spec.codeVersion]),
  );
  for (const cell of spec.cells) hash.update(cell.digest);
  return hash.digest('hex');
}

/** A job's id: the same chunk of the same sweep is never in a queue twice. */
export function jobId(digest: string, { cell, from, count }: Chunk): string {
  return `c${hexDigest('usurp/chunk/v1', digest, String(cell), String(from), String(count))}`;
}

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const orderSchema = z.object({
  /** Names the sweep's keys; another driver of the same sweep has another. */
  sweep: z.string().regex(/^[0-9a-f]{1,64}$/),
  cell: count,
  from: count,
  count: z.int().min(1).max(CHUNK_COUNT_MAX),
});
/** The data of a job. */
export type ChunkOrder = Readonly<z.infer<typeof orderSchema>>;

export function readOrder(data: unknown): ChunkOrder | null {
  return orderSchema.safeParse(data).data ?? null;
}

export function headText({ seed, seedRule, codeVersion }: SweepSpec): string {
  return JSON.stringify({ seed, seedRule, codeVersion });
}

export function cellText({ digest, model }: SweepCell): string {
  return JSON.stringify({ digest, model });
}

const headSchema = z.object({
  seed: z.string().max(80),
  seedRule: z.enum(SEED_RULES),
  codeVersion: z.string().max(200),
});
const cellSchema = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), model: z.unknown() });

/** What a worker needs to execute chunks of one cell, which stands at index 0. */
export interface StoredCell {
  readonly codeVersion: string;
  readonly spec: ChunkSpec;
}

export function readCell(head: unknown, cell: unknown): StoredCell | null {
  const ahead = headSchema.safeParse(jsonOf(head)).data;
  const stored = cellSchema.safeParse(jsonOf(cell)).data;
  if (ahead === undefined || stored === undefined) return null;
  const seed = readSeed(ahead.seed);
  const checked = checkThreatModel(stored.model);
  if (seed === null || checked.outcome !== 'valid') return null;
  const { digest } = stored;
  const { model } = checked;
  const cells = [{ index: 0, values: [], settings: [], model, refusal: null, digest }];
  const spec = { cells, seed, seedRule: ahead.seedRule };
  return { codeVersion: ahead.codeVersion, spec };
}

function readSeed(text: string): Seed | null {
  try {
    return parseSeed(text);
  } catch {
    return null;
  }
}

/** A result on its way: whose it is, and records that are yet to be compared with the chunk. */
export interface ChunkResult {
  readonly job: string;
  readonly packed: string;
  readonly wallSeconds: number;
}

export function resultText(
  job: string,
  { packed, wallSeconds }: { readonly packed: string; readonly wallSeconds: number },
): string {
  return JSON.stringify({ job, wallSeconds, packed });
}

const resultSchema = z.object({
  job: z.string().max(80),
  packed: z.string(),
  wallSeconds: z.number().min(0),
});

export function readResult(text: string): ChunkResult | null {
  if (text.length > RESULT_CHARACTERS_MAX) return null;
  return resultSchema.safeParse(jsonOf(text)).data ?? null;
}

const packedSchema = z.strictObject({
  won: z.string().regex(/^[wlf]*$/),
  observations: z.record(z.string(), z.unknown()),
  failures: z.record(z.string(), z.string().max(FAILURE_CHARACTERS_MAX)),
});

/** How many of the packed records failed; null if they are not the records of the whole chunk. */
export function failedAmong(packed: string, { count }: Chunk): number | null {
  const { data } = packedSchema.safeParse(jsonOf(packed));
  if (data === undefined || data.won.length !== count) return null;
  const { won, observations, failures } = data;
  const isSound = Object.entries(observations).every(
    ([name, column]) => OBSERVATIONS.has(name) && isColumn(column, count),
  );
  const places = Object.keys(failures);
  // A place is spelt in one way, so that equal numbers mean equal sets.
  const isAnswered = places.every((place) => /^(0|[1-9]\d*)$/.test(place) && won[+place] === 'f');
  const failed = won.replaceAll(/[^f]/g, '').length;
  return isSound && isAnswered && places.length === failed ? failed : null;
}

/** By hand: a schema would take long over a hundred thousand numbers. */
function isColumn(column: unknown, count: number): boolean {
  if (!Array.isArray(column)) return isCell(column);
  return column.length === count && column.every(isCell);
}

function isCell(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

const OBSERVATIONS: ReadonlySet<string> = new Set(OBSERVATION_NAMES);

const workerSchema = z.object({
  id: z.string().max(200),
  codeVersion: z.string().max(200),
  threads: z.int().min(1).max(1024),
});
/** What a live worker says of itself. */
export type WorkerNote = Readonly<z.infer<typeof workerSchema>>;

export function readWorkerNote(text: string): WorkerNote | null {
  return workerSchema.safeParse(jsonOf(text)).data ?? null;
}

const sweepSchema = z.object({ sweep: z.string().max(64), codeVersion: z.string().max(200) });
/** What a live driver says of its sweep. */
export type SweepNote = Readonly<z.infer<typeof sweepSchema>>;

export function readSweepNote(text: string): SweepNote | null {
  return sweepSchema.safeParse(jsonOf(text)).data ?? null;
}

function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
