/**
 * @module
 * The operation `design`: the difficulty that limits an adversary, whether honest nodes can afford it, and the defences
 * that help if they cannot. Sampled runs check the closed form.
 */

import { PROTOCOL_NAMES } from '../election/registry.ts';
import { LabError } from '../errors.ts';
import { designChart } from '../experiment/design/chart.ts';
import type { DesignCheck, DesignReport } from '../experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
  drawsPerRun,
  verdictOfAll,
} from '../experiment/design/check.ts';
import { assertDefencesFit, designCost, measureElections } from '../experiment/design/cost.ts';
import type { Design } from '../experiment/design/design.ts';
import { design } from '../experiment/design/design.ts';
import { DESIGN_QUESTIONS, KEY } from '../experiment/design/questions.ts';
import { ADVANTAGES_MAX, DESIGN_PROTOCOL, HARD_RATE } from '../experiment/design/request.ts';
import { CHOSEN_DEFENCE_NAMES } from '../experiment/document/defence-names.ts';
import {
  BUDGET_SECONDS_MAX,
  HONEST_MAX,
  RATE_MAX,
  RUNS_MAX,
} from '../experiment/document/limits.ts';
import { SCHEME_NAMES } from '../identity/keys/scheme.ts';
import { NATIVE_CORE } from '../mining/native.ts';
import type { Seed } from '../random.ts';
import { aheadText, RATED_DEVICE } from './advantage/advantage.ts';
import { fastestOf, honestRate } from './advantage/rates.ts';
import type { DesignOutput } from './design-report.ts';
import { designBlocks, designOutput } from './design-report.ts';
import type { InputOf } from './member.ts';
import { amount, amountsOrMeasured, choice, choices, SEED, toggle } from './member.ts';
import type { OperationContext } from './operation.ts';
import { defineOperation, memberFault, replayOf } from './operation.ts';

/** Rank keys drawn by the checks of a remote request, and runs of each: every limit takes about a second. */
export const CHECK_DRAWS_MAX = 10_000_000;
export const CHECK_RUNS_MAX = 100_000;

const EPSILON_MIN = 1e-15;
const TIME = { kind: 'time', bounds: { min: 1e-6, max: BUDGET_SECONDS_MAX } } as const;
const FACTOR = { kind: 'number', bounds: { min: 1e-6, max: 1e12 } } as const;
const RATE = { kind: 'number', bounds: { min: 1e-3, max: RATE_MAX } } as const;

/** The machines of an adversary with an advantage. */
export const MACHINES = amount({
  kind: 'number',
  bounds: { min: 1e-6, max: 1e9 },
  slider: [0, 6],
  label: 'Machines of the adversary',
  meaning:
    'The part of the advantage that is the number of machines. A memory-hard function reduces only the rest',
  example: '8',
  isFurther: true,
  otherwise: 'the whole advantage',
});

const MEMBERS = {
  epsilon: amount({
    kind: 'probability',
    bounds: { min: EPSILON_MIN, max: 1 - EPSILON_MIN },
    slider: [-9, -0.05],
    label: 'Accepted probability ε',
    meaning: 'Largest accepted probability of the event',
    example: '1%',
    inForm: '5%',
    required: true,
  }),
  time: amount({
    ...TIME,
    slider: [-1, 8],
    label: 'Time of the adversary',
    meaning: 'CPU time that the adversary spends on identities before the election',
    example: '60s',
    required: true,
  }),
  nodes: amount({
    kind: 'count',
    bounds: { min: 1, max: HONEST_MAX },
    slider: [0, 6],
    label: 'Honest nodes',
    meaning: 'Number of honest nodes',
    example: '16',
    inForm: '200',
    required: true,
  }),
  joinTime: amount({
    ...TIME,
    slider: [-1, 6],
    label: 'Accepted time to join',
    meaning: 'Mining time that an honest node accepts',
    example: '10s',
    inForm: '60s',
    required: true,
  }),
  advantage: amountsOrMeasured({
    ...FACTOR,
    most: ADVANTAGES_MAX,
    slider: [-2, 6],
    label: 'Advantage of the adversary',
    meaning:
      'Rate of the adversary divided by the rate of an honest node: its machines times the speed of each. Each of several values has its own answer. measured: the rate of the fastest search of this machine, on all threads, over the rate of an honest node, which is one core with noble if none is given',
    example: '8',
    inForm: '1',
    initial: [1],
  }),
  device: RATED_DEVICE,
  rate: amount({
    ...RATE,
    slider: [0, 9],
    label: 'Rate of an honest node',
    meaning: 'Candidates per second of an honest node',
    example: '1e6',
    inForm: '1e6',
    otherwise: 'measured now, with the scheme',
  }),
  protocol: choice(PROTOCOL_NAMES, {
    label: 'Protocol',
    meaning: 'Protocol of the election. It decides which questions fit',
    example: 'raft',
    initial: DESIGN_PROTOCOL,
  }),
  question: choice(DESIGN_QUESTIONS, {
    label: 'Event to limit',
    meaning: 'The event whose probability is limited',
    example: 'majority-captured',
    otherwise: 'the first that fits the protocol',
  }),
  joinQuantile: amount({
    kind: 'probability',
    bounds: { min: 1e-9, max: 1 - 1e-9 },
    slider: [-2, -0.0001],
    label: 'Certainty of joining in time',
    meaning: 'Probability with which an honest node is done within the time to join',
    example: '0.95',
    isFurther: true,
    initial: 0.95,
  }),
  machines: MACHINES,
  window: amount({
    ...TIME,
    slider: [-1, 6],
    label: 'Window of registration',
    meaning: 'Time for which registration is open',
    example: '1m',
    isFurther: true,
    otherwise: 'the time to join',
  }),
  preparation: amount({
    kind: 'time',
    bounds: { min: 0, max: BUDGET_SECONDS_MAX },
    slider: [-1, 8],
    label: 'Preparation before it',
    meaning: 'Part of the time of the adversary before the window opens',
    example: '50m',
    isFurther: true,
    otherwise: 'all but the window',
  }),
  stockSpeed: amount({
    ...FACTOR,
    slider: [-2, 3],
    label: 'Speed of keys in stock',
    meaning: 'Rate of testing stored keys divided by the rate of whole attempts',
    example: '3',
    isFurther: true,
    initial: KEY.time,
  }),
  hardAdvantage: amount({
    ...FACTOR,
    slider: [-2, 6],
    label: 'Memory-hard advantage',
    meaning: 'Advantage under a memory-hard function',
    example: '2',
    isFurther: true,
    otherwise: 'that of the machines',
  }),
  hardRate: amount({
    ...RATE,
    slider: [0, 9],
    label: 'Memory-hard rate',
    meaning: 'Candidates per second of an honest node under a memory-hard function',
    example: '1000',
    isFurther: true,
    otherwise: `${HARD_RATE}, or the rate if that is lower`,
  }),
  scheme: choice(SCHEME_NAMES, {
    label: 'Scheme',
    meaning: 'Signature scheme of a measured rate',
    example: 'secp256k1',
    isFurther: true,
    initial: SCHEME_NAMES[0],
  }),
  defences: choices(CHOSEN_DEFENCE_NAMES, {
    label: 'Defences of the election',
    meaning: 'Defences of the election whose cost is measured',
    example: 'hop-limit',
    isFurther: true,
    initial: [],
  }),
  elections: toggle({
    label: 'Simulate elections to state their cost',
    meaning: 'Simulate elections among honest nodes, to state what they cost',
    example: 'false',
    inForm: false,
    initial: true,
  }),
  check: toggle({
    label: 'Compare with sampled runs',
    meaning: 'Compare the closed form with sampled runs',
    example: 'false',
    inForm: false,
    initial: true,
  }),
  runs: amount({
    kind: 'count',
    bounds: { min: 1, max: RUNS_MAX },
    remoteMax: CHECK_RUNS_MAX,
    slider: [0, 5],
    label: 'Runs of the check',
    meaning: 'Number of sampled runs for each advantage',
    example: '1e4',
    isFurther: true,
    otherwise: 'enough to decide',
  }),
  confidence: amount({
    kind: 'probability',
    bounds: { above: 0, below: 1 },
    slider: [-1, -0.001],
    label: 'Confidence',
    meaning: 'Confidence level of the interval of the check',
    example: '0.95',
    isFurther: true,
    initial: 0.95,
  }),
  seed: SEED,
};

/** A question whose advantages are numbers. */
type DesignInput = InputOf<typeof MEMBERS> & { readonly advantage: readonly number[] };

function isStated(input: InputOf<typeof MEMBERS>): input is DesignInput {
  return input.advantage !== 'measured';
}

/** Throws LabError `arguments` for more machines than an advantage, of which they are a factor. */
export function assertMachines({
  machines = 0,
  advantage,
}: {
  readonly machines?: number | undefined;
  readonly advantage: readonly number[];
}): void {
  const most = Math.max(...advantage);
  if (machines <= most) return;
  const detail = `must be at most ${most}, the advantage, which is the machines times the speed of each; got ${machines}`;
  throw memberFault('arguments', 'machines', detail);
}

/** What an output has of its own. */
const UNMEASURED = { elections: [], defences: [] };

const VERB = { name: 'design', members: MEMBERS } as const;

export const DESIGN = defineOperation({
  ...VERB,
  collection: 'designs',
  title: 'Design',
  summary: 'calculate the puzzle difficulty that limits an adversary',
  description: `How many bits of difficulty limit an adversary, and can honest nodes afford them? If the answer is no, it names the changes that would each be enough.
Whether a difficulty exists depends only on ratios: a faster machine adds the same bits to both sides.
Without a rate an honest node has the rate of this machine with its threads. If honest nodes run native code, take the rate ${NATIVE_CORE.rate} a core. If only the adversary runs it, multiply the advantage by ${NATIVE_CORE.keysOverKernel} (usurp calibrate).
If the rank decides, the question is adversary-leads: P(top ID). If the rank has no meaning (Raft), the question is leads-more-than-share: P(an adversary that follows the protocol leads a term). Quorum protocols also have majority-captured and no-leader. Each answer states what it assumes.`,
  output: designOutput,
  answersWhileTyping: true,
  measuresTime: false,
  check(given, isRemote) {
    // If the rate or the advantage is not stated, any value shows which members do not fit together.
    if (isStated(given) && given.device !== undefined)
      throw memberFault('arguments', 'device', 'needs the advantage measured');
    const input = isStated(given) ? given : { ...given, advantage: [given.machines ?? 1] };
    const answers = answersTo(input, input.rate ?? 1);
    const [first] = answers;
    if (first !== undefined) assertDefencesFit(first.request);
    assertMachines(input);
    if (input.check && isRemote) for (const answer of answers) runsOf(answer, input, true);
  },
  atOnce(input) {
    if (!isStated(input) || input.check || input.elections || input.rate === undefined) return null;
    const reports = answersTo(input, input.rate).map((each) =>
      designReport(each, null, designCost(each, UNMEASURED)),
    );
    return outputOf(input, { rate: input.rate, seed: null, measured: null }, reports);
  },
  run,
  outcomeOf: ({ verdict: { value } }) =>
    value === 'true' ? 'holds' : value === 'false' ? 'violated' : 'unknown',
  outcomes: {
    holds: 'possible, with all advantages',
    violated: 'not possible, with at least one of the advantages',
    unknown: 'the interval of the check contains the bound',
  },
  report: designBlocks,
  picture: ({ verdict: { sentence }, answers, replay }) =>
    designChart({ reports: answers, sentence, replay }),
  table: () => null,
  has: { picture: true, table: false },
  examples: [
    {
      epsilon: '0.1',
      time: '10m',
      nodes: '1000',
      joinTime: '1m',
      rate: '1e6',
      elections: false,
      check: false,
    },
    { epsilon: '0.01', time: '60s', nodes: '16', joinTime: '10s', advantage: '8' },
    {
      epsilon: '0.01',
      time: '60s',
      nodes: '50',
      joinTime: '60s',
      rate: '1e6',
      advantage: '1,10,100,1000',
    },
    {
      protocol: 'raft',
      question: 'majority-captured',
      epsilon: '0.001',
      time: '10m',
      nodes: '50',
      joinTime: '30s',
      rate: '1e6',
    },
    {
      epsilon: '5%',
      time: '1h',
      preparation: '50m',
      window: '1m',
      nodes: '500',
      joinTime: '30s',
      rate: '1e6',
    },
  ],
});

/** Answers to inputs that are checked first and answered at once afterwards. Each takes up to a tenth of a second. */
const ANSWERED = new WeakMap<DesignInput, readonly Design[]>();

/** The answers by closed forms, one for each advantage. */
function answersTo(input: DesignInput, rate: number): readonly Design[] {
  const known = ANSWERED.get(input);
  if (known !== undefined && input.rate === rate) return known;
  const {
    scheme: _s,
    device: _v,
    check: _c,
    elections: _e,
    runs: _r,
    confidence: _i,
    seed: _d,
    ...asked
  } = input;
  const answers = input.advantage.map((advantage) => design({ ...asked, rate, advantage }));
  if (input.rate === rate) ANSWERED.set(input, answers);
  return answers;
}

async function run(
  given: InputOf<typeof MEMBERS>,
  context: OperationContext,
): Promise<DesignOutput | null> {
  const { threads, signal, machine } = context;
  const found = isStated(given) ? { input: given, measured: null } : await measure(given, context);
  if (found === null) return null;
  const { input, measured: ahead } = found;
  const rate =
    input.rate ??
    Math.max(1, Math.round(await machine.miningRate(input.scheme, { threads, signal })));
  if (input.rate === undefined && signal.aborted) return null;
  const answers = answersTo(input, rate);
  const [first] = answers;
  if (first === undefined) throw new TypeError('"advantage" expected at least one, got none');
  const measured = input.elections ? measureElections(first.request) : UNMEASURED;
  const isChecked = input.check && answers.some((each) => checkedDifficulty(each) !== null);
  const seed = isChecked ? context.seedFor(input.seed) : null;
  const reports: DesignReport[] = [];
  for (const answer of answers) {
    const check = await checked(answer, { input, seed, done: reports.length, context });
    reports.push(designReport(answer, check, designCost(answer, measured)));
  }
  return outputOf(input, { rate, seed, measured: ahead }, reports);
}

/** The question with the advantage and the rate that this machine has. Null after an abort. */
async function measure(
  { scheme, device, ...input }: InputOf<typeof MEMBERS>,
  { threads, signal, machine, onProgress }: OperationContext,
) {
  const rates = await machine.advantage({
    ...{ threads, signal, scheme, device, policies: ['strict'] },
    onProgress: (now) => onProgress({ now, done: 0, total: null }),
  });
  const [fastest, honest] = [fastestOf(rates, 'strict'), honestRate(rates, 'strict')];
  if (signal.aborted || fastest?.perSecond == null || honest === null) return null;
  const rate = input.rate ?? Math.max(1, Math.round(honest));
  // The digits that the command states.
  const factor = Number((fastest.perSecond / rate).toPrecision(6));
  assertMachines({ machines: input.machines, advantage: [factor] });
  // A memory-hard function reduces the speed of a core, and never the number of cores.
  const machines = input.machines ?? Math.min(factor, Math.max(1, fastest.cores));
  return {
    input: { ...input, scheme, device, rate, machines, advantage: [factor] },
    measured: aheadText(rates),
  };
}

interface Checking {
  readonly input: DesignInput;
  /** Null without a check. */
  readonly seed: Seed | null;
  /** Answers before this one. */
  readonly done: number;
  readonly context: OperationContext;
}

/** The check of an answer. Null if none is wanted or possible, or if no run of it was finished. */
async function checked(
  answer: Design,
  { input, seed, done, context }: Checking,
): Promise<DesignCheck | null> {
  const { threads, signal, machine, onProgress, isRemote } = context;
  const difficulty = checkedDifficulty(answer);
  const runs = runsOf(answer, input, isRemote);
  if (seed === null || difficulty === null || runs === null) return null;
  const asked = { model: checkModel(answer, difficulty.wholeBits), seed, runs };
  const total = runs * input.advantage.length;
  const { tally } = await machine.runs(asked, {
    threads,
    signal,
    onProgress: (finished) =>
      onProgress({ now: 'sampled runs of the check', done: done * runs + finished.done, total }),
  });
  if (tally.runs === 0) return null;
  const { confidence } = input;
  return checkOf(difficulty, { runs: tally.runs, wins: tally.wins[0] ?? 0, confidence });
}

/**
 * The runs of the check of an answer; null if no run can check it. All checks of a remote request share its limits.
 * Throws LabError `job.size` above them.
 */
function runsOf(
  answer: Design,
  { runs, advantage }: DesignInput,
  isRemote: boolean,
): number | null {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) return null;
  const usual = checkRuns(answer, difficulty);
  if (!isRemote) return runs ?? usual;
  const whole = Math.min(
    CHECK_RUNS_MAX,
    Math.floor(CHECK_DRAWS_MAX / drawsPerRun(answer, difficulty)),
  );
  const most = Math.max(1, Math.floor(whole / advantage.length));
  const wanted = runs ?? Math.min(most, usual);
  if (wanted <= most) return wanted;
  const detail = `at most ${most} runs in one check of ${answer.request.nodes} nodes, got ${wanted}`;
  throw new LabError('job.size', detail, [{ pointer: '/runs', detail }]);
}

interface Ran {
  readonly rate: number;
  readonly seed: Seed | null;
  /** What was measured for the advantage, in words. */
  readonly measured: string | null;
}

function outputOf(
  input: DesignInput,
  { rate, seed: chosen, measured }: Ran,
  answers: readonly DesignReport[],
): DesignOutput {
  const [only, ...others] = answers;
  const verdict = only !== undefined && others.length === 0 ? only.verdict : verdictOfAll(answers);
  // The number of runs decides the answer, so that the command states it.
  const counts = [...new Set(answers.flatMap(({ check }) => check?.runs ?? []))];
  const check = counts.length > 0;
  const runs = input.runs ?? (counts.length === 1 ? counts[0] : undefined);
  const seed = check ? (chosen ?? undefined) : undefined;
  const ran = { ...input, device: undefined, rate, check, seed, runs: check ? runs : undefined };
  return { verdict, answers, measured, seed: seed ?? null, replay: replayOf(VERB, ran) };
}
