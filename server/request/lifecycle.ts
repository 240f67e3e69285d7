/**
 * @module
 * The phases of the server: it restores what it kept, is ready, and drains before it stops. The gate
 * refuses requests unless the server is ready, except those about the server itself. Streams register a
 * listener, so that they can send a last event when draining begins.
 */

import type { MiddlewareHandler } from 'hono';

import { OverloadError } from './refusals.ts';

export type Phase = 'restoring' | 'ready' | 'draining';

/** The phase of one server. It goes from restoring to ready to draining, and never back. */
export class Lifecycle {
  #phase: Phase;
  readonly #listeners = new Set<() => void>();

  constructor(phase: Phase = 'restoring') {
    this.#phase = phase;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Number of listeners that wait for draining. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Makes a restoring server ready. Has no effect on a draining server. */
  restored(): void {
    if (this.#phase === 'restoring') this.#phase = 'ready';
  }

  /** Begins draining and calls every listener once. */
  drain(): void {
    if (this.#phase === 'draining') return;
    this.#phase = 'draining';
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /**
   * Calls the listener when draining begins, or at once if it has begun. Returns a function that removes
   * the listener. A stream that ends earlier must call it.
   */
  onDrain(listener: () => void): () => void {
    if (this.#phase === 'draining') {
      listener();
      return () => undefined;
    }
    // A new function, so that a listener can be registered twice.
    const registered = () => listener();
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
  }
}

const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether requests for this path are answered in every phase. */
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

/** Throws OverloadError `server.unready` in every phase but ready. */
export function assertReady(phase: Phase): void {
  if (phase === 'restoring') {
    throw new OverloadError('server.unready', 'elections are being restored', RESTORING_RETRY_S);
  }
  if (phase === 'draining') {
    throw new OverloadError('server.unready', 'the server is stopping', CLOSING_RETRY_S);
  }
}

/** Restoring a full store takes seconds. */
const RESTORING_RETRY_S = 1;

/** Draining ends within ten seconds. The next server at this address has started by then. */
export const CLOSING_RETRY_S = 10;
