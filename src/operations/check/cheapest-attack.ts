/**
 * @module
 * The operation `cheapest-attack`: the cheapest placement of forged identities that lets an adversary reach its goal.
 */

import { z } from 'zod';
import { hexToBytes } from '../../bytes.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { ENDPOINTS_MAX } from '../../checking/instance.ts';
import { GOAL_NAMES } from '../../checking/properties/goals.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import type { Truth } from '../../election/properties.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { ordinaryOrder } from '../../experiment/attack/population.ts';
import { checkedInstance } from '../../experiment/checks/answer.ts';
import { cheapestAnswer } from '../../experiment/checks/cheapest-answer.ts';
import type { CheapestAttack, CostlyAttack } from '../../experiment/checks/cheapest-attack.ts';
import { findCheapestAttack, placedRequest } from '../../experiment/checks/cheapest-attack.ts';
import { honestNetwork } from '../../experiment/checks/placements.ts';
import { CHECKED_NODES } from '../../experiment/checks/request.ts';
import { HONEST_WORK_MAX } from '../../experiment/document/limits.ts';
import { NAMED_POLICIES } from '../../identity/named-policies.ts';
import type { Policy } from '../../identity/policy.ts';
import { policySchema } from '../../identity/policy.ts';
import { freeIds, requiredBits } from '../../mining/policy-cost.ts';
import type { Seed } from '../../random.ts';
import { formatCount } from '../figures.ts';
import type { InputOf } from '../member.ts';
import { amount, choice, policy, SEED, texts } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, replayOf } from '../operation.ts';
import type { Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import { assertShort, exploration } from './check.ts';
import { GOAL, refusal, WORLDS, worldsOf } from './members.ts';
import { exampleMembers } from './output.ts';
import { actionsBlock } from './report.ts';
import { instanceText, outcomeLines } from './words.ts';

/** Hexadecimal digits of the longest node ID. */
const ID_DIGITS_MAX = 128;

// Messages have a level here, and then worlds have no spread.
const { maxStates, protocol, timing, bounds, level, spread: _spread, ...FURTHER } = WORLDS;

const MEMBERS = {
  protocol,
  goal: choice(GOAL_NAMES, { ...GOAL, required: true }),
  nodes: amount({
    kind: 'count',
    bounds: { min: 1, max: ENDPOINTS_MAX - 1 },
    slider: [0, 1.05],
    label: 'Honest nodes',
    meaning: 'Number of honest nodes, whose IDs are mined under the policy',
    example: '3',
    inForm: '3',
    otherwise: `${CHECKED_NODES}, or those of honest`,
  }),
  policy: policy({
    label: 'Policy',
    meaning: 'Policy under which identities join',
    example: 'strict',
    initial: 'strict',
  }),
  colluders: amount({
    kind: 'count',
    bounds: { min: 1, max: ENDPOINTS_MAX - 1 },
    slider: [0, 1.05],
    label: 'Most identities of the adversary',
    meaning: 'Largest number of identities of the adversary',
    example: '2',
    initial: 1,
  }),
  behaviours: texts(
    { most: 8, read: (text) => text, separator: ',' },
    {
      label: 'Behaviours',
      meaning: 'What each identity of the adversary does, the innermost first',
      example: 'swallow',
      otherwise: 'nothing but lies within the bound of lies',
    },
  ),
  timing,
  bounds,
  level,
  honest: texts(
    { most: ENDPOINTS_MAX - 1, read: hexIn, separator: ',' },
    {
      label: 'Honest node IDs',
      meaning: 'Honest nodes, as node IDs in lower-case hex',
      example: '0c0c0c0c,5e5e5e5e',
      isFurther: true,
      otherwise: 'mined, from the seed',
    },
  ),
  ...FURTHER,
  seed: SEED,
  maxStates,
};

export type CheapestInput = InputOf<typeof MEMBERS>;

const VERB = { name: 'cheapest-attack', members: MEMBERS } as const;

const costNumbers = {
  attempts: z.number().nullable().describe('Expected keys. Null if no number of them is enough.'),
  hashes: z.number().nullable().describe('Expected hash evaluations. Null like attempts.'),
};

const placement = {
  where: z.string().meta({ example: 'above all' }),
  ranks: z.array(z.int()).readonly().describe("The ranks of the adversary's identities."),
};

export const cheapestOutput = z
  .object({
    result: z
      .enum(['reached', 'unreached', 'unknown'])
      .describe(
        'reached: some placement works. unreached: none does within the bounds. unknown: some were not decided.',
      ),
    protocol: z.enum(PROTOCOL_NAMES),
    goal: z.enum(GOAL_NAMES),
    property: z.string(),
    level: z.enum(LEVELS),
    behaviours: z.array(z.string()).readonly(),
    colluders: z.int(),
    check: z.looseObject({}).describe('The other members of all checks.'),
    honest: z.array(z.string()).readonly().describe('The honest node IDs by rank, rank 1 first.'),
    policy: policySchema,
    placements: z
      .array(
        z.object({
          ...placement,
          ...costNumbers,
          outcome: z
            .enum(['reached', 'exhausted', 'capped', 'contains', 'open'])
            .describe('contains: a part of it works. open: its check did not begin.'),
          states: z.int(),
          actions: z.int().nullable().describe('Actions that reach the goal; null without.'),
          isShortest: z.boolean().optional().describe('Whether no shorter list reaches it.'),
          detail: z.string().optional().describe('With capped: the limit.'),
        }),
      )
      .readonly()
      .describe('All placements, the cheapest first.'),
    cheapest: z
      .object({
        ...placement,
        ...exampleMembers,
        store: z.int().nullable(),
        instance: z.string().describe('What its check was.'),
        outcome: z.array(z.string()).readonly().describe('What its check found.'),
      })
      .nullable()
      .describe('The cheapest placement that reaches the goal; null if none does.'),
    least: z.object(costNumbers).describe('What every adversary that succeeds spends at least.'),
    enough: z
      .object(costNumbers)
      .nullable()
      .describe('What is enough for an adversary that stops at the first placement that works.'),
    instance: z.string().describe('What all checks have in common.'),
    sentences: z.array(z.string()).readonly(),
    replay: z.string(),
  })
  .meta({ id: 'CheapestAttack' });

export type CheapestOutput = z.output<typeof cheapestOutput>;

export const CHEAPEST_ATTACK = defineOperation({
  ...VERB,
  collection: 'cheapest-attacks',
  title: 'Cheapest attack',
  summary: 'find the cheapest forged identities with which an adversary reaches a goal',
  description: `It finds the placement of forged identities among the honest nodes that reaches the goal with the fewest hashes on average.
Each placement is one check of the protocol, with these limits. A placement that contains one that works needs no check. What an adversary must spend on average follows from all placements together. usurp check --help explains goals, faults and results.`,
  output: cheapestOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input) {
    const { nodes, honest, colluders } = input;
    if (nodes !== undefined && honest !== undefined) {
      throw refusal('nodes', 'give nodes or honest, not both');
    }
    const count = honest?.length ?? nodes ?? CHECKED_NODES;
    if (count + colluders > ENDPOINTS_MAX) {
      const detail = `at most ${ENDPOINTS_MAX} nodes: with ${count} honest nodes at most ${ENDPOINTS_MAX - count}`;
      throw refusal('colluders', detail);
    }
    const free = freeIds(policyIn(input));
    if (free !== null && free.check !== 'nodeId') {
      const detail = `needs the check ${free.check}: without it ${free.why} (docs/museum.md, "IDs that cost no key")`;
      throw refusal('policy', detail);
    }
    const { c1 } = requiredBits(policyIn(input));
    if (honest === undefined && count * 2 ** c1 > HONEST_WORK_MAX) {
      const detail = `with ${c1} bits the honest nodes need more than ${HONEST_WORK_MAX} attempts: name their node IDs with honest, or in a file with --against`;
      throw refusal('policy', detail);
    }
    assertPlaced(input, count);
    if (honest !== undefined) networkOf(input, honest.map(hexToBytes));
  },
  atOnce: () => null,
  run,
  outcomeOf: ({ result }) =>
    result === 'reached' ? 'violated' : result === 'unreached' ? 'holds' : 'unknown',
  outcomes: {
    holds: 'no placement reaches the goal',
    violated: 'some placement reaches the goal',
    unknown: 'not decided',
  },
  report,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [
    { protocol: 'bully-oneshot', goal: 'leader', timing: 'synchronous', seed: '1' },
    {
      protocol: 'cr-join',
      goal: 'leader',
      nodes: '2',
      behaviours: 'swallow',
      colluders: '2',
      level: 'L3',
      bounds: 'lies=1',
      seed: '1',
    },
  ],
});

/** Reads a node ID. */
function hexIn(text: string): void {
  if (/^(?:[0-9a-f]{2})+$/.test(text) && text.length <= ID_DIGITS_MAX) return;
  throw new LabError('arguments', 'must be lower-case hex');
}

function policyIn({ policy: asked }: CheapestInput): Policy {
  return typeof asked === 'string' ? NAMED_POLICIES[asked].policy : asked;
}

function networkOf(input: CheapestInput, nodeIds: readonly Uint8Array[]) {
  try {
    return honestNetwork(nodeIds, policyIn(input));
  } catch (error) {
    throw error instanceof LabError ? refusal('honest', error.message) : error;
  }
}

function attackOf(input: CheapestInput, network: CostlyAttack['network']): CostlyAttack {
  const { goal, nodes: _n, policy: _p, colluders, behaviours = [], honest: _h, ...others } = input;
  const { seed: _s, ...worlds } = others;
  return { check: worldsOf(worlds), goal, behaviours, colluders, network };
}

/** Throws LabError about a member of the input if the check of a placement is not possible. */
function assertPlaced(input: CheapestInput, honest: number): void {
  // Only the number of nodes matters.
  const nodeIds = Array.from({ length: honest }, () => new Uint8Array());
  const attack = attackOf(input, { nodeIds, policy: policyIn(input) });
  for (let count = 0; count <= input.colluders; count += 1) {
    const below = Array.from({ length: count }, () => honest);
    try {
      placedRequest(attack, { below, attempts: 0, hashes: 0 });
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const [{ pointer, detail } = { pointer: '', detail: error.message }] = error.faults;
      throw refusal(OF_PLACEMENTS[pointer] ?? pointer.slice(1), detail);
    }
  }
}

/** The members that become members of the check of a placement. */
const OF_PLACEMENTS: Readonly<Record<string, string>> = {
  '/ring': 'colluders',
  '/byzantine': 'behaviours',
  '/phantoms': 'behaviours',
};

/** The check of the placement of identities with these ranks. */
export function placementOf(
  input: CheapestInput,
  honest: readonly string[],
  ranks: readonly number[],
): CheckRequest {
  const attack = attackOf(input, networkOf(input, honest.map(hexToBytes)));
  const below = ranks.map((rank, index) => rank - index - 1);
  return placedRequest(attack, { below, attempts: 0, hashes: 0 });
}

async function run(
  input: CheapestInput,
  context: OperationContext,
): Promise<CheapestOutput | null> {
  const { signal, isRemote } = context;
  const seed = input.honest === undefined ? context.seedFor(input.seed) : undefined;
  const nodeIds =
    seed === undefined ? input.honest?.map(hexToBytes) : await mined(input, seed, context);
  if (nodeIds === undefined) return null;
  const attack = attackOf(input, networkOf(input, nodeIds));
  const found = await findCheapestAttack(attack, async (request) => {
    const result = await exploration(request, input, context);
    if (isRemote) assertShort(result);
    return signal.aborted ? null : result;
  });
  const { cheapest, ...answer } = cheapestAnswer(attack, found);
  return {
    ...answer,
    cheapest: cheapest && { ...cheapest, ...foundWords(found) },
    instance: headLine(attack, found.judged),
    replay: replayOf(VERB, { ...input, seed }),
  };
}

/** What the check of the cheapest placement was, and what it found. */
function foundWords({ cheapest }: CheapestAttack) {
  if (cheapest === null) return { instance: '', outcome: [] };
  const { request, result } = cheapest.outcome;
  const about = checkedInstance(request, true);
  return { instance: instanceText(about), outcome: outcomeLines(about, result) };
}

/** The line that describes what all checks have in common. */
function headLine(attack: CostlyAttack, judged: CheapestAttack['judged']): string {
  const { network, behaviours, check } = attack;
  const [placement] = judged.flatMap((each) =>
    each.placement.below.length === 0 ? [] : [each.placement],
  );
  if (placement === undefined) throw new RangeError('"judged" expected a placement');
  const about = checkedInstance(placedRequest(attack, placement), true);
  const adversary = behaviours.length === 0 ? [] : [`adversary with ${behaviours.join(' and ')}`];
  const honest = network.nodeIds.length;
  const nodes = `${honest} honest ${honest === 1 ? 'node' : 'nodes'}`;
  return instanceText(about, [nodes, check.level ?? 'L0', ...adversary]);
}

/** The honest node IDs, mined under the policy as `usurp attack` does. Undefined after an abort. */
async function mined(
  input: CheapestInput,
  seed: Seed,
  { machine, threads, signal, onProgress }: OperationContext,
): Promise<readonly Uint8Array[] | undefined> {
  // Solutions of the dynamic puzzle do not change which node has which rank.
  const order = ordinaryOrder(input.nodes ?? CHECKED_NODES, {
    policy: { ...policyIn(input), c2: 0 },
    seed,
  });
  const forge = machine.forge({
    threads,
    signal,
    onProgress: (_, { tested }) =>
      onProgress({ now: 'keys tested for honest nodes', done: tested, total: null }),
  });
  const { found, identities } = await forge(order);
  return found ? identities.map(({ claim }) => claim.nodeId) : undefined;
}

/** The words of what is known of a placement. */
const OUTCOMES = {
  reached: 'reached',
  exhausted: 'exhausted',
  capped: 'not decided',
  contains: 'contains a placement that works',
  open: 'not checked',
} as const;

const VERDICTS: Readonly<Record<CheapestOutput['result'], Truth>> = {
  reached: 'false',
  unreached: 'true',
  unknown: 'unknown',
};

function report({ result, instance, placements, sentences, cheapest }: CheapestOutput): Report {
  const numbers = ['attempts', 'hashes'].map((name) => ({ name, isNumber: true }));
  return [
    sentenceBlock(instance),
    {
      type: 'table',
      title: 'Placements',
      columns: [
        ...[{ name: 'identities' }, { name: 'ranks' }, ...numbers, { name: 'goal' }],
        ...['worlds', 'actions'].map((name) => ({ name, isNumber: true })),
      ],
      rows: placements.map(({ where, ranks, attempts, hashes, outcome, states, actions }) => [
        where,
        ranks.join(),
        formatCount(attempts ?? Number.POSITIVE_INFINITY),
        formatCount(hashes ?? Number.POSITIVE_INFINITY),
        OUTCOMES[outcome],
        states === 0 ? '' : formatCount(states),
        actions === null ? '' : String(actions),
      ]),
    },
    ...sentences.map((text, index) => sentenceBlock(text, index === 0 ? VERDICTS[result] : null)),
    ...(cheapest === null
      ? []
      : [
          sentenceBlock(cheapest.instance),
          ...cheapest.outcome.map((text) => sentenceBlock(text)),
          actionsBlock(cheapest, cheapest.store),
        ]),
  ];
}
