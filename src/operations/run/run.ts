/**
 * @module
 * This folder contains the operation `run`: it runs a threat model and says whether its expected property holds.
 */

import { LabError } from '../../errors.ts';
import { runPicture } from '../../experiment/charts/run-chart.ts';
import { REMOTE_RUNS_MAX, RUNS_MAX } from '../../experiment/document/limits.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../experiment/reading/settings.ts';
import { responseText } from '../../experiment/response/report.ts';
import type { Tally } from '../../experiment/runs/tally.ts';
import type { RunReport } from '../../experiment/verdict/report.ts';
import { report, runOutput } from '../../experiment/verdict/report.ts';
import { confirmingRuns, looksUpTo, runsStillNeeded } from '../../experiment/verdict/stopping.ts';
import { sharedAmong } from '../../experiment/verdict/verdict.ts';
import { STRATEGY_NAMES } from '../../mining/strategy.ts';
import { latencyTicksMax, parseLatency } from '../../simulation/faults/latency.ts';
import { LATENCY_TICKS_MAX } from '../../simulation/request/remote-limits.ts';
import type { ExperimentProgress, ExperimentResult } from '../machine.ts';
import type { InputOf } from '../member.ts';
import { amount, choice, SEED, toggle } from '../member.ts';
import { SET, threatModel } from '../model.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, memberFault } from '../operation.ts';
import { runBlocks } from './report.ts';

/** Runs at most with untilWidth or untilDecided, if maxRuns is not given. */
const MAX_RUNS_DEFAULT = 1_000_000;

const COUNT = {
  kind: 'count',
  bounds: { min: 1, max: RUNS_MAX },
  remoteMax: REMOTE_RUNS_MAX,
  slider: [0, 7],
} as const;

const SHARE = { kind: 'probability', bounds: { above: 0, below: 1 } } as const;

const MEMBERS = {
  threatModel: threatModel({
    example: 'top-id',
    required: true,
  }),
  runs: amount({
    ...COUNT,
    label: 'Runs',
    meaning: 'Number of runs',
    example: '50',
    otherwise: 'that of the model',
  }),
  set: SET,
  strategy: choice(STRATEGY_NAMES, {
    label: 'Mining strategy',
    meaning: 'Mining strategy of every adversary',
    example: 'walk',
    isFurther: true,
    otherwise: 'those of the model',
  }),
  confidence: amount({
    ...SHARE,
    slider: [-2, 0],
    label: 'Confidence',
    meaning: 'Confidence level of the interval',
    example: '99%',
    isFurther: true,
    otherwise: 'that of the model',
  }),
  untilWidth: amount({
    ...SHARE,
    slider: [-4, 0],
    label: 'Until the interval is as narrow as',
    meaning: 'Run until the interval is at most this wide, instead of a number of runs',
    example: '1%',
    isFurther: true,
    otherwise: 'the width has no effect',
  }),
  untilDecided: toggle({
    label: 'Run until the verdict is true or false',
    meaning: 'Run until the verdict is true or false, instead of a number of runs',
    example: '',
    isFurther: true,
    initial: false,
  }),
  maxRuns: amount({
    ...COUNT,
    label: 'Maximum number of runs',
    meaning: 'Maximum number of runs with untilWidth or untilDecided',
    example: '1e5',
    isFurther: true,
    otherwise: String(MAX_RUNS_DEFAULT),
  }),
  seed: SEED,
};

type RunInput = InputOf<typeof MEMBERS>;

export const RUN = defineOperation({
  name: 'run',
  members: MEMBERS,
  collection: 'runs',
  title: 'Run of a threat model',
  summary: 'run a threat model and print its verdict',
  description: `The answer is true, false or unknown, with an interval and the command that computes it again. If every run is the same, whatever the seed, one run is made.
With untilDecided, the looks at the runs are fixed before the first run, and make each interval wider.`,
  output: runOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    assertAmounts(input);
    const { model } = changed(input);
    if (!isRemote) return;
    const { latency } = model.network.election;
    if (latencyTicksMax(parseLatency(String(latency))) > LATENCY_TICKS_MAX) {
      const detail = `at most ${LATENCY_TICKS_MAX} ticks of latency`;
      throw new LabError('job.size', `set: ${detail}`, [
        { pointer: '/set/network.election.latency', detail },
      ]);
    }
    const runs = runsOf(model, input);
    if (runs <= REMOTE_RUNS_MAX) return;
    const detail = `at most ${REMOTE_RUNS_MAX} runs in one request, got ${runs}`;
    throw memberFault('job.size', 'runs', detail);
  },
  atOnce: () => null,
  run,
  outcomeOf: ({ verdict }) => OUTCOMES[verdict.value],
  outcomes: { holds: 'true', violated: 'false', unknown: 'unknown' },
  report: runBlocks,
  picture: (output) => runPicture(output, output.response.map(responseText)),
  table: () => null,
  has: { picture: true, table: false },
  examples: [
    { threatModel: 'top-id', runs: '50', set: 'work=sampled', seed: '1' },
    { threatModel: 'top-id' },
    { threatModel: 'top-id', set: 'work=sampled', untilWidth: '1%', seed: '1' },
    { threatModel: 'top-id', set: 'work=sampled', untilDecided: true, seed: '1' },
  ],
});

const OUTCOMES = { true: 'holds', false: 'violated', unknown: 'unknown' } as const;

/** Refuses numbers of runs that do not fit to the rule by which the runs stop. */
function assertAmounts({ runs, untilWidth, untilDecided, maxRuns }: RunInput): void {
  const isOpen = untilWidth !== undefined || untilDecided;
  if (untilWidth !== undefined && untilDecided) {
    throw memberFault('arguments', 'untilWidth', 'excludes untilDecided');
  }
  if (isOpen && runs !== undefined) {
    throw memberFault('arguments', 'runs', 'excludes untilWidth and untilDecided; use maxRuns');
  }
  if (!isOpen && maxRuns !== undefined) {
    const detail = 'needs untilWidth or untilDecided; without them use runs';
    throw memberFault('arguments', 'maxRuns', detail);
  }
}

/** The number of runs, or the maximum if another rule stops them. */
function runsOf(model: ThreatModel, { runs, untilWidth, untilDecided, maxRuns }: RunInput): number {
  const isOpen = untilWidth !== undefined || untilDecided;
  return isOpen ? (maxRuns ?? MAX_RUNS_DEFAULT) : (runs ?? model.runs);
}

/** The threat model with all changes, and the changes as texts. Throws LabError `arguments`. */
export function changed(input: Pick<RunInput, 'threatModel' | 'set' | 'strategy' | 'confidence'>) {
  const { confidence, strategy, set } = input;
  const document = input.threatModel.model;
  const strategies = adversariesOf(document).flatMap(([name, { stockpile }]) => {
    if (strategy === undefined) return [];
    const path = `adversaries.${name}`;
    const isDropped = strategy !== 'stockpile' && stockpile !== undefined;
    return [`${path}.strategy=${strategy}`, ...(isDropped ? [`${path}.stockpile=null`] : [])];
  });
  const level = confidence === undefined ? [] : [`expect.confidence=${confidence}`];
  const settings = [...strategies, ...level, ...set];
  try {
    return { settings, model: applySettings(document, settings.map(readSetting)) };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    // A fault of the changed document is a fault of the changes.
    throw memberFault(error.code, 'set', error.message);
  }
}

async function run(input: RunInput, context: OperationContext): Promise<RunReport | null> {
  const { threads, signal, machine, onNote, onProgress, isRemote } = context;
  const { untilWidth, untilDecided } = input;
  const { model, settings } = changed(input);
  const seed = context.seedFor(input.seed);
  const runs = runsOf(model, input);
  if (untilWidth === undefined) noteFew(model, { runs, untilDecided }, onNote);
  const result = await machine.runs(
    { model, seed, runs, untilWidth, untilDecided },
    {
      threads,
      signal,
      onProgress: (progress) => {
        const { done, total } = progress;
        onProgress({ now: progressText(model, progress, untilDecided), done, total });
      },
    },
  );
  noteEnd(model, { ...result, runs, untilWidth }, onNote);
  const { tally, looks, rateMeasured } = result;
  if (tally.runs === 0) return null;
  const reported = report(model, tally, {
    id: input.threatModel.name,
    seed,
    settings,
    rateMeasured,
    looks,
    runs: looks > 1 ? runs : tally.runs,
  });
  return isRemote ? { ...reported, results: withElections(reported.results, tally) } : reported;
}

/** The results with the elections of a single run, so that a server can hold them again. */
function withElections(results: RunReport['results'], { saved }: Tally): RunReport['results'] {
  return results.map((result, group) => {
    const elections = saved?.[group];
    return elections === undefined ? result : { ...result, elections };
  });
}

/** Says before the runs that they cannot confirm the expectation, and how many could. */
function noteFew(
  model: ThreatModel,
  { runs, untilDecided }: { readonly runs: number; readonly untilDecided: boolean },
  onNote: OperationContext['onNote'],
): void {
  const looks = untilDecided ? looksUpTo(runs).length : 1;
  const least = confirmingRuns(sharedAmong(model, looks));
  if (runs <= 1 || least <= runs) return;
  const advice = Number.isFinite(least) ? `it takes at least ${least}` : 'no number can';
  onNote(
    `${runs} runs can refute the expectation, but not confirm it: ${advice}, unless every run is the same`,
  );
}

/** Says after the runs why there are fewer of them than were asked for, or that they do not suffice. */
function noteEnd(
  model: ThreatModel,
  ended: ExperimentResult & Pick<RunInput, 'untilWidth'> & { readonly runs: number },
  onNote: OperationContext['onNote'],
): void {
  const { tally, isComplete, isNarrow, looks, constant, runs, untilWidth } = ended;
  if (isComplete && tally.runs === 1 && runs > 1) {
    onNote(`every run is the same, whatever the seed: 1 run was made instead of ${runs}`);
  }
  if (looks > 1 && tally.runs > 0) {
    const needed = runsStillNeeded(sharedAmong(model, looks), { ...tally, constant });
    const about = Number.isFinite(needed) ? `about ${needed} more` : 'too many to estimate';
    const detail = `not decided after ${tally.runs} runs; needed: ${about} (see --max-runs)`;
    if (needed > 0) onNote(detail);
  }
  if (!isComplete) onNote(`interrupted: ${tally.runs} of ${runs} runs are reported`);
  if (isComplete && isNarrow === false) {
    onNote(`the interval is wider than ${untilWidth} after --max-runs ${runs}`);
  }
}

function progressText(
  model: ThreatModel,
  { done, total, wins, constant }: ExperimentProgress,
  untilDecided: boolean,
): string {
  const [least, most] = [Math.min(...wins), Math.max(...wins)];
  const range = least === most ? `${most}` : `${least} to ${most}, by protocol,`;
  const strict = sharedAmong(model, looksUpTo(total).length);
  const needed = untilDecided ? runsStillNeeded(strict, { runs: done, wins, constant }) : null;
  const left = needed === null || !Number.isFinite(needed) ? '' : `, about ${needed} more needed`;
  return `runs of ${model.id} (${range} with ${model.expect.property}${left})`;
}
