/**
 * @module
 * Elections that nodes join, for the tests, and claims of newcomers, mined as outside the
 * server.
 */

import type { ClaimJson } from '../../../src/identity/claim.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { policySchema } from '../../../src/identity/policy.ts';
import type { Goal } from '../../../src/mining/goal.ts';
import { mine } from '../../../src/mining/search.ts';
import { parseSeed } from '../../../src/random.ts';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';
import type { Answer, LabUnderTest } from '../lab-under-test.ts';

/** The policy with these members, as a request names them. */
export function policyOfJson(json: unknown): Policy {
  return policySchema.parse(json);
}

export interface Newcomer {
  readonly claim: ClaimJson;
  readonly secret: Secret;
}

/** Identities mined under a policy, each with the key that signs for it. */
export function minedIdentities(
  policy: Policy,
  { seed = '1', goal = { type: 'any' } }: { readonly seed?: string; readonly goal?: Goal } = {},
): readonly Newcomer[] {
  const task = {
    scheme: 'ed25519',
    policy,
    goal,
    strategy: 'fresh',
    dynamicStrategy: 'dynamic',
    seed: parseSeed(seed),
    budget: {},
  } as const;
  const { identities } = mine(task, threadClocks);
  return identities.map(({ claim, secret }) => ({ claim: claimToJson(claim), secret }));
}

/** One identity. */
export function minedIdentity(...order: Parameters<typeof minedIdentities>): Newcomer {
  const [identity] = minedIdentities(...order);
  if (identity === undefined) throw new TypeError('"identity" expected one, got none');
  return identity;
}

/** A node as it is listed. */
export interface Listed {
  readonly rank: number;
  readonly nodeId: string;
  readonly [member: string]: unknown;
}

/** Calls about elections that nodes join. */
export function joiningIn({ call, post }: LabUnderTest) {
  const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
  return {
    linkOf,
    // Mining honest nodes costs a thread each time.
    make: (body: object) =>
      post('/v1/elections', {
        ...{ protocol: 'bully-oneshot', nodes: 3, seed: '1', honest: 'drawn' },
        ...body,
      }),
    enter: (election: Answer, claim: unknown, members: object = {}) =>
      post(`${linkOf(election)}/nodes`, { claim, ...members }),
    act: (election: Answer, action: object) => post(`${linkOf(election)}/actions`, action),
    async nodesOf(election: Answer): Promise<readonly Listed[]> {
      const { json } = await call('GET', `${linkOf(election)}/nodes?pageSize=100`);
      // The call has checked the answer against the schema.
      return json.items as readonly Listed[];
    },
  };
}
