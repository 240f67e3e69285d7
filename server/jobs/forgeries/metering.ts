/**
 * @module
 * Forgeries are the jobs of the operation `mine`. This folder contains what a server adds to them: its own policy and
 * time limits, and the budgets of exercises. A metered forgery is one under the policy of an instance whose exercise has
 * a budget of attempts. The server derives its seed, because a student who knew it could first search elsewhere whether
 * it wins.
 */

import type { Policy } from '../../../src/identity/policy.ts';
import { strongestDynamicStrategy } from '../../../src/mining/strategies.ts';
import { REMOTE_MINING } from '../../../src/operations/identity/members.ts';
import { MINE } from '../../../src/operations/identity/mine.ts';
import type { MineOutput } from '../../../src/operations/identity/mine-report.ts';
import type { MineInput } from '../../../src/operations/identity/search.ts';
import { miningTask, policyIn } from '../../../src/operations/identity/search.ts';
import { parseSeed } from '../../../src/random.ts';
import { faultAt } from '../../contract/faults.ts';
import type { Course } from '../../exercises/course.ts';
import type { Principal } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { JobHooks } from '../job-kind.ts';
import type { OperationJob, OperationRequest } from '../operations/operation-job.ts';
import { inputOf, parseOperation } from '../operations/operation-job.ts';

/**
 * Reads the body of a forgery of any kind. Throws LabError `exercise.closed` for a policy whose exercise forbids it, or
 * as `parseOperation`.
 */
export function forgeryParser(serverPolicy: Policy, course: Course) {
  return (given: unknown, principal: Principal): OperationRequest => {
    // The schema of the route has accepted it.
    const asked = given as MineInput;
    const body = completed(asked, serverPolicy);
    const request = parseOperation(MINE.name, body, { threatModels: [], papers: [] });
    const input = inputOf(request) as MineInput; // The same as above.
    const task = miningTask(input, parseSeed('0'), true);
    course.assertForgeable(task.policy, task.goal.type, principal);
    const work = course.meteredWork(task.policy, principal);
    if (work === null) return request;
    if (asked.seed !== undefined) throw faultAt('schema', '/seed', `must be absent: ${METERED}`);
    if (asked.strategy === 'stockpile') {
      throw faultAt('schema', '/strategy', `must make its keys within the budget: ${METERED}`);
    }
    // The number is given when the job is accepted.
    return { ...request, metered: { work, number: 0 } };
  };
}

const METERED = 'the forgery counts for the budget of an exercise';

/** The body with the policy of the server and the time limit, as far as it states none. */
function completed({ c1, c2, ...body }: MineInput, serverPolicy: Policy): object {
  const { attempts, hashes, cpu, gpu, wall } = body;
  const policy = policyIn({ ...body, c1, c2 }, serverPolicy);
  const isBounded = [attempts, hashes, cpu, gpu].some((bound) => bound !== undefined);
  const seconds = isBounded ? REMOTE_MINING.wallSeconds : REMOTE_MINING.wallSecondsDefault;
  const dynamicStrategy = body.dynamicStrategy ?? strongestDynamicStrategy(policy);
  return { ...body, policy, dynamicStrategy, wall: wall ?? seconds };
}

/** Reserves the attempts of metered forgeries, and charges for them. */
export function meteringHooks(course: Course): JobHooks<OperationJob> {
  return {
    onSubmit(asked) {
      if (asked.metered === undefined) return { request: asked, undo: () => undefined };
      const { work } = asked.metered;
      const { attempts: most } = asked.body as MineInput; // forgeryParser has read the body.
      const { number, attempts, seed } = course.beginForgery(work, most ?? null);
      const request = {
        ...asked,
        body: { ...asked.body, attempts },
        secretSeed: seed,
        metered: { work, number },
      };
      return { request, undo: () => unlessFull(() => course.meter.release(work, number)) };
    },
    onOver({ request: { metered }, state: { result } }) {
      if (metered === undefined) return;
      // What no caller could see is not charged: a job that never ran, or that the end of the server interrupted.
      const output = result as MineOutput | undefined | null; // That of its operation.
      const { claim = null, claims, ledger } = output ?? {};
      const found = {
        claims: claims ?? (claim === null ? [] : [claim]),
        attempts: ledger?.attempts ?? 0,
      };
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
