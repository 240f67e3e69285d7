/**
 * @module
 * This folder contains `usurp check`, which explores every order of deliveries, timers and faults of one protocol within
 * bounds. This file contains its flags.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { instanceOf } from '../../checking/check-request.ts';
import type { Bounds, Instance, Pair } from '../../checking/instance.ts';
import {
  BOUND_NAMES,
  ENDPOINTS_MAX,
  NO_FAULTS,
  PER_LINK_MAX,
  START_MODES,
} from '../../checking/instance.ts';
import { CHECKED_PROPERTY_NAMES, concerning } from '../../checking/properties/registry.ts';
import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { checkedInstance } from '../../experiment/checks/answer.ts';
import type { Check } from '../../experiment/checks/request.ts';
import {
  CHECKED_NODES,
  requestOf,
  ringOf,
  WALK_DEPTH,
  WALKS_MAX,
} from '../../experiment/checks/request.ts';
import { flag, withTrace } from '../elect/options.ts';
import { refuseSave } from '../elect/save.ts';
import { refuseTrace } from '../elect/trace.ts';
import { duration, integer, memorySize, oneOf, ranks, seed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { writeThenPrint } from '../shell/files.ts';
import { perCore, seedOrChosen, verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { Played } from './arguments.ts';
import { onOff, readBehaviour, readBounds, readPairs, readProperties } from './arguments.ts';
import type { CostOptions } from './cost.ts';
import { refuseGoal, runCost, withCost } from './cost.ts';
import { explore } from './explore.ts';
import { CHECK_HELP } from './help.ts';
import { walkByHand } from './interactive.ts';
import { checkJson, checkText, EXITS } from './report.ts';
import { checkRings, refuseNodes } from './rings.ts';
import { writeResult } from './save.ts';

export interface CheckOptions extends CostOptions {
  readonly ring?: readonly number[] | 'all';
  readonly initiators?: readonly number[];
  readonly flag?: readonly (readonly [string, string])[];
  readonly crashed?: readonly number[];
  readonly absent?: readonly number[];
  readonly phantoms?: readonly number[];
  readonly byzantine?: readonly number[];
  readonly behaviour?: readonly Played[];
  readonly level?: Level;
  readonly starts: Instance['starts'];
  readonly timing: 'sync' | 'async';
  readonly links?: Instance['links'];
  readonly bounds: Bounds;
  readonly cut?: readonly Pair[];
  readonly perLink?: number;
  readonly terms?: 'shifted' | 'exact';
  readonly spread?: number;
  readonly resource?: ResourceKind;
  readonly property?: readonly string[];
  readonly order: 'breadth' | 'depth';
  readonly reduction: 'on' | 'off';
  readonly symmetry: 'on' | 'off';
  readonly walks?: number;
  readonly depth?: number;
  readonly interactive?: true;
}

/** The argument that stands for the names of all properties, or for all rings. */
const ALL = 'all';

/** Limits of a search. */
const STATES_MAX = 2 ** 31;

export function checkCommand(session: Session): Command {
  return withLimits(
    withLinks(verb('check', 'explore every schedule of a protocol within bounds'))
      .argument('<protocol>', `protocol: ${PROTOCOL_NAMES.join(', ')}`, oneOf(PROTOCOL_NAMES))
      .option(
        '--nodes <count>',
        `number of nodes, in a ring by rank (default: ${CHECKED_NODES})`,
        integer(1, ENDPOINTS_MAX),
      )
      .option('--flag <name=value>', 'variant or number of the protocol; repeatable', flag)
      .option('--initiators <ranks>', 'nodes that start the election (default: all)', ranks)
      .addOption(
        new Option(
          '--starts <when>',
          'together: all initiators start before everything else; any: each starts at any moment until it takes part in the election; again: also later, which begins further elections',
        )
          .choices(START_MODES)
          .default('together'),
      )
      .option('--crashed <ranks>', 'nodes that are down before the election', ranks)
      .option(
        '--absent <ranks>',
        'nodes that join later, as often as --bounds join=1 allows',
        ranks,
      )
      .option(
        '--phantoms <ranks>',
        'ranks of 1..n that no node has, but that messages can name',
        ranks,
      )
      .option('--byzantine <ranks>', 'nodes that may lie as often as --bounds lies=1 allows', ranks)
      .option(
        '--behaviour <rank=names>',
        'behaviours of a Byzantine node, such as 2=swallow; with --cost those of all Byzantine nodes, such as swallow; repeatable',
        readBehaviour,
      )
      .addOption(
        new Option(
          '--level <level>',
          'level of authentication of messages (default: none; L0 with Byzantine nodes)',
        ).choices(LEVELS),
      )
      .addOption(
        new Option(
          '--timing <model>',
          'sync: timers fire only when nothing is in flight; async: at any moment',
        )
          .choices(['sync', 'async'])
          .default('async'),
      )
      .addOption(
        new Option(
          '--bounds <faults>',
          `largest number of each fault in one execution, such as crash=1,loss=2; the faults are ${BOUND_NAMES.join(', ')}`,
        )
          .argParser(readBounds)
          .default(NO_FAULTS, 'none'),
      )
      .option(
        '--property <names>',
        `properties, separated by commas: ${CHECKED_PROPERTY_NAMES.join(', ')}, or all that concern the protocol (default: those that it claims under this timing and these links and faults)`,
        readProperties,
      ),
  )
    .addHelpText('after', CHECK_HELP)
    .action((protocol: ProtocolName, options: CheckOptions) =>
      session.run(options, (terminal) => runCheck(protocol, options, terminal)),
    );
}

/** Adds the flags of the network and of the resource. */
function withLinks(command: Command): Command {
  return command
    .option(
      '--ring <ranks>',
      'ranks in clockwise order, such as 2,3,1; all: one check for each ring of --nodes nodes',
      (text: string) => (text === ALL ? ALL : ranks(text)),
    )
    .addOption(
      new Option(
        '--links <order>',
        'fifo: messages of a link arrive in the order of sending; any: in any order (default: fifo if the protocol needs it, else any)',
      ).choices(['fifo', 'any']),
    )
    .addOption(
      new Option('--resource <kind>', 'resource that leaders write to').choices(RESOURCE_KINDS),
    )
    .option('--cut <pairs>', 'pairs of nodes without a link, such as 1-2,3-4', readPairs)
    .option(
      '--per-link <count>',
      'largest number of messages in flight on a link; actions that exceed it are left out (default: no limit)',
      integer(1, PER_LINK_MAX),
    )
    .addOption(
      new Option(
        '--terms <form>',
        'shifted: count worlds as one if they differ only in the height of their terms or other counters; exact: count them separately (default: shifted)',
      ).choices(['shifted', 'exact']),
    )
    .option(
      '--spread <count>',
      'largest difference between two terms of a world; actions that exceed it are left out (default: no limit)',
      integer(1, PER_LINK_MAX),
    );
}

/** Adds the flags that let a search leave worlds out. */
function withReductions(command: Command): Command {
  return command
    .addOption(
      onOff(
        '--reduction <mode>',
        'partial-order reduction, which leaves out worlds without a change of verdict; never with an eventually property',
      ),
    )
    .addOption(
      onOff(
        '--symmetry <mode>',
        'count worlds as one if they differ only in which node has which rank; never with an eventually property',
      ),
    );
}

function withLimits(command: Command): Command {
  return withReductions(withTrace(withCost(command)))
    .option('--save <file>', 'file to write a counterexample to, for usurp replay')
    .option('--force', 'replace existing files of --trace and --save')
    .option('--interactive', 'choose the actions by hand, one after the other')
    .addOption(
      perCore(
        '--threads <count>',
        'number of threads, for random walks and for breadth-first searches without reduction',
      ),
    )
    .addOption(
      new Option(
        '--order <order>',
        'breadth: finds a shortest violation; depth: explores distant worlds first',
      )
        .choices(['breadth', 'depth'])
        .default('breadth'),
    )
    .addOption(
      new Option(
        '--walks <count>',
        'number of random walks, instead of a search, for an instance that is too large',
      )
        .argParser(integer(1, WALKS_MAX.count))
        .conflicts(['interactive', 'checkpoint', 'resume']),
    )
    .option(
      '--depth <count>',
      `largest number of actions of a random walk (default: ${WALK_DEPTH})`,
      integer(1, WALKS_MAX.depth),
    )
    .option(
      '--seed <number>',
      'seed of the random walks; with --cost, seed of the honest nodes (default: chosen and printed)',
      seed,
    )
    .option(
      '--max-states <count>',
      'number of worlds after which the search stops',
      integer(1, STATES_MAX),
      10_000_000,
    )
    .addOption(
      new Option(
        '--max-memory <size>',
        'memory of the check, such as 512MB, at which the search stops',
      )
        .argParser(memorySize)
        .default(2 * 2 ** 30, '2GB'),
    )
    .option(
      '--checkpoint <file>',
      'file in which the search is saved at intervals and when it stops; turns --reduction and --symmetry off',
    )
    .addOption(
      new Option('--checkpoint-every <time>', 'time between two checkpoints')
        .argParser(duration)
        .default(60, '1m'),
    )
    .option('--resume <file>', 'file of --checkpoint whose search is continued');
}

async function runCheck(
  protocol: ProtocolName,
  options: CheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  refuseNodes(options);
  if (options.cost === true) {
    await refuseSave(options);
    return runCost(costlyOf(protocol, options), options, terminal);
  }
  refuseGoal(options);
  const walks = walksOf(options, terminal);
  const asked = requestOf({ ...checkOf(protocol, options), ...(walks && { walks }) });
  const isSaved = options.checkpoint !== undefined || options.resume !== undefined;
  const request = isSaved ? { ...asked, isReduced: false, isSymmetric: false } : asked;
  if (options.ring === ALL) return checkRings(request, options, terminal);
  if (options.interactive) return walkByHand(request, terminal);
  await refuseSave(options);
  await refuseTrace(options, instanceOf(request).cast.nodes);
  const { result, isStopped } = await explore(request, options, terminal);
  const about = checkedInstance(request, options.property !== undefined);
  const text = wantsJson(options) ? checkJson(about, result) : checkText(about, result, options);
  const write = () => writeResult(request, result, options, terminal);
  await writeThenPrint(write, () => terminal.print(text));
  if (isStopped) return EXIT.interrupted;
  return EXITS[result.type];
}

/** The random walks, if any. Throws LabError `arguments` for --depth or --seed without --walks. */
function walksOf({ walks: count, depth, seed: given }: CheckOptions, terminal: Terminal) {
  if (count !== undefined) {
    return { count, depth: depth ?? WALK_DEPTH, seed: seedOrChosen(given, terminal) };
  }
  if (depth === undefined && given === undefined) return null;
  const name = depth === undefined ? '--seed' : '--depth';
  throw new LabError(
    'arguments',
    `${name} belongs to random walks; add --walks 1000, or remove ${name}`,
  );
}

function checkOf(protocol: ProtocolName, options: CheckOptions): Check {
  const { nodes, ring, crashed, absent, phantoms, initiators, ...others } = options;
  const { starts, links, bounds, property, order, reduction, symmetry, cut, perLink } = others;
  const limited = BOUND_NAMES.flatMap((name) => {
    const bound = bounds[name];
    return bound === null ? [] : [[name, bound] as const];
  });
  return {
    protocol,
    flags: Object.fromEntries(options.flag ?? []),
    ring: ring === undefined || ring === ALL ? ringOf(nodes ?? CHECKED_NODES) : [...ring],
    ...(crashed !== undefined && { crashedBefore: [...crashed] }),
    ...(absent !== undefined && { absent: [...absent] }),
    ...(phantoms !== undefined && { phantoms: [...phantoms] }),
    ...(options.level !== undefined && { level: options.level }),
    ...byzantineOf(options),
    ...(initiators !== undefined && { initiators: [...initiators] }),
    ...(links !== undefined && { links }),
    ...(cut !== undefined && { cut: cut.map((pair) => [...pair]) }),
    ...(perLink !== undefined && { perLink }),
    ...(options.terms !== undefined && { terms: options.terms }),
    ...(options.spread !== undefined && { spread: options.spread }),
    ...(options.resource !== undefined && { resource: options.resource }),
    timing: options.timing === 'sync' ? 'synchronous' : 'asynchronous',
    bounds: Object.fromEntries(limited),
    ...(options.goal !== undefined && { goal: options.goal }),
    ...(property !== undefined && { properties: namedBy(protocol, options) }),
    ...{ starts, order, reduction, symmetry },
  };
}

/** The members that all checks of the cheapest attack have in common, and the behaviours of the adversary. */
function costlyOf(protocol: ProtocolName, options: CheckOptions) {
  const { behaviour: played = [], ...others } = options;
  const ranked = played.find(({ rank }) => rank !== null);
  if (ranked !== undefined) {
    throw new LabError(
      'arguments',
      `--behaviour ${ranked.rank}=…: --cost tries every placement, so name the behaviours without a rank`,
    );
  }
  const { ring: _, ...check } = checkOf(protocol, others);
  return { check, behaviours: played.flatMap(({ behaviours }) => behaviours) };
}

function byzantineOf({ byzantine = [], behaviour = [] }: CheckOptions): Partial<Check> {
  const played = behaviour.map(({ rank, behaviours }) => {
    if (rank !== null) return { rank, behaviours };
    const names = behaviours.join(',');
    const detail = `--behaviour ${names}: no node is named; write a rank, such as 2=${names}`;
    throw new LabError('arguments', detail);
  });
  const free = byzantine.filter((rank) => !played.some((each) => each.rank === rank));
  const all = [...played, ...free.map((rank) => ({ rank, behaviours: [] }))];
  if (all.length === 0) return {};
  return { byzantine: all.map(({ rank, behaviours }) => ({ rank, behaviours: [...behaviours] })) };
}

/** The names of the properties. `all` stands for those that concern the protocol. */
function namedBy(protocol: ProtocolName, { property = [], resource }: CheckOptions): string[] {
  if (!property.includes(ALL)) return [...property];
  return concerning(PROTOCOLS[protocol], resource ?? null).map(({ name }) => name);
}
