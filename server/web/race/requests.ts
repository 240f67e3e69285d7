/**
 * @module
 * The requests of a race: the named policies, and, if somebody asks for it, the election that the race decides, with the
 * forger in it if its ID is above all honest ones.
 */

import type { Policy } from '../../../src/identity/policy.ts';
import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { once } from '../api/jobs.ts';
import type { Honest, Result, Rules } from './contest.ts';
import type { RacePlan } from './plan.ts';
import { requestedPolicy } from './plan.ts';

type Claim = Schema<'Claim'>;

/** What is known of a race. */
interface Known {
  readonly honest: Honest | null;
  readonly result: Result | null;
}

/** A named policy, as GET /v1/policies has it. */
export type NamedPolicy = Schema<'NamedPolicy'>;

/** The policy of an answer. Quantities are numbers there, unlike in requests. */
function answeredPolicy(policy: unknown): Policy {
  return policy as Policy; // By the contract.
}

/** Creates the election of a race with the same nodes, and runs it. Returns its id. */
export async function playRace(plan: RacePlan, { honest, result }: Known): Promise<string> {
  const body = {
    protocol: 'bully-oneshot',
    nodes: plan.nodes,
    policy: requestedPolicy(plan, await policyNamed(plan.policy)),
    seed: plan.seed,
    honest: honest?.areEarned === true ? 'earned' : 'drawn',
  } as const;
  const { id } = await answerOf(api.POST('/v1/elections', { params: once(), body }));
  const claim = result?.claim ?? null;
  if (claim === null) await act(id, { type: 'start' });
  else await joinAndAnnounce(id, claim);
  await act(id, { type: 'advance', until: 'idle' });
  return id;
}

async function joinAndAnnounce(id: string, claim: Claim): Promise<void> {
  const member = await join(id, claim);
  await act(id, { type: 'start' });
  const { rank } = member;
  const message = { type: 'COORDINATOR', leader: rank };
  await act(id, { type: 'inject', from: rank, to: 'all', message });
  await writeOutbox(id, member, [{ type: 'elect', leader: rank, epoch: 0 }]);
}

/** Lets the owner of a claim join an election. Its node is played from outside, and no one waits for it. */
export function join(id: string, claim: Claim): Promise<Schema<'JoinedNode'>> {
  return answerOf(
    api.POST('/v1/elections/{id}/nodes', {
      params: { path: { id }, ...once() },
      body: { claim, waitMs: 0 },
    }),
  );
}

/** Carries out an action on an election. */
export async function act(id: string, body: Schema<'ElectionAction'>): Promise<void> {
  await answerOf(
    api.POST('/v1/elections/{id}/actions', { params: { path: { id }, ...once() }, body }),
  );
}

/** Lets a node that joined do something. */
export async function writeOutbox(
  id: string,
  { nodeId, token }: Pick<Schema<'JoinedNode'>, 'nodeId' | 'token'>,
  effects: Schema<'OutsideEffect'>[],
): Promise<void> {
  const { header } = once();
  await answerOf(
    api.POST('/v1/elections/{id}/nodes/{node}/outbox', {
      params: { path: { id, node: nodeId }, header: { ...header, 'node-token': token } },
      body: { effects },
    }),
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
  return name === STRICT ? null : namedPolicy(name);
}

/** A plan with the rules for its IDs: the named policy with the bits of the plan. */
export async function rulesOf(plan: RacePlan): Promise<Rules> {
  const policy = (await namedPolicy(plan.policy)) ?? (await namedPolicy(STRICT));
  if (policy === null) throw new Error(`The server has no policy ${plan.policy}.`);
  return { plan, policy: { ...policy, c1: plan.c1 } };
}

const STRICT = 'strict';

async function namedPolicy(name: string): Promise<Policy | null> {
  const named = (await namedPolicies()).find((each) => each.name === name);
  return named === undefined ? null : answeredPolicy(named.policy);
}
