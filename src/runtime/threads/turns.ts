/**
 * @module
 * The turns of whoever runs a search in its thread. Between two of them it reacts to nothing, so that a turn is due after a
 * short time, even if the steps of a machine are slow.
 */

import { performance } from 'node:perf_hooks';

const TURN_MS = 100;

/** The steps of a search, which can ask whether its caller is due. Each step begins the time anew. */
export function* inTurns<Step, Result>(
  start: (isDue: () => boolean) => Generator<Step, Result>,
): Generator<Step, Result> {
  let wentOnMs = performance.now();
  const steps = start(() => performance.now() - wentOnMs >= TURN_MS);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield step.value;
    wentOnMs = performance.now();
  }
}
