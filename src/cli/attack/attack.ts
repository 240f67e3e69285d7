/**
 * @module
 * This folder contains `usurp attack`.
 * `usurp attack`: one attack on one election, from forging to what would have stopped it. Its keys are for
 * this lab only: the seed reveals them.
 */

import { setImmediate } from 'node:timers/promises';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Attack, AttackServices } from '../../experiment/attack/attack.ts';
import { ATTACKED_NODES, executeAttack, planAttack } from '../../experiment/attack/attack.ts';
import { remembering } from '../../experiment/attack/forge.ts';
import type { ForgeKind, ForgeOrder } from '../../experiment/attack/population.ts';
import { FORGE_KINDS } from '../../experiment/attack/population.ts';
import { reportAttack, succeededIn } from '../../experiment/attack/report.ts';
import { tryDefences } from '../../experiment/attack/trials.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { winProbability } from '../../mining/odds.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { createForge } from '../../runtime/threads/forge.ts';
import type { MiningProgress } from '../../runtime/threads/mining-pool.ts';
import { chosenSeed, duration, integer, oneOf } from '../shell/arguments.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { formatCount, formatSeconds } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson, withSeed, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { attackListText } from './list.ts';
import { MATRIX_SEED, runMatrix } from './matrix.ts';
import { attackTable } from './table.ts';

interface AttackOptions extends OutputOptions {
  readonly protocol?: ProtocolName;
  readonly behaviour: readonly string[];
  readonly level: Level;
  readonly aim?: Aim;
  readonly defence: readonly string[];
  readonly nodes: number;
  readonly c1: number;
  readonly forge?: ForgeKind;
  readonly colluders: number;
  readonly attempts?: number;
  readonly cpu?: number;
  readonly seed?: Seed;
  readonly threads: number;
  readonly list?: true;
  readonly matrix?: true;
}

export function attackCommand(session: Session): Command {
  const command = verb('attack', 'attack an election, with forged identities or without')
    .option('--protocol <name>', PROTOCOL_NAMES.join(', '), oneOf(PROTOCOL_NAMES))
    .option(
      '--behaviour <names>',
      'what the adversary does, see --list; several with commas',
      names,
      [],
    )
    .addOption(new Option('--level <level>', LEVEL_HELP).choices(LEVELS).default('L0'))
    .addOption(
      new Option(
        '--aim <aim>',
        'what the adversary wants (default: the aim of its first behaviour)',
      ).choices(AIMS),
    )
    .option(
      '--defence <names>',
      'what is up against it, see --list; several with commas',
      names,
      [],
    );
  withForging(command);
  withSeed(command, 'decides identities, ring and run; chosen and printed if not given');
  withThreads(command);
  const others = command.options.map((option) => option.attributeName());
  return command
    .addOption(
      new Option('--matrix', 'what each attack is to each protocol, by runs').conflicts(
        others.filter((name) => !MATRIX_COMPANIONS.includes(name)),
      ),
    )
    .option('--list', 'behaviours and defences, and which protocols they fit')
    .addHelpText('after', ATTACK_HELP)
    .action((options: AttackOptions) =>
      session.run(options, (terminal) => runAttack(options, terminal)),
    );
}

const MATRIX_COMPANIONS: readonly string[] = ['seed', 'format', 'json', 'quiet', 'color'];

const LEVEL_HELP =
  'what nodes demand of messages: L0 nothing, L1 the true sender, L2 signatures, L3 fresh ones';

function withForging(command: Command): void {
  const { min, max } = ATTACKED_NODES;
  command
    .option('--nodes <count>', 'nodes, the adversary included', integer(min, max), 5)
    .option(
      '--c1 <bits>',
      'static puzzle: zero bits of SHA-256(nodeId)',
      integer(0, PUZZLE_BITS_MAX),
      8,
    )
    .addOption(
      new Option(
        '--forge <what>',
        'identities that the adversary mines (default: top where its behaviour needs it, else none)',
      ).choices(FORGE_KINDS),
    )
    .option(
      '--colluders <count>',
      'identities that the adversary has, which share its budget and know of each other',
      integer(1, max - 1),
      1,
    )
    .option(
      '--attempts <count>',
      'budget of the adversary alone, in candidates tested',
      integer(1, Number.MAX_SAFE_INTEGER),
    )
    .addOption(
      new Option('--cpu <time>', 'budget of the adversary alone, in CPU time, such as 5s')
        .argParser(duration)
        .conflicts('attempts'),
    );
}

const ATTACK_HELP = `
The adversary has one ordinary identity, of the lowest rank, unless it forges: one above all (top), one
right after an honest one on a ring in the order of IDs (successor), or one more than the honest have
(spread). Forged identities take the place of its ordinary one. With --colluders it has several of the lowest
ranks, or forges several one after the other under its one budget; they behave alike and sign for each
other. From level L2 on a small election is run with the keys that were mined, a larger one with symbolic
ones that give the same (keys, in the answer). --attempts and --cpu bound what the adversary mines, not the
honest identities, which take 2^c1 attempts each. The stage is set for the behaviour: a leader
that is dead or dies, detectors on the nodes, candidates that do not reach each other, leaders that work.

Success is what the honest live nodes show, and would not without the Byzantine node: lead, all of them followed
the adversary; stop, none that lives was followed by all for a quarter of the second half; split, two
were followed for longer than an election takes; outlive-lease, writes of replaced leaders were taken. Where
anybody may be elected, one disturbed run can make the adversary leader by luck: try several seeds.

An attack that succeeds is repeated, under the same seed, against each defence that was off:
channel-authentication is level L1, signatures L2, freshness L3 (each tried where what is below it is not
enough), proof-of-work bits for newcomers with which the same attempts find nothing and leave it with an
ordinary identity, beacon-rank ranks that are drawn after registration. Defences that need
L2 are not tried below it, nor are those that do not go with the ones that are on: the answer lists them, not
tried, and why. One whose trial was too much to watch is unknown.

Exit codes: 1 the adversary succeeded, 0 it did not, 2 unknown: the budget ended first or the run was too much
to watch, with the adversary or without, 130 interrupted: what is finished is printed.

--matrix plays every attack of the catalogue on every protocol at every level, the forged identities placed
without being mined, under seed ${MATRIX_SEED} unless another is given; its exit code is 0. There an attack works
if it reaches any aim that breaks the protocol, not only the aim of its behaviour: replay has the aim stop
by default, and splits the rings of cr-* and hs-*, so use --aim split there.

Examples:
  usurp attack --list
  usurp attack --protocol cr-join --behaviour phantom-id --level L0 --seed 1
  usurp attack --protocol bully-oneshot --behaviour flap --level L3 --c1 10 --seed 1 --json
  usurp attack --protocol cr-join --behaviour swallow --forge successor --level L3 --cpu 5s
  usurp attack --protocol cr-join --behaviour tamper-token --colluders 2 --level L3 --seed 1
  usurp attack --protocol raft --behaviour term-inflation --level L3 --defence epoch-step --seed 1
  usurp attack --matrix --json`;

async function runAttack(options: AttackOptions, terminal: Terminal): Promise<ExitCode> {
  const isJson = wantsJson(options);
  if (options.list === true) {
    terminal.print(attackListText(options.protocol, isJson));
    return EXIT.holds;
  }
  if (options.matrix === true) return runMatrix(options, terminal);
  const attack = attackOf(options);
  const services = servicesOf(options, terminal);
  const execution = await executeAttack(attack, services);
  const isSuccess = succeededIn(attack, execution) === true;
  const isTried = isSuccess && execution.outcome === 'run';
  const tried = isTried ? await tryDefences(attack, execution, services) : NOTHING_TRIED;
  const reported = reportAttack(attack, execution, tried);
  const report = { ...reported, replay: runnable(reported.replay) };
  if (options.seed === undefined) terminal.note(`seed ${attack.seed}, to repeat: ${report.replay}`);
  terminal.print(isJson ? `${JSON.stringify(report)}\n` : attackTable(report));
  if (report.interrupted) {
    const open = tried === null ? 'which defences would have stopped it' : 'what comes of it';
    terminal.note(`interrupted: ${open} is not known`);
    return EXIT.interrupted;
  }
  if (report.succeeded === null) return EXIT.unknown;
  return report.succeeded ? EXIT.violated : EXIT.holds;
}

const NOTHING_TRIED = { trials: [], notTried: [] };

function attackOf(options: AttackOptions): Attack {
  const { protocol, behaviour, defence, aim, forge, level, nodes, c1, colluders } = options;
  if (protocol === undefined) {
    throw new LabError('arguments', 'attack what? Name a protocol with --protocol, see --list');
  }
  if (behaviour.length === 0 && forge === undefined) {
    throw new LabError('arguments', 'attack how? Name a --behaviour, see --list, or --forge top');
  }
  return planAttack({
    ...{ protocol, level, nodes, c1, colluders, behaviours: behaviour, defences: defence },
    ...{ aim: aim ?? null, forge: forge ?? null },
    budget: { attempts: options.attempts, cpuSeconds: options.cpu },
    seed: options.seed ?? chosenSeed(),
  });
}

function servicesOf({ threads }: AttackOptions, terminal: Terminal): AttackServices {
  const forge = createForge({
    ...{ threads, signal: terminal.signal },
    onProgress: (order, progress) => terminal.progress(() => miningText(order, progress)),
  });
  return {
    forge: remembering(forge),
    usesRealKeys: true,
    async goOn() {
      await setImmediate();
      return !terminal.signal.aborted;
    },
  };
}

/** An estimate exists only for identities that need only be valid. */
function miningText(
  { goal, policy, strategy }: ForgeOrder,
  { tested, cpuSeconds, wallSeconds }: MiningProgress,
): string {
  const isMany = goal.type === 'count';
  const whose = strategy === HONEST_STRATEGY ? 'honest' : 'forged';
  const what = isMany ? `${goal.identities} ${whose} identities` : `the ${whose} identity`;
  const expected = isMany ? goal.identities / winProbability(policy, { type: 'any' }) : null;
  const of = expected === null ? '' : ` of about ${formatCount(expected)}`;
  const rate = formatCount(tested / wallSeconds);
  return `mining ${what}: ${formatCount(tested)}${of} attempts · ${rate}/s · ${formatSeconds(cpuSeconds)} CPU`;
}

function names(text: string, before: readonly string[]): string[] {
  return [...before, ...text.split(',').filter((name) => name !== '')];
}
