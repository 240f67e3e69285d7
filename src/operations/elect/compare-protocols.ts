/**
 * @module
 * The operation `compare-protocols`: several protocols under the same seeds, faults and latencies, all to the same
 * tick, with the messages and the leadership of each.
 */

import { z } from 'zod';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { shareIn } from '../../experiment/elections/tables.ts';
import { column } from '../../experiment/sweep/columns.ts';
import { parseSeed } from '../../random.ts';
import { comparedSchema } from '../../simulation/report/comparison.ts';
import {
  COMPARED_RUNS,
  comparedRequests,
  compareProtocols,
  flagsFor,
  hasUselessAttributes,
  planProtocols,
  seedAfter,
  uselessFlag,
} from '../../simulation/request/compare.ts';
import { idleRestarts } from '../../simulation/request/election.ts';
import { formatPercent } from '../figures.ts';
import type { InputOf } from '../member.ts';
import { amount, choices, SEED } from '../member.ts';
import { defineOperation, inMember, memberFault, replayOf } from '../operation.ts';
import type { Block } from '../report.ts';
import {
  askedIn,
  assertFewMessages,
  assertInitiators,
  assertSmall,
  ELECTION,
  inWordsOfMembers,
} from './members.ts';

/** Elections of one comparison of a request: its memory grows with them. */
export const COMPARED_ELECTIONS_MAX = 100_000;
/** Largest number of runs of each protocol in a terminal. */
const RUNS_MAX = 1_000_000;
/** Notes of one comparison. */
const NOTES_MAX = 20;

const MEMBERS = {
  protocols: choices(PROTOCOL_NAMES, {
    label: 'Protocols',
    meaning: 'Protocols to compare. Variants apply to the protocols that have them',
    example: 'bully-oneshot,raft',
    isArgument: true,
    required: true,
  }),
  ...ELECTION,
  runs: amount({
    kind: 'count',
    bounds: { min: 1, max: RUNS_MAX },
    slider: [0, 3],
    label: 'Runs',
    meaning: 'Number of elections of each protocol, with the seeds from seed on',
    example: '20',
    initial: COMPARED_RUNS,
  }),
  seed: SEED,
};

const VERB = { name: 'compare-protocols', members: MEMBERS } as const;

type Input = InputOf<typeof MEMBERS>;

const stableInterval = z
  .tuple([z.number(), z.number()])
  .readonly()
  .describe('The exact (Clopper–Pearson) 95 % interval of stableShare.');

const outputSchema = z
  .object({
    protocols: z.array(comparedSchema.extend({ stableInterval })).readonly(),
    runs: z.int().describe('Seeds with which all protocols ran. Fewer after an interrupt.'),
    horizonTicks: z.int().describe('The tick at which all elections end.'),
    notes: z.array(z.string()).readonly().describe('Runs that grew too large, and idle faults.'),
    seed: z.string(),
    replay: z.string(),
  })
  .meta({ id: 'ProtocolComparison' });

export const COMPARE_PROTOCOLS = defineOperation({
  ...VERB,
  collection: 'protocol-comparisons',
  title: 'Protocols',
  summary: 'compare protocols under the same seeds, latencies and faults',
  description: `Simulates elections of each protocol with the same seeds, latencies and faults. All end at the same tick: the one that is given, or the latest tick at which any of them gives up.
"stable" is the share of the runs that ended with one leader that all live nodes followed, "95 %" its exact interval, and "from tick" the median tick from which they did. "messages" counts all messages, heartbeats included. "per epoch" is the largest number of leaders of one epoch, and - if the elections of a protocol have no number.
A window of a fault is @from-to in ticks. Without "to" it lasts until the end, and without a window the fault lasts for the whole run. A node that joins is one of the nodes and is absent at the start.
A run with too many messages in flight is unfinished. It has no stable leader and is in no mean.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const { protocols, runs } = input;
    if (isRemote && runs * protocols.length > COMPARED_ELECTIONS_MAX) {
      const detail = `at most ${COMPARED_ELECTIONS_MAX} elections in one comparison; ${protocols.length} protocols with ${runs} runs have more`;
      throw memberFault('job.size', 'runs', detail);
    }
    const { elections } = planned(input, input.seed ?? '1', isRemote);
    for (const election of elections) {
      assertInitiators(election);
      if (isRemote) assertSmall(election);
    }
  },
  atOnce: () => null,
  async run(input, { signal, onProgress, machine, seedFor }) {
    const seed = seedFor(input.seed);
    const { comparison, elections } = planned(input, seed, false);
    const notes =
      input.randomFaults === undefined ? elections.slice(0, 1).flatMap(idleRestarts) : [];
    const note = (line: string) => {
      if (notes.length < NOTES_MAX) notes.push(line);
    };
    let done = 0;
    const report = (now: string) => onProgress({ now, done, total: input.runs });
    const pause = () => machine.pause();
    const progress = (line: () => string) => report(line());
    const held = await compareProtocols(
      comparison,
      { note, progress, pause, signal },
      {
        words: inWordsOfMembers,
        onSeed(runs) {
          done = runs;
          report('seeds');
        },
      },
    );
    if (held.runs === 0) return null;
    const { horizonTicks } = comparison;
    const protocols = held.protocols.map((each) => {
      const { ciLow, ciHigh } = shareIn(Math.round(each.stableShare * each.runs), each.runs);
      return { ...each, stableInterval: [ciLow, ciHigh] as const };
    });
    const replay = replayOf(VERB, { ...input, seed });
    return { ...held, protocols, horizonTicks, notes, seed, replay };
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'all protocols ran', violated: null, unknown: null },
  report: (output) => [
    comparedTable(output.protocols),
    ...fittingsTable(output.protocols),
    ...rest(output),
  ],
  picture: () => null,
  table: ({ protocols }) => ({ columns: COLUMNS, rows: protocols.map(rowOf) }),
  has: { picture: false, table: true },
  examples: [
    {
      protocols: 'bully-oneshot,raft',
      nodes: '5',
      randomFaults: 'usual',
      detector: 'links',
      runs: '5',
      seed: '1',
    },
    { protocols: 'zab-fle,hs-wake', nodes: '4', loss: '5%@0-100', latency: 'uniform:1:3' },
    { protocols: 'raft,db-lease', nodes: '3', pause: '1@100-300', resource: 'fencing-max:every=5' },
  ],
});

/** The plan of a comparison, and the election of each protocol with the first seed. Throws LabError. */
function planned(input: Input, seedText: string, isRemote: boolean) {
  const { protocols, runs } = input;
  const { asked, nodes, given } = askedIn(input);
  const useless = uselessFlag(protocols, asked);
  if (useless !== null) {
    throw memberFault('schema', 'flags', `none of ${protocols.join(', ')} has ${useless}`);
  }
  if (hasUselessAttributes(protocols, asked)) {
    const detail = `have no effect: nodes of ${protocols.join(', ')} have no attribute`;
    throw memberFault('schema', 'attributes', detail);
  }
  const { flag: _flag, attr: _attr, ...shared } = asked;
  const requests = comparedRequests(protocols, (protocol) => {
    const options = { ...shared, ...flagsFor(asked, protocol), protocol };
    return { options, protocol, nodes, given };
  });
  for (const { protocol, options } of isRemote ? requests : []) {
    assertFewMessages({ protocol, flags: Object.fromEntries(options.flag ?? []) }, nodes);
  }
  const seed = parseSeed(seedText);
  inMember('seed', () => seedAfter(seed, runs - 1));
  return planProtocols(requests, { seed, runs }, inWordsOfMembers);
}

type Output = z.output<typeof outputSchema>;
type Compared = Output['protocols'][number];

const known = (value: number | null | undefined, digits = 0) => value?.toFixed(digits) ?? '-';

/** A column of the table: its name, its text, and when it is left out of a narrow terminal. */
type ShownColumn = readonly [string, (protocol: Compared) => string, number?];

const SHOWN: readonly ShownColumn[] = [
  ['messages', ({ messagesMean }) => known(messagesMean, 1)],
  ['stable', ({ stableShare }) => formatPercent(stableShare)],
  ['95 %', ({ stableInterval: ends }) => ends.map(formatPercent).join('–')],
  ['from tick', ({ stableTicksMedian }) => String(stableTicksMedian ?? '-')],
  ['latest', ({ stableTicksMax }) => known(stableTicksMax), 3],
  ['no leader', ({ withoutLeaderShare }) => formatPercent(withoutLeaderShare)],
  ['split ticks', ({ splitTicksMean }) => known(splitTicksMean, 1)],
  ['max', ({ splitTicksMax }) => known(splitTicksMax), 2],
  ['per epoch', ({ leadersPerEpochMax }) => known(leadersPerEpochMax)],
  ['changes', ({ changesMean }) => known(changesMean, 1)],
  ['most', ({ changesMax }) => known(changesMax), 1],
];

/** The figures of leaders that write and of detectors, which other comparisons lack. */
const FITTINGS: readonly ShownColumn[] = [
  ['stale writes', ({ staleWritesMean }) => known(staleWritesMean, 1)],
  ['late writes', ({ lateWritesMean }) => known(lateWritesMean, 1)],
  ['detection ticks', ({ detectionTicksMean }) => known(detectionTicksMean, 1)],
  ['mistakes', ({ mistakesMean }) => known(mistakesMean, 1)],
];

function comparedTable(protocols: Output['protocols']): Block {
  const isWhole = protocols.every(({ unfinished }) => unfinished === 0);
  const unfinished: ShownColumn = ['unfinished', (each) => known(each.unfinished)];
  return tableOf('Protocols', [...SHOWN, ...(isWhole ? [] : [unfinished])], protocols);
}

function fittingsTable(protocols: Output['protocols']): Block[] {
  const measured = protocols.filter(
    ({ staleWritesMean, mistakesMean }) =>
      staleWritesMean !== undefined || mistakesMean !== undefined,
  );
  return measured.length === 0 ? [] : [tableOf('Writes and detection', FITTINGS, measured)];
}

function tableOf(
  title: string,
  shown: readonly ShownColumn[],
  protocols: Output['protocols'],
): Block {
  const heads = shown.map(([name, , dropOrder]) => {
    return { name, isNumber: true, ...(dropOrder !== undefined && { dropOrder }) };
  });
  const rows = protocols.map((each) => {
    // Without finished runs the measures are unknown, not 0.
    const isKnown = each.unfinished < each.runs;
    return [
      each.protocol,
      ...shown.map(([name, textOf]) =>
        isKnown || ['stable', '95 %', 'unfinished'].includes(name) ? textOf(each) : '-',
      ),
    ];
  });
  return { type: 'table', title, columns: [{ name: 'protocol' }, ...heads], rows };
}

function rest({ runs, horizonTicks, notes }: Output): Block[] {
  const rows = [['runs', `${runs} of each, ${horizonTicks} ticks long`]] as const;
  return [
    { type: 'facts', rows },
    ...(notes.length === 0 ? [] : [{ type: 'notes', notes } as const]),
  ];
}

const COLUMNS = [
  column('protocol', 'text', 'protocol of the elections'),
  column('runs', 'integer', 'runs of the protocol, including the unfinished ones'),
  column('unfinished', 'integer', 'runs that grew too large'),
  column('messages_mean', 'number', 'messages of a run'),
  column('stable_share', 'number', 'share of the runs that ended under one leader'),
  column('stable_share_low', 'number', 'lower end of its exact (Clopper–Pearson) 95 % interval'),
  column('stable_share_high', 'number', 'its upper end'),
  column('stable_ticks_median', 'number', 'ticks until that leader led'),
  column('stable_ticks_max', 'number', 'the same, at most'),
  column('without_leader_share', 'number', 'share of the time without a leader'),
  column('split_ticks_mean', 'number', 'ticks in which two or more led'),
  column('split_ticks_max', 'number', 'the same, at most'),
  column('leaders_per_epoch_max', 'integer', 'nodes that led in one epoch, at most'),
  column('changes_mean', 'number', 'how often another node led than before'),
  column('changes_max', 'number', 'the same, at most'),
  column('stale_writes_mean', 'number', 'accepted writes of replaced leaders'),
  column('late_writes_mean', 'number', 'accepted writes after an operation of a later leader'),
  column('detection_ticks_mean', 'number', 'ticks until a crash was detected'),
  column('mistakes_mean', 'number', 'suspicions of live nodes'),
];

/** The values of these columns. */
function rowOf(each: Compared) {
  return [
    ...[each.protocol, each.runs, each.unfinished, each.messagesMean, each.stableShare],
    ...each.stableInterval,
    ...[each.stableTicksMedian, each.stableTicksMax, each.withoutLeaderShare],
    ...[each.splitTicksMean, each.splitTicksMax, each.leadersPerEpochMax],
    ...[each.changesMean, each.changesMax, each.staleWritesMean ?? null],
    ...[each.lateWritesMean ?? null, each.detectionTicksMean ?? null, each.mistakesMean ?? null],
  ];
}
