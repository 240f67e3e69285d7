/**
 * @module
 * This folder contains `usurp replay`.
 * `usurp replay`: repeats an election that `elect --save` wrote, or a counterexample that `check --save` wrote, and
 * compares its trace with the saved one by digest.
 */

import type { Command } from 'commander';

import {
  isCounterexample,
  loadCounterexample,
  repeat,
} from '../../experiment/checks/counterexample.ts';
import { traceLinesOf } from '../../experiment/checks/walked-world.ts';
import { parseJsonText } from '../../experiment/reading/json-scan.ts';
import type { Repetition } from '../../operations/elect/answer.ts';
import { answerOf, answerRows } from '../../operations/elect/answer.ts';
import { isAudited } from '../../operations/elect/leadership.ts';
import { assertLoaded, usedFiles } from '../../runtime/load/used-files.ts';
import { traceDigest } from '../../simulation/engine/trace.ts';
import type { SavedRun } from '../../simulation/report/saved-run.ts';
import { filesNeededBy, loadRun } from '../../simulation/report/saved-run.ts';
import { settle } from '../../simulation/request/settle.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { refuseTrace, withTrace, writeTrace } from '../elect/trace.ts';
import { commandLine } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { inFile, nameOf, readText } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

type ReplayOptions = OutputOptions & TraceOptions;

export function replayCommand(session: Session): Command {
  const command = verb(
    'replay',
    'repeat an election or a counterexample that --save wrote, and compare the traces',
  ).argument('<file>', 'file of the saved run or counterexample, or - for stdin');
  return withTrace(command)
    .option('--force', 'replace an existing file of --trace')
    .addHelpText('after', REPLAY_HELP)
    .action((file: string, options: ReplayOptions) =>
      session.run(options, (terminal) => replay(file, options, terminal)),
    );
}

const REPLAY_HELP = `
Exit codes: 0 the trace equals the saved one, 1 it differs, 2 the file has no digest to compare with.
A counterexample must also violate its property again, else the exit code is 1.

Examples:
  usurp elect cr-join --nodes 5 --random-faults --seed 1 --save run.json
  usurp replay run.json
  usurp replay run.json --trace run.svg
  usurp check bully-oneshot --properties one-leader --save two-leaders.json
  usurp replay two-leaders.json --trace two-leaders.svg`;

async function replay(file: string, options: ReplayOptions, terminal: Terminal): Promise<ExitCode> {
  const name = nameOf(file);
  const text = await readText(file, terminal);
  if (isCounterexample(text)) return replayCounterexample({ name, text }, options, terminal);
  const repeated = await repeatRun({ file, text }, options, terminal);
  if (terminal.signal.aborted) return EXIT.interrupted;
  const { simulation, answer } = repeated;
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : columns(answerRows(answer)));
  await writeTrace(simulation, options, terminal);
  if (answer.same === null) return EXIT.unknown;
  return answer.same ? EXIT.holds : EXIT.violated;
}

/** Carries a saved run out again, with its trace unless neither the file nor the options need it. An interrupt ends it. */
export async function repeatRun(
  { file, text }: { readonly file: string; readonly text: string },
  options: TraceOptions | null,
  terminal: Terminal,
) {
  const name = nameOf(file);
  const { options: election, digest } = loadSaved(name, text);
  const { initiators, ...rest } = election;
  if (options !== null) await refuseTrace(options, rest.nodes);
  const trace = options === null || digest !== null || options.trace !== undefined;
  const simulation = createSimulation({ ...rest, trace, audit: isAudited(rest.nodes) });
  inFile(name, () => simulation.start(initiators));
  await settle(simulation, terminal, 'replaying');
  const repetition = compare(digest, () => traceDigest(simulation.traceLines()));
  const replay = commandLine(['replay', file]);
  return { simulation, answer: answerOf(simulation, { replay, ...repetition }, usedFiles()) };
}

function compare(saved: string | null, repeated: () => string): Repetition {
  if (saved === null) return { digest: null, same: null };
  const digest = repeated();
  return { digest, same: digest === saved };
}

/** A saved run in a file of this name, whose definitions are loaded. Throws LabError. */
function loadSaved(name: string, text: string): SavedRun {
  return inFile(name, () => {
    assertLoaded(filesNeededBy(text));
    const run = loadRun(text);
    // Refuses what JSON.parse accepts, such as a duplicate key.
    parseJsonText(text);
    return run;
  });
}

/** A counterexample in a file of this name, carried out again. Throws LabError. */
export function loadRepeated(name: string, text: string) {
  return inFile(name, () => {
    assertLoaded(filesNeededBy(text));
    const saved = loadCounterexample(parseJsonText(text));
    return { saved, repeated: repeat(saved) };
  });
}

/** Carries out a counterexample again. */
async function replayCounterexample(
  { name, text }: { readonly name: string; readonly text: string },
  options: OutputOptions & TraceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { saved, repeated } = loadRepeated(name, text);
  const { run, digest, doubt, breach, actions, firstRepeated } = repeated;
  await refuseTrace(options, run.plan.nodes);
  const same = digest === saved.digest && doubt === null;
  const { property, request } = saved;
  const shown = request.goal === undefined ? 'violated' : 'reachable';
  if (wantsJson(options)) {
    const { protocol } = request;
    terminal.print(
      `${JSON.stringify({ protocol, property, breach, violated: doubt === null, doubt, digest, same, actions })}\n`,
    );
  } else {
    const verdict = doubt === null ? `${shown}: ${property}: ${breach}` : `not ${shown}: ${doubt}`;
    const whose = digest === saved.digest ? 'the saved one' : `not ${saved.digest}`;
    const lines = traceLinesOf(actions, run.plan.store, { cycleFrom: firstRepeated, rises: [] });
    terminal.print(`${[verdict, '', ...lines, '', `digest ${digest}, ${whose}`].join('\n')}\n`);
  }
  await writeTrace(run, options, terminal);
  return same ? EXIT.holds : EXIT.violated;
}
