/**
 * @module
 * The tables of docs/study.md, from `usurp compare` with two sets of seeds and from closed forms.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodesNeeded } from '../../src/experiment/design/difficulty.ts';
import { topProbability } from '../../src/experiment/theory/closed-forms.ts';

/** What a study runs. */
export interface StudyPlan {
  readonly advantages: readonly number[];
  /** Runs of each drawn cell, and of each watched cell of Raft. */
  readonly runs: number;
  readonly watchedRuns: number;
  readonly seeds: readonly [string, string];
}

export const WHOLE_STUDY: StudyPlan = {
  advantages: [1, 3, 10, 30, 100, 300, 1000],
  runs: 2000,
  watchedRuns: 30,
  seeds: ['1', '2'],
};

/** Defences that act on an adversary which follows the protocol, and their pairs. */
const ACTING = [
  ...['frozen-membership', 'beacon-rank', 'proof-of-work', 'commit-then-beacon', 'memory-hard'],
];
const PAIRS = ACTING.flatMap((one, index) =>
  ACTING.slice(index + 1).map((other) => `${one}+${other}`),
);

/** The members of the output of `usurp compare --json` that the study reads. */
interface Result {
  readonly advantage: number;
  readonly attempts: number;
  readonly identities: number;
  readonly source: string;
  readonly n: number;
  readonly k: number;
  readonly p: number | null;
  readonly interval: readonly [number, number] | null;
  readonly theory: number | null;
}

/** Messages and ticks until all live nodes agree; null if they do not. */
interface Agreement {
  readonly messages: number | null;
  readonly ticks: number | null;
}

interface Row {
  readonly protocol: string;
  readonly defences: readonly string[];
  readonly acting: readonly string[];
  readonly bits: number;
  readonly results: readonly Result[];
  readonly cost: {
    readonly join: { readonly seconds: { readonly p95: number } | null };
    readonly election: (Agreement & { readonly coldStart: Agreement }) | null;
  };
  readonly excluded: readonly { readonly label: string }[];
}

interface Comparison {
  readonly honest: number;
  readonly reference: { readonly attempts: number };
  readonly rows: readonly Row[];
}

const USURP = fileURLToPath(new URL('../../bin/usurp.js', import.meta.url));
const execute = promisify(execFile);

async function compare(args: readonly string[]): Promise<Comparison> {
  const all = [USURP, 'compare', '--json', '--quiet', '--workers', '1', ...args];
  const { stdout } = await execute(process.execPath, all, { maxBuffer: 2 ** 28 });
  // The shape is that of the program which the study is a part of.
  return JSON.parse(stdout) as Comparison;
}

/** All comparisons under one seed. */
async function compared(plan: StudyPlan, seed: string) {
  const common = ['--seed', seed, '--advantage', plan.advantages.join(',')];
  const drawn = [...common, '--runs', String(plan.runs), '--protocols', 'bully-oneshot,cr-join'];
  const watched = [...common, '--runs', String(plan.watchedRuns), '--protocols', 'raft'];
  const pairs = ['--defences', PAIRS.join(',')];
  const hard = ['--machines', '1', '--defences', 'memory-hard,proof-of-work+memory-hard'];
  const each = (more: readonly string[]) =>
    Promise.all([drawn, watched].map((args) => compare([...args, ...more])));
  const [singles, both, fast] = await Promise.all([each([]), each(pairs), each(hard)]);
  return { singles, pairs: both, fast };
}

type Compared = Awaited<ReturnType<typeof compared>>;

/** The tables by name, in Markdown. */
export async function studyTables(plan: StudyPlan): Promise<ReadonlyMap<string, string>> {
  const [first, second] = await Promise.all([
    compared(plan, plan.seeds[0]),
    compared(plan, plan.seeds[1]),
  ]);
  return new Map([
    ['identities', identities(first)],
    ['singles', sectioned(first.singles)],
    ['pairs', sectioned(first.pairs)],
    ['machines', sectioned(first.fast)],
    ['costs', costs(first.singles)],
    ['needed', needed(first, plan)],
    ['confirmation', confirmation(first, second)],
  ]);
}

function rowsOf(all: readonly Comparison[]): readonly Row[] {
  return all.flatMap(({ rows }) => rows);
}

function nameOf({ defences }: Row): string {
  return defences.length === 0 ? 'none' : defences.join(' + ');
}

/** Attempts and identities at each advantage, without a defence and with the most affordable bits. */
function identities({ singles }: Compared): string {
  const bully = rowsOf(singles).filter(({ protocol }) => protocol === 'bully-oneshot');
  const shown = bully.filter(({ defences }) =>
    ['', 'proof-of-work', 'memory-hard'].includes(defences.join()),
  );
  const rows = (shown[0]?.results ?? []).map((result, index) => [
    String(result.advantage),
    result.attempts.toExponential(2),
    ...shown.map(({ results }) => figure(results[index]?.identities ?? 0)),
  ]);
  const heads = shown.map((row) => `identities, ${nameOf(row)} (${row.bits} bits)`);
  return table(['advantage', 'attempts', ...heads], rows);
}

/** One table for each protocol. Defences that change nothing are one row. */
function sectioned(all: readonly Comparison[]): string {
  const rows = rowsOf(all);
  const protocols = [...new Set(rows.map(({ protocol }) => protocol))];
  return protocols
    .map((protocol) => {
      const own = rows.filter(
        (row) => row.protocol === protocol && row.acting.length === row.defences.length,
      );
      const inert = rows.filter(
        (row) => row.protocol === protocol && row.acting.length < row.defences.length,
      );
      const heads = (own[0]?.results ?? []).map(({ advantage }) => `${advantage}×`);
      const cells = own.map((row) => [
        nameOf(row),
        ...row.results.map(shareText),
        String(row.bits),
        seconds(row),
        row.excluded.map(({ label }) => label).join(', '),
      ]);
      const like = inert.length === 0 ? '' : `\nAs none: ${inert.map(nameOf).join(', ')}.\n`;
      return `\n**${protocol}**\n\n${table(['defences', ...heads, 'bits', 'join p95', 'excluded'], cells)}${like}`;
    })
    .join('');
}

function seconds({ cost }: Row): string {
  const time = cost.join.seconds?.p95;
  return time === undefined ? '' : `${Number(time.toPrecision(3))} s`;
}

function shareText({ p, source }: Result): string {
  return p === null ? '' : `${percent(p)}${source === 'runs' ? '' : '\\*'}`;
}

function percent(p: number): string {
  if (p > 0 && p < 0.0005) return '< 0.05 %';
  return p > 0.9995 && p < 1 ? '> 99.9 %' : `${Number((100 * p).toFixed(1))} %`;
}

function costs(all: readonly Comparison[]): string {
  const rows = rowsOf(all).map((row) => [
    row.protocol,
    nameOf(row),
    ...amounts(row.cost.election),
    ...amounts(row.cost.election?.coldStart ?? null),
    row.excluded.map(({ label }) => label).join(', '),
  ]);
  const head = ['failure: messages', 'ticks', 'cold start: messages', 'ticks', 'excluded'];
  return table(['protocol', 'defence', ...head], rows);
}

function amounts(cost: Agreement | null): string[] {
  return [cost?.messages ?? null, cost?.ticks ?? null].map((value) =>
    value === null ? 'none' : String(Number(value.toFixed(1))),
  );
}

/** The honest nodes that keep the share of the adversary at 1 %, at the most affordable bits. */
function needed({ singles }: Compared, { advantages }: StudyPlan): string {
  const row = rowsOf(singles).find(({ defences }) => defences.join() === 'proof-of-work');
  const attempts = singles[0]?.reference.attempts ?? 0;
  const honest = singles[0]?.honest ?? 1;
  const bits = row?.bits ?? 0;
  const rows = advantages.map((advantage) => {
    const law = { attempts: attempts * advantage, honest };
    const nodes = nodesNeeded(
      { probabilityOf: topProbability, attempts: law.attempts, epsilon: 0.01 },
      bits,
    );
    let least = 0;
    while (topProbability({ ...law, difficultyBits: least }) > 0.01) least += 1;
    const missed = Math.exp(-attempts * 2 ** -least);
    return [
      `${advantage}×`,
      nodes === null ? 'none' : String(nodes),
      String(least),
      percent(missed),
    ];
  });
  const heads = [
    'advantage',
    `honest nodes for 1 % at ${bits} bits`,
    `bits for 1 % with ${honest} nodes`,
  ];
  return table([...heads, 'honest nodes too slow at these bits'], rows);
}

/** How the second seeds agree with the first, over cells with runs of their own. */
function confirmation(first: Compared, second: Compared): string {
  const cellsOf = (all: Compared) =>
    [all.singles, all.pairs, all.fast].flatMap((group) =>
      rowsOf(group)
        // Chang-Roberts has the same draws as Bully.
        .filter(
          ({ protocol, acting, defences }) =>
            protocol !== 'cr-join' && acting.length === defences.length,
        )
        .flatMap(({ results }) => results.filter(({ source }) => source === 'runs')),
    );
  const [one, two] = [cellsOf(first), cellsOf(second)];
  const outside = (p: number | null, interval: Result['interval']) =>
    p !== null && interval !== null && (p < interval[0] || p > interval[1]);
  const crossed = one.filter(({ interval }, index) => outside(two[index]?.p ?? null, interval));
  const known = [...one, ...two].filter(({ theory }) => theory !== null);
  const missed = known.filter(({ theory, interval }) => outside(theory, interval));
  const apart = one.filter(({ interval }, index) => {
    const other = two[index]?.interval;
    if (interval === null || other === undefined || other === null) return false;
    return interval[1] < other[0] || other[1] < interval[0];
  });
  return table(
    ['comparison', 'cells', 'outside'],
    [
      [
        'closed form outside the interval, both sets of seeds',
        String(known.length),
        String(missed.length),
      ],
      ['second frequency outside the first interval', String(one.length), String(crossed.length)],
      ['the two intervals are disjoint', String(one.length), String(apart.length)],
    ],
  );
}

function figure(value: number): string {
  return value >= 1e6 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}
