/**
 * @module
 * Whether the server answers. While it does not, the lab asks every second, and what was interrupted goes on when it
 * answers again.
 */

import { signal } from '@preact/signals';

const RETRY_MS = 1_000;

/** False from a request without an answer until the server answers again. */
export const isServerUp = signal(true);

let waiting: Promise<void> | null = null;

export function serverAnswered(): void {
  isServerUp.value = true;
}

export function serverLost(): void {
  isServerUp.value = false;
  void untilServerIsUp();
}

/** Resolves when the server answers. */
export function untilServerIsUp(): Promise<void> {
  if (isServerUp.value) return Promise.resolve();
  waiting ??= poll().finally(() => {
    waiting = null;
  });
  return waiting;
}

async function poll(): Promise<void> {
  while (!isServerUp.value) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    try {
      const response = await fetch('/readyz');
      if (response.ok) serverAnswered();
    } catch {
      // It still does not answer.
    }
  }
}
