/**
 * @module
 * The thread of one check. Between two slices of its search it reports what it has, and can be cancelled.
 */

import { setImmediate } from 'node:timers/promises';
import { check, stoppedResult } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { SearchCounts } from '../../../src/checking/search.ts';
import { LabError } from '../../../src/errors.ts';
import { checkAnswer, checkedInstance } from '../../../src/experiment/checks/answer.ts';
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

await answerJob<CheckOrder, SearchCounts, CheckOutcome>(async (order, { onProgress, signal }) => {
  const request = requestOf(order.check);
  const rings = order.isEveryRing ? ringsOf(request.ring.length) : [request.ring];
  const report = rateLimited(onProgress);
  const done: CheckedRing[] = [];
  for (const ring of rings) {
    const asked = { ...request, ring };
    const limits = { statesMax: order.maxStates, bytesMax: CHECK_BYTES_MAX };
    const steps = check(searchOptionsOf(asked, limits));
    let step = steps.next();
    while (step.done !== true && !signal.aborted) {
      const { counts } = step.value;
      report(() => counts);
      await setImmediate();
      step = steps.next();
    }
    done.push({
      request: asked,
      result: step.done === true ? step.value : stoppedResult(step.value),
    });
    if (signal.aborted) break;
  }
  const worst = worstOf(done);
  const rows = order.isEveryRing ? { count: rings.length, checked: ringRows(done) } : null;
  return { ...outcomeOf(worst, order.check.properties !== undefined), rings: rows };
});

function outcomeOf(
  { request, result }: CheckedRing,
  isChosen: boolean,
): Omit<CheckOutcome, 'rings'> {
  if (result.type === 'violated' && result.trace.actions.length > ACTIONS_MAX) {
    const detail = `${result.property.name} is violated after ${result.trace.actions.length} actions; at most ${ACTIONS_MAX} are kept: submit it with the order breadth, or run usurp check`;
    throw new LabError('job.size', detail);
  }
  return {
    answer: checkAnswer(checkedInstance(request, isChosen), result),
    counterexample: result.type === 'violated' ? writtenViolation(request, result) : null,
  };
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
