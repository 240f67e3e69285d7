/**
 * @module
 * This folder contains the schema of a threat model: prose under five headings for readers, and members that
 * are executed. One zod schema validates documents, gives the type and is published as JSON Schema for
 * editors. Members that a document omits have the defaults of the schema.
 */

import { z } from 'zod';

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { deviceSchema } from '../../mining/device/facts.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { quantity } from '../../quantities.ts';
import type { FaultFlag } from '../../simulation/faults/text.ts';
import { FAULT_FLAGS, FAULT_FORMS, LEADER_CRASH_EXAMPLE } from '../../simulation/faults/text.ts';
import { MODEL_AIMS } from '../properties/property.ts';
import { PROPERTIES, PROPERTY_NAMES } from '../properties/registry.ts';
import type { KeyPlan } from '../theory/epoch-conduct.ts';
import { KEY_PLAN_NAMES, KEY_PLANS, SALTS, UNSPENT } from '../theory/epoch-conduct.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import type { ChosenDefence } from './defence-names.ts';
import {
  ADVERSARIES_MAX,
  BUDGET_COUNT_MAX,
  CONFIRMED_RUNS_MAX,
  EPOCHS_MAX,
  HONEST_MAX,
  ORDINARY_MAX,
  RATE_MAX,
  RUNS_MAX,
  STOCKPILED_MAX,
  SWEEP_AXES_MAX,
  SWEEP_CELLS_MAX,
  SWEEP_VALUES_MAX,
} from './limits.ts';
import { networkSchema } from './network-schema.ts';
import { RESPONSE_PARTS, responseOf } from './response-schema.ts';
import { integer, oneOf, probability, prose, seconds } from './wording.ts';

const TEXT_CHARACTERS_MAX = 2000;

/** A crash can also name `highest`. Without a tick the node crashed before the run. */
const CRASH_EXAMPLE = `5@20,3, highest, highest@40, or ${LEADER_CRASH_EXAMPLE}`;

const MEANINGS: Readonly<Record<FaultFlag, string>> = {
  crash: 'Nodes that crash, or that crashed before the run as the leader that all nodes knew',
  restart: 'Nodes that restart',
  pause: 'Nodes that are paused for some time and do not notice it',
  join: 'Nodes that join during the run',
  partition: 'Links that are cut',
  loss: 'Messages that are lost',
  duplicate: 'Messages that arrive twice',
  reorder: 'Messages that arrive out of order',
  blackout: 'Bursts in which every message is lost',
  slowdown: 'Bursts in which messages take longer',
  skew: 'Clocks that run at different speeds',
  jump: 'Clocks that jump forwards or backwards',
  failover: 'Stores whose replica takes over and lacks the last writes',
  churn: 'Nodes that leave and join',
};

function faultSchema(flag: FaultFlag) {
  const example = flag === 'crash' ? CRASH_EXAMPLE : FAULT_FORMS[flag].example;
  const error = `must be ${example}`;
  return z
    .union([z.string().max(TEXT_CHARACTERS_MAX), z.int().min(0)], { error })
    .transform(String)
    .optional()
    .describe(`${MEANINGS[flag]}: ${example}. Ranks count from 1, the lowest.`);
}

const fault = Object.fromEntries(FAULT_FLAGS.map((flag) => [flag, faultSchema(flag)]));

/**
 * The parts of a threat model about time: the faults during elections, and the epochs in which identities are
 * registered anew.
 */
const faultsSchema = z
  .strictObject({
    // One member for each flag: Object.fromEntries forgets which there are.
    ...(fault as Record<FaultFlag, ReturnType<typeof faultSchema>>),
    notice: oneOf(['crashes', 'links'])
      .default('crashes')
      .describe(
        'What the detector outside the nodes suspects: crashed nodes, or all nodes that cannot be reached.',
      ),
  })
  .describe('The faults in every election of a run, in the form of the flags of usurp elect.');

const epochsSchema = z
  .strictObject({
    count: integer(1, EPOCHS_MAX).describe('Number of epochs in a run.'),
    salt: oneOf(SALTS)
      .default('none')
      .describe(
        'What the beacon of an epoch salts: none; puzzle, so that solutions expire; rank, so that ranks are drawn again; or both.',
      ),
    honestAttempts: integer(0, BUDGET_COUNT_MAX)
      .optional()
      .describe('Most attempts of an honest node for a claim in one window. Unlimited by default.'),
    churn: probability()
      .default(0)
      .describe(
        'Probability that an honest node leaves between two epochs. A newcomer takes its place, and must earn an identity.',
      ),
    newcomers: integer(0, HONEST_MAX)
      .default(0)
      .describe(
        'Additional honest nodes that join late: this number in each epoch after the first. Each must earn an identity.',
      ),
    lifetime: integer(1, EPOCHS_MAX)
      .optional()
      .describe(
        'Number of epochs in which a claim counts, including that of its registration. All by default. If the puzzle is salted, a node then needs a new solution. If it is not, the node renews its old solution for free, so that lifetime has an effect only when the difficulty has risen.',
      ),
    unspent: oneOf(UNSPENT)
      .default('lost')
      .describe(
        'What happens to the budget that the adversary leaves over in a window. lost: it is a rate of work, such as that of own machines. saved: a later window can spend it, such as money for rented machines, but no window can spend what a later one gets. An adversary that wants the last epoch alone then chooses how much of it makes keys before claims count there.',
      ),
    retargeting: z
      .strictObject({
        joins: integer(1, HONEST_MAX).describe('Target number of joins in an epoch.'),
        stepBits: integer(1, PUZZLE_BITS_MAX)
          .default(2)
          .describe('Most bits by which the difficulty changes from one epoch to the next.'),
      })
      .optional()
      .describe('Difficulty that follows the number of joins. It is constant by default.'),
  })
  .describe(
    'Windows of registration, each followed by a beacon and a ranking, whose highest rank leads.',
  );

const budgetSchema = z
  .strictObject({
    attempts: integer(0, BUDGET_COUNT_MAX).optional().describe('Candidates tested.'),
    hashes: integer(0, BUDGET_COUNT_MAX).optional().describe('Hash evaluations.'),
    cpuSeconds: seconds().optional().describe('CPU seconds of all mining threads.'),
    wallSeconds: seconds().optional().describe('Wall-clock seconds.'),
  })
  .refine((budget) => Object.values(budget).some((bound) => bound !== undefined), {
    error: 'must have at least one bound: attempts, hashes, cpuSeconds or wallSeconds',
  })
  .meta({
    description:
      'Budget of the adversary for a run, or for the window of each epoch. The first bound that is reached ends the search. The default is 0 attempts.',
    minProperties: 1,
  });

const RATE_ERROR = `must be candidates per second, a number above 0 up to ${RATE_MAX} such as 1e6 or 2^20, measured, or measured on gpu`;
/** How this machine can measure a rate: on one thread, or on its graphics card. */
const MEASURED_RATES = ['measured', 'measured on gpu'] as const;
/** That of the largest rate at the largest advantage in a comparison, and more. */
const KEY_RATE_MAX = 1e20;
const KEY_RATE_ERROR = 'must be keys per second, a number above 0 up to 1e20 such as 1.2e7';
const rateSchema = quantity('number', { above: 0, max: RATE_MAX }, RATE_ERROR);

/**
 * The part of a threat model about one adversary: its budget, how it makes identities, its aim, and the parts of its
 * response that the document fixes.
 */
const adversarySchema = z
  .strictObject({
    budget: budgetSchema.prefault({ attempts: 0 }),
    rate: z
      .union([rateSchema, z.literal(MEASURED_RATES)], { error: RATE_ERROR })
      .optional()
      .describe(
        `Candidates per second if the puzzle of each is evaluated: a number, measured (on one thread of this machine), or measured on gpu (on its graphics card by WebGPU). Sampled work converts seconds into attempts by it. An adversary that needs one ID above the honest ones evaluates fewer puzzles, and makes more attempts in a second. Native code on one core: ${NATIVE_CORE.rate}.`,
      ),
    keyRate: quantity('number', { above: 0, max: KEY_RATE_MAX }, KEY_RATE_ERROR)
      .optional()
      .describe(
        'Keys per second whose IDs are hashed and whose puzzles are not evaluated, above the rate. It belongs to a puzzle that hashing hardware does not speed up. By default it follows from the rate and the number of hashes of the puzzle.',
      ),
    strategy: oneOf(STRATEGY_NAMES)
      .default(STRONGEST_STRATEGY)
      .describe(
        'How candidates are made. The default is the strongest strategy that a strict policy allows.',
      ),
    dynamicStrategy: oneOf(DYNAMIC_STRATEGY_NAMES)
      .optional()
      .describe(
        'How the dynamic puzzle is solved. The default is amortised-xor for the form xor, and dynamic for concat.',
      ),
    stockpile: integer(1, STOCKPILED_MAX)
      .optional()
      .describe(
        'Number of keys that are made before the budget begins to count: for the strategy stockpile, and before the first epoch.',
      ),
    aim: oneOf(MODEL_AIMS)
      .optional()
      .describe(
        'What the adversary wants, for which its best response is chosen. The default follows from expect.property. lead: to be the leader. stop: that no leader lasts. split: two leaders at once. outlive-lease: to write after its lease. capture: as many identities as possible.',
      ),
    identities: integer(0, ORDINARY_MAX)
      .default(0)
      .describe(
        'Number of ordinary identities beside the forged ones. They are made like the honest ones and have the lowest ranks.',
      ),
    ...RESPONSE_PARTS,
    responses: z
      .partialRecord(
        oneOf(PROTOCOL_NAMES),
        z.strictObject(RESPONSE_PARTS).describe('Parts of the response for this protocol.'),
      )
      .optional()
      .describe('Parts of the response for one protocol, instead of those for all protocols.'),
    plan: oneOf(KEY_PLAN_NAMES)
      .optional()
      .describe(
        `With epochs: what it does with the keys that it has made. ${KEY_PLAN_NAMES.map((name) => `${name}: ${KEY_PLANS[name]}.`).join(' ')} The default is the best plan that is known.`,
      ),
    reveals: integer(0, REVEAL_CHOICES_MAX)
      .default(0)
      .describe(
        'Number of contributions to the beacon of each epoch that it may withhold after it has seen all others. Each is one bit of choice.',
      ),
  })
  .describe('One adversary.');

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const NAME_ERROR =
  'must be a name of lower-case letters, digits and hyphens, at most 32, for example main';

const CONFIDENCE_ERROR = 'must be a confidence above 0 and below 1, for example 0.95 or 95%';

/** What `expect.by` can say beside the name of an adversary. No adversary has one of these names. */
export const TOGETHER = 'together';
export const ANY_ONE = 'any';

const COUNTED = PROPERTY_NAMES.filter((name) => PROPERTIES[name].isCounted);

const expectSchema = z
  .strictObject({
    property: oneOf(PROPERTY_NAMES).meta({
      description: PROPERTY_NAMES.map((name) => `${name}: ${PROPERTIES[name].description}.`).join(
        ' ',
      ),
    }),
    count: integer(1, HONEST_MAX)
      .default(1)
      .describe(`For ${COUNTED.join(' and ')}: the number of ranks or successors.`),
    by: z
      .string({ error: NAME_ERROR })
      .regex(NAME, { error: NAME_ERROR })
      .optional()
      .meta({
        description: `Which adversaries are judged, if there are several. ${TOGETHER}: all of them as one, which is the default. ${ANY_ONE}: each by itself, and one that has the property is enough. Or the name of one.`,
        examples: [TOGETHER, ANY_ONE, 'main'],
      }),
    protocols: oneOf(['each', 'together'])
      .default('each')
      .describe(
        'each: a verdict for each protocol, of which the worst is that of the document. together: a run has the property if the elections of all protocols have it.',
      ),
    comparison: oneOf(['at-most', 'at-least']).describe('The expected side of the bound.'),
    probability: probability().describe(
      'The bound on the probability that a run has the property.',
    ),
    confidence: quantity('probability', { above: 0, below: 1 }, CONFIDENCE_ERROR)
      .default(0.95)
      .describe('The confidence of the interval that is compared with the bound.'),
  })
  .describe('The expectation that the verdict is about.');

const AXIS_ERROR =
  'must be a list of values, or a range: range(8,28,2), both ends included, or 2^10:2^18|*2';

const axisSchema = z
  .union(
    [
      z
        .array(z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
        .min(1)
        .max(SWEEP_VALUES_MAX),
      z.string().min(1).max(4096),
    ],
    { error: AXIS_ERROR },
  )
  .describe('The values of one member, in their order.');

const sweepSchema = z
  .strictObject({
    axes: z
      .record(z.string().regex(/^[A-Za-z][\w.-]{0,199}$/), axisSchema)
      .refine((axes) => Object.keys(axes).length <= SWEEP_AXES_MAX, {
        error: `must have at most ${SWEEP_AXES_MAX} axes`,
      })
      .describe(
        'Values by path in this document, such as network.identity.c1: a list, or a range as usurp sweep --set takes it.',
      ),
    runs: integer(1, RUNS_MAX).optional().describe('Runs of each cell.'),
    sample: integer(1, SWEEP_CELLS_MAX)
      .optional()
      .describe('Number of cells that are drawn from the grid. All by default.'),
  })
  .describe('The default axes of usurp sweep.');

export const threatModelSchema = z
  .strictObject({
    id: z
      .string({ error: NAME_ERROR })
      .regex(NAME, { error: NAME_ERROR })
      .describe('Name of the document, as `usurp run` takes it.'),
    title: prose('One line that summarises the attack.'),
    assumes: prose('The assumptions.'),
    can: prose('What the adversary can do.'),
    cannot: prose('What the adversary cannot do.'),
    wants: prose('What the adversary wants.'),
    outcome: prose('The result, and the reason for it.'),
    work: oneOf(['mined', 'sampled'])
      .default('mined')
      .describe(
        'mined: identities are mined and elections are held. sampled: the number of forged identities and the rank keys are drawn from their exact distributions.',
      ),
    runs: integer(1, RUNS_MAX).default(100).describe('Default number of runs.'),
    confirmRuns: integer(0, CONFIRMED_RUNS_MAX)
      .optional()
      .describe(
        'Sampled work: number of first runs that hold their elections to confirm the drawn winner. It is lower if they would send more than 40 million messages. By default at most 200.',
      ),
    network: networkSchema,
    faults: faultsSchema.optional(),
    epochs: epochsSchema.optional(),
    adversaries: z
      .record(z.string().regex(NAME, { error: NAME_ERROR }), adversarySchema)
      .refine((map) => Object.keys(map).length <= ADVERSARIES_MAX, {
        error: `must have at most ${ADVERSARIES_MAX} adversaries`,
      })
      .default({})
      .describe('The adversaries by name. {} if there are none.'),
    expect: expectSchema,
    sweep: sweepSchema.optional(),
  })
  .meta({ title: 'usurp threat model', description: 'An executable threat model.' });

/** A type whose members, and theirs, cannot be assigned. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** A valid threat model with every default filled in. */
export type ThreatModel = Frozen<z.output<typeof threatModelSchema>>;
type Adversaries = ThreatModel['adversaries'];
export type Adversary = Adversaries[string];

export const searchRateSchema = z
  .object({ search: z.string(), perSecond: z.number(), device: deviceSchema.optional() })
  .readonly();

/** Candidates per second of a search on this machine. */
export type SearchRate = z.output<typeof searchRateSchema>;

/** The measured rates. Null if none is needed. */
export type SearchRates = readonly SearchRate[] | null;

let jsonSchema: z.core.JSONSchema.JSONSchema | null = null;

/**
 * The JSON Schema of a document as an author writes it (defaults may be left out). It is made when it is first needed: that
 * takes as long as a thread of runs needs for a tenth of its modules.
 */
export function threatModelJsonSchema(): z.core.JSONSchema.JSONSchema {
  jsonSchema ??= z.toJSONSchema(threatModelSchema, {
    io: 'input',
    // zod leaves out the defaults of quantities, because a text of one is transformed into a number.
    override({ zodSchema: { _zod }, jsonSchema: schema }) {
      if (_zod.def.type === 'default') schema.default = _zod.def.defaultValue;
    },
  });
  return jsonSchema;
}

/** What the rate of an adversary is that of. The difficulty has no effect on a rate. */
export function ratedSearch(
  { network: { identity } }: ThreatModel,
  { rate, strategy }: Adversary,
): string {
  return JSON.stringify([rate, strategy, { ...identity, c1: 0, c2: 0 }]);
}

/** The rate of an adversary that was measured. Undefined if none was. */
export function measuredRate(
  model: ThreatModel,
  adversary: Adversary,
  rateMeasured: SearchRates,
): SearchRate | undefined {
  if (typeof adversary.rate !== 'string' || rateMeasured === null) return undefined;
  const search = ratedSearch(model, adversary);
  return rateMeasured.find((each) => each.search === search);
}

/** Whether threat models or settings ask for the rate of a device. */
export function asksDevice(data: unknown): boolean {
  return JSON.stringify(data).includes('"measured on gpu"');
}

/** What a document needs for a plan for keys. Null if it has that. */
export function planNeedOf({ expect, epochs }: ThreatModel, plan: KeyPlan): string | null {
  const isMoving = epochs?.retargeting !== undefined;
  switch (plan) {
    case 'sparing':
      return expect.property === 'leads-more-than-share'
        ? null
        : 'the property leads-more-than-share';
    case 'inflating':
      if (expect.property === 'honest-priced-out' && isMoving) return null;
      return 'the property honest-priced-out, with epochs.retargeting';
    default:
      return null;
  }
}

/** The adversaries in the order of their names, which is the order of every loop over them. */
export function adversariesOf(model: ThreatModel): readonly (readonly [string, Adversary])[] {
  return Object.entries(model.adversaries).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Whether its budget pays for an attempt. */
export function mayForge({ budget }: Adversary): boolean {
  return Object.values(budget).every((bound) => bound !== 0);
}

/** Whether its budget bounds hashes or seconds, so that an attempt that costs less leaves more of it. */
export function isBoundInWork({ budget: { attempts: _, ...others } }: Adversary): boolean {
  return Object.values(others).some((bound) => bound !== undefined);
}

/**
 * What a run consists of: identities and the owner of the highest rank, identities and the owners of several
 * ranks, epochs of registration, or elections that are watched tick by tick.
 */
export type RunKind = 'ranking' | 'capture' | 'epochs' | 'watched';

export function runKindOf(model: ThreatModel): RunKind {
  const { expect, network, faults, epochs } = model;
  const { judges } = PROPERTIES[expect.property];
  if (epochs !== undefined) return 'epochs';
  if (judges.ranking !== null) return 'capture';
  const { level, defences, detector, resource, clients, ticks, topology } = network.election;
  const isStaged =
    judges.election === null ||
    faults !== undefined ||
    defences.some((name) => !REGISTRATION_DEFENCES.includes(name)) ||
    [level, detector, resource, clients, ticks, topology].some((member) => member !== undefined) ||
    Object.values(model.adversaries).some((adversary) => {
      return responseOf(adversary).behaviours.length > 0 || adversary.identities > 0;
    });
  return isStaged ? 'watched' : 'ranking';
}

/** The defences that act on registration and ranks alone, which are drawn. */
const REGISTRATION_DEFENCES: readonly ChosenDefence[] = ['frozen-membership', 'beacon-rank'];

/** The protocols of a model against which every adversary responds in the same way. */
export interface Arm {
  readonly protocols: readonly ProtocolName[];
  /** The model with these protocols, and with the responses to them. */
  readonly model: ThreatModel;
}

/** The model with the responses to these protocols, which share an arm. */
export function modelFor(model: ThreatModel, protocols: readonly ProtocolName[]): ThreatModel {
  const isOwn = (arm: Arm) => protocols.every((name) => arm.protocols.includes(name));
  return armsOf(model).find(isOwn)?.model ?? model;
}

/** The model divided by the responses of its adversaries. Protocols with equal responses share an arm. */
export function armsOf(model: ThreatModel): readonly Arm[] {
  const { protocols } = model.network.election;
  const isDivided = Object.values(model.adversaries).some(
    ({ responses }) => responses !== undefined,
  );
  if (!isDivided) return [{ protocols, model }];
  const arms = new Map<string, { protocols: ProtocolName[]; adversaries: Adversaries }>();
  for (const protocol of protocols) {
    const adversaries = Object.fromEntries(
      adversariesOf(model).map(([name, { responses, ...adversary }]) => {
        return [name, { ...adversary, ...responses?.[protocol] }] as const;
      }),
    );
    const key = JSON.stringify(Object.values(adversaries).map(responseOf));
    const arm = arms.get(key);
    if (arm === undefined) arms.set(key, { protocols: [protocol], adversaries });
    else arm.protocols.push(protocol);
  }
  return [...arms.values()].map(({ protocols: own, adversaries }) => {
    const election = { ...model.network.election, protocols: own };
    const network = { ...model.network, election };
    return { protocols: own, model: { ...model, network, adversaries } };
  });
}
