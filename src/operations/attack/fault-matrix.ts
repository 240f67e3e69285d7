/**
 * @module
 * The operation `fault-matrix`: what each fault does to each protocol, in runs, beside what the definition of the protocol
 * states.
 */

import { z } from 'zod';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { column } from '../../experiment/sweep/columns.ts';
import type { FaultMatrixCell, FaultMatrixRow } from '../../simulation/conform/fault-matrix.ts';
import { faultMatrix, faultMatrixRowSchema } from '../../simulation/conform/fault-matrix.ts';
import { isPlain } from '../../simulation/conform/fault-nodes.ts';
import { FAULT_RUNS, FAULT_RUNS_MAX, faultRunOptions } from '../../simulation/conform/fault-row.ts';
import { RUN_STARTS } from '../../simulation/conform/starts.ts';
import { amount, choice } from '../member.ts';
import { defineOperation, replayOf } from '../operation.ts';
import { sentenceBlock } from '../report.ts';
import { CELL_RUN_COLUMNS, cellRunValues, MATRIX_ROWS } from './attack-matrix.ts';

const MEMBERS = {
  protocols: MATRIX_ROWS,
  runs: amount({
    kind: 'count',
    bounds: { min: 1, max: FAULT_RUNS_MAX },
    slider: [0, 3.6],
    label: 'Runs of each cell',
    meaning: 'Number of runs of each cell. The number of a run is its seed',
    example: '100',
    inForm: String(FAULT_RUNS),
    initial: FAULT_RUNS,
  }),
  starts: choice(RUN_STARTS, {
    label: 'Starts',
    meaning:
      'When nodes start. together: all at tick 0. any: one at tick 0, and the others at drawn ticks',
    example: 'any',
    initial: 'together',
  }),
};

const VERB = { name: 'fault-matrix', members: MEMBERS } as const;

const outputSchema = z
  .object({
    complete: z.boolean().describe('Whether every row was computed.'),
    starts: z.enum(RUN_STARTS),
    rows: z.array(faultMatrixRowSchema).readonly(),
    replay: z.string(),
  })
  .meta({ id: 'FaultMatrix' });

type Output = z.output<typeof outputSchema>;

export const FAULT_MATRIX = defineOperation({
  ...VERB,
  collection: 'fault-matrices',
  title: 'Fault matrix',
  summary: 'run every fault on every protocol, and compare with what the protocol states',
  description: `A row for each protocol, a column for each fault of nodes and network. Each cell is decided by runs, and compared with what the definition of the protocol states.
The effects are: S1 two leaders of one epoch, or at one time; S2 live nodes follow different leaders in the end; S3 the leader is not the highest live node; M two nodes hold leases at one moment; L a live node follows no live node; leaderless: no live node has a live leader; no rest: the election goes on without end.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check() {},
  atOnce: () => null,
  async run(input, { signal, machine, onProgress, onPartial }) {
    const { protocols = PROTOCOL_NAMES, runs, starts } = input;
    const rows: FaultMatrixRow[] = [];
    const total = protocols.length;
    const outputOf = () => {
      return { complete: rows.length === total, starts, rows, replay: replayOf(VERB, input) };
    };
    const found = faultMatrix({ protocols, runs, starts }, async ({ protocol, fault }) => {
      onProgress({ now: `${fault} on ${protocol}`, done: rows.length, total });
      await machine.pause();
      return !signal.aborted;
    });
    for await (const row of found) {
      rows.push(row);
      onPartial(outputOf());
    }
    return rows.length === 0 ? null : outputOf();
  },
  outcomeOf(output) {
    const found = new Set(cellsOf(output).map(({ agrees }) => agrees));
    return found.has('false') ? 'violated' : found.has('unknown') ? 'unknown' : 'holds';
  },
  outcomes: {
    holds: 'the runs agree with what the protocols state',
    violated: 'a run showed what a protocol excludes',
    unknown: 'no run showed an effect that a protocol states',
  },
  report: (output) => [
    sentenceBlock(sentenceOf(output)),
    {
      type: 'table',
      title: 'Cells',
      columns: ['protocol', 'fault', 'stated', 'seen', 'agrees'].map((name) => ({ name })),
      rows: cellsOf(output).map(({ protocol, fault, stated, seen, agrees }) => [
        ...[protocol, fault, stated],
        ...[seen.map(({ effect }) => effect).join(' ') || 'ok', agrees],
      ]),
    },
  ],
  picture: () => null,
  table: (output) => ({
    columns: COLUMNS,
    rows: cellsOf(output).flatMap(({ protocol, fault, stated, agrees, runs, seen, calm }) => {
      const calmRun = calm === null ? [] : [{ ...calm, effect: null, runs, detail: null }];
      return [...calmRun, ...seen].map((run) => {
        const options = faultRunOptions(fault, protocol, Number(run.seed));
        const isPlayed = isPlain(fault) && output.starts === 'together';
        return [
          ...[protocol, fault, stated, agrees, runs],
          ...[run.effect, run.runs, run.detail],
          ...cellRunValues({ options, until: 'idle' }, run, isPlayed),
        ];
      });
    }),
  }),
  has: { picture: false, table: true },
  examples: [
    { protocols: 'cr-join', runs: '5' },
    { protocols: 'raft,zab-fle', starts: 'any' },
  ],
});

const COLUMNS = [
  column('protocol', 'text', 'protocol of the elections'),
  column('fault', 'text', 'fault of the matrix'),
  column('stated', 'text', 'what the definition of the protocol states'),
  column('agrees', 'text', 'whether the runs agree with it: true, false or unknown'),
  column('runs', 'integer', 'runs of the cell'),
  column('shows', 'text', 'effect that the run shows; empty for none'),
  column('showing', 'integer', 'runs of the cell that show the same'),
  column('detail', 'text', 'what shows it'),
  ...CELL_RUN_COLUMNS,
];

type Cell = FaultMatrixCell & Pick<FaultMatrixRow, 'protocol'>;

function cellsOf({ rows }: Output): readonly Cell[] {
  return rows.flatMap(({ protocol, cells }) => cells.map((cell) => ({ protocol, ...cell })));
}

function sentenceOf(output: Output): string {
  const found = cellsOf(output).map(({ agrees }) => agrees);
  const [agree = 0, open = 0, against = 0] = (['true', 'unknown', 'false'] as const).map(
    (value) => found.filter((each) => each === value).length,
  );
  const parts = [
    `The runs agree with the definitions in ${agree} of ${found.length} cells`,
    ...(open === 0 ? [] : [`in ${open} no run showed an effect that is stated`]),
    ...(against === 0 ? [] : [`in ${against} a run showed an effect that is excluded`]),
  ];
  const stopped = `The matrix was stopped after ${output.rows.length} protocols. `;
  return `${output.complete ? '' : stopped}${parts.join('; ')}.`;
}
