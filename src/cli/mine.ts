/**
 * @module
 * `usurp mine`: find an identity that a policy admits, within a budget. The secret and the seed that
 * leads to it go to `--out` alone; stdout gets the claim and the ledger.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { bytesToHex } from '../bytes.ts';
import { LabError } from '../errors.ts';
import { claimToJson } from '../identity/claim.ts';
import type { SchemeName } from '../identity/scheme.ts';
import { SCHEME_NAMES } from '../identity/scheme.ts';
import type { Goal } from '../mining/goal.ts';
import { formatGoal } from '../mining/goal.ts';
import type { Budget } from '../mining/ledger.ts';
import { attemptOdds, foundProbability, timeOdds, winProbability } from '../mining/odds.ts';
import type { MinedIdentity, MiningResult, MiningTask } from '../mining/search.ts';
import { STRONGEST_STRATEGY } from '../mining/strategies.ts';
import type { StrategyName } from '../mining/strategy.ts';
import { STRATEGY_NAMES } from '../mining/strategy.ts';
import type { Seed } from '../random.ts';
import type { MiningProgress } from '../runtime/mining-pool.ts';
import { mineInThreads } from '../runtime/mining-pool.ts';
import { duration, goal, integer, oneOf, secretSeed } from './arguments.ts';
import type { ExitCode } from './exit.ts';
import { EXIT } from './exit.ts';
import { refuseTarget, writeWhole } from './files.ts';
import { columns, formatCount, formatPercent, formatSeconds } from './layout.ts';
import type { OutputOptions, PolicyOptions } from './options.ts';
import { policyOf, verb, wantsJson, withPolicy, withSeed, withThreads } from './options.ts';
import type { Session, Terminal } from './terminal.ts';

interface MineOptions extends OutputOptions, PolicyOptions {
  readonly scheme: SchemeName;
  readonly goal: Goal;
  readonly strategy: StrategyName;
  readonly attempts?: number;
  readonly hashes?: number;
  readonly cpu?: number;
  readonly wall?: number;
  readonly seed?: Seed;
  readonly threads: number;
  readonly out?: string;
  readonly force?: true;
}

export function mineCommand(session: Session): Command {
  const count = integer(1, Number.MAX_SAFE_INTEGER);
  const command = verb('mine', 'find an identity that a policy admits, within a budget')
    .option('--scheme <name>', SCHEME_NAMES.join(', '), oneOf(SCHEME_NAMES), 'ed25519')
    .addOption(
      new Option('--goal <goal>', 'any, or above:<node ID>')
        .argParser(goal)
        .default({ type: 'any' }, 'any'),
    )
    .option(
      '--strategy <name>',
      STRATEGY_NAMES.join(', '),
      oneOf(STRATEGY_NAMES),
      STRONGEST_STRATEGY,
    )
    .option(
      '--attempts <count>',
      'budget in candidates (keys) tested; solving --c2 is not one',
      count,
    )
    .option('--hashes <count>', 'budget in hash evaluations', count)
    .option('--cpu <time>', 'budget in CPU time of all threads, such as 5s', duration)
    .option('--wall <time>', 'budget in wall time, such as 5s', duration)
    .option('--out <file>', 'write claim, secret and seed here, mode 0600')
    .option('--force', 'replace the file of --out');
  withSeed(command, 'a repeatable search; such keys are for the lab alone');
  return withThreads(withPolicy(command))
    .addHelpText('after', MINE_EXAMPLES)
    .action((options: MineOptions) =>
      session.run(options, (terminal) => runMine(options, terminal)),
    );
}

const MINE_EXAMPLES = `
Without a budget it runs until found or interrupted. Exit codes: 0 found, 1 not found, 130 interrupted.

Examples:
  usurp mine --c1 12 --out key.json
  usurp mine --c1 10 --c2 8 --dynamic xor --seed 1 --json
  usurp mine --c1 8 --goal above:f000000000000000000000000000000000000000000000000000000000000000 --cpu 5s`;

async function runMine(options: MineOptions, terminal: Terminal): Promise<ExitCode> {
  const task = taskOf(options);
  if (winProbability(task.policy, task.goal) === 0) {
    throw new LabError('arguments', `no node ID can meet the goal ${formatGoal(task.goal)}`);
  }
  if (options.out !== undefined) await refuseTarget(options.out, options.force === true);
  announce(options, terminal);
  const result = await mineInThreads(task, {
    threads: options.threads,
    onProgress: (progress) => terminal.progress(() => progressLine(task, progress)),
    signal: terminal.signal,
  });
  const answer = answerOf(result, options);
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(result, task));
  if (options.out !== undefined && result.identity !== null) {
    await writeKey(options.out, task, result.identity, options.force === true);
    terminal.note(`claim, secret and seed written to ${options.out}`);
  }
  if (result.found) return EXIT.holds;
  return result.ending === 'cancelled' ? EXIT.interrupted : EXIT.violated;
}

function taskOf(options: MineOptions): MiningTask {
  const budget: Budget = {
    attempts: options.attempts,
    hashes: options.hashes,
    cpuSeconds: options.cpu,
    wallSeconds: options.wall,
  };
  const { scheme, goal: target, strategy } = options;
  const seed = options.seed ?? secretSeed();
  return { scheme, policy: policyOf(options), goal: target, strategy, seed, budget };
}

function announce(options: MineOptions, terminal: Terminal): void {
  const { attempts, hashes, cpu, wall } = options;
  if (options.c2 > 0 && attempts !== undefined && !(hashes || cpu || wall)) {
    terminal.note('--attempts bounds the keys alone; --hashes, --cpu or --wall bound solving --c2');
  }
  if (options.seed !== undefined) {
    terminal.note(`seed ${options.seed}: whoever knows it has the key, use it in the lab alone`);
  } else if (options.out === undefined) {
    terminal.note('no --out: the secret of this identity will not be kept');
  }
}

function progressLine(task: MiningTask, progress: MiningProgress): string {
  const { tested, bestBits, cpuSeconds, wallSeconds } = progress;
  const rate = tested / wallSeconds;
  const isKeys = progress.phase === 'keys';
  const chance = isKeys ? winProbability(task.policy, task.goal) : 2 ** -task.policy.c2;
  const times = timeOdds(attemptOdds(chance), rate);
  const found = foundProbability(chance, tested);
  const parts = [
    isKeys
      ? `mining: ${formatCount(tested)} attempts`
      : `solving the dynamic puzzle: ${formatCount(tested)} solutions tried`,
    `${formatCount(rate)}/s`,
    `${formatSeconds(cpuSeconds)} CPU`,
    ...(bestBits < 0 ? [] : [`best ${bestBits} bits`]),
    `P(found by now) ${formatPercent(found)}${found > UNLUCKY ? ', unlucky, still working' : ''}`,
    `from any moment 50 % in ${formatSeconds(times.p50)}, 95 % in ${formatSeconds(times.p95)}`,
  ];
  return parts.join(' · ');
}

const UNLUCKY = 0.9;

function answerOf(result: MiningResult, options: MineOptions) {
  const { found, identity, measured, ledger } = result;
  const claim = identity === null ? null : claimToJson(identity.claim);
  return { found, claim, measured, ledger, strategy: options.strategy, seed: options.seed ?? null };
}

/** The key file: the only place where a secret is ever written. */
async function writeKey(path: string, task: MiningTask, identity: MinedIdentity, force: boolean) {
  const { claim, secret } = identity;
  const key = {
    format: 'usurp/key/v1',
    claim: claimToJson(claim),
    secret: { form: secret.form, hex: bytesToHex(secret.bytes) },
    policy: task.policy,
    strategy: task.strategy,
    seed: task.seed,
  };
  await writeWhole(path, `${JSON.stringify(key, null, 2)}\n`, { force, isPrivate: true });
}

function tableOf(result: MiningResult, task: MiningTask): string {
  const { identity, ledger, measured } = result;
  const odds = attemptOdds(winProbability(task.policy, task.goal));
  const rows: string[][] = [['found', result.found ? 'yes' : `no (ended by: ${result.ending})`]];
  if (identity !== null && measured !== null) {
    const claim = claimToJson(identity.claim);
    rows.push(['scheme', claim.scheme], ['public key', claim.publicKey], ['node ID', claim.nodeId]);
    rows.push(['zero bits', `c1 ${measured.c1}, c2 ${measured.c2}`]);
    rows.push(['solution', claim.solution ?? 'none'], ['signature', claim.signature]);
  }
  rows.push(
    ['attempts', `${ledger.attempts} (expected ${formatCount(odds.expected)})`],
    ['hashes', String(ledger.hashes)],
    ['group operations', String(ledger.groupOperations)],
    ['CPU', formatSeconds(ledger.cpuSeconds)],
    ['wall', formatSeconds(ledger.wallSeconds)],
    ['overshoot', String(ledger.overshoot)],
  );
  return columns(rows);
}
