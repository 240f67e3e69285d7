/**
 * @module
 * `usurp replay` of a counterexample that `usurp check --save` wrote.
 */

import { loadCounterexample, repeat } from '../../experiment/checks/counterexample.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import { assertLoaded } from '../../runtime/load/used-files.ts';
import { filesNeededBy } from '../../simulation/report/saved-run.ts';
import { traceLinesOf } from '../check/report.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { refuseTrace, writeTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { inFile } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Carries out a counterexample again. */
export async function replayCounterexample(
  { name, text }: { readonly name: string; readonly text: string },
  options: OutputOptions & TraceOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { saved, repeated } = inFile(name, () => {
    assertLoaded(filesNeededBy(text));
    const counterexample = loadCounterexample(parseJsonText(text));
    return { saved: counterexample, repeated: repeat(counterexample) };
  });
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
