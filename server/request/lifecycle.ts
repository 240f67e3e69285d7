/**
 * @module
 * Where the server stands: restoring what it kept, ready, or draining on its way out. The gate lets
 * nothing but the questions about the server itself pass unless it is ready; what lasts longer than
 * one answer (streams) asks to be told when draining begins, so that it can end with a last word.
 */

import type { MiddlewareHandler } from 'hono';

import { OverloadError } from './refusals.ts';

export type Phase = 'restoring' | 'ready' | 'draining';

/** Goes from restoring to ready to draining and never back. */
export class Lifecycle {
  #phase: Phase;
  readonly #listeners = new Set<() => void>();

  constructor(phase: Phase = 'restoring') {
    this.#phase = phase;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** What was kept is there again; changes nothing once the server is draining. */
  restored(): void {
    if (this.#phase === 'restoring') this.#phase = 'ready';
  }

  /** Refuses what comes from now on and tells every listener once. */
  drain(): void {
    if (this.#phase === 'draining') return;
    this.#phase = 'draining';
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /**
   * Calls the listener when draining begins, at once if it has begun. Returns a function that takes
   * the listener away again: a stream that ends earlier must call it, or the listener stays.
   */
  onDrain(listener: () => void): () => void {
    if (this.#phase === 'draining') {
      listener();
      return () => undefined;
    }
    // A function of its own, so that one listener registered twice is two.
    const registered = () => listener();
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
  }

  /** How many listeners wait for the end. */
  get listeners(): number {
    return this.#listeners.size;
  }
}

/** Paths that say how the server is, whatever it is. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether the gate lets requests for this path pass in every phase. */
export function isAlwaysAnswered(path: string): boolean {
  return ALWAYS_ANSWERED.has(path);
}

/** Throws OverloadError `server.unready` while the server is not ready. */
export function lifecycleGate(lifecycle: Lifecycle): MiddlewareHandler {
  return async (c, next) => {
    if (!isAlwaysAnswered(c.req.path)) assertReady(lifecycle.phase);
    await next();
  };
}

/** Throws OverloadError `server.unready` in every phase but one. */
export function assertReady(phase: Phase): void {
  switch (phase) {
    case 'ready':
      return;
    case 'restoring':
      throw new OverloadError('server.unready', 'elections are being restored', RESTORING_RETRY_S);
    case 'draining':
      throw new OverloadError('server.unready', 'the server is stopping', DRAINING_RETRY_S);
    default:
      phase satisfies never;
  }
}

/** Restoring a full store takes seconds. */
const RESTORING_RETRY_S = 1;

/** Draining ends within ten seconds; whoever answers here afterwards has then started. */
const DRAINING_RETRY_S = 10;
