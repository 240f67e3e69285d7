/**
 * @module
 * `usurp mine --list`: the strategies of searches, and the policies with what an identity costs under each.
 */

import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import { policyCost } from '../../mining/policy-cost.ts';
import { DYNAMIC_STRATEGIES } from '../../mining/solution.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import { formatCount } from '../../operations/figures.ts';
import type { Listing } from '../operations/operation-command.ts';
import { columns } from '../shell/layout.ts';

export const MINING_CHOICES: Listing = {
  meaning: 'list strategies and policies, with the cost of each, instead of mining',
  text: (_given, isJson) => (isJson ? `${JSON.stringify(choices())}\n` : choicesTable()),
};

/** Number of identities that shows the effect of amortising. */
const SEVERAL = 16;

/**
 * What there is to choose from, for programs. `usurp mine --list`: the strategies, and the policies by name with
 * what an identity costs under each on paper and for an attacker who knows its flaw.
 */
function choices() {
  const strategies = [
    ...Object.values(STRATEGIES).map(({ name, summary }) => ({ name, finds: 'keys', summary })),
    ...Object.values(DYNAMIC_STRATEGIES).map(({ name, summary }) => ({
      name,
      finds: 'solutions',
      summary,
    })),
  ];
  const policies = POLICY_NAMES.map((name) => {
    const { policy, summary, weakness, reference } = NAMED_POLICIES[name];
    const { nominal, real, ...one } = policyCost(policy);
    const several = policyCost(policy, { ids: SEVERAL });
    return {
      ...{ name, summary, reference, nominal, real },
      weakness: weakness === null ? null : { ...weakness, attempts: weakness.attempts(policy) },
      hashes: { one: one.honest.hashes, sixteen: several.cheapest.hashes },
      idsPerSecret: one.idsPerSecret,
      keysWithoutSecret: one.keysWithoutSecret,
      collisionBits: one.collisionBits,
      policy,
    };
  });
  return { strategies, policies };
}

/** The same for people. */
function choicesTable(): string {
  const { strategies, policies } = choices();
  const bits = ({ c1, c2 }: { readonly c1: number; readonly c2: number }) => `${c1} + ${c2}`;
  const rows = policies.map(({ name, nominal, real, hashes, weakness, summary }) => [
    name,
    bits(nominal),
    bits(real),
    formatCount(hashes.one),
    formatCount(hashes.sixteen),
    weakness === null ? summary : `${summary}; FLAW: ${weakness.flaw}; COST: ${weakness.cost}`,
  ]);
  return [
    columns([
      ['strategy', 'finds', 'a candidate is'],
      ...strategies.map(({ name, finds, summary }) => [name, finds, summary]),
    ]),
    columns([
      ['policy', 'c1 + c2', 'real', 'hashes, 1 ID', `hashes, ${SEVERAL} IDs`, 'what it demands'],
      ...rows,
    ]),
  ].join('\n');
}
