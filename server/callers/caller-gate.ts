/**
 * @module
 * The layer behind the tokens: it counts each request against the budget of its caller before the
 * request is parsed, so that a refusal costs little.
 */

import type { MiddlewareHandler } from 'hono';

import type { RequestContext, ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { Tallies } from './tallies.ts';
import { RoundRobin } from './work-turns.ts';

/**
 * Throws OverloadError `limit.rate` for a caller with too many requests per second, `limit.connections`
 * for one with too many unanswered requests. The requests of several callers begin in turns.
 */
export function callerGate(budgets: CallerBudgets): MiddlewareHandler<ServerEnv> {
  const turns = new CallerTurns();
  const unanswered = new Tallies();
  return async (c, next) => {
    const { caller, owner } = c.get('principal');
    // A request that the server sends to itself is part of another request.
    if (!isRationed(c.req.method, c.req.path) || bindingsOf(c).principal !== undefined) {
      return next();
    }
    budgets.takeRequest(caller);
    // Only callers with tokens can be told apart.
    if (owner === undefined) return next();
    budgets.assertAnswer(unanswered.of(caller));
    whenAnswered(c, unanswered.open(caller));
    const turn = turns.take(caller);
    if (turn !== null) await turn;
    return next();
  };
}

/** Calls back when the answer is sent or the caller has disconnected; at once if there is no socket. */
function whenAnswered(c: RequestContext, callback: () => void): void {
  const { outgoing } = bindingsOf(c);
  if (outgoing === undefined || outgoing.destroyed) callback();
  else outgoing.once('close', callback);
}

/**
 * Whether requests for the path count. Health checks are always answered. Of signing in, only failures count, because
 * callers at one address cannot be told apart before it.
 */
export function isRationed(method: string, path: string): boolean {
  if (path === '/v1/sessions') return method !== 'POST';
  return path !== '/healthz' && path !== '/readyz';
}

/**
 * The order in which requests begin: one of each caller in each turn of the event loop. A caller that
 * sends few requests therefore waits for one request of each other caller at most.
 */
export class CallerTurns {
  /** Callers of which a request has begun in this turn. */
  readonly #begun = new Set<string>();
  readonly #lines = new RoundRobin<() => void>();

  get waiting(): number {
    return this.#lines.size;
  }

  /** Null if the request may begin at once, else a promise that resolves when it may. */
  take(caller: string): Promise<void> | null {
    if (!this.#begun.has(caller)) {
      this.#begin(caller);
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lines.push(caller, resolve);
    return promise;
  }

  #begin(caller: string): void {
    if (this.#begun.size === 0) setImmediate(this.#nextTurn);
    this.#begun.add(caller);
  }

  readonly #nextTurn = (): void => {
    this.#begun.clear();
    for (const caller of this.#lines.keys()) {
      this.#begin(caller);
      this.#lines.take((key) => key === caller)?.();
    }
  };
}
