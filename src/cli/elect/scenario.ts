/**
 * @module
 * `usurp elect --scenario`: runs a named scenario and compares its outcome with the expected one. A scenario
 * fixes its faults, so only the flags for seed, nodes and output may be added. With several runs it writes
 * several files, numbered like the runs.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { LabError } from '../../errors.ts';
import { parseQuantity } from '../../quantities.ts';
import { parseSeed } from '../../random.ts';
import type { PhasedOutcome } from '../../simulation/run/simulate.ts';
import type { PlayedRun, Reign } from '../../simulation/scenarios/played-run.ts';
import { findScenario, SCENARIOS } from '../../simulation/scenarios/registry.ts';
import type { PlayedScenario } from '../../simulation/scenarios/scenario.ts';
import { messagesOf, playScenario } from '../../simulation/scenarios/scenario.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { writeThenPrint } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { refuseSave, writeSave } from './save.ts';
import type { TraceOptions } from './trace.ts';
import { refuseTrace, writeTrace } from './trace.ts';

interface ScenarioOptions extends OutputOptions, TraceOptions {
  readonly scenario: string;
  readonly protocol: unknown;
  readonly nodes?: string;
  readonly seed?: string;
  readonly save?: string | undefined;
}

/** Options that may be used with `--scenario`. */
const COMPANIONS: readonly string[] = [
  ...['nodes', 'seed', 'trace', 'clocks', 'save', 'force', 'format', 'json', 'quiet', 'color'],
];
/** Default seed: a scenario is the same for every reader. */
const SEED_DEFAULT = parseSeed('1');
const LIST = 'list';

/** Adds `--scenario` to a command that already has all other options. It conflicts with most of them. */
export function withScenario(command: Command): Command {
  const others = command.options.map((option) => option.attributeName());
  const excluded = others.filter((name) => !COMPANIONS.includes(name));
  return command.addOption(
    new Option(
      '--scenario <name>',
      `scenario to run and to compare with its expected outcome (default seed: ${SEED_DEFAULT}): ${[
        LIST,
        ...SCENARIOS.map(({ name }) => name),
      ].join(', ')}`,
    ).conflicts(excluded),
  );
}

/** Exit code: 0 if the expected outcome occurred, else 1. */
export async function runScenario(options: ScenarioOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.scenario === LIST) {
    terminal.print(wantsJson(options) ? `${JSON.stringify({ scenarios: list() })}\n` : listTable());
    return EXIT.holds;
  }
  if (options.protocol !== undefined) {
    throw new LabError('arguments', '--scenario states its protocols: leave out the argument');
  }
  const seed = options.seed === undefined ? SEED_DEFAULT : parseSeed(options.seed);
  const nodes = options.nodes === undefined ? undefined : parseQuantity('count', options.nodes);
  const played = playScenario(findScenario(options.scenario), { seed, nodes });
  const outputs = played.runs.map((run, index) => ({
    run,
    files: filesOf(options, played, index),
  }));
  for (const { run, files } of outputs) {
    await refuseTrace(files, run.simulation.plan.nodes);
    await refuseSave(files);
  }
  const answer = answerOf(played);
  const text = wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(answer);
  const write = async () => {
    for (const { run, files } of outputs) {
      await writeTrace(run.simulation, files, terminal);
      await saveOne(run, files, terminal);
    }
  };
  await writeThenPrint(write, () => terminal.print(text));
  return played.asExpected ? EXIT.holds : EXIT.violated;
}

function list() {
  return SCENARIOS.map(({ name, title, aliases, nodes, explanation, source }) => {
    return { name, title, aliases, nodes, explanation, source };
  });
}

function listTable(): string {
  return columns(
    SCENARIOS.map(({ name, title, nodes }) => [name, `${nodes.min}..${nodes.max} nodes`, title]),
  );
}

function answerOf(played: PlayedScenario) {
  const { scenario, expected, observed, asExpected, nodes, seed, runs, figures } = played;
  return {
    scenario: scenario.name,
    title: scenario.title,
    expected: expected.sentence,
    observed: observed.sentence,
    asExpected,
    nodes,
    leaders: runs.flatMap((run) => run.reigns.map((reign) => ({ run: run.name, ...reign }))),
    messages: messagesOf(runs),
    runs: runs.map(({ name, outcome }) => {
      const { protocol, end, messages, ticks } = outcome;
      return { run: name, protocol, end, messages, ticks };
    }),
    figures,
    explanation: scenario.explanation,
    source: scenario.source,
    seed,
    replay: runnable(`usurp elect --scenario ${scenario.name} --nodes ${nodes} --seed ${seed}`),
  };
}

type Answer = ReturnType<typeof answerOf>;

function tableOf(answer: Answer): string {
  const runs = answer.runs.flatMap(({ run, end, messages, ticks }) => [
    [`run ${run}`, `${END_WORDS[end]} at tick ${ticks}, ${countsText(messages)}`],
    ['', `led: ${reignsText(answer.leaders.filter((leader) => leader.run === run))}`],
  ]);
  const figures = Object.entries(answer.figures).map(([name, value]) => [name, String(value)]);
  return columns([
    ['scenario', `${answer.scenario}: ${answer.title}, ${answer.nodes} nodes`],
    ['expected', answer.expected],
    ['observed', answer.observed],
    ['as expected', answer.asExpected ? 'yes' : 'no'],
    ...runs,
    ...figures,
    ['explanation', answer.explanation],
    ['source', answer.source],
    ['replay', answer.replay],
  ]);
}

const END_WORDS: Readonly<Record<PhasedOutcome['end'], string>> = {
  leader: 'ended with one agreed leader',
  'no-leader': 'ended without an agreed, live leader',
  split: 'ended split',
  until: 'stopped before it came to rest',
};

function countsText(messages: Readonly<Record<string, number>>): string {
  return Object.entries(messages)
    .map(([type, count]) => `${type} ${count}`)
    .join(', ');
}

function reignsText(reigns: readonly Reign[]): string {
  if (reigns.length === 0) return 'none';
  return reigns.map(({ rank, from, to }) => `${rank}@${from}-${to ?? ''}`).join(', ');
}

/** The options of one run. If there are several, each file name contains the number of the run. */
function filesOf(
  options: ScenarioOptions,
  { runs }: PlayedScenario,
  index: number,
): ScenarioOptions {
  if (runs.length === 1) return options;
  const numbered = (path: string | undefined) =>
    path?.replace(/(\.[^./\\]*)?$/, (extension) => `-${index + 1}${extension}`);
  return { ...options, trace: numbered(options.trace), save: numbered(options.save) };
}

async function saveOne(
  { name, simulation, staged }: PlayedRun,
  files: ScenarioOptions,
  terminal: Terminal,
): Promise<void> {
  if (files.save !== undefined && staged.machineOf !== undefined) {
    terminal.note(
      `${files.save} was not written: run ${name} has nodes that do not run a plain protocol`,
    );
    return;
  }
  await writeSave(simulation, staged.options.initiators, files, terminal);
}
