/**
 * @module
 * The flags of `usurp serve` that say what one caller may take, and what they mean for the budgets.
 */

import type { Command } from 'commander';
import type { CallerLimits } from '../../../server/callers/caller-budgets.ts';
import { SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { durationOrZero, integer, share } from '../shell/arguments.ts';

export interface LimitOptions {
  readonly rate?: number;
  readonly jobsPerCaller?: number;
  readonly cpuPerHour?: number;
  readonly electionShare?: number;
  readonly slowCheckShare?: number;
  readonly streamsPerCaller?: number;
  readonly storagePerCaller?: number;
}

const MEBIBYTE = 2 ** 20;

/** Adds the flags. 0 removes a limit. */
export function withLimits(command: Command): Command {
  const { requestsPerSecond, jobs, cpuSecondsPerHour } = SHARED_LIMITS;
  const { electionMsPerSecond, slowCheckMsPerSecond, streams, storedBytes } = SHARED_LIMITS;
  return command
    .option(
      '--rate <count>',
      `requests per second of one caller (default with tokens: ${requestsPerSecond})`,
      integer(0, 1_000_000),
    )
    .option(
      '--jobs-per-caller <count>',
      `waiting and running jobs of one caller (default with tokens: ${jobs})`,
      integer(0, 1_000),
    )
    .option(
      '--cpu-per-hour <time>',
      `CPU time of all threads for the jobs of one caller per hour, such as 10m (default with tokens: ${cpuSecondsPerHour}s)`,
      durationOrZero,
    )
    .option(
      '--election-share <share>',
      `share of the answering thread for the elections of one caller, such as 25% (default with tokens: ${electionMsPerSecond / MS_PER_PERCENT}%)`,
      share,
    )
    .option(
      '--slow-check-share <share>',
      `share of a thread for the slow puzzles of the claims of one caller, such as 25% (default with tokens: ${slowCheckMsPerSecond / MS_PER_PERCENT}%)`,
      share,
    )
    .option(
      '--streams-per-caller <count>',
      `open streams of one caller (default with tokens: ${streams})`,
      integer(0, 1_000),
    )
    .option(
      '--storage-per-caller <mebibytes>',
      `storage for the elections of one caller, in MiB (default with tokens: ${storedBytes / MEBIBYTE})`,
      integer(0, 1_000_000),
    );
}

/** The limits that were given; those that were not stay as they are by default. */
export function limitsOf({
  rate,
  jobsPerCaller,
  cpuPerHour,
  electionShare,
  slowCheckShare,
  streamsPerCaller,
  storagePerCaller,
}: LimitOptions): Partial<CallerLimits> {
  return {
    ...(rate !== undefined && { requestsPerSecond: rate }),
    ...(jobsPerCaller !== undefined && { jobs: jobsPerCaller }),
    ...(cpuPerHour !== undefined && { cpuSecondsPerHour: cpuPerHour }),
    ...(electionShare !== undefined && { electionMsPerSecond: electionShare * 1_000 }),
    ...(slowCheckShare !== undefined && { slowCheckMsPerSecond: slowCheckShare * 1_000 }),
    ...(streamsPerCaller !== undefined && { streams: streamsPerCaller }),
    ...(storagePerCaller !== undefined && { storedBytes: storagePerCaller * MEBIBYTE }),
  };
}

const MS_PER_PERCENT = 10;
