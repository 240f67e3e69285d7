/**
 * @module
 * Turns for work that nobody waits for closely: one slice of it in each turn of the event loop, whoever
 * it is for, so that however many listen, requests are answered between two slices.
 */

const waiting: (() => void)[] = [];

/** Resolves when it is the caller's turn, first come first served. */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) setImmediate(giveTurn);
  return promise;
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
