/**
 * @module
 * This folder contains what `usurp mine`, `usurp verify` and `usurp claim` do besides their operations
 * (src/operations/identity). This file writes the keys of `usurp mine`, keeps its search in a file, and resumes it.
 * The secret and the seed of a search go to `--out` and `--ledger` alone.
 */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import { parseJsonText } from '../../experiment/reading/json-scan.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import { isAboutSeveral, isClosestGoal } from '../../mining/goal.ts';
import type { MiningTask, SearchState } from '../../mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import { policyCost } from '../../mining/policy-cost.ts';
import { parseSavedSearch, savedSearchToJson } from '../../mining/saved-search.ts';
import type { MiningResult } from '../../mining/search.ts';
import { DYNAMIC_STRATEGIES } from '../../mining/solution.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import { formatCount } from '../../operations/figures.ts';
import { MINE } from '../../operations/identity/mine.ts';
import type { MineInput } from '../../operations/identity/search.ts';
import { assertPossible, assertSearchable } from '../../operations/identity/search.ts';
import type { Machine } from '../../operations/machine.ts';
import { formatKeyFile } from '../../runtime/files/key-file.ts';
import { THIS_MACHINE } from '../../runtime/sweep/machine.ts';
import { mineInThreads } from '../../runtime/threads/mining-pool.ts';
import type { Besides, Listing } from '../operations/operation-command.ts';
import { operationCommand } from '../operations/operation-command.ts';
import { commandLine } from '../shell/command-line.ts';
import { readText, refuseTarget, writeWhole } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface MineOptions {
  readonly out?: string;
  readonly ledger?: string;
  readonly resume?: string;
  readonly force?: true;
}

export function mineCommand(session: Session): Command {
  let search: Search | null = null;
  let ended: { readonly task: MiningTask; readonly result: MiningResult } | null = null;
  let ledger: { readonly file: SearchLedger; readonly path: string } | null = null;
  const machine: Machine = {
    ...THIS_MACHINE,
    async mine(asked, { onProgress, ...threads }) {
      const { task, begun } = search ?? { task: asked, begun: SEARCH_NOT_BEGUN };
      ledger?.file.begin(task);
      const result = await mineInThreads(task, {
        ...threads,
        begun,
        onProgress(progress) {
          onProgress(progress, task);
          if (progress.phase !== 'stock') ledger?.file.note(progress.state);
        },
      });
      ended = { task, result };
      return ended;
    },
  };
  const besides: Besides<MineOptions> = {
    // The flags of a policy enter them.
    entered: ['c1', 'c2'],
    flags: withFiles,
    list: MINING_CHOICES,
    async enter(options) {
      if (options.resume !== undefined) assertNoTaskFlags(command);
      return {};
    },
    async instead(input, options, terminal) {
      const asked = input as MineInput; // The schema of the operation made it.
      const { resume } = options;
      if (asked.device !== undefined && command.getOptionValueSource('threads') === 'cli') {
        const detail =
          '--threads has no effect with --device gpu, which searches alone: leave it out';
        throw new LabError('arguments', detail);
      }
      const { attempts, hashes, cpu: cpuSeconds, wall: wallSeconds, gpu: deviceSeconds } = asked;
      const budget = { attempts, hashes, cpuSeconds, wallSeconds, deviceSeconds };
      const means = { budget, device: asked.device };
      if (resume !== undefined) search = await resumedSearch(resume, means, terminal);
      await refuseTargets(options);
      announce(asked, { ...options, search }, terminal);
      ledger = await ledgerOf(options, terminal);
      return null;
    },
    machine: () => machine,
    replay: ({ resume }) => (resume === undefined ? null : ['mine', '--resume', resume]),
    async write(_answered, { out, force = false }, terminal) {
      if (ended === null) return;
      const { task, result } = ended;
      if (out !== undefined && result.identity !== null) {
        await writeKeys(out, ended, force);
        terminal.note(`claim, secret and seed written to ${out}`);
      }
      if (ledger === null) return;
      // Last: a ledger that cannot be written must not cost the identity.
      await ledger.file.close(result.state);
      if (result.found) return;
      const device = task.device === undefined ? [] : ['--device', task.device];
      const again = commandLine(['mine', '--resume', ledger.path, ...device]);
      terminal.note(`ledger written to ${ledger.path}; go on: ${again}`);
    },
  };
  const command = operationCommand(MINE, session, besides);
  return command;
}

function withFiles(command: Command): void {
  command
    .option('--out <file>', 'write claim, secret and seed here, mode 0600')
    .option('--ledger <file>', 'keep a ledger here to go on with, mode 0600: it holds the seed')
    .option(
      '--resume <file>',
      'go on with the search of this ledger, and keep it up to date; budgets count what it had spent',
    )
    .option('-f, --force', 'replace the files of --out and --ledger');
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
async function ledgerOf({ resume, ledger, force }: MineOptions, terminal: Terminal) {
  const path = ledger ?? (resume === undefined ? undefined : await realpath(resume));
  if (path === undefined) return null;
  const mayReplace = resume !== undefined || force === true;
  return { path, file: new SearchLedger(path, { mayReplace, warn: terminal.note }) };
}

/** Refuses flags that a resumed search takes from its ledger file. */
function assertNoTaskFlags(command: Command): void {
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

/** What may be said anew of a search that goes on. */
const RESUMABLE: ReadonlySet<string> = new Set([
  ...['resume', 'attempts', 'hashes', 'cpu', 'wall', 'gpu', 'device', 'threads', 'out', 'force'],
  ...['json', 'format', 'quiet', 'color'],
]);

/** Says what the user might not expect of the search. */
function announce(
  { attempts, hashes, cpu, wall, gpu, seed, dynamicStrategy, ...input }: MineInput,
  { out, ledger, resume, search }: MineOptions & { readonly search: Search | null },
  { note }: Terminal,
): void {
  const c2 = search?.task.policy.c2 ?? (typeof input.policy === 'object' ? input.policy.c2 : 0);
  if (c2 === 0 && dynamicStrategy !== undefined) {
    note(`${dynamicStrategy} has nothing to do: there is no dynamic puzzle, see --c2`);
  }
  const isTimed =
    hashes !== undefined || cpu !== undefined || wall !== undefined || gpu !== undefined;
  const isBounded = isTimed || attempts !== undefined;
  if (resume !== undefined && !isBounded) {
    note('a ledger keeps no budget, and none is given: it runs until found or interrupted');
  }
  if (c2 > 0 && attempts !== undefined && !isTimed) {
    note('--attempts bounds the keys alone; --hashes, --cpu or --wall bound solving --c2');
  }
  const isClosest =
    search === null
      ? input.goal.startsWith('near:') && input.against === undefined
      : isClosestGoal(search.task.goal);
  if (isClosest && !isBounded) {
    note('no budget: it looks for ever closer IDs until interrupted (Ctrl-C)');
  }
  const given = search?.task.isSeedGiven === true ? search.task.seed : seed;
  if (given !== undefined) {
    note(`seed ${given}: for use in this lab only; the seed reveals the key`);
  } else if (out === undefined && ledger === undefined && resume === undefined) {
    note('no --out: the secret of this identity will not be kept');
  }
}

/** The key file: with the ledger file the only place where a secret is ever written. */
async function writeKeys(
  path: string,
  { task, result }: { readonly task: MiningTask; readonly result: MiningResult },
  force: boolean,
): Promise<void> {
  const { policy, strategy, seed, goal } = task;
  const isSeveral = isAboutSeveral(goal);
  const text = formatKeyFile(result.identities, { isSeveral, policy, strategy, seed });
  await writeWhole(path, text, { force, isPrivate: true });
}

const MINING_CHOICES: Listing = {
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
      name,
      summary,
      reference,
      nominal,
      real,
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

/** A task, and how far its search has come. */
interface Search {
  readonly task: MiningTask;
  readonly begun: SearchState;
}

/** The search of a ledger file with a new budget, which counts what was spent before. */
async function resumedSearch(
  path: string,
  means: Pick<MiningTask, 'budget' | 'device'>,
  terminal: Terminal,
): Promise<Search> {
  const text = await readText(path, terminal, LEDGER_BYTES_MAX);
  try {
    const { task, state } = parseSavedSearch(parseJsonText(text));
    const resumed = { ...task, ...means };
    assertPossible(resumed);
    assertSearchable(resumed);
    if (state.deviceSeconds !== undefined && means.device === undefined) {
      terminal.note(
        `the search of ${path} began on a device, and goes on on the processor; to go on there, give --device gpu`,
      );
    }
    return { task: resumed, begun: state };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${path}: ${error.message}; it was left unchanged`);
  }
}

/** Ten thousand winners and their solutions take a megabyte. */
const LEDGER_BYTES_MAX = 16 * 1024 * 1024;

const SAVE_SECONDS = 5;

/**
 * A class, since it remembers when it saved and whether a save is under way. The ledger file of a search: written
 * anew every few seconds and at the end, whole or not at all, so that whatever ends the search leaves one to go on
 * with. It holds the seed, so it is private.
 */
class SearchLedger {
  readonly #path: string;
  #task: MiningTask | null = null;
  readonly #warn: (line: string) => void;
  /** Whether the file may be replaced; from the first save on it is ours. */
  #mayReplace: boolean;
  #savedAt = performance.now();
  #saving: Promise<void> | null = null;

  constructor(
    path: string,
    options: { readonly mayReplace: boolean; readonly warn: (line: string) => void },
  ) {
    this.#path = path;
    this.#mayReplace = options.mayReplace;
    this.#warn = options.warn;
  }

  /** Says which search it keeps. */
  begin(task: MiningTask): void {
    this.#task = task;
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
    if (this.#task === null) return;
    const text = `${JSON.stringify(savedSearchToJson(this.#task, state), null, 2)}\n`;
    await writeWhole(this.#path, text, { force: this.#mayReplace, isPrivate: true });
    this.#mayReplace = true;
  }
}
