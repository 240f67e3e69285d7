/**
 * @module
 * The layer right behind the tokens: counts every request against its caller's budget before anything
 * is parsed or looked up, so that refusing costs next to nothing, and says to all that is below on
 * whose behalf it works.
 */

import type { Context, MiddlewareHandler } from 'hono';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import { callerOf } from './caller.ts';
import { CallerAnswers } from './caller-answers.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import { CallerTurns } from './caller-turns.ts';
import { currentAsker, onBehalfOf } from './principal.ts';

/**
 * Throws OverloadError `limit.rate` for callers who ask too often, `limit.connections` for those of whom
 * too many requests are being answered; others begin by turns.
 */
export function callerGate(budgets: CallerBudgets): MiddlewareHandler<ServerEnv> {
  const turns = new CallerTurns();
  const answers = new CallerAnswers(budgets);
  return async (c, next) => {
    const caller = callerOf(c);
    if (isRationed(c.req.path)) {
      budgets.takeRequest(caller);
      // Only those who are told apart can be unfair to each other.
      if (c.get('holder') !== undefined) {
        // What an answer looks up is a part of it.
        if (currentAsker() === null) whenAnswered(c, answers.begin(caller));
        const turn = turns.take(caller);
        if (turn !== null) await turn;
      }
    }
    const asker = {
      caller,
      holder: c.get('holder') ?? null,
      isAdmin: c.get('isAdmin') ?? false,
      waitMs: () => budgets.electionWaitMs(caller),
      charge: (ms: number) => budgets.chargeElectionTime(caller, ms),
    };
    return onBehalfOf(asker, next);
  };
}

/** Calls back when the last byte is taken or the caller has gone; without a socket there is nothing to take. */
function whenAnswered(c: Context<ServerEnv>, callback: () => void): void {
  const { outgoing } = bindingsOf(c);
  if (outgoing === undefined || outgoing.destroyed) callback();
  else outgoing.once('close', callback);
}

/** Whether requests for the path count: a server that is asked whether it lives says so to everybody. */
export function isRationed(path: string): boolean {
  return path !== '/healthz' && path !== '/readyz';
}
