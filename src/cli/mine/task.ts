/**
 * @module
 * From the flags of `usurp mine` to a task, or from a ledger file to the search that it goes on with.
 */

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Wish } from '../../adversary/goals.ts';
import { LabError } from '../../errors.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { policyUnsupportedReasons } from '../../identity/policy.ts';
import { formatGoal, isClosestGoal } from '../../mining/goal.ts';
import type { Budget } from '../../mining/ledger.ts';
import { winProbability } from '../../mining/odds.ts';
import type { MiningTask, SearchState } from '../../mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import {
  PAIR_KEYS_MAX,
  pairKeysExpected,
  policyCost,
  requiredBits,
} from '../../mining/policy-cost.ts';
import { parseSavedSearch } from '../../mining/saved-search.ts';
import { assertDynamicStrategy } from '../../mining/solution.ts';
import { STRONGEST_STRATEGY, strongestDynamicStrategy } from '../../mining/strategies.ts';
import type { DynamicStrategyName, StrategyName } from '../../mining/strategy.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import { secretSeed } from '../shell/arguments.ts';
import { readText } from '../shell/files.ts';
import type { PolicyOptions } from '../shell/options.ts';
import { policyOf } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { goalAgainst, nodeIdList } from './goal-text.ts';

/** Default number of keys in a stockpile: a fraction of a second's work. */
export const STOCKPILE_DEFAULT = 2 ** 20;

/** At most one way to find keys and one way to solve the dynamic puzzle. */
export interface StrategyChoice {
  readonly keys?: StrategyName;
  readonly dynamic?: DynamicStrategyName;
}

/** The flags that say what is searched for. */
export interface TaskOptions extends PolicyOptions {
  readonly scheme: SchemeName;
  readonly goal: Wish;
  readonly against?: string;
  readonly strategy?: StrategyChoice;
  readonly stockpile?: number;
  readonly seed?: Seed;
}

/** The flags that say how much may be spent. */
export interface BudgetOptions {
  readonly attempts?: number;
  readonly hashes?: number;
  readonly cpu?: number;
  readonly wall?: number;
}

/** A task, and how far its search has come. */
export interface Search {
  readonly task: MiningTask;
  readonly begun: SearchState;
}

/** Reads `siblings`, `amortised-xor`, or one of each with a comma between them. */
export function strategyChoice(text: string): StrategyChoice {
  let choice: StrategyChoice = {};
  for (const word of text.split(',')) {
    const keys = STRATEGY_NAMES.find((name) => name === word);
    const dynamic = DYNAMIC_STRATEGY_NAMES.find((name) => name === word);
    if (keys !== undefined && choice.keys === undefined) choice = { ...choice, keys };
    else if (dynamic !== undefined && choice.dynamic === undefined) choice = { ...choice, dynamic };
    else {
      throw new InvalidArgumentError(
        `expected one of ${STRATEGY_NAMES.join(', ')} for the keys, or one of ${DYNAMIC_STRATEGY_NAMES.join(', ')} for --c2, or one of each such as siblings,dynamic`,
      );
    }
  }
  return choice;
}

/** The search that the flags ask for. Throws LabError `arguments` for one that could never end well. */
export async function newSearch(
  options: TaskOptions & BudgetOptions,
  terminal: Terminal,
): Promise<Search> {
  const { scheme, strategy: choice = {}, against } = options;
  const policy = policyOf(options);
  const [unsupportedReason] = policyUnsupportedReasons(policy, scheme);
  if (unsupportedReason !== undefined) {
    throw new LabError(
      'arguments',
      `${unsupportedReason.path.join('.')} ${unsupportedReason.message}`,
    );
  }
  const list =
    against === undefined ? null : nodeIdList(await readText(against, terminal), against);
  const strategy = choice.keys ?? STRONGEST_STRATEGY;
  if (options.stockpile !== undefined && strategy !== 'stockpile') {
    throw new LabError('arguments', '--stockpile goes with --strategy stockpile');
  }
  const task: MiningTask = {
    ...{ scheme, policy, strategy },
    goal: goalAgainst(options.goal, list, policy),
    dynamicStrategy: choice.dynamic ?? strongestDynamicStrategy(policy),
    stockpile: strategy === 'stockpile' ? (options.stockpile ?? STOCKPILE_DEFAULT) : undefined,
    seed: options.seed ?? secretSeed(),
    isSeedGiven: options.seed !== undefined,
    budget: budgetOf(options),
  };
  if (options.goal.type === 'top' && winProbability(policy, task.goal) === 0) {
    const detail = 'it has the ID that ranks highest of all';
    throw new LabError('arguments', `no node ID can pass all of ${against}: ${detail}`);
  }
  assertPossible(task);
  return { task, begun: SEARCH_NOT_BEGUN };
}

/** The search of a ledger file with a new budget, which counts what was spent before. */
export async function resumedSearch(
  path: string,
  options: BudgetOptions,
  terminal: Terminal,
): Promise<Search> {
  const text = await readText(path, terminal, LEDGER_BYTES_MAX);
  try {
    const { task, state } = parseSavedSearch(parseJsonText(text));
    const resumed = { ...task, budget: budgetOf(options) };
    assertPossible(resumed);
    return { task: resumed, begun: state };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(
      error.code,
      `${path}: ${error.message}; it was left unchanged`,
      error.faults,
    );
  }
}

/** Refuses flags that a resumed search takes from its ledger file. */
export function assertNoTaskFlags(command: Command): void {
  const given = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .filter((option) => !RESUMABLE.has(option.attributeName()))
    .map((option) => option.long);
  if (given.length === 0) return;
  throw new LabError(
    'arguments',
    `--resume takes the search from its ledger file: leave out ${given.join(', ')}`,
  );
}

/** Ten thousand winners and their solutions take a megabyte. */
const LEDGER_BYTES_MAX = 16 * 1024 * 1024;

/** What may be said anew of a search that goes on. */
const RESUMABLE: ReadonlySet<string> = new Set([
  ...['resume', 'attempts', 'hashes', 'cpu', 'wall', 'threads', 'out', 'force'],
  ...['json', 'format', 'quiet', 'color'],
]);

function assertPairPossible({ policy, strategy }: MiningTask): void {
  if (strategy === 'stockpile') {
    throw new LabError(
      'arguments',
      '--goal pair needs all keys, of which a stockpile keeps the best',
    );
  }
  if (pairKeysExpected(policy) * PAIR_MARGIN <= PAIR_KEYS_MAX) return;
  const { collisionBits } = policyCost(policy);
  const reason =
    collisionBits === null
      ? 'the node ID is the key itself'
      : `two admitted keys with one node ID take 2^${collisionBits.any.toFixed(1)} tests`;
  throw new LabError(
    'arguments',
    `--goal pair is out of reach: ${reason}; shorten the node IDs with --id-bits, or use --policy truncated-id`,
  );
}

/** A search for a pair keeps more than four times its average with a probability of 2^-18. */
const PAIR_MARGIN = 4;

function budgetOf({ attempts, hashes, cpu, wall }: BudgetOptions): Budget {
  return { attempts, hashes, cpuSeconds: cpu, wallSeconds: wall };
}

function assertPossible(task: MiningTask): void {
  if (task.goal.type === 'pair') assertPairPossible(task);
  assertDynamicStrategy(task.dynamicStrategy, task.policy);
  if (winProbability(task.policy, task.goal) === 0) {
    throw new LabError('arguments', `no node ID can meet the goal ${formatGoal(task.goal)}`);
  }
  const isBounded = task.budget.attempts !== undefined;
  if (isClosestGoal(task.goal) && requiredBits(task.policy).c2 > 0 && !isBounded) {
    throw new LabError(
      'arguments',
      'near with a dynamic puzzle needs --attempts (or --against a list): only then is it known which key to solve --c2 for',
    );
  }
}
