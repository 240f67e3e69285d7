/**
 * @module
 * This folder contains `usurp elect` and `usurp replay`.
 * `usurp elect`: elections in the simulator, one or many. Ranks are 1..n, n the highest node ID.
 */

import type { Command } from 'commander';
import type { Seed } from '../../random.ts';
import { chosenSeed } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { verb, wantsJson, withSeed } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { electCompared } from './compare.ts';
import { FAULTS_FILE_EXAMPLE } from './faults-file.ts';
import { isAudited } from './leadership.ts';
import { listText } from './list.ts';
import type { ElectOptions, ElectRequest } from './options.ts';
import { withElection, withFiles, withNetwork } from './options.ts';
import { begun, electionOf, noteIdleRestarts, readRequest } from './plan.ts';
import { replayOf } from './replay-command.ts';
import { answerOf, OUTCOME_EXIT, outcomeOf, tableOf } from './report.ts';
import type { RunsReport } from './runs.ts';
import { electOften, exitOfRuns, runsTable } from './runs.ts';
import { refuseSave, writeSave } from './save.ts';
import type { ScenarioOptions } from './scenario.ts';
import { runScenario, withScenario } from './scenario.ts';
import { settle } from './settle.ts';
import { shrinkRequest } from './shrink.ts';
import { refuseTrace, writeTrace } from './trace.ts';

export function electCommand(session: Session): Command {
  const command = verb('elect', 'run elections in the simulator');
  withElection(command);
  withNetwork(command);
  withFiles(command);
  withSeed(
    command,
    'decides ring order, latencies, faults and node IDs; chosen and printed if not given, with --scenario 1',
  );
  return withScenario(command)
    .addHelpText('after', ELECT_HELP)
    .action((options: ElectOptions | ScenarioOptions) =>
      session.run(options, (terminal) =>
        'scenario' in options ? runScenario(options, terminal) : runElect(options, terminal),
      ),
    );
}

const ELECT_HELP = `
A window is @from-to in ticks, @from- without an end, and nothing for the whole run; faults of one
kind are given by one flag after another. A node that joins is one of --nodes, absent at first.

A schedule for --faults is the member faults of what --json prints. Left out, calm is null and detector
crashes; "to": null is without an end. A detector on the nodes replaces every other, which is not printed either. For
example
  ${FAULTS_FILE_EXAMPLE}

--detector crashes and links stand beside the run and cost nothing; the others run on the nodes, send
messages and can be wrong. Options follow a colon: fd-heartbeat:every=10,timeout=35,adaptive. The answer
has how soon crashes were noticed, by each node that was up, and how long the living were suspected.

--resource gives leaders something to do: they write to it at regular intervals, in their epoch. accepted
and refused count writes and registrations; stale is what was accepted of a leader already replaced.

A store, of the protocol or for --resource, has a side in a --partition: that of the upper half, or of the
majority; in a majorities-ring everybody reaches it, and a node that is isolated is cut off from it too.

The answer of up to 10 000 nodes has an audit: no leader and split are ticks in which no live node led,
or several did, stable the tick from which all followed the same live leader to the end; with --json also
the trail of who began and ceased to lead. With --runs these are spreads, and counts are sums.

--compare holds --runs elections (20) of each protocol under the same seeds, latencies and faults, all to
the same tick: that of --until, or when the most patient of them would give up. A --flag is for those
that have it. The tick of a stable leader is the one from which all live nodes followed the same live
leader to the end, in the runs that ended so; messages are those of the whole time, heartbeats included;
leaders per epoch are - where elections have no number.

Of several runs, one that sends more than can be held (copies can multiply on a ring) is unfinished:
it has no stable leader, is in no mean, and with --runs counts like a bound that was hit.

--calm T:restart starts all nodes again, and Bully recovers by it. A ring protocol may stay without a
leader even so: a start does not repeat a message that was lost, and nodes that took part wait for it.

Exit codes: 0 one agreed leader, 1 none or split, 2 a bound was hit first. With --runs: 0 all agreed,
1 some did not, 2 some hit a bound and all others agreed. With --compare: 0. With --scenario: 0 its
expected outcome came, 1 another.

Examples:
  usurp elect --list
  usurp elect --list detectors --latency uniform:10:50
  usurp elect --protocol bully-oneshot --nodes 10 --crash highest --initiators lowest
  usurp elect --protocol bully-oneshot --nodes 5 --crash 5 --flag rejoin=naive
  usurp elect --protocol cr-join --ring 3,1,2 --json
  usurp elect --protocol ring-attr --ring 3,1,2 --attr 7,9,8
  usurp elect --protocol bully-oneshot --nodes 5 --crash highest@3 --latency uniform:1:4 --seed 1
  usurp elect --protocol bully-oneshot --nodes 6 --partition halves@0-100 --detector links --seed 1
  usurp elect --protocol bully-gm82 --nodes 9 --loss 5% --calm 300:restart --runs 200 --seed 1
  usurp elect --protocol peterson --nodes 9 --latency exp:30 --no-fifo --runs 100 --seed 1
  usurp elect --protocol bully-gm82 --nodes 5 --random-faults --seed 1 --save run.json
  usurp elect --protocol cr-join --nodes 5 --random-faults --runs 50 --seed 1 --shrink
  usurp elect --protocol raft --nodes 5 --flag preVote=on --flag electionTicks=150 --seed 1
  usurp elect --protocol bully-oneshot --nodes 5 --crash 5@40 --detector fd-phi-akka:threshold=8 --seed 1
  usurp elect --protocol db-lease --nodes 3 --pause 1@100-300 --resource fencing-max:every=5 --seed 1
  usurp elect --compare bully-oneshot,cr-join,raft,db-lease --nodes 5 --random-faults --seed 1
  usurp elect --scenario list
  usurp elect --scenario flapping-top
  usurp elect --scenario zombie-fenced`;

async function runElect(options: ElectOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.list) {
    terminal.print(listText(options));
    return EXIT.holds;
  }
  const seed = options.seed ?? chosenSeed();
  const { compare } = options;
  if (compare !== undefined) return electCompared({ ...options, compare }, seed, terminal);
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
  noteIdleRestarts(request, electionOf(request, seed), terminal);
  const shrunk = options.shrink ? await shrinkRequest(request, seed, terminal) : null;
  if (terminal.signal.aborted) return EXIT.interrupted;
  if (options.shrink && shrunk === null) terminal.note('nothing fails, so nothing was shrunk');
  const held = await hold(shrunk?.request ?? request, seed, terminal);
  const { simulation, initiators, replay } = held;
  const answer = answerOf(simulation, { replay, shrunk: shrunk?.shrinking });
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(answer));
  await writeTrace(simulation, options, terminal);
  if (terminal.signal.aborted) return EXIT.interrupted;
  await writeSave(simulation, initiators, options, terminal);
  return OUTCOME_EXIT[outcomeOf(simulation.status())];
}

/** One election, come to rest, with the command that gives it again. */
async function hold(request: ElectRequest, seed: Seed, terminal: Terminal) {
  const { options } = request;
  const isTraced = options.trace !== undefined || options.save !== undefined;
  const keeps = { trace: isTraced, audit: isAudited(request.nodes) };
  const { simulation, initiators } = begun(request, seed, keeps);
  const replay = replayOf(request, seed);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  await settle(simulation, terminal);
  return { simulation, initiators, replay };
}

async function electMany(
  request: ElectRequest,
  plan: { readonly seed: Seed; readonly runs: number },
  terminal: Terminal,
): Promise<ExitCode> {
  const { options } = request;
  await refuseSave(options);
  if (options.seed === undefined) {
    terminal.note(`seed ${plan.seed}, to repeat: ${replayOf(request, plan.seed, plan.runs)}`);
  }
  const report = await electOften(request, plan, terminal);
  const smallest = await smallestOf(request, report, terminal);
  const answer = smallest === null ? null : answerOf(smallest.simulation, smallest);
  const table = () => [runsTable(report), ...(answer === null ? [] : [tableOf(answer)])].join('\n');
  const json = () => JSON.stringify(answer === null ? report : { ...report, smallest: answer });
  terminal.print(wantsJson(options) ? `${json()}\n` : table());
  if (terminal.signal.aborted) {
    terminal.note(`interrupted: ${report.runs} of ${plan.runs} runs are reported`);
    return EXIT.interrupted;
  }
  if (smallest !== null) {
    await writeSave(smallest.simulation, smallest.initiators, options, terminal);
  } else if (options.shrink) {
    terminal.note('nothing fails, so nothing was shrunk');
  }
  return exitOfRuns(report);
}

/** The first run that failed, made small; null without one, and without --shrink. */
async function smallestOf(request: ElectRequest, report: RunsReport, terminal: Terminal) {
  const { firstFailure: seed } = report;
  if (!request.options.shrink || seed === null || terminal.signal.aborted) return null;
  const shrunk = await shrinkRequest(request, seed, terminal);
  if (shrunk === null) return null;
  return { ...(await hold(shrunk.request, seed, terminal)), shrunk: shrunk.shrinking };
}
