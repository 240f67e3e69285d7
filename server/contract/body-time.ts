/**
 * @module
 * The time that reading and checking a body takes on the thread that answers. Its caller pays for it as for its
 * elections, also for a body that is refused. The bodies of a caller that has used up its time wait for a turn.
 */

import type { Context, MiddlewareHandler } from 'hono';
import { nextTurn } from '../callers/work-turns.ts';
import type { Principal } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';

/**
 * Variables of a request. DUE: time for its body, in ms. BEGUN: when the schema of its route began to check the body.
 * Weak maps of requests would keep the garbage collector busy.
 */
const DUE = 'bodyDueMs';
const BEGUN = 'bodyCheckBegunMs';

/** Charges the caller when the request is over, so that a body does not use up the time of its own request. */
export const payForBody: MiddlewareHandler = async (c, next) => {
  try {
    await next();
  } finally {
    // A refusal because the time is used up has stated when there is time again.
    const isSpent = c.error instanceof OverloadError && c.error.code === 'limit.rate';
    if (!isSpent) principalOf(c)?.charge(dueMs(c));
  }
};

/** Waits for a turn of the caller, if it has used up its time. */
export async function bodyTurn(c: Context): Promise<void> {
  const principal = principalOf(c);
  if (principal !== null && principal.waitMs() > 0) await nextTurn('body', principal);
}

/** Does work on a body at the expense of its caller. */
export function chargedForBody<T>(c: Context, work: () => T): T {
  const beganMs = performance.now();
  try {
    return work();
  } finally {
    addDue(c, beganMs);
  }
}

/** Says that the schema checks the body next. */
export function beginCheck(c: Context): void {
  c.set(BEGUN, performance.now());
}

/** Says that the schema has checked it. */
export function endCheck(c: Context): void {
  const begunMs: number | undefined = c.get(BEGUN);
  c.set(BEGUN, undefined);
  if (begunMs !== undefined) addDue(c, begunMs);
}

function addDue(c: Context, beganMs: number): void {
  c.set(DUE, dueMs(c) + performance.now() - beganMs);
}

function dueMs(c: Context): number {
  const ms: number | undefined = c.get(DUE);
  return ms ?? 0;
}

/** Null outside the layers of the app. */
function principalOf(c: Context): Principal | null {
  // Routes are used within these layers, except in tests of single routers.
  const principal: Principal | undefined = c.get('principal');
  return principal ?? null;
}
