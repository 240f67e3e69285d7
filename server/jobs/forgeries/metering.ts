/**
 * @module
 * Metered forgeries: those under the policy of an instance whose exercise has a budget of attempts. The server
 * derives their seed, because a student who knew it could first search elsewhere whether it wins.
 */

import type { Policy } from '../../../src/identity/policy.ts';
import { faultAt } from '../../contract/faults.ts';
import type { Course } from '../../exercises/course.ts';
import type { Principal } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { JobHooks } from '../job-kind.ts';
import type { ForgeryJob } from './forgery.ts';
import type { ForgeryRequest } from './request.ts';
import { parseForgeryRequest } from './request.ts';

type ForgeryBody = Parameters<typeof parseForgeryRequest>[0];

/**
 * Reads the body of a forgery of any kind. Throws LabError `exercise.closed` for a policy whose exercise forbids it, or
 * as `parseForgeryRequest`.
 */
export function forgeryParser(serverPolicy: Policy, course: Course) {
  return (body: ForgeryBody, principal: Principal): ForgeryRequest => {
    const request = parseForgeryRequest(body, serverPolicy);
    const { policy, goal } = request.task;
    course.assertForgeable(policy, goal.type, principal);
    const work = course.meteredWork(policy, principal);
    if (work === null) return request;
    if (body.seed !== undefined) throw faultAt('schema', '/seed', `must be absent: ${METERED}`);
    if (body.strategy === 'stockpile') {
      throw faultAt('schema', '/strategy', `must make its keys within the budget: ${METERED}`);
    }
    // The number is given when the job is accepted.
    return { ...request, metered: { work, number: 0 } };
  };
}

const METERED = 'the forgery counts for the budget of an exercise';

/** Reserves the attempts of metered forgeries, and charges for them. */
export function meteringHooks(course: Course): JobHooks<ForgeryJob> {
  return {
    onSubmit(asked) {
      const { body, task, metered } = asked;
      if (metered === undefined) return { request: asked, undo: () => undefined };
      const { work } = metered;
      const begun = course.beginForgery(work, task.budget.attempts ?? null);
      const { number, attempts, seed } = begun;
      const budget = { ...task.budget, attempts };
      const request = {
        body: { ...body, budget: { ...body.budget, attempts } },
        task: { ...task, budget, seed },
        metered: { work, number },
      };
      return { request, undo: () => unlessFull(() => course.meter.release(work, number)) };
    },
    onOver({ request: { metered }, state: { result } }) {
      if (metered === undefined) return;
      // What no caller could see is not charged: a job that never ran, or that the end of the server interrupted.
      const { claims = [], ledger } = result ?? {};
      const found = { claims, attempts: ledger?.attempts ?? 0 };
      unlessFull(() => course.meter.end(metered.work, metered.number, found));
    },
  };
}

/** A full disk has been reported already, and what was not stored is stored after a restart. */
function unlessFull(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error;
  }
}
