/**
 * @module
 * The fewest and shortest faults with which an election still fails in the same
 * way. The search (faults/shrink.ts) is synchronous, but elections run in slices between which an
 * interrupt is noticed. Therefore the search starts again after each election, with the answers so far.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { shrinkSchedule } from '../../simulation/faults/shrink.ts';
import type { Failing } from '../../simulation/report/outcome.ts';
import { failingsOf } from '../../simulation/report/outcome.ts';
import { detectorOnNodes } from '../../simulation/request/detector-choice.ts';
import { begunElection } from '../../simulation/request/election.ts';
import type { CrashOption, ElectRequest } from '../../simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../simulation/request/request.ts';
import { inFlagOrder } from '../../simulation/request/schedule.ts';
import type { Watcher } from '../../simulation/request/settle.ts';
import { settle } from '../../simulation/request/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { memberFault } from '../operation.ts';
import type { Shrinking } from './answer.ts';
import { linearizabilityOf } from './client-history.ts';
import { inWordsOfMembers } from './members.ts';

/** Maximum number of elections of one search. Most need less than a tenth. */
const TRIES_MAX = 1000;

/** An election with only the faults that it needs to fail. */
interface ShrunkRequest {
  readonly request: ElectRequest;
  readonly shrinking: Shrinking;
}

/** Throws LabError for an election without faults. */
export function assertFaults(schedule: Schedule | null | undefined): Schedule {
  if (schedule?.faults.length) return schedule;
  throw memberFault('arguments', 'shrink', 'needs faults; random faults are drawn from the seed');
}

/** Null if the election does not fail, and after an interrupt. Throws LabError if there are no faults. */
export async function shrinkRequest(
  request: ElectRequest,
  seed: Seed,
  watcher: Watcher,
): Promise<ShrunkRequest | null> {
  const schedule = assertFaults(begin(request, seed).plan.schedule);
  const hold = (candidate: Schedule) =>
    failingUnder(withSchedule(request, candidate), seed, watcher);
  const failing = await hold(schedule);
  if (failing === null || watcher.signal.aborted) return null;
  // The order of the flags lets flags express the schedule. It is used if the failure stays the same.
  const ordered = { ...schedule, faults: inFlagOrder(schedule.faults) };
  const start = (await hold(ordered)) === failing ? ordered : schedule;
  const shrunk = await search(start, watcher, async (candidate) => {
    return (await hold(candidate)) === failing;
  });
  if (shrunk === null) return null;
  const { tries, minimal } = shrunk;
  const faultsBefore = schedule.faults.length;
  const faultsAfter = shrunk.schedule.faults.length;
  const shrinking = { failing, faultsBefore, faultsAfter, tries, minimal };
  return { request: withSchedule(request, shrunk.schedule), shrinking };
}

function begin(request: ElectRequest, seed: Seed): Simulation {
  return begunElection(request, seed, { keeps: {}, words: inWordsOfMembers }).simulation;
}

/** Null after an interrupt. */
async function search(
  schedule: Schedule,
  watcher: Watcher,
  fails: (candidate: Schedule) => Promise<boolean>,
): Promise<ReturnType<typeof shrinkSchedule> | null> {
  // With the same answers the search asks the same questions, so an index identifies each answer.
  const answers = [true];
  while (!watcher.signal.aborted) {
    let asked: Schedule | null = null;
    let questions = 0;
    const shrunk = shrinkSchedule(
      schedule,
      (candidate) => {
        const answer = answers[questions];
        questions += 1;
        // After the first question without an answer, the answers are not used.
        if (answer === undefined) asked ??= candidate;
        return answer ?? false;
      },
      TRIES_MAX,
    );
    if (asked === null) return shrunk;
    answers.push(await fails(asked));
    await watcher.pause();
  }
  return null;
}

/** The first failure of an election, beginning with its outcome. Null if it does not fail. */
async function failingUnder(
  request: ElectRequest,
  seed: Seed,
  watcher: Watcher,
): Promise<Failing | null> {
  let simulation: Simulation;
  try {
    simulation = begin(request, seed);
  } catch (error) {
    // A smaller schedule can be invalid. That is not the failure that the search keeps.
    if (error instanceof LabError) return null;
    throw error;
  }
  await settle(simulation, watcher, 'shrinking');
  return failingsOf(simulation.status(), linearizabilityOf(simulation))[0] ?? null;
}

/** The same election with this schedule. Of the other faults, only crashes before the run remain. */
function withSchedule({ options, ...rest }: ElectRequest, schedule: Schedule): ElectRequest {
  const { randomFaults: _drawn, calm: _calm, detector, crash = [], ...others } = options;
  // The schedule contains a detector that observes from outside.
  const onNodes = detectorOnNodes(detector);
  const spelt = Object.fromEntries(SCHEDULED_FLAGS.map((flag) => [flag, undefined]));
  return {
    ...rest,
    options: {
      ...others,
      ...spelt,
      faults: '-',
      crash: crash.flatMap(beforeTheRun),
      ...(onNodes === undefined ? {} : { detector: onNodes }),
    },
    given: schedule,
  };
}

function beforeTheRun({ crashes }: CrashOption): CrashOption[] {
  const before = crashes.filter(({ at }) => at === null || at === undefined);
  if (before.length === 0) return [];
  return [{ text: before.map(({ rank }) => rank).join(','), crashes: before }];
}
