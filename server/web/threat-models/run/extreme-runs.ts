/**
 * @module
 * The extreme runs of a model: a sweep of one cell keeps the seeds of its first run with the property, of the first
 * without it, and of those with the fewest and the most messages.
 */

import { readResult } from '../../parts/download.tsx';
import { isRecord } from '../form/form-schema.ts';

/** A run by its seed, as `usurp run --seed … --runs 1` repeats it. */
export interface ExtremeRun {
  readonly protocols: readonly string[];
  readonly what: string;
  readonly seed: string;
}

/** Runs whose seeds are kept take more room than those of a verdict. */
export const EXTREME_RUNS_MAX = 10_000;

/** The document without the axes of its sweep, so that a sweep of it has one cell. */
export function withoutSweep(data: unknown): Record<string, unknown> {
  if (!isRecord(data)) return {};
  const { sweep: _, ...rest } = data;
  return rest;
}

/** The extreme runs in the table of cells of a sweep that is over. */
export async function loadExtremes(job: string): Promise<readonly ExtremeRun[]> {
  const response = await readResult(`/v1/jobs/${job}/results/cells`, 'application/json');
  const rows: unknown = await response.json();
  return Array.isArray(rows) ? rows.filter(isRecord).flatMap(extremesOf) : [];
}

function extremesOf(row: Readonly<Record<string, unknown>>): readonly ExtremeRun[] {
  const protocols = String(row.protocol ?? '')
    .split(' ')
    .filter((name) => name !== '');
  const count = (value: unknown) => `${value} ${value === 1 ? 'message' : 'messages'}`;
  const found: readonly (readonly [string, unknown])[] = [
    ['The first run with the property', row.wonSeed],
    ['The first run without it', row.lostSeed],
    // Sampled runs draw the winner and send nothing.
    ...(Number(row.messagesMax) > 0
      ? ([
          [`The fewest messages: ${count(row.messagesMin)}`, row.messagesMinSeed],
          [`The most messages: ${count(row.messagesMax)}`, row.messagesMaxSeed],
        ] as const)
      : []),
  ];
  return found.flatMap(([what, seed]) =>
    typeof seed === 'string' && seed !== '' ? [{ protocols, what, seed }] : [],
  );
}
