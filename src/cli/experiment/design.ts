/**
 * @module
 * `usurp design`: the difficulty that limits an adversary, whether honest nodes can afford it, and the
 * defences that help if they cannot. Sampled runs check the result.
 */

import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import type { DesignPicture } from '../../experiment/design/chart.ts';
import { designChart, designPage } from '../../experiment/design/chart.ts';
import type { DesignCheck } from '../../experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
  verdictOfAll,
} from '../../experiment/design/check.ts';
import { designCost, measureElections } from '../../experiment/design/cost.ts';
import type { Design } from '../../experiment/design/design.ts';
import { design } from '../../experiment/design/design.ts';
import { counted } from '../../experiment/document/wording.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { measureRate } from '../../runtime/threads/calibration.ts';
import { runExperiment } from '../../runtime/threads/experiment-pool.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import { seedOrChosen, verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { DesignOptions } from './design-options.ts';
import { questionOf, replayOf, withDesign } from './design-options.ts';
import { answerTable, designTable, designText } from './design-print.ts';

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
Without --rate an honest node has the rate of this machine with --threads threads. For honest nodes with native
code take --rate ${NATIVE_CORE.rate} a core, for native code of the adversary alone multiply --advantage by ${NATIVE_CORE.keysOverKernel} (usurp calibrate).
If the rank decides, the question is adversary-leads: P(top ID). If it has no meaning, like in Raft, the question
is leads-more-than-share: P(an adversary that follows the protocol leads a term). Quorum protocols also have
majority-captured and no-leader. Each answer states what it assumes.

Exit codes: 0 possible, 1 not possible, 2 unknown (the interval of the check contains the bound). Several
advantages: 0 all possible, 1 one of them not possible, 2 otherwise.

Examples:
  usurp design --epsilon 0.01 --seconds 60 --nodes 16 --join-time 10s --advantage 8
  usurp design --epsilon 0.01 --seconds 60 --nodes 50 --join-time 60s --rate 1e6 --advantage 1,10,100,1000
  usurp design --protocol raft --question majority-captured --epsilon 0.001 --seconds 10m \\
    --nodes 50 --join-time 30s --rate 1e6
  usurp design --epsilon 0.1 --seconds 10m --nodes 1000 --join-time 1m --rate 1e6 --no-check
  usurp design --epsilon 5% --seconds 1h --preparation 50m --window 1m --nodes 500 \\
    --join-time 30s --rate 1e6 --json`;

async function runDesign(options: DesignOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.out !== undefined) await refusePicture(options.out, options.force === true);
  const rate = options.rate ?? (await rateOfThisMachine(options, terminal));
  if (rate === null) return EXIT.interrupted;
  const question = questionOf(options, rate);
  const answers = options.advantage.map((advantage) => design({ ...question, advantage }));
  const [first] = answers;
  if (first === undefined) throw new TypeError('"advantage" expected at least one, got none');
  // Refuses defences that do not fit before a check is made.
  const elections = measureElections(first.request);
  const checks = options.check ? await runChecks(answers, options, terminal) : null;
  const reports = answers.map((answer, index) =>
    designReport(answer, checks?.done[index] ?? null, designCost(answer, elections)),
  );
  const runs = checks?.done.flatMap((check) => check?.runs ?? []) ?? [];
  const seed = runs.length === 0 ? null : (checks?.seed ?? null);
  const replay = replayOf(options, { rate, seed, runs });
  const [only, ...others] = reports;
  const verdict = only === undefined || others.length > 0 ? verdictOfAll(reports) : only.verdict;
  const json = () =>
    only !== undefined && others.length === 0
      ? { ...only, seed, replay }
      : { verdict, answers: reports, seed, replay };
  const text = () =>
    only !== undefined && others.length === 0
      ? designText(only, replay)
      : designTable(verdict, reports, replay);
  if (options.out !== undefined) {
    await writePicture(options, { reports, sentence: verdict.sentence, replay });
  }
  terminal.print(wantsJson(options) ? `${JSON.stringify(json())}\n` : text());
  return terminal.signal.aborted ? EXIT.interrupted : VERDICT_EXIT[verdict.value];
}

/** Throws LabError for a file that is no picture, or that could not be written later. */
async function refusePicture(path: string, force: boolean): Promise<void> {
  if (!/\.(svg|html)$/.test(path)) {
    throw new LabError(
      'arguments',
      `--out: expected a file that ends in .svg or .html, got ${path}`,
    );
  }
  await refuseTarget(path, force);
}

async function writePicture(
  { out = '', force }: DesignOptions,
  picture: DesignPicture,
): Promise<void> {
  const text = out.endsWith('.html')
    ? designPage(picture, answerTable(picture.reports))
    : designChart(picture);
  await writeWhole(out, text, { force: force === true, isPrivate: false });
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

interface Checks {
  /** Null for an answer that no run can check, or of which none was finished. */
  readonly done: readonly (DesignCheck | null)[];
  readonly seed: Seed;
}

/** The checks of all answers, under the same seed. Null if none is possible. */
async function runChecks(
  answers: readonly Design[],
  options: DesignOptions,
  terminal: Terminal,
): Promise<Checks | null> {
  const points = answers.map(checkedDifficulty);
  if (points.includes(null)) {
    terminal.note(
      'not checked: a sampled run has too many attempts or nodes, or an honest node finds no candidate in time',
    );
  }
  if (points.every((point) => point === null)) return null;
  const seed = seedOrChosen(options.seed, terminal);
  const done: (DesignCheck | null)[] = [];
  for (const answer of answers) done.push(await runCheck(answer, seed, options, terminal));
  return { done, seed };
}

/** The check of one answer. Null if no run is possible or none was finished. */
async function runCheck(
  answer: Design,
  seed: Seed,
  options: DesignOptions,
  terminal: Terminal,
): Promise<DesignCheck | null> {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) return null;
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
  return checkOf(difficulty, done);
}
