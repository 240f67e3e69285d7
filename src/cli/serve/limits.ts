/**
 * @module
 * The flags of `usurp serve` that say what one caller may take, and what they mean for the budgets.
 */

import type { Command } from 'commander';
import type { CallerLimits } from '../../../server/callers/caller-budgets.ts';
import { SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { integer } from '../shell/arguments.ts';

export interface LimitOptions {
  readonly rate?: number;
  readonly jobsPerCaller?: number;
  readonly cpuPerHour?: number;
  readonly electionShare?: number;
  readonly streamsPerCaller?: number;
  readonly storagePerCaller?: number;
}

const MEBIBYTE = 2 ** 20;

/** Adds the flags; a 0 lifts a limit. */
export function withLimits(command: Command): Command {
  const { requestsPerSecond, jobs, cpuSecondsPerHour } = SHARED_LIMITS;
  const { electionMsPerSecond, streams, storedBytes } = SHARED_LIMITS;
  return command
    .option(
      '--rate <n>',
      `requests a second of one caller (with tokens: ${requestsPerSecond})`,
      integer(0, 1_000_000),
    )
    .option(
      '--jobs-per-caller <n>',
      `jobs of one caller, waiting and executing (with tokens: ${jobs})`,
      integer(0, 1_000),
    )
    .option(
      '--cpu-per-hour <seconds>',
      `threads times seconds that jobs of one caller have an hour (with tokens: ${cpuSecondsPerHour})`,
      integer(0, 1_000_000),
    )
    .option(
      '--election-share <percent>',
      `of the answering thread for elections of one caller (with tokens: ${electionMsPerSecond / MS_PER_PERCENT})`,
      integer(0, 100),
    )
    .option(
      '--streams-per-caller <n>',
      `open streams of one caller (with tokens: ${streams})`,
      integer(0, 1_000),
    )
    .option(
      '--storage-per-caller <mebibytes>',
      `elections kept for one caller (with tokens: ${storedBytes / MEBIBYTE})`,
      integer(0, 1_000_000),
    );
}

/** The limits that were given; those that were not stay as they are by default. */
export function limitsOf({
  rate,
  jobsPerCaller,
  cpuPerHour,
  electionShare,
  streamsPerCaller,
  storagePerCaller,
}: LimitOptions): Partial<CallerLimits> {
  return {
    ...(rate !== undefined && { requestsPerSecond: rate }),
    ...(jobsPerCaller !== undefined && { jobs: jobsPerCaller }),
    ...(cpuPerHour !== undefined && { cpuSecondsPerHour: cpuPerHour }),
    ...(electionShare !== undefined && { electionMsPerSecond: electionShare * MS_PER_PERCENT }),
    ...(streamsPerCaller !== undefined && { streams: streamsPerCaller }),
    ...(storagePerCaller !== undefined && { storedBytes: storagePerCaller * MEBIBYTE }),
  };
}

const MS_PER_PERCENT = 10;
