/**
 * @module
 * Runs a check: its threads, its progress line, and the file from which it can be resumed.
 */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { CheckResult, Progress } from '../../checking/check.ts';
import { check, stoppedResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { searchOptionsOf } from '../../checking/check-request.ts';
import type { Search, SearchCounts } from '../../checking/search.ts';
import { inTurns } from '../../checking/visited/turns.ts';
import { LabError } from '../../errors.ts';
import { formatCount } from '../../operations/figures.ts';
import { openSearch, saveSearch } from '../../runtime/files/search-file.ts';
import { createCrew } from '../../runtime/threads/search-crew.ts';
import { createWalkers } from '../../runtime/threads/walk-crew.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface RunningOptions {
  readonly maxStates: number;
  /** Bytes. */
  readonly maxMemory: number;
  readonly threads: number;
  /** File to which the search is saved. */
  readonly checkpoint?: string;
  /** Seconds. */
  readonly checkpointEvery: number;
  /** File of the search to continue. */
  readonly resume?: string;
  /** Text at the beginning of each progress line. */
  readonly label?: string;
}

/** Checks until the result is known or the user stops the check. Then the result is capped. */
export async function explore(
  request: CheckRequest,
  options: RunningOptions,
  terminal: Terminal,
): Promise<{ readonly result: CheckResult; readonly isStopped: boolean }> {
  const { maxStates: statesMax, maxMemory: bytesMax, checkpoint, resume } = options;
  if (checkpoint !== undefined && checkpoint !== resume && existsSync(checkpoint)) {
    const detail = `${checkpoint} exists; continue it with --resume ${checkpoint}, or remove the file`;
    throw new LabError('file.exists', detail);
  }
  const search = searchOptionsOf(request, { statesMax, bytesMax });
  const opened = resume === undefined ? null : openSearch(resume, request);
  const { walks } = request;
  const { threads } = options;
  const started =
    walks === undefined ? createCrew(request, threads) : createWalkers(request, walks, threads);
  const memoryBefore = process.memoryUsage.rss();
  const memoryUsed = () => process.memoryUsage.rss() - memoryBefore;
  try {
    const { crew, walkers } = { crew: undefined, walkers: undefined, ...started };
    const nowMs = () => performance.now();
    const parts = { crew, walkers, memoryUsed, resumed: opened?.resumed };
    const steps = inTurns(nowMs, (isDue) => check({ ...search, ...parts, isDue }));
    return await finish(steps, request, options, terminal);
  } finally {
    opened?.close();
    await started.close();
  }
}

async function finish(
  steps: Generator<Progress, CheckResult>,
  request: CheckRequest,
  { checkpoint, checkpointEvery, label = '' }: RunningOptions,
  terminal: Terminal,
) {
  const started = performance.now();
  let [savedMs, statesFirst] = [started, -1];
  let last: Search | null = null;
  const save = () => {
    if (checkpoint === undefined || last === null) return;
    saveSearch(checkpoint, request, last);
    terminal.note(`saved to ${checkpoint}: ${formatCount(last.counts.states)} worlds`);
  };
  let step = steps.next();
  while (step.done !== true && !terminal.signal.aborted) {
    const { counts, walks, search = null } = step.value;
    last = search ?? last;
    if (statesFirst < 0) statesFirst = counts.states;
    const seconds = (performance.now() - started) / 1000;
    terminal.progress(() => {
      const rate = (counts.states - statesFirst) / seconds;
      return label + progressText(counts, walks, rate);
    });
    if (search !== null && performance.now() - savedMs >= 1000 * checkpointEvery) {
      save();
      savedMs = performance.now();
    }
    await setImmediate();
    step = steps.next();
  }
  const result = step.done === true ? step.value : stoppedResult(step.value);
  if (result.type === 'capped') save();
  return { result, isStopped: terminal.signal.aborted && step.done !== true };
}

function progressText(
  { states, transitions, depth, queue }: SearchCounts,
  walks: Progress['walks'],
  perSecond: number,
): string {
  const rate = formatCount(Math.round(perSecond));
  const memory = Math.round(process.memoryUsage.rss() / 2 ** 20);
  return walks === null
    ? `${formatCount(states)} worlds, ${rate}/s, depth ${depth}, ${formatCount(queue)} to explore, ${memory} MB`
    : `${formatCount(walks.count)} walks, ${formatCount(transitions)} actions, ${rate}/s, ${memory} MB`;
}
