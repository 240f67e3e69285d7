/**
 * @module
 * This folder contains the verbs of identities: `mine`, `verify` and `calibrate`.
 * `usurp mine`: find an identity that a policy admits, within a budget. The secret and the seed that
 * leads to it go to `--out` and `--ledger` alone; stdout gets the claim and the ledger.
 */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { Command } from 'commander';
import { Option } from 'commander';

import { LabError } from '../../errors.ts';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import { isAboutSeveral, isClosestGoal } from '../../mining/goal.ts';
import type { MiningTask, SearchState } from '../../mining/phases.ts';
import { policyCost } from '../../mining/policy-cost.ts';
import { STOCKPILE_MAX, savedSearchToJson } from '../../mining/saved-search.ts';
import type { MinedIdentity, MiningResult } from '../../mining/search.ts';
import { DYNAMIC_STRATEGIES } from '../../mining/solution.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import { formatCount } from '../../operations/figures.ts';
import { formatKeyFile } from '../../runtime/files/key-file.ts';
import { mineInThreads } from '../../runtime/threads/mining-pool.ts';
import { duration, integer, oneOf } from '../shell/arguments.ts';
import { commandLine } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeThenPrint, writeWhole } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson, withPolicy, withSeed, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { GOAL_FORMS, wish } from './goal-text.ts';
import { answerOf, progressLine, tableOf } from './report.ts';
import type { BudgetOptions, Search, TaskOptions } from './task.ts';
import {
  assertNoTaskFlags,
  newSearch,
  resumedSearch,
  STOCKPILE_DEFAULT,
  strategyChoice,
} from './task.ts';

interface MineOptions extends OutputOptions, TaskOptions, BudgetOptions {
  readonly threads: number;
  readonly out?: string;
  readonly ledger?: string;
  readonly resume?: string;
  readonly force?: true;
  readonly list?: true;
}

export function mineCommand(session: Session): Command {
  const command = verb('mine', 'find an identity that a policy admits, within a budget');
  withGoal(command);
  withBudget(command)
    .option('--out <file>', 'write claim, secret and seed here, mode 0600')
    .option('--ledger <file>', 'keep a ledger here to go on with, mode 0600: it holds the seed')
    .option(
      '--resume <file>',
      'go on with the search of this ledger, and keep it up to date; budgets count what it had spent',
    )
    .option('--force', 'replace the files of --out and --ledger')
    .option('--list', 'strategies and policies, with the cost of each, instead of mining');
  withSeed(
    command,
    'makes the search repeatable; for use in this lab only, since the seed reveals the keys',
  );
  return withThreads(withPolicy(command))
    .addHelpText('after', MINE_EXAMPLES)
    .action((options: MineOptions) =>
      session.run(options, (terminal) => runMine(options, command, terminal)),
    );
}

function withGoal(command: Command): Command {
  return command
    .option('--scheme <name>', SCHEME_NAMES.join(', '), oneOf(SCHEME_NAMES), 'ed25519')
    .addOption(
      new Option('--goal <goal>', GOAL_FORMS).argParser(wish).default({ type: 'any' }, 'any'),
    )
    .option('--against <file>', 'node IDs that top must pass and near must beat, one a line')
    .option(
      '--strategy <names>',
      'how keys are found: fresh, walk, batch, siblings (default), stockpile; and how --c2 is solved: dynamic, amortised-xor (default for --dynamic xor, unless X = 0 is a solution)',
      strategyChoice,
    )
    .option(
      '--stockpile <count>',
      `keys that the strategy stockpile makes before the budget counts (default: ${STOCKPILE_DEFAULT})`,
      integer(1, STOCKPILE_MAX),
    );
}

function withBudget(command: Command): Command {
  const count = integer(1, Number.MAX_SAFE_INTEGER);
  return command
    .option(
      '--attempts <count>',
      'budget in candidates (keys) tested, such as 1e6 or 2^20; solving --c2 is not one',
      count,
    )
    .option(
      '--hashes <count>',
      'budget in hash evaluations (scrypt: Salsa20/8 cores, argon2id: blocks)',
      count,
    )
    .option(
      '--cpu <time>',
      'budget in CPU time of all threads, such as 90s or 5m (5 is 5s)',
      duration,
    )
    .option('--wall <time>', 'budget in wall time, such as 90s or 2h', duration);
}

const MINE_EXAMPLES = `
Quantities: counts 1000, 1e6, 2^20; probabilities 0.05, 5%; times 100ms, 90s, 5m, 2h.
Without a budget it runs until found or interrupted. The goal near:<id> takes the XOR-closest ID that
the budget finds, the goal pair two keys with one node ID. Exit codes: 0 found, 1 not found, 130 interrupted.

Examples:
  usurp mine --c1 12 --out key.json
  usurp mine --c1 10 --c2 8 --dynamic xor --goal count:16 --seed 1 --json
  usurp mine --c1 10 --goal count:3 --json | usurp verify - --c1 10 --goal count:3
  usurp mine --c1 24 --attempts 2^22 --cpu 5m
  usurp mine --policy truncated-id --goal pair
  usurp mine --c1 8 --goal top --against honest-ids.txt --cpu 5s
  usurp mine --c1 34 --ledger search.json        (Ctrl-C, and later:)
  usurp mine --resume search.json --out key.json`;

async function runMine(
  options: MineOptions,
  command: Command,
  terminal: Terminal,
): Promise<ExitCode> {
  const { resume, out } = options;
  if (options.list === true) {
    terminal.print(wantsJson(options) ? `${JSON.stringify(choices())}\n` : choicesTable());
    return EXIT.holds;
  }
  const force = options.force === true;
  if (resume !== undefined) assertNoTaskFlags(command);
  const search =
    resume === undefined
      ? await newSearch(options, terminal)
      : await resumedSearch(resume, options, terminal);
  await refuseTargets(options);
  announce(options, search, terminal);
  const ledger = await ledgerOf(search, options, terminal);
  const result = await mineInThreads(search.task, {
    threads: options.threads,
    begun: search.begun,
    onProgress(progress) {
      terminal.progress(() => progressLine(search.task, progress));
      if (progress.phase !== 'stock') ledger?.file.note(progress.state);
    },
    signal: terminal.signal,
  });
  const answer = answerOf(result, search.task);
  const text = wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(result, search.task);
  const write = async () => {
    if (out !== undefined && result.identity !== null) {
      await writeKeys(out, search.task, result.identities, force);
      terminal.note(`claim, secret and seed written to ${out}`);
    }
    // Last: a ledger that cannot be written must not cost the identity.
    await ledger?.file.close(result.state);
  };
  await writeThenPrint(write, () => terminal.print(text));
  if (ledger !== null && !result.found) {
    terminal.note(
      `ledger written to ${ledger.path}; go on: ${commandLine(['mine', '--resume', ledger.path])}`,
    );
  }
  return exitCodeOf(result);
}

/** Refuses before the search what could not be written after it. */
async function refuseTargets({ out, ledger, resume, force }: MineOptions): Promise<void> {
  for (const path of [out, ledger]) {
    if (path !== undefined) await refuseTarget(path, force === true);
  }
  const kept = ledger ?? resume;
  if (out !== undefined && kept !== undefined && resolve(out) === resolve(kept)) {
    throw new LabError('arguments', `--out and the ledger are one file, ${out}: name two`);
  }
}

/** The ledger file that is kept, if any; one that is resumed keeps its place behind a link. */
async function ledgerOf(
  { task }: Search,
  { resume, ledger, force }: MineOptions,
  terminal: Terminal,
): Promise<{ readonly file: SearchLedger; readonly path: string } | null> {
  const path = ledger ?? (resume === undefined ? undefined : await realpath(resume));
  if (path === undefined) return null;
  const mayReplace = resume !== undefined || force === true;
  return { path, file: new SearchLedger(path, task, { mayReplace, warn: terminal.note }) };
}

function exitCodeOf(result: MiningResult): ExitCode {
  if (result.ending === 'cancelled') return EXIT.interrupted;
  return result.found ? EXIT.holds : EXIT.violated;
}

function announce(options: MineOptions, { task }: Search, terminal: Terminal): void {
  const { attempts, hashes, cpu, wall, out, ledger, resume } = options;
  const { policy, goal } = task;
  if (policy.c2 === 0 && options.strategy?.dynamic !== undefined) {
    terminal.note(
      `${options.strategy.dynamic} has nothing to do: there is no dynamic puzzle, see --c2`,
    );
  }
  const isTimed = hashes !== undefined || cpu !== undefined || wall !== undefined;
  if (resume !== undefined && attempts === undefined && !isTimed) {
    terminal.note(
      'a ledger keeps no budget, and none is given: it runs until found or interrupted',
    );
  }
  if (policy.c2 > 0 && attempts !== undefined && !isTimed) {
    terminal.note('--attempts bounds the keys alone; --hashes, --cpu or --wall bound solving --c2');
  }
  if (isClosestGoal(goal) && attempts === undefined && !isTimed) {
    terminal.note('no budget: it looks for ever closer IDs until interrupted (Ctrl-C)');
  }
  if (task.isSeedGiven === true) {
    terminal.note(`seed ${task.seed}: for use in this lab only; the seed reveals the key`);
  } else if (out === undefined && ledger === undefined && resume === undefined) {
    terminal.note('no --out: the secret of this identity will not be kept');
  }
}

/** The key file: with the ledger file the only place where a secret is ever written. */
async function writeKeys(
  path: string,
  task: MiningTask,
  identities: readonly MinedIdentity[],
  force: boolean,
): Promise<void> {
  const { policy, strategy, seed } = task;
  const isSeveral = isAboutSeveral(task.goal);
  const text = formatKeyFile(identities, { isSeveral, policy, strategy, seed });
  await writeWhole(path, text, { force, isPrivate: true });
}

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

const SAVE_SECONDS = 5;

/**
 * A class, since it remembers when it saved and whether a save is under way. The ledger file of a search: written
 * anew every few seconds and at the end, whole or not at all, so that whatever ends the search leaves one to go on
 * with. It holds the seed, so it is private.
 */
class SearchLedger {
  readonly #path: string;
  readonly #task: MiningTask;
  readonly #warn: (line: string) => void;
  /** Whether the file may be replaced; from the first save on it is ours. */
  #mayReplace: boolean;
  #savedAt = performance.now();
  #saving: Promise<void> | null = null;

  constructor(
    path: string,
    task: MiningTask,
    options: { readonly mayReplace: boolean; readonly warn: (line: string) => void },
  ) {
    this.#path = path;
    this.#task = task;
    this.#mayReplace = options.mayReplace;
    this.#warn = options.warn;
  }

  /** Saves if it is time. A save that fails is reported, and tried again later. */
  note(state: () => SearchState): void {
    if (this.#saving !== null || performance.now() - this.#savedAt < 1e3 * SAVE_SECONDS) return;
    this.#saving = this.#save(state())
      .catch((error: unknown) => {
        if (!(error instanceof LabError)) throw error;
        this.#warn(`the ledger is not up to date: ${error.message}; trying again`);
      })
      .finally(() => {
        this.#saving = null;
        this.#savedAt = performance.now();
      });
  }

  /** The last save; throws LabError `file.unwritable` if it fails. */
  async close(state: SearchState): Promise<void> {
    await this.#saving;
    await this.#save(state);
  }

  async #save(state: SearchState): Promise<void> {
    const text = `${JSON.stringify(savedSearchToJson(this.#task, state), null, 2)}\n`;
    await writeWhole(this.#path, text, { force: this.#mayReplace, isPrivate: true });
    this.#mayReplace = true;
  }
}
