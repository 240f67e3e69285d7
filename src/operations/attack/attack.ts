/**
 * @module
 * This folder contains the operations that attack or disturb elections.
 * The operation `attack`: one attack on one election, from forging to the defences that stop it. The keys are for this
 * lab only: the seed reveals them.
 */

import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { LEVEL_CHECKS, LEVELS } from '../../election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Attack, AttackServices, Execution } from '../../experiment/attack/attack.ts';
import {
  ATTACKED_BITS_MAX,
  ATTACKED_NODES,
  executeAttack,
  planAttack,
} from '../../experiment/attack/attack.ts';
import { remembering } from '../../experiment/attack/forge.ts';
import type { ForgeOrder } from '../../experiment/attack/population.ts';
import { FORGE_KINDS } from '../../experiment/attack/population.ts';
import { reportAttack, succeededIn } from '../../experiment/attack/report.ts';
import { SETS_MAX } from '../../experiment/attack/sets.ts';
import type { Tried } from '../../experiment/attack/trials.ts';
import { tryDefences } from '../../experiment/attack/trials.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../experiment/document/defence-names.ts';
import { BUDGET_SECONDS_MAX } from '../../experiment/document/limits.ts';
import { winProbability } from '../../mining/odds.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { formatCount } from '../figures.ts';
import type { MiningStep, OperationProgress } from '../machine.ts';
import type { InputOf } from '../member.ts';
import { amount, choice, choices, SEED } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, replayOf } from '../operation.ts';
import type { AttackOutput } from './attack-report.ts';
import { attackBlocks, attackOutput } from './attack-report.ts';

/** CPU time of an adversary of a request: a job runs for an hour at most. */
const CPU_SECONDS_MAX = 100_000;

const MEMBERS = {
  protocol: choice(PROTOCOL_NAMES, {
    label: 'Protocol',
    meaning: 'Protocol of the election that is attacked',
    example: 'cr-join',
    isArgument: true,
    required: true,
  }),
  behaviours: choices(BEHAVIOUR_NAMES, {
    label: 'Behaviours of the adversary',
    meaning:
      'Behaviours of the adversary, the nearest to the protocol first. There can be none if it forges identities',
    example: 'phantom-id',
    inForm: 'phantom-id',
    initial: [],
  }),
  level: choice(LEVELS, {
    label: 'Level of authentication',
    meaning: `What honest nodes check of messages: ${Object.entries(LEVEL_CHECKS)
      .map((each) => each.join(' '))
      .join(', ')}`,
    example: 'L2',
    initial: 'L0',
  }),
  defences: choices(CHOSEN_DEFENCE_NAMES, {
    label: 'Active defences',
    meaning: 'Active defences besides the level',
    example: 'hop-limit',
    initial: [],
  }),
  nodes: amount({
    kind: 'count',
    bounds: ATTACKED_NODES,
    slider: [0.3, 1.8],
    label: 'Nodes',
    meaning: 'Number of nodes, including the adversary',
    example: '7',
    inForm: '5',
    initial: 5,
  }),
  forge: choice(FORGE_KINDS, {
    label: 'Forged identities',
    meaning: 'Identities that the adversary mines',
    example: 'top',
    otherwise: 'top if its behaviour needs it, else none',
  }),
  attempts: amount({
    kind: 'count',
    bounds: { min: 1, max: Number.MAX_SAFE_INTEGER },
    slider: [0, 9],
    label: 'Budget in attempts',
    meaning: 'Budget of the adversary, in candidates tested',
    example: '1e5',
    isFurther: true,
    otherwise: 'no limit',
  }),
  cpu: amount({
    kind: 'time',
    bounds: { min: 0.001, max: BUDGET_SECONDS_MAX },
    remoteMax: CPU_SECONDS_MAX,
    slider: [-1, 5],
    label: 'Budget in CPU time',
    meaning: 'Budget of the adversary, in CPU time, instead of attempts',
    example: '5s',
    isFurther: true,
    otherwise: 'no limit',
  }),
  c1: amount({
    kind: 'count',
    bounds: { min: 0, max: ATTACKED_BITS_MAX },
    slider: [0, 1.4],
    label: 'Static puzzle',
    meaning: 'Number of zero bits of SHA-256(nodeId)',
    example: '10',
    isFurther: true,
    initial: 8,
  }),
  colluders: amount({
    kind: 'count',
    bounds: { min: 1, max: ATTACKED_NODES.max - 1 },
    slider: [0, 1.8],
    label: 'Colluders',
    meaning: 'Number of identities of the adversary, which share one budget and cooperate',
    example: '2',
    isFurther: true,
    otherwise:
      'as many as its behaviours need: 2 for double-vote among an even number of nodes, else 1',
  }),
  aim: choice(AIMS, {
    label: 'Aim',
    meaning: 'The only harm that counts as success',
    example: 'split',
    isFurther: true,
    otherwise: 'any harm counts',
  }),
  seed: SEED,
};

type AttackInput = InputOf<typeof MEMBERS>;

const VERB = { name: 'attack', members: MEMBERS } as const;

export const ATTACK = defineOperation({
  ...VERB,
  collection: 'attacks',
  title: 'Attack',
  summary: 'attack an election and find the defences that stop the attack',
  description: `An adversary attacks one election. The answer names the harm that it does, what it spends, and each defence that would have stopped it. Each pair of nodes has a link. A threat model can state another topology (network.election.topology), which run attacks.
The adversary has one ordinary identity with the lowest rank, unless it forges: one above all others (top), one just after an honest node on a ring in the order of IDs (successor), or one more than the honest nodes have (spread). Forged identities replace the ordinary one. Colluders are several identities of the lowest ranks, or several that are forged with one budget. They behave alike and sign for each other. From level L2 on, a small election runs with the mined keys, and a larger one with symbolic keys that give the same result (member "keys" of the answer). The budget limits what the adversary mines. An honest identity takes 2^c1 attempts on average and is not limited. Each behaviour is tested in a situation in which it can act: a leader that is dead or crashes, detectors on the nodes, honest nodes in two halves that do not reach each other, or leaders that write to a resource.

The attack succeeds if it broke the election in any way in which the same election without the adversary is not broken. The answer names each harm that the live honest nodes show:
captured-leader: all of them followed the adversary. no-leader: in the second half of the run, they never all followed one live node for a quarter of its time. split: they followed two leaders for longer than an election takes, or two nodes led in one epoch. late-writes: the resource accepted writes after those of a later leader.
The aims lead, stop, split and outlive-lease make only that harm count, in this order. If a protocol may elect any node, the adversary can become leader by luck in one disturbed run. Use several seeds.

An attack that succeeds is repeated with the same seed against each defence that was off. A defence stops it if no harm is left, or with an aim not that harm. channel-authentication is level L1, signatures is L2, and freshness is L3. A level is tried only if the level below it does not stop the attack. proof-of-work raises c1 for newcomers until the same attempts find nothing, so that the adversary has only its ordinary identity. beacon-rank draws the ranks after registration. Defences that need L2 are not tried below L2. Defences that conflict with active ones are not tried. The answer lists both with the reason. The result is unknown if the repeated run exceeded a limit.
If no single defence stops the attack, all pairs of defences that fit together are tried, and then all triples, up to ${SETS_MAX} sets. A level is one defence of a set. The answer names the first set that stops it.`,
  output: attackOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input) {
    if (input.attempts !== undefined && input.cpu !== undefined) {
      const detail = 'the budget is either attempts or cpu, not both';
      throw new LabError('arguments', detail, [{ pointer: '/cpu', detail }]);
    }
    attackOf(input, ANY_SEED);
  },
  atOnce: () => null,
  run,
  outcomeOf: ({ succeeded }) => (succeeded === null ? 'unknown' : succeeded ? 'violated' : 'holds'),
  outcomes: {
    holds: 'the adversary did no harm, or not the aim',
    violated: 'it did harm, with an aim that one',
    unknown: 'the budget ended first, or the run with or without the adversary exceeded a limit',
  },
  report: attackBlocks,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [
    { protocol: 'cr-join', behaviours: 'phantom-id', seed: '1' },
    { protocol: 'bully-oneshot', behaviours: 'flap', level: 'L3', c1: '10', seed: '1' },
    { protocol: 'cr-join', behaviours: 'swallow', level: 'L3', forge: 'successor', cpu: '5s' },
    { protocol: 'cr-join', behaviours: 'tamper-token', level: 'L3', colluders: '2', seed: '1' },
    {
      protocol: 'raft',
      behaviours: 'term-inflation',
      level: 'L3',
      defences: 'epoch-step',
      seed: '1',
    },
  ],
});

/** What fits together does not depend on the seed. */
const ANY_SEED = parseSeed('1');

/** Throws LabError `arguments` for an attack that is not possible. */
function attackOf(input: AttackInput, seed: Seed): Attack {
  const { attempts, cpu, aim = null, forge = null, ...asked } = input;
  return planAttack({ ...asked, aim, forge, budget: { attempts, cpuSeconds: cpu }, seed });
}

async function run(
  input: AttackInput,
  { threads, signal, machine, onProgress, onPartial, seedFor }: OperationContext,
): Promise<AttackOutput> {
  const seed = seedFor(input.seed);
  const attack = attackOf(input, seed);
  let elections = 0;
  const forge = machine.forge({
    threads,
    signal,
    onProgress: (order, step) => onProgress(miningProgress(order, step)),
  });
  const services: AttackServices = {
    forge: remembering(forge),
    usesRealKeys: true,
    plain: machine.plainVerifier,
    async goOn() {
      elections += 1;
      onProgress({ now: 'elections', done: elections, total: null });
      await machine.pause();
      return !signal.aborted;
    },
  };
  const execution = await executeAttack(attack, services);
  const replay = replayOf(VERB, { ...input, seed, ...spentBudget(input, execution) });
  const outputOf = (tried: Tried | null) => {
    return { ...reportAttack(attack, execution, tried), replay };
  };
  if (execution.outcome !== 'run' || succeededIn(attack, execution) !== true) {
    return outputOf({ trials: [], notTried: [], sets: null });
  }
  onPartial(outputOf(null));
  return outputOf(await tryDefences(attack, execution, services));
}

/** CPU time is replayed as the attempts that it paid for, unless the attack was interrupted. */
function spentBudget({ cpu }: AttackInput, { outcome, ledger }: Execution) {
  if (cpu === undefined || ledger === null || outcome === 'cancelled') return {};
  return { cpu: undefined, attempts: ledger.attempts };
}

/** Only identities without a goal besides validity have an estimate. */
function miningProgress(
  { goal, policy, strategy }: ForgeOrder,
  { tested, wallSeconds }: MiningStep,
): OperationProgress {
  const identities = goal.type === 'count' ? goal.identities : 1;
  const whose = strategy === HONEST_STRATEGY ? 'honest' : 'forged';
  const what = identities > 1 ? `${identities} ${whose} identities` : `the ${whose} identity`;
  const rate = formatCount(tested / Math.max(wallSeconds, 1e-6));
  return {
    now: `mining ${what}, ${rate} attempts/s`,
    done: tested,
    total: goal.type === 'count' ? identities / winProbability(policy, { type: 'any' }) : null,
  };
}
