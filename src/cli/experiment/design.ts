/**
 * @module
 * `usurp design`: the difficulty that limits an adversary, whether honest nodes can afford it, and the
 * defences that help if they cannot. Sampled runs check the result.
 */

import type { Command } from 'commander';
import type { DesignCheck, DesignReport } from '../../experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
} from '../../experiment/design/check.ts';
import type { DefenceEffect } from '../../experiment/design/defences.ts';
import type { Design, JoinTimes, JudgedDifficulty } from '../../experiment/design/design.ts';
import { design } from '../../experiment/design/design.ts';
import { counted } from '../../experiment/document/wording.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { measureRate } from '../../runtime/threads/calibration.ts';
import { runExperiment } from '../../runtime/threads/experiment-pool.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, formatSeconds } from '../shell/layout.ts';
import { seedOrChosen, verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { DesignOptions } from './design-options.ts';
import { questionOf, replayOf, withDesign } from './design-options.ts';

export function designCommand(session: Session): Command {
  return withDesign(verb('design', 'calculate the puzzle difficulty that limits an adversary'))
    .addHelpText('after', DESIGN_EXAMPLES)
    .action((options: DesignOptions) =>
      session.run(options, (terminal) => runDesign(options, terminal)),
    );
}

const DESIGN_EXAMPLES = `
Quantities: counts 1000, 1e6, 2^20; probabilities 0.05, 5%; times 100ms, 90s, 5m, 2h.
Whether a difficulty exists depends only on ratios: a faster machine adds the same bits to both sides.
Without --rate an honest node has the rate of this machine with --threads threads.

Exit codes: 0 possible, 1 not possible, 2 unknown (the interval of the check contains the bound).

Examples:
  usurp design --epsilon 0.01 --seconds 60 --nodes 16 --join-time 10s --advantage 8
  usurp design --epsilon 0.1 --seconds 10m --nodes 1000 --join-time 1m --rate 1e6 --no-check
  usurp design --epsilon 5% --seconds 1h --preparation 50m --window 1m --nodes 500 \\
    --join-time 30s --rate 1e6 --json`;

async function runDesign(options: DesignOptions, terminal: Terminal): Promise<ExitCode> {
  const rate = options.rate ?? (await rateOfThisMachine(options, terminal));
  if (rate === null) return EXIT.interrupted;
  const answer = design(questionOf(options, rate));
  const checked = options.check ? await runCheck(answer, options, terminal) : null;
  const report = designReport(answer, checked?.check ?? null);
  const replay = replayOf(
    options,
    checked === null ? { rate } : { rate, seed: checked.seed, runs: checked.check.runs },
  );
  const seed = checked?.seed ?? null;
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ ...report, seed, replay })}\n`
      : `${report.verdict.sentence}\n${tablesOf(report, replay)}`,
  );
  return terminal.signal.aborted ? EXIT.interrupted : VERDICT_EXIT[report.verdict.value];
}

const VERDICT_EXIT = { true: EXIT.holds, false: EXIT.violated, unknown: EXIT.unknown } as const;

/** Candidates per second of this machine. Null if the measurement was interrupted. */
async function rateOfThisMachine(
  { scheme, threads }: DesignOptions,
  { note, signal }: Terminal,
): Promise<number | null> {
  const measured = await measureRate({ scheme, strategy: HONEST_STRATEGY, threads, signal });
  if (signal.aborted) return null;
  const rate = Math.max(1, Math.round(measured));
  note(`measured ${rate} candidates/s with ${scheme} on ${counted(threads, 'thread')}`);
  return rate;
}

/** The check. Null if no run is possible or none was finished. */
async function runCheck(
  answer: Design,
  options: DesignOptions,
  terminal: Terminal,
): Promise<{ readonly check: DesignCheck; readonly seed: Seed } | null> {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) {
    terminal.note(
      'not checked: a sampled run has too many attempts, or an honest node finds no candidate in time',
    );
    return null;
  }
  const seed = seedOrChosen(options.seed, terminal);
  const runs = options.runs ?? checkRuns(answer, difficulty);
  const { tally } = await runExperiment(
    { model: checkModel(answer, difficulty.wholeBits), seed, runs },
    {
      threads: options.threads,
      onProgress: ({ done, total }) =>
        terminal.progress(() => `check: ${done} of ${total} sampled runs`),
      signal: terminal.signal,
    },
  );
  if (tally.runs === 0) return null;
  const done = { runs: tally.runs, wins: tally.wins[0] ?? 0, confidence: options.confidence };
  return { check: checkOf(difficulty, done), seed };
}

function tablesOf(report: DesignReport, replay: string): string {
  const { request, needed, bearable, join, check, verdict, enough } = report;
  const rows = [
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ['needed', difficultyText(needed)],
    [
      'affordable',
      bearable === null ? 'none: no time for one candidate' : difficultyText(bearable),
    ],
    [`one joins (${needed.wholeBits} bits)`, timesText(join.one, request.joinQuantile)],
    [`slowest of ${request.nodes} joins`, timesText(join.slowest, request.joinQuantile)],
    ['enough alone', enoughText(enough)],
    ['check', check === null ? 'none' : checkText(check)],
    ['replay', replay],
  ];
  const summary = columns(rows);
  return report.isPossible ? summary : `${summary}\n${defenceTable(report.defences)}`;
}

function difficultyText({ realBits, wholeBits, probability }: JudgedDifficulty): string {
  return `${realBits.toFixed(2)} bits; at ${wholeBits} the adversary leads with ${percent(probability)}`;
}

function timesText(times: JoinTimes, quantile: number): string {
  const { p50Seconds, p95Seconds, quantileSeconds } = times;
  const usual = `50 % in ${formatSeconds(p50Seconds)}, 95 % in ${formatSeconds(p95Seconds)}`;
  if (quantile === 0.5 || quantile === 0.95) return usual;
  return `${usual}, ${Number((100 * quantile).toPrecision(6))} % in ${formatSeconds(quantileSeconds)}`;
}

function enoughText({ adversarySeconds, joinSeconds, nodes }: Design['enough']): string {
  return [
    adversarySeconds === null
      ? []
      : [`at most ${formatSeconds(adversarySeconds)} of the adversary`],
    [`a join time of ${formatSeconds(joinSeconds)}`],
    nodes === null ? [] : [`${nodes} honest nodes`],
  ]
    .flat()
    .join(', or ');
}

function checkText({
  runs,
  wins,
  difficultyBits,
  frequency,
  interval,
  theory,
}: DesignCheck): string {
  const [low, high] = interval;
  return (
    `${wins} of ${runs} sampled runs at ${difficultyBits} bits, ${percent(frequency)} ` +
    `(${percent(low)} to ${percent(high)}); closed form ${percent(theory)}`
  );
}

function defenceTable(defences: readonly DefenceEffect[]): string {
  const bits = (value: number | undefined) => (value === undefined ? 'none' : value.toFixed(2));
  const rows = defences.map((effect) => [
    effect.defence,
    bits(effect.gainBits),
    bits(effect.needed.realBits),
    bits(effect.bearable?.realBits),
    effect.isPossible ? 'yes' : 'no',
    effect.remark,
  ]);
  return columns([
    ['defence', 'gains bits', 'needed', 'affordable', 'possible', 'remark'],
    ...rows,
  ]);
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}
