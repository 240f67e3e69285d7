/**
 * @module
 * This folder contains the race for the top ID: honest nodes have earned their IDs, and a forger spends a budget to
 * find a higher one. This file is the plan of a race, its limits, and its form in the address.
 */

import type { Policy } from '../../../src/identity/policy.ts';
import type { Schema } from '../api/contract.ts';

export type StrategyName = NonNullable<Schema<'MineRequest'>['strategy']>;

/** Everything that decides a race. */
export interface RacePlan {
  /** Honest nodes. */
  readonly nodes: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  /** Attempts of the forger as a power of two. */
  readonly budgetBits: number;
  readonly strategy: StrategyName;
  /** Name of a policy; the race changes its c1. */
  readonly policy: string;
  readonly seed: string;
  /** The device on which the forger searches. If it is absent, one thread of the browser searches. */
  readonly device?: 'gpu' | undefined;
}

/** The lowest and the highest value of a number of the plan. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const NODES: Range = { min: 2, max: 64 };
export const C1: Range = { min: 0, max: 40 };
export const BUDGET_BITS: Range = { min: 4, max: 24 };

/** A race of a few seconds that the forger wins about every second time. */
export const DEFAULT_PLAN: Omit<RacePlan, 'seed'> = {
  nodes: 8,
  c1: 10,
  budgetBits: 13,
  strategy: 'fresh',
  policy: 'strict',
};

/** Identities that a search of a server keeps at most. GET /v1/params has it as `forgeryIdentities`. */
export const IDENTITIES_MAX = 256;

/** Keys that the strategy `stockpile` makes before the budget counts. */
export const STOCKPILE = 2 ** 18;

/** From the slowest to the fastest. */
export const STRATEGIES: readonly StrategyName[] = [
  'fresh',
  'walk',
  'batch',
  'siblings',
  'stockpile',
];

/** The strategies that a graphics card carries out. */
export const DEVICE_STRATEGIES: readonly StrategyName[] = ['batch', 'siblings'];

/** The plan that the values of an address describe. What is missing or out of range is replaced by the default. */
export function planOf(query: Readonly<Record<string, string>>, seed: string): RacePlan {
  const number = (name: string, { min, max }: Range, otherwise: number) => {
    const value = Number(query[name] ?? Number.NaN);
    return Number.isInteger(value) ? Math.min(max, Math.max(min, value)) : otherwise;
  };
  return {
    nodes: number('nodes', NODES, DEFAULT_PLAN.nodes),
    c1: number('c1', C1, DEFAULT_PLAN.c1),
    budgetBits: number('budget', BUDGET_BITS, DEFAULT_PLAN.budgetBits),
    strategy: STRATEGIES.find((name) => name === query.strategy) ?? DEFAULT_PLAN.strategy,
    policy: query.policy ?? DEFAULT_PLAN.policy,
    seed: /^\d{1,18}$/.test(query.seed ?? '') ? (query.seed ?? seed) : seed,
    ...(query.device === 'gpu' && { device: query.device }),
  };
}

/** The values of the address that describe a plan. Defaults are left out. */
export function queryOf(plan: RacePlan): Readonly<Record<string, string | number | null>> {
  const unless = <T>(value: T, otherwise: T) => (value === otherwise ? null : value);
  return {
    nodes: unless(plan.nodes, DEFAULT_PLAN.nodes),
    c1: unless(plan.c1, DEFAULT_PLAN.c1),
    budget: unless(plan.budgetBits, DEFAULT_PLAN.budgetBits),
    strategy: unless(plan.strategy, DEFAULT_PLAN.strategy),
    policy: unless(plan.policy, DEFAULT_PLAN.policy),
    seed: plan.seed,
    device: plan.device ?? null,
  };
}

/** Attempts that the plan allows. */
export function budgetOf({ budgetBits }: Pick<RacePlan, 'budgetBits'>): number {
  return 2 ** budgetBits;
}

export function drawnSeed(): string {
  const [number = 1] = crypto.getRandomValues(new Uint32Array(1));
  return String(1 + (number % 99_999));
}

/** The policy in a request: a named one with the bits of the plan. */
export function requestedPolicy(
  { c1 }: Pick<RacePlan, 'c1'>,
  named: Policy | null,
): Policy | { readonly c1: number } {
  return named === null ? { c1 } : { ...named, c1 };
}

/** The body of the request for the search. */
export function forgeryOf(plan: RacePlan, named: Policy | null) {
  return {
    goal: `count:${IDENTITIES_MAX}`,
    policy: requestedPolicy(plan, named),
    strategy: plan.strategy,
    ...(plan.strategy === 'stockpile' && { stockpile: STOCKPILE }),
    attempts: budgetOf(plan),
    seed: plan.seed,
    ...(plan.device !== undefined && { device: plan.device }),
  };
}

/** The arguments of the command that makes the same search. */
export function commandOf(plan: RacePlan): readonly string[] {
  return [
    ...['mine', ...(plan.policy === 'strict' ? [] : ['--policy', plan.policy])],
    ...['--c1', String(plan.c1), '--goal', `count:${IDENTITIES_MAX}`],
    ...['--strategy', plan.strategy, '--attempts', String(budgetOf(plan)), '--seed', plan.seed],
    ...(plan.strategy === 'stockpile' ? ['--stockpile', String(STOCKPILE)] : []),
    ...(plan.device === undefined ? [] : ['--device', plan.device]),
  ];
}
