/**
 * @module
 * Carries out a check on this machine: its threads, its progress, and the file from which it can be resumed.
 */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import type { CheckResult, Progress } from '../../checking/check.ts';
import { check, stoppedResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { searchOptionsOf } from '../../checking/check-request.ts';
import type { Search } from '../../checking/search.ts';
import { LabError } from '../../errors.ts';
import { formatCount } from '../../operations/figures.ts';
import type { Exploring, OperationProgress } from '../../operations/machine.ts';
import { openSearch, saveSearch } from '../files/search-file.ts';
import { createCrew } from './search-crew.ts';
import { createWalkers } from './walk-crew.ts';

/** Files of a check. */
export interface SearchFiles {
  /** File to which the search is saved. */
  readonly checkpoint?: string | undefined;
  /** Time between two of them, in seconds. */
  readonly checkpointEvery: number;
  /** File of the search to continue. */
  readonly resume?: string | undefined;
  /** Receives what was saved. */
  readonly onSaved: (text: string) => void;
}

const NO_FILES: SearchFiles = { checkpointEvery: 0, onSaved: () => undefined };

/** Checks until the result is known or the signal aborts. Then the result is capped. */
export async function explore(
  request: CheckRequest,
  how: Exploring,
  files: SearchFiles = NO_FILES,
): Promise<CheckResult> {
  const { statesMax, bytesMax, threads } = how;
  const { checkpoint, resume } = files;
  if (checkpoint !== undefined && checkpoint !== resume && existsSync(checkpoint)) {
    const detail = `${checkpoint} exists; continue it with --resume ${checkpoint}, or remove the file`;
    throw new LabError('file.exists', detail);
  }
  const search = searchOptionsOf(request, { statesMax, bytesMax });
  const opened = resume === undefined ? null : openSearch(resume, request);
  const { walks } = request;
  const started =
    walks === undefined ? createCrew(request, threads) : createWalkers(request, walks, threads);
  const memoryBefore = memoryUsed();
  // The memory limit applies to this search, and not to the whole process.
  const taken = () => memoryUsed() - memoryBefore;
  try {
    const { crew, walkers } = { crew: undefined, walkers: undefined, ...started };
    const nowMs = () => performance.now();
    const parts = { crew, walkers, resumed: opened?.resumed };
    const steps = inTurns(nowMs, (isDue) =>
      check({ ...search, ...parts, memoryUsed: taken, isDue }),
    );
    return await finish(steps, request, { ...how, ...files, taken });
  } finally {
    opened?.close();
    await started.close();
  }
}

/** Bytes that this process has, or this thread without what it shares with others. */
function memoryUsed(): number {
  return isMainThread ? process.memoryUsage.rss() : getHeapStatistics().used_heap_size;
}

async function finish(
  steps: Generator<Progress, CheckResult>,
  request: CheckRequest,
  how: Exploring & SearchFiles & { readonly taken: () => number },
): Promise<CheckResult> {
  const { signal, onProgress, checkpoint, checkpointEvery, onSaved, taken } = how;
  const started = performance.now();
  let savedMs = started;
  const explored = exploredInAll();
  let last: Search | null = null;
  const save = () => {
    if (checkpoint === undefined || last === null) return;
    saveSearch(checkpoint, request, last);
    onSaved(`saved to ${checkpoint}: ${formatCount(last.counts.states)} worlds`);
  };
  let step = steps.next();
  while (step.done !== true && !signal.aborted) {
    const { search = null, counts } = step.value;
    last = search ?? last;
    const { done, sinceStart } = explored(counts.states);
    const seconds = (performance.now() - started) / 1000;
    // A coarse clock may show no time at the first step.
    const perSecond = seconds > 0 ? sinceStart / seconds : 0;
    onProgress(progressOf(step.value, done, perSecond, taken()));
    if (search !== null && performance.now() - savedMs >= 1000 * checkpointEvery) {
      save();
      savedMs = performance.now();
    }
    await setImmediate();
    step = steps.next();
  }
  const result = step.done === true ? step.value : stoppedResult(step.value);
  if (result.type === 'capped') save();
  return result;
}

/**
 * Adds up the worlds of all searches of a check. A check searches again if an assumption of its reduction was wrong, or
 * for the shortest path to a violation. Then the count of the search begins anew, but the progress goes on.
 */
function exploredInAll() {
  let [earlier, before, first] = [0, 0, -1];
  return (states: number) => {
    if (first < 0) first = states;
    if (states < before) earlier += before;
    before = states;
    return { done: earlier + states, sinceStart: earlier + states - first };
  };
}

function progressOf(
  { counts, walks }: Progress,
  states: number,
  perSecond: number,
  bytes: number,
): OperationProgress {
  const { transitions, depth, queue } = counts;
  const rate = `${formatCount(Math.round(perSecond))}/s`;
  const memory = `${Math.round(Math.max(0, bytes) / 2 ** 20)} MB`;
  return walks === null
    ? {
        now: `worlds, ${rate}, depth ${depth}, ${formatCount(queue)} to explore, ${memory}`,
        done: states,
        total: null,
      }
    : {
        now: `walks, ${formatCount(transitions)} actions, ${rate}, ${memory}`,
        done: walks.count,
        total: null,
      };
}

const TURN_MS = 100;

/** The steps of a search, which asks whether its caller is due. Each step begins the time anew. */
function* inTurns<Step, Result>(
  nowMs: () => number,
  start: (isDue: () => boolean) => Generator<Step, Result>,
): Generator<Step, Result> {
  let wentOnMs = nowMs();
  const steps = start(() => nowMs() - wentOnMs >= TURN_MS);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield step.value;
    wentOnMs = nowMs();
  }
}
