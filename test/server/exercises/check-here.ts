/**
 * @module
 * Executes checks in the thread of the test. A thread for the check of every student would take most of the time.
 */

import type { CheckJob } from '../../../server/jobs/checks/check.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import { check } from '../../../src/checking/check.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import { checkAnswer, checkedInstance } from '../../../src/experiment/checks/answer.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';

const BYTES_MAX = 64 * 2 ** 20;

export const checkHere: Execute<CheckJob> = ({ check: asked, maxStates: statesMax }) => {
  const request = requestOf(asked);
  const search = check(searchOptionsOf(request, { statesMax, bytesMax: BYTES_MAX }));
  let step = search.next();
  while (step.done !== true) step = search.next();
  const answer = checkAnswer(checkedInstance(request, false), step.value);
  return Promise.resolve({ answer, counterexample: null, rings: null });
};
