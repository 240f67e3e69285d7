/**
 * @module
 * What a load came to, in words: answers and latencies by operation, streams, the flooder, memory.
 */

import type { Followed, Sample } from './callers.ts';
import type { Flooded } from './flooder.ts';
import type { Testimony } from './memory-witness.ts';

export interface Memory {
  /** A server that has answered nothing. */
  readonly fresh: Testimony;
  /** After the same load for a short time, when everything was deleted. */
  readonly before: Testimony;
  readonly after: Testimony;
  readonly during: {
    readonly cores: number;
    readonly heap: readonly number[];
    readonly rss: readonly number[];
  };
}

/** A line for all requests, and one for each operation. */
export function printSamples(samples: readonly Sample[]): void {
  const names = [...new Set(samples.map(({ operation }) => operation))].toSorted();
  const rows = [
    rowOf('all', samples),
    ...names.map((name) => {
      return rowOf(
        name,
        samples.filter(({ operation }) => operation === name),
      );
    }),
  ];
  const headings = ['', 'requests', 'answered', 'p50 ms', 'p99 ms', 'max ms', 'refused'];
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [headings, ...rows]) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
  const slow = samples.filter(({ ms }) => ms > SLOW_MS).map(({ atMs }) => Math.floor(atMs / 1000));
  const seconds = [...new Set(slow)].join(', ');
  console.log(
    `above ${SLOW_MS} ms: ${slow.length}${slow.length > 0 ? `, in seconds ${seconds}` : ''}`,
  );
}

const SLOW_MS = 250;

export function printStreams({ events, faults, lagsMs }: Followed, silent: number): void {
  console.log(
    `streams: ${events} events, ${faults} lost, doubled or broken; first event of an action after ${latencyText(lagsMs)}; ${silent} without the event of the end`,
  );
}

export function printFlood({ answered, seconds, statuses, errors, unsent }: Flooded): void {
  const shares = Object.entries(statuses).map(
    ([status, count]) => `${status} ${percent(count / answered)}`,
  );
  console.log(
    `flooder: ${(answered / seconds).toFixed(0)}/s answered; ${shares.join(', ')}; ${errors} connections broke, ${unsent} were not sent for want of answers`,
  );
}

export function printMemory({ fresh, before, after, during }: Memory): void {
  console.log(`server: ${during.cores.toFixed(2)} cores, all threads together`);
  for (const name of ['heapUsed', 'external', 'rss'] as const) {
    const [atFirst, then, now] = [fresh[name], before[name], after[name]].map(mebibytes);
    const ratio = (after[name] / before[name]).toFixed(3);
    console.log(
      `${name} after collection: ${then} before, ${now} afterwards (${ratio}); ${atFirst} fresh`,
    );
  }
  const [heap, rss] = [during.heap, during.rss].map((all) => mebibytes(Math.max(...all)));
  console.log(`during, at most: heap ${heap}, rss ${rss}`);
}

function rowOf(name: string, samples: readonly Sample[]): string[] {
  const answered = samples.filter(({ status }) => status >= 200 && status < 300);
  const refusals = new Map<number, number>();
  for (const { status } of samples) {
    if (status < 200 || status >= 300) refusals.set(status, (refusals.get(status) ?? 0) + 1);
  }
  // Those that were not answered well count as slow as they were.
  const sorted = samples.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return [
    name,
    String(samples.length),
    percent(answered.length / samples.length),
    ...[0.5, 0.99, 1].map((share) => quantile(sorted, share).toFixed(1)),
    [...refusals].map(([status, count]) => `${status}: ${count}`).join(', '),
  ];
}

function latencyText(ms: readonly number[]): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(sorted, share).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, at most ${max} ms`;
}

/** The smallest number that is not below this share of the numbers. NaN if there are none. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
