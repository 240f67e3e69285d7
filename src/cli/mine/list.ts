/**
 * @module
 * `usurp mine --list`: the strategies, and the policies by name with what an identity costs under each
 * on paper and for an attacker who knows its flaw.
 */

import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import { policyCost } from '../../mining/policy-cost.ts';
import type { DynamicStrategyName, StrategyName } from '../../mining/strategy.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { columns, formatCount } from '../shell/layout.ts';

/** Number of identities that shows the effect of amortising. */
const SEVERAL = 16;

const SUMMARIES: Readonly<Record<StrategyName | DynamicStrategyName, string>> = {
  fresh: 'a new key for every candidate; 33 point additions',
  walk: 'P, P+G, P+2G, …; one point addition',
  batch: 'C ± jG with one inversion for 2049 points; WASM kernel',
  siblings:
    'batch, and all keys that come free with a point: 2 Ed25519, 6 secp256k1; 8 × 2 with torsion',
  stockpile: 'keys made before the epoch opens, tested from the highest ID down',
  dynamic: 'X = 0, 1, 2, … for each identity; WASM kernel',
  'amortised-xor': 'one Y for all identities, X = nodeId ⊕ Y; breaks --dynamic xor',
};

/** What there is to choose from, for programs. */
export function choices() {
  const strategies = [
    ...STRATEGY_NAMES.map((name) => ({ name, finds: 'keys', summary: SUMMARIES[name] })),
    ...DYNAMIC_STRATEGY_NAMES.map((name) => ({
      name,
      finds: 'solutions',
      summary: SUMMARIES[name],
    })),
  ];
  const policies = POLICY_NAMES.map((name) => {
    const { policy, summary, flaw, reference } = NAMED_POLICIES[name];
    const { nominal, real, ...one } = policyCost(policy);
    const several = policyCost(policy, { ids: SEVERAL });
    return {
      ...{ name, summary, flaw, reference, nominal, real },
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
export function choicesTable(): string {
  const { strategies, policies } = choices();
  const bits = ({ c1, c2 }: { readonly c1: number; readonly c2: number }) => `${c1} + ${c2}`;
  const rows = policies.map(({ name, nominal, real, hashes, flaw, summary }) => [
    name,
    bits(nominal),
    bits(real),
    formatCount(hashes.one),
    formatCount(hashes.sixteen),
    flaw === null ? summary : `${summary}; FLAW: ${flaw}`,
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
