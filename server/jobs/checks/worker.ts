/**
 * @module
 * The thread of one check. Between two slices of its search it reports what it has, and can be cancelled.
 */

import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { CheckResult } from '../../../src/checking/check.ts';
import { check, stoppedResult } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { SearchCounts } from '../../../src/checking/search.ts';
import { inTurns } from '../../../src/checking/visited/turns.ts';
import { LabError } from '../../../src/errors.ts';
import { checkAnswer, checkedInstance } from '../../../src/experiment/checks/answer.ts';
import { cheapestAnswer } from '../../../src/experiment/checks/cheapest-answer.ts';
import type {
  CheapestAttack,
  CostlyAttack,
} from '../../../src/experiment/checks/cheapest-attack.ts';
import { findCheapestAttack } from '../../../src/experiment/checks/cheapest-attack.ts';
import type { Violated } from '../../../src/experiment/checks/counterexample.ts';
import {
  counterexampleOf,
  counterexampleText,
  writtenCheck,
} from '../../../src/experiment/checks/counterexample.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import type { CheckedRing } from '../../../src/experiment/checks/rings.ts';
import { ringRows, ringsOf, worstOf } from '../../../src/experiment/checks/rings.ts';
import { usedFiles } from '../../../src/runtime/load/used-files.ts';
import { writtenTrace } from '../../../src/simulation/report/trace-formats.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { CheckOutcome, Counterexamples } from './check.ts';
import { ACTIONS_MAX, CHECK_BYTES_MAX } from './check.ts';
import type { CheckOrder } from './request.ts';

/** The heap of this thread before its check. */
const HEAP_BEFORE = getHeapStatistics().used_heap_size;

await answerJob<CheckOrder, SearchCounts, CheckOutcome>(async (order, { onProgress, signal }) => {
  const report = rateLimited(onProgress);
  const limits = { statesMax: order.maxStates, bytesMax: CHECK_BYTES_MAX };
  /** What was found until then, if the check is cancelled. */
  const explore = async (request: CheckRequest): Promise<CheckResult> => {
    const asked = { ...searchOptionsOf(request, limits), memoryUsed: heapUsed };
    const nowMs = () => performance.now();
    const steps = inTurns(nowMs, (isDue) => check({ ...asked, isDue }));
    let step = steps.next();
    while (step.done !== true && !signal.aborted) {
      const { counts } = step.value;
      report(() => counts);
      await setImmediate();
      step = steps.next();
    }
    return step.done === true ? step.value : stoppedResult(step.value);
  };
  if (order.attack !== null) {
    const found = await findCheapestAttack(order.attack, async (request) => {
      const result = await explore(request);
      return signal.aborted ? null : result;
    });
    return cheapestOutcome(order.attack, found);
  }
  const request = requestOf(order.check);
  const rings = order.isEveryRing ? ringsOf(request.ring.length) : [request.ring];
  const done: CheckedRing[] = [];
  for (const ring of rings) {
    const asked = { ...request, ring };
    done.push({ request: asked, result: await explore(asked) });
    if (signal.aborted) break;
  }
  const worst = worstOf(done);
  const rows = order.isEveryRing ? { count: rings.length, checked: ringRows(done) } : null;
  return { ...outcomeOf(worst, order.check.properties !== undefined), rings: rows };
});

/** Bytes of the values of a search: states of nodes, messages and steps. The visited worlds are not in the heap. */
function heapUsed(): number {
  return getHeapStatistics().used_heap_size - HEAP_BEFORE;
}

function cheapestOutcome(attack: CostlyAttack, found: CheapestAttack): CheckOutcome {
  const { outcome } = found.cheapest ?? {};
  return {
    ...{ answer: null, rings: null, cheapest: cheapestAnswer(attack, found) },
    counterexample: outcome === undefined ? null : violationOf(outcome.request, outcome.result),
  };
}

function outcomeOf(
  { request, result }: CheckedRing,
  isChosen: boolean,
): Omit<CheckOutcome, 'rings'> {
  return {
    answer: checkAnswer(checkedInstance(request, isChosen), result),
    counterexample: result.type === 'violated' ? violationOf(request, result) : null,
  };
}

/** Throws LabError `job.size` for a counterexample that is too long to be kept. */
function violationOf(request: CheckRequest, result: Violated): Counterexamples {
  const { length } = result.trace.actions;
  if (length <= ACTIONS_MAX) return writtenViolation(request, result);
  const detail = `${result.property.name} is violated after ${length} actions; at most ${ACTIONS_MAX} are kept: submit it with the order breadth, or run usurp check`;
  throw new LabError('job.size', detail);
}

/** The files that `usurp check --save` and `--trace` write. */
function writtenViolation(request: CheckRequest, result: Violated): Counterexamples {
  const run = writtenCheck(request, result.trace.actions, result.cycleFrom);
  return {
    'application/json': counterexampleText(counterexampleOf(request, result), usedFiles()),
    'image/svg+xml': writtenTrace(run, 'svg'),
    'text/plain': writtenTrace(run, 'txt'),
  };
}
