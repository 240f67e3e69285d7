/**
 * @module
 * This folder contains `usurp elect` and `usurp replay`.
 * `usurp elect`: elections in the simulator, one or many. Ranks are 1..n, n the highest node ID.
 */

import type { Command } from 'commander';
import type { ProtocolName } from '../../election/registry.ts';
import type { ElectionCell } from '../../experiment/elections/tables.ts';
import { runTable } from '../../experiment/elections/tables.ts';
import type { Seed } from '../../random.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import { failingsOf } from '../../simulation/report/outcome.ts';
import { idleRestarts } from '../../simulation/request/election.ts';
import { settle } from '../../simulation/request/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { chosenSeed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { writeThenPrint } from '../shell/files.ts';
import { ROW_FORMATS, verb, wantsJson, withSeed } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { FAULTS_FILE_EXAMPLE } from './faults-file.ts';
import { isAudited } from './leadership.ts';
import { listText } from './list.ts';
import type { ElectOptions, ElectRequest } from './options.ts';
import { withElection, withFiles, withNetwork } from './options.ts';
import { begun, electionOf, readRequest } from './plan.ts';
import { replayOf } from './replay-command.ts';
import { answerOf, exitOfFailings, tableOf } from './report.ts';
import { askedOf, captionOf, distributionText, refuseFiles, writeFiles } from './run-files.ts';
import type { RunsReport } from './runs.ts';
import { electOften, runsTable } from './runs.ts';
import { refuseSave, writeSave } from './save.ts';
import type { ScenarioOptions } from './scenario.ts';
import { runScenario, withScenario } from './scenario.ts';
import { shrinkRequest } from './shrink.ts';
import { electSweep, readVaried } from './sweep.ts';
import { refuseTrace, writeTrace } from './trace.ts';

export function electCommand(session: Session): Command {
  const command = verb('elect', 'simulate elections, with faults or without', ROW_FORMATS);
  withElection(command);
  withNetwork(command);
  withFiles(command, readVaried);
  withSeed(
    command,
    'seed of ring order, latencies, faults and node IDs (default: chosen and printed; 1 with --scenario)',
  );
  return withScenario(command)
    .addHelpText('after', ELECT_HELP)
    .action((protocol: ProtocolName | undefined, options: ElectOptions | ScenarioOptions) =>
      session.run(options, (terminal) => {
        const asked = { ...options, ...(protocol !== undefined && { protocol }) };
        return 'scenario' in asked
          ? runScenario(asked, terminal)
          : runElect(command, asked, terminal);
      }),
    );
}

const ELECT_HELP = `
A window is @from-to in ticks. Without "to" it lasts until the end, and without a window the fault lasts
for the whole run. To give several faults of one kind, repeat the flag. A node that joins is one of
--nodes and is absent at the start.

A file for --faults has the form of the member "faults" that --json prints. The default of calm is null,
and that of detector is crashes. "to": null means no end. A detector on the nodes replaces the detector
of the file and is not printed in it. Example:
  ${FAULTS_FILE_EXAMPLE}

The detectors crashes and links observe the run from outside and send no messages. The others run on the
nodes, send messages and can be wrong. Options follow a colon: fd-heartbeat:every=10,timeout=35,adaptive.
The answer shows how soon each live node suspected a crashed node, and how long live nodes were suspected.

With --resource, leaders write to a resource at regular intervals, with their epoch. "accepted" and
"refused" count writes and registrations. "stale writes" are accepted writes of leaders that another node
has replaced. "late writes" come after an operation of a later leader was accepted.

A store, of the protocol or of --resource, is on one side of a --partition: the side of the upper half, or
of the majority. In a majorities-ring all nodes reach it. An isolated node cannot reach it.

For up to 10 000 nodes the answer has an audit. "no leader" counts the ticks in which no live node led,
and "split" the ticks in which several led. "stable" is the tick from which all live nodes followed the
same live leader to the end. --json adds the start and the end of each leadership.

--runs prints quantiles of the measures over the runs: p90 is the least value that 90 % of the runs do not
exceed. "never" counts runs in which it does not happen; quantiles count them above every number. "ticks
to agreement" is the first tick at which all live nodes follow the same live leader. "downtime" is the
ticks from a crash of a leader until they do so again, summed over the run; nodes that crashed before the
run count like one leader that crashed at tick 0. --format jsonl and csv print a row per run.

--vary runs --runs elections for each combination of the values of its flags. A list of values is
a,b,c, a range is range(3,9,2) or 10:1000|*10, and "none" leaves the flag out. The table has quantiles with
95 % bootstrap intervals, or the share of runs with a property and its exact interval. A quantile of too
few runs has an interval without an upper end: ≥ 40, and null with --json.

With --runs, a run with too many messages in flight is unfinished (copies can multiply on a ring). It
counts like a run that hit a bound.

--calm T:restart starts all nodes again at tick T, which lets Bully recover. A ring protocol can still
stay without a leader: a start does not repeat a lost message, and nodes that took part wait for it.

Exit codes: 0 one agreed leader and no violated property, 1 a violated property (no leader and a split
violate one), 2 a bound was hit first. With --runs: 0 no run violated a property, 1 some did, 2 none did
but some hit a bound. The answer counts the runs that violated each property, with the first seed. With
--scenario: 0 the expected outcome occurred, 1 another outcome occurred.

Examples:
  usurp elect --list
  usurp elect --list detectors --latency uniform:10:50
  usurp elect bully-oneshot --nodes 10 --crash highest --initiators lowest
  usurp elect bully-oneshot --nodes 5 --crash 5 --flag rejoin=naive
  usurp elect cr-join --ring 3,1,2 --json
  usurp elect ring-attr --ring 3,1,2 --attr 7,9,8
  usurp elect bully-oneshot --nodes 5 --crash highest@3 --latency uniform:1:4 --seed 1
  usurp elect bully-oneshot --nodes 6 --partition halves@0-100 --detector links --seed 1
  usurp elect bully-gm82 --nodes 9 --loss 5% --calm 300:restart --runs 200 --seed 1
  usurp elect peterson --nodes 9 --latency exp:30 --no-fifo --runs 100 --seed 1
  usurp elect bully-gm82 --nodes 5 --random-faults --seed 1 --save run.json
  usurp elect cr-join --nodes 5 --random-faults --runs 50 --seed 1 --shrink
  usurp elect raft --nodes 5 --flag preVote=on --flag electionTicks=150 --seed 1
  usurp elect bully-oneshot --nodes 5 --crash 5@40 --detector fd-phi-akka:threshold=8 --seed 1
  usurp elect db-lease --nodes 3 --pause 1@100-300 --resource fencing-max:every=5 --seed 1
  usurp elect --scenario list
  usurp elect --scenario flapping-top
  usurp elect --scenario zombie-fenced`;

async function runElect(
  command: Command,
  options: ElectOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.list) {
    terminal.print(listText(options));
    return EXIT.holds;
  }
  const seed = options.seed ?? chosenSeed();
  const { vary } = options;
  if (vary !== undefined) return electSweep(command, { ...options, vary }, seed, terminal);
  const request = await readRequest(options, terminal);
  const { runs } = options;
  return runs === undefined
    ? electOne(request, seed, terminal)
    : electMany(request, { seed, runs }, terminal);
}

async function electOne(request: ElectRequest, seed: Seed, terminal: Terminal): Promise<ExitCode> {
  const { options, nodes } = request;
  await refuseTrace(options, nodes);
  await refuseSave(options);
  const planned = electionOf(request, seed);
  const idle = options.randomFaults === undefined ? idleRestarts(planned) : [];
  for (const line of idle) terminal.note(`--${line}`);
  const shrunk = options.shrink ? await shrinkRequest(request, seed, terminal) : null;
  if (terminal.signal.aborted) return EXIT.interrupted;
  if (options.shrink && shrunk === null)
    terminal.note('the run does not fail, so --shrink has nothing to do');
  const held = await hold(shrunk?.request ?? request, seed, terminal);
  const { simulation, initiators, replay, failure } = held;
  const status = simulation.status();
  const answer = answerOf(simulation, { replay, shrunk: shrunk?.shrinking, failure }, status);
  const text = wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(answer);
  const write = async () => {
    await writeTrace(simulation, options, terminal);
    if (!terminal.signal.aborted) await writeSave(simulation, initiators, options, terminal);
  };
  await writeThenPrint(write, () => terminal.print(text));
  if (terminal.signal.aborted) return EXIT.interrupted;
  return exitOfFailings(failingsOf(status));
}

/** Runs one election to rest. Returns it with its replay command. */
async function hold(request: ElectRequest, seed: Seed, terminal: Terminal) {
  const { options } = request;
  const isTraced = options.trace !== undefined || options.save !== undefined;
  const keeps = { trace: isTraced, audit: isAudited(request.nodes) };
  const { simulation, initiators } = begun(request, seed, keeps);
  const replay = replayOf(request, seed);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  const failure = await untilFailure(simulation, terminal);
  await settle(simulation, terminal);
  return { simulation, initiators, replay, failure };
}

/** Runs up to the first crash, if its tick is known and above 0. Returns what was sent before it; else undefined. */
async function untilFailure(simulation: Simulation, terminal: Terminal) {
  const { plan } = simulation;
  const crashes = (plan.schedule?.faults ?? []).flatMap((fault) => {
    if (fault.type === 'crash') return [fault.at];
    return fault.type === 'crash-leader' && fault.to === fault.from + 1 ? [fault.from] : [];
  });
  const at = Math.min(...crashes);
  const deadline = simulation.deadline();
  if (deadline === null || at === 0 || at > deadline) return undefined;
  await settle(simulation, terminal, 'electing', at - 1);
  return { at, messagesBefore: simulation.progress().messages.total ?? 0 };
}

async function electMany(
  request: ElectRequest,
  plan: { readonly seed: Seed; readonly runs: number },
  terminal: Terminal,
): Promise<ExitCode> {
  const { options } = request;
  await refuseSave(options);
  await refuseFiles(options);
  if (options.seed === undefined) {
    terminal.note(`seed ${plan.seed}, to repeat: ${replayOf(request, plan.seed, plan.runs)}`);
  }
  const { report, runs } = await electOften(request, plan, terminal);
  const cell = { values: [], runs, replay: report.replay };
  const cells = [{ ...cell, replayOf: (seed: Seed) => replayOf(request, seed) }];
  const asked = askedOf(options.measure, cells);
  const smallest = await smallestOf(request, report, terminal);
  const caption = captionOf(request, [], `${runs.length} runs, seeds from ${plan.seed} on`);
  const picture = { axes: [], cells, asked, ...caption, replay: report.replay };
  const write = () => writeFiles(picture, options, terminal);
  await writeThenPrint(write, () => terminal.print(printedRuns(report, cells, smallest, options)));
  if (terminal.signal.aborted) {
    terminal.note(`interrupted: ${report.runs} of ${plan.runs} runs are reported`);
    return EXIT.interrupted;
  }
  if (smallest !== null) {
    await writeSave(smallest.simulation, smallest.initiators, options, terminal);
  } else if (options.shrink) {
    terminal.note('no run failed, so --shrink has nothing to do');
  }
  return exitOfFailings(report.failures.map(({ failing }) => failing));
}

/** The runs in the format of the options: a report, or with jsonl and csv a row per run. */
function printedRuns(
  report: RunsReport,
  cells: readonly ElectionCell[],
  smallest: Awaited<ReturnType<typeof smallestOf>>,
  options: ElectOptions,
): string {
  const answer = smallest === null ? null : answerOf(smallest.simulation, smallest);
  if (wantsJson(options)) {
    return `${JSON.stringify(answer === null ? report : { ...report, smallest: answer })}\n`;
  }
  if (options.format === 'table') {
    const curve = cells.flatMap((cell) =>
      options.measure === undefined ? [] : distributionText(options.measure, cell),
    );
    return [runsTable(report), ...curve, ...(answer === null ? [] : [tableOf(answer)])].join('\n');
  }
  const { columns, rows } = runTable([], cells);
  const form = textForm(options.format === 'csv' ? 'csv' : 'jsonl', columns);
  return form.head + [...rows()].map((row) => form.line(row)).join('');
}

/** The first failed run with the fewest faults. Null if no run failed, and without --shrink. */
async function smallestOf(request: ElectRequest, report: RunsReport, terminal: Terminal) {
  const { firstFailure: seed } = report;
  if (!request.options.shrink || seed === null || terminal.signal.aborted) return null;
  const shrunk = await shrinkRequest(request, seed, terminal);
  if (shrunk === null) return null;
  return { ...(await hold(shrunk.request, seed, terminal)), shrunk: shrunk.shrinking };
}
