/**
 * @module
 * The turns of the caller of a search. Between two of them it can neither report nor stop, so that a turn is due after a
 * short time, even if the steps of a machine are slow.
 */

const TURN_MS = 100;

/** The steps of a search, which asks whether its caller is due. Each step begins the time anew. */
export function* inTurns<Step, Result>(
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
