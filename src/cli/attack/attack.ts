/**
 * @module
 * This folder contains `usurp attack`.
 * `usurp attack`: one attack on one election, from forging to the defences that stop it. The keys are for
 * this lab only: the seed reveals them.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Attack } from '../../experiment/attack/attack.ts';
import { ATTACKED_NODES, planAttack } from '../../experiment/attack/attack.ts';
import { MATRIX_SEED } from '../../experiment/attack/matrix-report.ts';
import type { ForgeKind } from '../../experiment/attack/population.ts';
import { FORGE_KINDS } from '../../experiment/attack/population.ts';
import { SETS_MAX } from '../../experiment/attack/sets.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
} from '../../experiment/document/defence-names.ts';
import { meantText } from '../../experiment/reading/nearest.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { formatCount, formatSeconds } from '../../operations/figures.ts';
import type { Seed } from '../../random.ts';
import type { AttackProgress } from '../../runtime/threads/attack.ts';
import { carryOutAttack } from '../../runtime/threads/attack.ts';
import { chosenSeed, duration, integer, someOf } from '../shell/arguments.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson, withProtocol, withSeed, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { attackListText } from './list.ts';
import { runMatrix } from './matrix.ts';
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
  readonly colluders?: number;
  readonly attempts?: number;
  readonly cpu?: number;
  readonly seed?: Seed;
  readonly threads: number;
  readonly list?: true;
  readonly matrix?: true;
  readonly sets?: true;
  readonly protocols?: readonly ProtocolName[];
}

export function attackCommand(session: Session): Command {
  const command = withProtocol(
    verb('attack', 'attack an election and find the defences that stop the attack'),
  )
    .option(
      '--behaviour <names>',
      'behaviours of the adversary, separated by commas, see --list',
      names,
      [],
    )
    .addOption(new Option('--level <level>', LEVEL_HELP).choices(LEVELS).default('L0'))
    .addOption(
      new Option(
        '--aim <aim>',
        'the only harm that counts as success (default: any harm counts)',
      ).choices(AIMS),
    )
    .option('--defence <names>', 'active defences, separated by commas, see --list', names, []);
  withForging(command);
  withSeed(command, 'seed of identities, ring and run (default: chosen and printed)');
  withThreads(command);
  const others = command.options.map((option) => option.attributeName());
  return command
    .addOption(
      new Option('--matrix', 'run every attack on every protocol and print the effects').conflicts(
        others.filter((name) => !MATRIX_COMPANIONS.includes(name)),
      ),
    )
    .option(
      '--protocols <names>',
      'with --matrix: its rows, separated by commas (default: all protocols)',
      someOf(PROTOCOL_NAMES),
    )
    .option('--sets', 'with --matrix: the smallest set of defences that stops each attack')
    .option('--list', 'list behaviours and defences, and the protocols that they fit')
    .addHelpText('after', ATTACK_HELP)
    .action((_protocol: ProtocolName | undefined, options: AttackOptions) =>
      session.run(options, (terminal) => runAttack(options, terminal)),
    );
}

const MATRIX_COMPANIONS: readonly string[] = ['seed', 'format', 'json', 'quiet', 'color'];

const LEVEL_HELP =
  'authentication of messages: L0 none, L1 the true sender, L2 signatures, L3 fresh signatures';

function withForging(command: Command): void {
  const { min, max } = ATTACKED_NODES;
  command
    .option('--nodes <count>', 'number of nodes, including the adversary', integer(min, max), 5)
    .option(
      '--c1 <bits>',
      'static puzzle: number of zero bits of SHA-256(nodeId)',
      integer(0, PUZZLE_BITS_MAX),
      8,
    )
    .addOption(
      new Option(
        '--forge <what>',
        'identities that the adversary mines (default: top if its behaviour needs it, else none)',
      ).choices(FORGE_KINDS),
    )
    .option(
      '--colluders <count>',
      'number of identities of the adversary, which share one budget and cooperate (default: as many as its behaviours need: 2 for double-vote among an even number of nodes, else 1)',
      integer(1, max - 1),
    )
    .option(
      '--attempts <count>',
      'budget of the adversary, in candidates tested (default: none)',
      integer(1, Number.MAX_SAFE_INTEGER),
    )
    .addOption(
      new Option('--cpu <time>', 'budget of the adversary, in CPU time, such as 5s')
        .argParser(duration)
        .conflicts('attempts'),
    );
}

const ATTACK_HELP = `
The adversary has one ordinary identity with the lowest rank, unless it forges: one above all others
(top), one just after an honest node on a ring in the order of IDs (successor), or one more than the
honest nodes have (spread). Forged identities replace the ordinary one. With --colluders the adversary has
several identities of the lowest ranks, or forges several with its one budget. They behave alike and sign
for each other. From level L2 on, a small election runs with the mined keys, and a larger one with
symbolic keys that give the same result (member "keys" of the answer). --attempts and --cpu limit what
the adversary mines. An honest identity takes 2^c1 attempts on average and is not limited. Each behaviour
is tested in a situation in which it can act: a leader that is dead or crashes, detectors on the nodes,
honest nodes in two halves that do not reach each other, or leaders that write to a resource.

The attack succeeds if it broke the election in any way in which the same election without the adversary
is not broken. The answer names each harm that the live honest nodes show:
captured-leader: all of them followed the adversary. no-leader: in the second half of the run, they never
all followed one live node for a quarter of its time. split: they followed two leaders for longer than an election
takes, or two nodes led in one epoch. late-writes: the resource accepted writes after those of a later leader.
--aim lead, stop, split or outlive-lease makes only that harm count, in this order. If a protocol may elect
any node, the adversary can become leader by luck in one disturbed run. Use several seeds.

An attack that succeeds is repeated with the same seed against each defence that was off. A defence stops
it if no harm is left, or with --aim not that harm.
channel-authentication is level L1, signatures is L2, and freshness is L3. A level is tried only if the
level below it does not stop the attack. proof-of-work raises c1 for newcomers until the same attempts find nothing,
so that the adversary has only its ordinary identity. beacon-rank draws the ranks after registration.
Defences that need L2 are not tried below L2. Defences that conflict with active ones are not tried. The
answer lists both with the reason. The result is unknown if the repeated run exceeded a limit.
If no single defence stops the attack, all pairs of defences that fit together are tried, and then all
triples, up to ${SETS_MAX} sets. A level is one defence of a set. The answer names the first set that stops it.

Exit codes: 1 the adversary did harm, 0 it did none, 2 unknown (the budget ended first, or the run with or
without the adversary exceeded a limit), 130 interrupted (finished results are printed).

--matrix runs every attack of the catalogue on every protocol at every level. Forged identities are
assigned without mining. The default seed is ${MATRIX_SEED}, and the exit code is 0. An attack works in the matrix
if most of a few runs show its harm. With --sets the answer also names, for each attack that works, the
smallest set of defences that stops it (a level and up to two others), or why none does. That takes minutes.

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
  if (options.sets === true) throw new LabError('arguments', '--sets needs --matrix');
  if (options.protocols !== undefined) {
    throw new LabError('arguments', '--protocols needs --matrix; an attack has one --protocol');
  }
  const attack = attackOf(options);
  const reported = await carryOutAttack(attack, {
    ...{ threads: options.threads, signal: terminal.signal },
    onProgress: (progress) => terminal.progress(() => progressText(progress)),
  });
  const report = { ...reported, replay: runnable(reported.replay) };
  if (options.seed === undefined) terminal.note(`seed ${attack.seed}, to repeat: ${report.replay}`);
  terminal.print(isJson ? `${JSON.stringify(report)}\n` : attackTable(report));
  if (report.interrupted) {
    const open =
      report.succeeded === true ? 'which defences stop the attack' : 'the effect of the attack';
    terminal.note(`interrupted: ${open} is not known`);
    return EXIT.interrupted;
  }
  if (report.succeeded === null) return EXIT.unknown;
  return report.succeeded ? EXIT.violated : EXIT.holds;
}

function attackOf(options: AttackOptions): Attack {
  const { protocol, behaviour, defence, aim, forge, level, nodes, c1, colluders } = options;
  if (protocol === undefined) {
    throw new LabError(
      'arguments',
      'the protocol is missing: name the one to attack, as in usurp attack cr-join; --list prints all',
    );
  }
  if (behaviour.length === 0 && forge === undefined) {
    throw new LabError(
      'arguments',
      '--behaviour is missing: name one of --list, or use --forge top',
    );
  }
  assertKnown('behaviour', behaviour, BEHAVIOUR_NAMES);
  assertKnown('defence', defence, [...CHOSEN_DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES]);
  return planAttack({
    ...{ protocol, level, nodes, c1, colluders, behaviours: behaviour, defences: defence },
    ...{ aim: aim ?? null, forge: forge ?? null },
    budget: { attempts: options.attempts, cpuSeconds: options.cpu },
    seed: options.seed ?? chosenSeed(),
  });
}

function assertKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const name = given.find((each) => !known.includes(each));
  if (name === undefined) return;
  const unknown = `there is no ${what} ${JSON.stringify(name)}${meantText(known, name)}`;
  throw new LabError('arguments', `${unknown}; --list prints all`);
}

function progressText(progress: AttackProgress): string {
  if (progress.phase === 'watching') return `watching election ${progress.elections}`;
  const { miner, identities, tested, expectedAttempts, perSecond, cpuSeconds } = progress;
  const whose = miner === 'honest' ? 'honest' : 'forged';
  const what = identities > 1 ? `${identities} ${whose} identities` : `the ${whose} identity`;
  const of = expectedAttempts === null ? '' : ` of about ${formatCount(expectedAttempts)}`;
  return `mining ${what}: ${formatCount(tested)}${of} attempts · ${formatCount(perSecond)}/s · ${formatSeconds(cpuSeconds)} CPU`;
}

function names(text: string, before: readonly string[]): string[] {
  return [...before, ...text.split(',').filter((name) => name !== '')];
}
