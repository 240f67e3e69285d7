/**
 * @module
 * A race while it is shown. Its election and its search are named in the address, so that the address restores it, also
 * while it is under way. The page that sees the end of the search runs the election.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import { isOver, useJob } from '../api/jobs.ts';
import { keepInAddress } from '../shell/router.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { positionOf } from './odds.ts';
import type { RacePlan } from './plan.ts';
import { drawnSeed, queryOf } from './plan.ts';
import type { Claim, Contest, ForgeryJob } from './requests.ts';
import { answeredPolicy, policyNamed, readContest, runElection, startRace } from './requests.ts';

type Progress = NonNullable<ForgeryJob['progress']>;

/** What is known of a race. All is null before the first one. */
export interface Race {
  readonly contest: Contest | null;
  readonly job: ForgeryJob | null;
  readonly progress: Progress | null;
  /** Whether requests of its beginning or its end are under way. */
  readonly isBusy: boolean;
  /** Whether it is busy or its search is not over. */
  readonly isRunning: boolean;
  readonly error: unknown;
  /** Quietly: a refusal is not shown, because no one has asked for the race. Sign-in is asked for in both cases. */
  readonly start: (plan: RacePlan, isQuiet?: boolean) => Promise<void>;
}

interface Names {
  readonly election?: string | undefined;
  readonly forgery?: string | undefined;
}

/** Elections that this page runs or has run, so that none is run twice. */
const running = new Set<string>();

/** The race that the address names. */
export function useRace({ election, forgery }: Names): Race {
  const contest = useSignal<Contest | null>(null);
  const { isBusy, error, attempt } = useAttempt();
  const followed = useJob(forgery ?? null).value;
  const job = followed.job?.kind === 'forgery' ? followed.job : null;
  useEffect(() => {
    contest.value = null;
    if (election !== undefined)
      void attempt(async () => show(contest, await readContest(election)));
  }, [election]);
  const shown = contest.value?.election.id === election ? contest.value : null;
  const isDue = job !== null && isOver(job) && shown?.election.status === 'created';
  useEffect(() => {
    if (!isDue || shown === null || running.has(shown.election.id)) return;
    running.add(shown.election.id);
    void attempt(async () =>
      show(contest, await runElection(shown.election.id, winnerOf(shown, job))),
    );
  }, [isDue]);
  const start = (plan: RacePlan, isQuiet = false) =>
    attempt(async () => {
      keepInAddress({ ...queryOf(plan), election: null, forgery: null });
      keepInAddress({ ...(await startRace(plan, await policyNamed(plan.policy))) });
    }, isQuiet);
  const progress = (followed.progress ?? job?.progress ?? null) as Progress | null; // It is a forgery's.
  return {
    ...{ contest: shown, job, progress: forgery === undefined ? null : progress },
    ...{ isBusy: isBusy.value, error: error.value ?? followed.error, start },
    isRunning: isBusy.value || (job !== null && !isOver(job)),
  };
}

function show(contest: Signal<Contest | null>, read: Contest): void {
  contest.value = read;
}

/** The claim with the highest rank, if it is above all honest nodes. */
function winnerOf({ election, nodes }: Contest, job: ForgeryJob | null): Claim | null {
  const rule = rankRuleOf(answeredPolicy(election.policy));
  const positionIn = ({ nodeId }: { readonly nodeId: string }) => positionOf(nodeId, rule);
  const claims = claimsOf(job).toSorted((one, other) => positionIn(one) - positionIn(other));
  const best = claims.at(-1);
  return best !== undefined && positionIn(best) > Math.max(...nodes.map(positionIn)) ? best : null;
}

/** The claims that a search has found, once it is over. */
export function claimsOf(job: ForgeryJob | null): readonly Claim[] {
  const { claim = null, claims } = job?.result ?? {};
  return claims ?? (claim === null ? [] : [claim]);
}

/** The next race of a plan: the first has the seed of the address, and each further one a new seed. */
export function nextRace(plan: RacePlan, { contest }: Pick<Race, 'contest'>): RacePlan {
  return contest === null ? plan : { ...plan, seed: drawnSeed() };
}
