/**
 * @module
 * The layer right behind the tokens: counts every request against its caller's budget before anything
 * is parsed or looked up, so that refusing costs next to nothing, and says to all that is below on
 * whose behalf it works.
 */

import type { MiddlewareHandler } from 'hono';
import type { ServerEnv } from '../router.ts';
import { onBehalfOf } from './asker.ts';
import { callerOf } from './caller.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { CallerTurns } from './caller-turns.ts';

/** Throws OverloadError `limit.rate` for callers who ask too often; others begin by turns. */
export function callerGate(budgets: CallerBudgets): MiddlewareHandler<ServerEnv> {
  const turns = new CallerTurns();
  return async (c, next) => {
    const caller = callerOf(c);
    if (isRationed(c.req.path)) {
      budgets.takeRequest(caller);
      // Only those who are told apart can be unfair to each other.
      const turn = c.get('holder') === undefined ? null : turns.take(caller);
      if (turn !== null) await turn;
    }
    const asker = {
      caller,
      holder: c.get('holder') ?? null,
      isAdmin: c.get('isAdmin') ?? false,
      charge: (ms: number) => budgets.chargeElectionTime(caller, ms),
      chargeCpu: (seconds: number) => budgets.chargeCpu(caller, seconds),
    };
    return onBehalfOf(asker, next);
  };
}

/** Whether requests for the path count: a server that is asked whether it lives says so to everybody. */
export function isRationed(path: string): boolean {
  return path !== '/healthz' && path !== '/readyz';
}
