/**
 * @module
 * The operation `elect`: elections in the simulator, one, several with consecutive seeds, or those of a grid. Ranks are 1..n, n
 * the highest node ID.
 */

import { z } from 'zod';
import { DETECTORS } from '../../election/detectors/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import {
  cellTable,
  MEASURE_NAMES,
  RUN_PROPERTIES,
  typeCounted,
} from '../../experiment/elections/tables.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import type { Axis, AxisValue } from '../../experiment/sweep/grid.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { failingsOf } from '../../simulation/report/outcome.ts';
import { flagsFor, seedAfter } from '../../simulation/request/compare.ts';
import { detectorOnNodes } from '../../simulation/request/detector-choice.ts';
import { begunElection, idleRestarts, plannedElection } from '../../simulation/request/election.ts';
import { replayWords } from '../../simulation/request/replay-words.ts';
import type { ElectRequest } from '../../simulation/request/request.ts';
import type { Watcher } from '../../simulation/request/settle.ts';
import { settle } from '../../simulation/request/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { InputOf } from '../member.ts';
import { amount, SEED, text, texts, toggle } from '../member.ts';
import type { OperationContext, Outcome } from '../operation.ts';
import { defineOperation, inMember, inputWords, memberFault } from '../operation.ts';
import type { Answer } from './answer.ts';
import { answerBlocks, answerOf, answerSchema } from './answer.ts';
import { isAudited } from './leadership.ts';
import {
  askedIn,
  assertInitiators,
  assertSmall,
  ELECTED,
  inWordsOfMembers,
  watcherOf,
} from './members.ts';
import type { Often } from './runs.ts';
import {
  askedOf,
  captionOf,
  distributionOfRuns,
  electOften,
  readAsked,
  runsBlocks,
  runsSchema,
  wordsOf,
} from './runs.ts';
import { assertFaults, shrinkRequest } from './shrink.ts';
import {
  axesIn,
  cellObjects,
  readVaried,
  refuseFixed,
  sweepBlocks,
  sweepSchema,
  sweepTable,
  variedInputs,
} from './sweep.ts';

/** Runs of a cell by default. */
const CELL_RUNS = 100;
/** Elections of one command, and of one request. */
const RUNS_MAX = { local: 1_000_000, remote: 100_000 } as const;
/** Each cell is planned before the first one runs: a server plans them while it answers. */
const CELLS_MAX = { local: 1_000_000, remote: 100 } as const;
const AXES_MAX = 8;
const AXIS_CHARACTERS_MAX = 1000;

const MEMBERS = {
  ...ELECTED,
  shrink: toggle({
    label: 'Fewest faults',
    meaning:
      'Search for the fewest and shortest faults that still cause the failure of the run, or of the first failed run if there are several',
    example: '',
    isFurther: true,
    initial: false,
  }),
  runs: amount({
    kind: 'count',
    bounds: { min: 1, max: RUNS_MAX.local },
    remoteMax: RUNS_MAX.remote,
    slider: [0, 3],
    label: 'Runs',
    meaning: 'Number of elections, with the seeds from seed on',
    example: '100',
    otherwise: `one election; ${CELL_RUNS} in each cell of vary`,
  }),
  vary: texts(
    { most: AXES_MAX, longest: AXIS_CHARACTERS_MAX, read: readVaried, separator: '\n' },
    {
      label: 'Axes',
      meaning:
        'Axis of a sweep: nodes=3,5,7, flags.electionTicks=range(100,300,50), detector.timeout=20,40 or loss=none,5%',
      example: 'nodes=3,5,7',
      otherwise: 'none',
    },
  ),
  measure: text(
    { read: readAsked },
    {
      label: 'Measure',
      meaning: `Measure or property in the sweep, the chart and the distribution: ${[...MEASURE_NAMES, ...RUN_PROPERTIES].join(', ')}, or messages.TYPE for the messages of one type of the protocol or of the detector on the nodes, such as messages.ELECTION`,
      example: 'downtimeTicks',
      isFurther: true,
      otherwise: 'downtimeTicks if a leader crashed, else agreementTicks',
    },
  ),
  seed: SEED,
};

/** What a person asks of elections. */
export type ElectInput = InputOf<typeof MEMBERS>;

const outputSchema = z.union([answerSchema, runsSchema, sweepSchema]);
type Output = z.output<typeof outputSchema>;

export const ELECT = defineOperation({
  name: 'elect',
  members: MEMBERS,
  collection: 'simulations',
  title: 'Simulated elections',
  summary: 'simulate elections, with faults or without',
  description: `Simulates one election, several with consecutive seeds, or those of every cell of a grid. A node is named by its rank. The node with the highest ID has the highest rank.
A window is @from-to in ticks. Without "to" it lasts until the end, and without a window the fault lasts for the whole run. To give several faults of one kind, repeat the flag. A node that joins is one of the nodes and is absent at the start.
A file of faults has the form of the member "faults" of the JSON output. The default of calm is null, and that of detector is crashes. "to": null means no end. A detector on the nodes replaces the detector of the file and is not printed in it. Example:
  ${'{"faults":[{"type":"loss","share":0.05,"from":0,"to":null}],"calm":null}'}
The detectors crashes and links observe the run from outside and send no messages. The others run on the nodes, send messages and can be wrong. Options follow a colon: fd-heartbeat:every=10,timeout=35,adaptive. The answer shows how soon each live node suspected a crashed node, and how long live nodes were suspected.
With a resource, leaders write to it at regular intervals, with their epoch. "accepted" and "refused" count writes and registrations. "stale writes" are accepted writes of leaders that another node has replaced. "late writes" come after an operation of a later leader was accepted.
A store, of the protocol or of the resource, is on one side of a partition: the side of the upper half, or of the majority. In a majorities-ring all nodes reach it. An isolated node cannot reach it.
For up to 10 000 nodes the answer has an audit. "no leader" counts the ticks in which no live node led, and "split" the ticks in which several led. "stable" is the tick from which all live nodes followed the same live leader to the end. The JSON output has the start and the end of each leadership.
For several runs the answer has the share of each outcome and failure with its exact (Clopper–Pearson) 95 % interval, and quantiles of the measures. p90 is the least value that 90 % of the runs do not exceed. "never" counts the runs in which the event does not happen. Quantiles count these runs above every number. "ticks to agreement" is the first tick at which all live nodes follow the same live leader. "downtime" is the ticks from a crash of a leader until the next agreement, summed over the run. Nodes that crashed before the run count like one leader that crashed at tick 0. A run with too many messages in flight is unfinished (copies can multiply on a ring). It counts like a run that hit a bound.
An axis of vary is a member of an election. A list of values is a,b,c, a range is range(3,9,2) or 10:1000|*10, and "none" leaves the member out. The table has quantiles with 95 % bootstrap intervals, or the share of runs with a property and its exact interval. A quantile of too few runs has an interval without an upper end: ≥ 40, and null in JSON.
The calm 300:restart starts all nodes again at tick 300, which lets Bully recover. A ring protocol can still stay without a leader: a start does not repeat a lost message, and nodes that took part wait for it.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const { measure, runs, vary, shrink } = input;
    if (measure !== undefined && runs === undefined && vary === undefined) {
      throw memberFault('arguments', 'measure', 'has no effect without runs or vary');
    }
    if (shrink && vary !== undefined) {
      throw memberFault('arguments', 'shrink', 'has no effect with vary');
    }
    const where = isRemote ? 'remote' : 'local';
    const asked = axesIn(vary ?? []);
    refuseFixed(input, asked);
    const count = asked.reduce((product, { values }) => product * values.length, 1);
    const all = count * (runs ?? (vary === undefined ? 1 : CELL_RUNS));
    if (count > CELLS_MAX[where]) {
      throw memberFault('job.size', 'vary', `${count} cells; at most ${CELLS_MAX[where]}`);
    }
    if (all > RUNS_MAX[where]) {
      const detail = `${all} runs in all cells; at most ${RUNS_MAX[where]} are possible`;
      throw memberFault('job.size', 'runs', detail);
    }
    const { axes, cells } = electionsOf(input, isRemote);
    const seed = parseSeed(input.seed ?? '1');
    inMember('seed', () => seedAfter(seed, (runs ?? 1) - 1));
    for (const { values, request } of cells) {
      inNameOfCell(axes, values, () => {
        const election = plannedElection(request, seed, inWordsOfMembers);
        assertInitiators(election);
        if (isRemote) assertSmall(election);
        if (shrink && input.randomFaults === undefined) assertFaults(election.schedule);
      });
    }
  },
  atOnce: () => null,
  async run(input, context) {
    const seed = context.seedFor(input.seed);
    const { axes, cells } = electionsOf(input, context.isRemote);
    const [first] = cells;
    if (first === undefined) throw new TypeError('"cells" expected one at least, got none');
    const { runs = CELL_RUNS } = input;
    if (input.runs === undefined && axes.length === 0) {
      return electOne(first.request, seed, context);
    }
    const measure = input.measure === undefined ? null : readAsked(String(input.measure));
    const often = { seed, runs, measure, input, first: first.request };
    return electSeveral({ axes, cells }, often, context);
  },
  outcomeOf(output): Outcome {
    if ('cells' in output) return 'holds';
    const failings =
      'failures' in output
        ? output.failures.map(({ failing }) => failing)
        : failingsOf(output, output.clients?.linearizable ?? null);
    if (failings.some((failing) => failing !== 'until' && failing !== 'unfinished')) {
      return 'violated';
    }
    return failings.length === 0 ? 'holds' : 'unknown';
  },
  outcomes: {
    holds:
      'one agreed leader and no violated property; with runs, no run violated one; with vary, always',
    violated: 'a violated property in at least one run (no leader and a split violate one)',
    unknown: 'a bound was hit first',
  },
  report(output) {
    if ('cells' in output) return sweepBlocks(output);
    return 'failures' in output ? runsBlocks(output) : answerBlocks(output);
  },
  picture: () => null,
  table: (output) => ('cells' in output ? sweepTable(output) : null),
  has: { picture: false, table: true },
  examples: [
    { protocol: 'bully-oneshot', nodes: '10', crash: 'highest', initiators: 'lowest', seed: '1' },
    { protocol: 'bully-oneshot', nodes: '5', crash: '5', flags: 'rejoin=naive' },
    { protocol: 'cr-join', ring: '3,1,2' },
    { protocol: 'ring-attr', ring: '3,1,2', attributes: '7,9,8' },
    {
      protocol: 'bully-oneshot',
      nodes: '6',
      partition: 'halves@0-100',
      detector: 'links',
      seed: '1',
    },
    { protocol: 'bully-gm82', nodes: '9', loss: '5%', calm: '300:restart', runs: '200', seed: '1' },
    { protocol: 'peterson', nodes: '9', latency: 'exp:30', fifo: false, runs: '100', seed: '1' },
    { protocol: 'cr-join', nodes: '5', randomFaults: 'usual', runs: '50', seed: '1', shrink: true },
    { protocol: 'raft', nodes: '5', flags: 'preVote=on,electionTicks=150', seed: '1' },
    { protocol: 'raft', crash: 'leader@900-950', vary: 'nodes=3,5,7', seed: '1' },
    {
      protocol: 'db-lease',
      nodes: '3',
      pause: '1@100-300',
      resource: 'fencing-max:every=5',
      seed: '1',
    },
  ],
});

/** The election of an input, or those of its cells. Throws LabError. */
function electionsOf(input: ElectInput, isRemote: boolean) {
  const axes = axesIn(input.vary ?? []);
  const isVaried = axes.some(({ path }) => path === 'protocol');
  const cells = variedInputs(input, axes, isRemote).map(({ values, input: each }) => {
    return { values, request: inNameOfCell(axes, values, () => requestOf(each, isVaried)) };
  });
  return { axes, cells };
}

/** A protocol that varies takes the flags that it has. */
function requestOf(input: ElectInput, isVaried: boolean): ElectRequest {
  const { protocol, measure, shrink } = input;
  if (protocol === undefined) {
    const detail = 'is missing: name one, such as raft';
    throw memberFault('arguments', 'protocol', detail);
  }
  const { asked, nodes, given } = askedIn(input);
  const own = isVaried ? { attr: undefined, ...flagsFor(asked, protocol) } : {};
  const options = { ...asked, ...own, protocol, ...(shrink && { shrink }) };
  if (options.attr !== undefined && PROTOCOLS[protocol].attributes === null) {
    const detail = `have no effect: nodes of ${protocol} have no attribute`;
    throw memberFault('arguments', 'attributes', detail);
  }
  const type = typeCounted(String(measure));
  const onNodes = detectorOnNodes(options.detector);
  const known = [
    ...PROTOCOLS[protocol].messageTypes,
    ...(onNodes === undefined ? [] : Object.keys(DETECTORS[onNodes.name].messages)),
  ];
  if (type !== null && !known.includes(type)) {
    const detail = `must name a type of ${protocol}: ${known.join(', ')}${suggestion(known, type)}`;
    throw memberFault('arguments', 'measure', detail);
  }
  return { options, protocol, nodes, given, compared: [] };
}

/** Does `work` for a cell. A LabError names its values. */
function inNameOfCell<T>(axes: readonly Axis[], values: readonly AxisValue[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError) || axes.length === 0) throw error;
    const cell = axes.map(({ path }, index) => `${path}=${values[index]}`).join(', ');
    throw memberFault(error.code, 'vary', `the cell ${cell}: ${error.message}`);
  }
}

/**
 * Runs one election until it rests or is interrupted. With `shrink` it has only the faults that it needs to fail. Null if the
 * search for these faults is interrupted.
 */
async function electOne(
  request: ElectRequest,
  seed: Seed,
  context: OperationContext,
): Promise<Answer | null> {
  const { shrink, randomFaults } = request.options;
  const { machine, signal } = context;
  const watcher = watcherOf(context);
  if (randomFaults === undefined) {
    const planned = plannedElection(request, seed, inWordsOfMembers);
    for (const line of idleRestarts(planned)) context.onNote(`--${line}`);
  }
  const shrunk = shrink ? await shrinkRequest(request, seed, watcher) : null;
  if (signal.aborted) return null;
  if (shrink && shrunk === null) {
    context.onNote('the run does not fail, so --shrink has nothing to do');
  }
  const held = shrunk?.request ?? request;
  const keeps = { trace: machine.keepElection !== undefined, audit: isAudited(held.nodes) };
  const begun = begunElection(held, seed, { keeps, words: inWordsOfMembers });
  const { simulation } = begun;
  const failure = await untilFailure(simulation, watcher);
  await settle(simulation, watcher);
  if (!signal.aborted) machine.keepElection?.(begun);
  const replay = machine.command(replayWords(held, seed));
  const extra = { replay, shrunk: shrunk?.shrinking, failure };
  return answerOf(simulation, extra, machine.usedFiles());
}

/** Runs up to the first crash, if its tick is known and above 0. Returns what was sent before it; else undefined. */
async function untilFailure(simulation: Simulation, watcher: Watcher): Promise<Answer['failure']> {
  const { plan } = simulation;
  const crashes = (plan.schedule?.faults ?? []).flatMap((fault) => {
    if (fault.type === 'crash') return [fault.at];
    return fault.type === 'crash-leader' && fault.to === fault.from + 1 ? [fault.from] : [];
  });
  const at = Math.min(...crashes);
  const deadline = simulation.deadline();
  if (deadline === null || at === 0 || at > deadline) return undefined;
  await settle(simulation, watcher, 'electing', at - 1);
  return { at, messagesBefore: simulation.progress().messages.total ?? 0 };
}

/** Runs the elections of all cells; without axes there is one. After an interrupt it reports the finished ones. */
async function electSeveral(
  { axes, cells: asked }: ReturnType<typeof electionsOf>,
  { first, input, ...often }: Often & { readonly first: ElectRequest; readonly input: ElectInput },
  context: OperationContext,
): Promise<Output> {
  const { seed, runs, measure } = often;
  const { machine, signal, onNote } = context;
  const isOne = axes.length === 0;
  const held = [];
  for (const [index, { values, request }] of asked.entries()) {
    const before = isOne ? '' : `cell ${index + 1} of ${asked.length}, `;
    const { report, cell } = await electOften(request, often, {
      ...context,
      onProgress: ({ now, ...rest }) => context.onProgress({ ...rest, now: before + now }),
    });
    if (signal.aborted && !isOne) break;
    held.push({ report, cell: { ...cell, values } });
  }
  const cells = held.map(({ cell }) => cell);
  const shown = askedOf(measure, cells);
  const again = { ...input, seed: seed.toString(), runs };
  const replay = machine.command(
    isOne ? wordsOf(first, often) : inputWords({ name: 'elect', members: MEMBERS }, again),
  );
  const [only] = isOne ? held : [];
  const counts = only === undefined ? `${runs} runs in each cell` : `${only.report.runs} runs`;
  const caption = captionOf(first, axes, `${counts}, seeds from ${seed} on`);
  machine.keepRuns?.({ axes, cells, asked: shown, ...caption, replay });
  if (signal.aborted) {
    const done = only?.report.runs ?? cells.length;
    const of = isOne ? `${runs} runs` : `${asked.length} cells`;
    onNote(`interrupted: ${done} of ${of} are reported`);
  }
  if (only === undefined) {
    return { measure: shown, seed, replay, cells: cellObjects(cellTable(axes, cells, shown)) };
  }
  const { report, cell } = only;
  if (signal.aborted || !first.options.shrink)
    return { ...report, ...distributionOfRuns(measure, cell) };
  if (report.firstFailure === null) onNote('no run failed, so --shrink has nothing to do');
  const smallest =
    report.firstFailure === null
      ? null
      : await electOne(first, parseSeed(report.firstFailure), context);
  return { ...report, ...distributionOfRuns(measure, cell), ...(smallest && { smallest }) };
}
