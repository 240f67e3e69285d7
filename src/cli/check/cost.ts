/**
 * @module
 * `usurp check --goal … --cost`: the cheapest placement of forged identities that lets an adversary reach its goal.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { ENDPOINTS_MAX } from '../../checking/instance.ts';
import type { GoalName } from '../../checking/properties/goals.ts';
import { GOAL_NAMES } from '../../checking/properties/goals.ts';
import { LabError } from '../../errors.ts';
import { ordinaryOrder } from '../../experiment/attack/population.ts';
import type { CheapestResult } from '../../experiment/checks/cheapest-answer.ts';
import { cheapestAnswer, cheapestResult } from '../../experiment/checks/cheapest-answer.ts';
import type { CostlyAttack } from '../../experiment/checks/cheapest-attack.ts';
import { findCheapestAttack } from '../../experiment/checks/cheapest-attack.ts';
import { honestNetwork } from '../../experiment/checks/placements.ts';
import { CHECKED_NODES } from '../../experiment/checks/request.ts';
import { HONEST_WORK_MAX } from '../../experiment/document/limits.ts';
import type { Policy } from '../../identity/policy.ts';
import { requiredBits } from '../../mining/policy-cost.ts';
import type { Seed } from '../../random.ts';
import { createForge } from '../../runtime/threads/forge.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { judgedClaims } from '../mine/claims-in.ts';
import { nodeIdList } from '../mine/goal-text.ts';
import { integer } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { policyOf, seedOrChosen, wantsJson, withPolicy } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { cheapestText } from './cost-report.ts';
import type { RunningOptions } from './explore.ts';
import { explore } from './explore.ts';
import { writeViolation } from './save.ts';

export interface CostOptions extends OutputOptions, RunningOptions, TraceOptions, PolicyOptions {
  readonly nodes?: number;
  readonly goal?: GoalName;
  readonly cost?: true;
  readonly against?: string;
  readonly seed?: Seed;
  readonly colluders: number;
  readonly save?: string;
}

/** Flags that would mean something else in each placement, or that belong to one search. */
const OF_ONE_CHECK = [
  ...['ring', 'initiators', 'crashed', 'absent', 'phantoms', 'byzantine', 'cut', 'property'],
  ...['interactive', 'checkpoint', 'resume', 'walks', 'depth'],
];

/** Adds the flags of goals and of the cheapest attack. */
export function withCost(command: Command): Command {
  command.addOption(
    new Option(
      '--goal <goal>',
      'goal of the adversary: search for a shortest execution that reaches it, instead of checking properties',
    )
      .choices(GOAL_NAMES)
      .conflicts('property'),
  );
  const before = new Set(command.options.map((option) => option.attributeName()));
  command
    .addOption(
      new Option(
        '--cost',
        'find the cheapest placement of forged identities that reaches --goal; then --nodes is the number of honest nodes',
      ).conflicts(OF_ONE_CHECK),
    )
    .addOption(
      new Option(
        '--against <file>',
        'with --cost: file with the honest nodes, as node IDs, one per line, or as claims',
      ).conflicts(['nodes', 'seed']),
    )
    .option(
      '--colluders <count>',
      'with --cost: largest number of identities of the adversary',
      integer(1, ENDPOINTS_MAX - 1),
      1,
    );
  withPolicy(command);
  const added = command.options
    .map((option) => option.attributeName())
    .filter((name) => !before.has(name) && name !== 'cost');
  return command.hook('preAction', () => {
    if (command.getOptionValue('cost') === true) return;
    const given = command.options.filter(
      (option) =>
        added.includes(option.attributeName()) &&
        command.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (given.length === 0) return;
    throw new LabError(
      'arguments',
      `${given.map(({ long }) => long).join(', ')}: only with --cost`,
    );
  });
}

/** Throws LabError `arguments` for a goal that needs a Byzantine node without one. */
export function refuseGoal(given: {
  readonly goal?: GoalName;
  readonly byzantine?: readonly number[];
  readonly behaviour?: readonly unknown[];
}): void {
  const { goal, byzantine = [], behaviour = [] } = given;
  if (goal !== 'leader' || byzantine.length + behaviour.length > 0) return;
  const detail =
    '--goal leader needs a Byzantine node: --byzantine 1, or --behaviour 1=swallow; or --cost';
  throw new LabError('arguments', detail);
}

/** Finds and prints the cheapest attack, and writes its list of actions to the files of --save and --trace. */
export async function runCost(
  { check, behaviours }: Pick<CostlyAttack, 'check' | 'behaviours'>,
  options: CostOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { goal, colluders } = options;
  if (goal === undefined) {
    throw new LabError('arguments', `--cost needs --goal, with one of ${GOAL_NAMES.join(', ')}`);
  }
  const policy = policyOf(options);
  const nodeIds = await honestIds(options, policy, terminal);
  if (nodeIds === null) return EXIT.interrupted;
  const attack = { check, behaviours, goal, colluders, network: honestNetwork(nodeIds, policy) };
  let isStopped = false;
  const found = await findCheapestAttack(attack, async (request) => {
    const explored = await explore(request, options, terminal);
    isStopped = explored.isStopped;
    return isStopped ? null : explored.result;
  });
  const answer = cheapestAnswer(attack, found);
  terminal.print(
    wantsJson(options) ? `${JSON.stringify(answer)}\n` : cheapestText(attack, found, answer),
  );
  const { cheapest } = found;
  if (cheapest !== null) {
    const { request, result } = cheapest.outcome;
    await writeViolation(request, result, options, terminal);
  }
  return isStopped ? EXIT.interrupted : EXITS[cheapestResult(found)];
}

const EXITS = {
  reached: EXIT.violated,
  unreached: EXIT.holds,
  unknown: EXIT.unknown,
} as const satisfies Readonly<Record<CheapestResult, ExitCode>>;

/** The honest node IDs: from a file, or mined under the policy as `usurp attack` does. Null if the user stopped the mining. */
async function honestIds(
  options: CostOptions,
  policy: Policy,
  terminal: Terminal,
): Promise<readonly Uint8Array[] | null> {
  const { against, nodes = CHECKED_NODES, threads } = options;
  if (against !== undefined) {
    const text = await readText(against, terminal);
    return text.trimStart().startsWith('{')
      ? claimedIds(text, policy, against)
      : nodeIdList(text, against);
  }
  const { c1 } = requiredBits(policy);
  if (nodes * 2 ** c1 > HONEST_WORK_MAX) {
    const detail = `with ${c1} bits the honest nodes need more than ${HONEST_WORK_MAX} attempts: name a file of node IDs with --against`;
    throw new LabError('arguments', detail);
  }
  const seed = seedOrChosen(options.seed, terminal);
  const forge = createForge({
    ...{ threads, signal: terminal.signal },
    onProgress: (_, { tested }) => terminal.progress(() => `mining honest nodes: ${tested} keys`),
  });
  // Solutions of the dynamic puzzle do not change which node has which rank.
  const order = ordinaryOrder(nodes, { policy: { ...policy, c2: 0 }, seed });
  const { found, identities } = await forge(order);
  return found ? identities.map(({ claim }) => claim.nodeId) : null;
}

async function claimedIds(text: string, policy: Policy, name: string): Promise<Uint8Array[]> {
  const chunks = (async function* whole() {
    yield text;
  })();
  const ids: Uint8Array[] = [];
  for await (const { nodeId, verdict } of judgedClaims(chunks, policy, { all: false })) {
    if (!verdict.admitted) {
      const detail = `${name}: claim ${ids.length + 1} is refused under this policy: ${verdict.refusal}`;
      throw new LabError('claim.refused', detail);
    }
    ids.push(nodeId);
  }
  return ids;
}
