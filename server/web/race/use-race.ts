/**
 * @module
 * A race while it is shown. Its election and its search are named in the address, so that the address restores it, also
 * while it is under way. The page that sees the end of the search runs the election.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Election, Schema } from '../api/contract.ts';
import { isOver, once, useJob } from '../api/jobs.ts';
import { keepInAddress } from '../shell/router.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { positionOf, workBits } from './odds.ts';
import type { RacePlan } from './plan.ts';
import { drawnSeed, forgeryOf, policyOf, queryOf } from './plan.ts';

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

/**
 * The requests of a race: an election whose nodes earn their IDs, a search against them, and the election itself,
 * with the forger in it if its ID is above all honest ones.
 */
type ElectionNode = Schema<'ElectionNode'>;
export type ForgeryJob = Schema<'ForgeryJob'>;
type Claim = Schema<'Claim'>;

/** An election with its nodes. */
export interface Contest {
  readonly election: Election;
  readonly nodes: readonly ElectionNode[];
}

/** A named policy, as GET /v1/policies has it. */
export type NamedPolicy = Schema<'NamedPolicy'>;

/** The policy of an answer. Quantities are numbers there, unlike in requests. */
export function answeredPolicy(policy: unknown): Policy {
  return policy as Policy; // By the contract.
}

/** Starts a race. Honest IDs are drawn if to earn them would take too long. */
async function startRace(
  plan: RacePlan,
  named: Policy | null,
): Promise<{ readonly election: string; readonly forgery: string }> {
  const election = await createElection(plan, named);
  const body = forgeryOf(plan, named);
  const forgery = await answerOf(api.POST('/v1/forgeries', { params: once(), body }));
  return { election: election.id, forgery: forgery.id };
}

async function createElection(plan: RacePlan, named: Policy | null): Promise<Election> {
  const body = {
    protocol: 'bully-oneshot',
    nodes: plan.nodes,
    policy: policyOf(plan, named),
    seed: plan.seed,
  } as const;
  const create = (honest: 'earned' | 'drawn') =>
    answerOf(api.POST('/v1/elections', { params: once(), body: { ...body, honest } }));
  if (!(await canEarn(plan, named))) return create('drawn');
  try {
    return await create('earned');
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'job.size') return create('drawn');
    throw error;
  }
}

/** Whether the server mines the IDs of the honest nodes. It may refuse others, such as IDs that are too short. */
async function canEarn(plan: RacePlan, named: Policy | null): Promise<boolean> {
  if (named !== null && named.puzzle.function !== 'hash') return false;
  const { limits } = await answerOf(api.GET('/v1/params'));
  // Two hashes for the node ID and its puzzle, and those of the dynamic puzzle.
  const bits = workBits(plan.c1, named ?? STRICT);
  const hashes = plan.nodes * (2 * 2 ** bits + (named?.checks.dynamic ? 2 ** named.c2 : 0));
  return hashes <= (limits.earnedNodesWork ?? 0);
}

const STRICT = { idRule: 'hash', checks: { static: true } };

/** The election of a race, and its nodes by rank. */
async function readContest(id: string): Promise<Contest> {
  const path = { id };
  const [election, { items }] = await Promise.all([
    answerOf(api.GET('/v1/elections/{id}', { params: { path } })),
    answerOf(api.GET('/v1/elections/{id}/nodes', { params: { path, query: { pageSize: '100' } } })),
  ]);
  return { election, nodes: items };
}

/** Runs the election to its end. A claim joins first, and announces itself to all nodes. */
async function runElection(election: string, claim: Claim | null): Promise<Contest> {
  const path = { id: election };
  if (claim !== null) await joinAndAnnounce(election, claim);
  else await act(election, { type: 'start' });
  await act(election, { type: 'advance', until: 'idle' });
  return readContest(path.id);
}

async function joinAndAnnounce(id: string, claim: Claim): Promise<void> {
  const member = await answerOf(
    api.POST('/v1/elections/{id}/nodes', {
      params: { path: { id }, ...once() },
      body: { claim, waitMs: 0 },
    }),
  );
  await act(id, { type: 'start' });
  const { rank } = member;
  const message = { type: 'COORDINATOR', leader: rank };
  await act(id, { type: 'inject', from: rank, to: 'all', message });
  const { header } = once();
  await answerOf(
    api.POST('/v1/elections/{id}/nodes/{node}/outbox', {
      params: {
        path: { id, node: member.nodeId },
        header: { ...header, 'node-token': member.token },
      },
      body: { effects: [{ type: 'elect', leader: rank, epoch: 0 }] },
    }),
  );
}

async function act(id: string, body: Schema<'ElectionAction'>): Promise<void> {
  await answerOf(
    api.POST('/v1/elections/{id}/actions', { params: { path: { id }, ...once() }, body }),
  );
}

let policies: Promise<readonly NamedPolicy[]> | null = null;

/** The named policies, which are requested once. */
export function namedPolicies(): Promise<readonly NamedPolicy[]> {
  policies ??= answerOf(api.GET('/v1/policies')).then(
    ({ items }) => items,
    (error: unknown) => {
      policies = null;
      throw error;
    },
  );
  return policies;
}

/** The rules of a named policy; null for the strict ones, which are the default. */
export async function policyNamed(name: string): Promise<Policy | null> {
  if (name === 'strict') return null;
  const named = (await namedPolicies()).find((each) => each.name === name);
  return named === undefined ? null : answeredPolicy(named.policy);
}
