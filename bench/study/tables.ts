/**
 * @module
 * The tables of docs/study.md, from `usurp compare` with two sets of seeds and from closed forms, and the sentences that
 * depend on them. Each frequency has its interval.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodesNeeded } from '../../src/experiment/design/difficulty.ts';
import { questionFor } from '../../src/experiment/design/questions.ts';

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
  watchedRuns: 1000,
  seeds: ['1', '2'],
};

/** Defences that act on an adversary which follows the protocol, and their pairs. */
const ACTING = [
  ...['frozen-membership', 'beacon-rank', 'proof-of-work', 'commit-then-beacon'],
  ...['memory-hard', 'memory-hard-id'],
];
/** With a memory-hard ID, the puzzle of the other memory-hard defence is one hash. */
const PAIRS = ACTING.flatMap((one, index) =>
  ACTING.slice(index + 1).map((other) => `${one}+${other}`),
).filter((pair) => pair !== 'memory-hard+memory-hard-id');

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
  /** At 95 %. Null for fewer than two runs. */
  readonly intervals: Readonly<Record<'messages' | 'ticks', Result['interval']>>;
}

interface Row {
  readonly protocol: string;
  readonly defences: readonly string[];
  readonly acting: readonly string[];
  readonly bits: number;
  readonly results: readonly Result[];
  readonly cost: {
    readonly join: { readonly seconds: { readonly p95: number } | null };
    readonly election:
      | (Agreement & { readonly runs: number; readonly coldStart: Agreement })
      | null;
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
  const all = [USURP, 'compare', '--json', '--quiet', '--threads', '1', ...args];
  const { stdout } = await execute(process.execPath, all, { maxBuffer: 2 ** 28 });
  // The shape is that of the program which the study is a part of.
  return JSON.parse(stdout) as Comparison;
}

/** What is compared: each defence alone, the pairs, and memory-hard functions against one fast machine. */
const GROUPS = {
  singles: [],
  pairs: ['--defences', PAIRS.join(',')],
  fast: [
    ...['--machines', '1', '--defences'],
    'memory-hard,memory-hard-id,proof-of-work+memory-hard-id',
  ],
} as const satisfies Record<string, readonly string[]>;
type Group = keyof typeof GROUPS;
const ALL_GROUPS: readonly Group[] = ['singles', 'pairs', 'fast'];

type Compared = Readonly<Record<Group, readonly Comparison[]>>;

/** The comparisons of these groups under one seed, one by one for each group. The others are empty. */
async function compared(
  plan: StudyPlan,
  seed: string,
  groups: readonly Group[],
): Promise<Compared> {
  const common = ['--seed', seed, '--advantage', plan.advantages.join(',')];
  const drawn = [...common, '--runs', String(plan.runs), '--protocols', 'bully-oneshot,cr-join'];
  const watched = [...common, '--runs', String(plan.watchedRuns), '--protocols', 'raft'];
  const results: Record<Group, Comparison[]> = { singles: [], pairs: [], fast: [] };
  for (const group of groups) {
    for (const args of [drawn, watched]) {
      results[group].push(await compare([...args, ...GROUPS[group]]));
    }
  }
  return results;
}

interface StudyTable {
  /** What it needs under the first seed. */
  readonly groups: readonly Group[];
  readonly needsSecond?: boolean;
  readonly text: (first: Compared, second: Compared, plan: StudyPlan) => string;
}

const TABLES: Readonly<Record<string, StudyTable>> = {
  answer: { groups: ALL_GROUPS, text: (first, _, plan) => answer(first, plan) },
  identities: { groups: ['singles'], text: identities },
  singles: { groups: ['singles'], text: ({ singles }, _, plan) => sectioned(singles, plan) },
  reducing: { groups: ['singles'], text: ({ singles }) => reducing(singles) },
  pairs: { groups: ['pairs'], text: ({ pairs }, _, plan) => sectioned(pairs, plan) },
  machines: { groups: ['fast'], text: ({ fast }, _, plan) => sectioned(fast, plan) },
  lowest: { groups: ALL_GROUPS, text: lowest },
  costs: { groups: ['singles'], text: ({ singles }) => costs(singles) },
  needed: { groups: ['singles'], text: (first, _, plan) => needed(first, plan) },
  confirmation: { groups: ALL_GROUPS, needsSecond: true, text: confirmation },
};

/** The names of all tables, in the order of the study. */
export const STUDY_TABLES: readonly string[] = Object.keys(TABLES);

/** The tables with these names, in Markdown. Runs what they need and no more. */
export async function studyTables(
  plan: StudyPlan,
  names: readonly string[] = STUDY_TABLES,
): Promise<ReadonlyMap<string, string>> {
  const wanted = names.map((name) => {
    const entry = TABLES[name];
    if (entry === undefined)
      throw new Error(`no table ${name}: there are ${STUDY_TABLES.join(', ')}`);
    return [name, entry] as const;
  });
  const groups = ALL_GROUPS.filter((group) =>
    wanted.some(([, entry]) => entry.groups.includes(group)),
  );
  const again = wanted.some(([, { needsSecond }]) => needsSecond === true) ? groups : [];
  const [first, second] = await Promise.all([
    compared(plan, plan.seeds[0], groups),
    compared(plan, plan.seeds[1], again),
  ]);
  return new Map(wanted.map(([name, entry]) => [name, entry.text(first, second, plan)]));
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
function sectioned(all: readonly Comparison[], plan: StudyPlan): string {
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
      const runs = protocol === 'raft' ? plan.watchedRuns : plan.runs;
      const caption = `${runs} runs of each cell without \\*; in brackets the exact 95 % interval, in per cent.`;
      return `\n**${protocol}**: ${caption}\n\n${table(['defences', ...heads, 'bits', 'join p95', 'excluded'], cells)}${like}`;
    })
    .join('');
}

function seconds({ cost }: Row): string {
  const time = cost.join.seconds?.p95;
  return time === undefined ? '' : `${Number(time.toPrecision(3))} s`;
}

/** A closed form with a star, or a frequency with its interval. */
export function shareText({
  p,
  source,
  interval,
}: Pick<Result, 'p' | 'source' | 'interval'>): string {
  if (p === null) return '';
  if (source !== 'runs') return `${percent(p)}\\*`;
  const [low, high] = interval ?? [p, p];
  return `${percent(p)} (${hundredths(low)} to ${hundredths(high)})`;
}

/** A probability in per cent with at most two decimals, enough for an end of an interval. */
function hundredths(p: number): string {
  return String(Number((100 * p).toFixed(2)));
}

/** What is known of a cell: the interval of its frequency, or its closed form twice. Null if it has neither. */
function rangeOf({ p, interval }: Result): readonly [number, number] | null {
  return interval ?? (p === null ? null : [p, p]);
}

/** The greatest share of the question. */
const SHARE_MAX = 0.01;

/** Whether any set of defences keeps the share below that of the question, as far as the intervals decide it. */
export function answer(all: Compared, { advantages }: Pick<StudyPlan, 'advantages'>): string {
  const cells = Object.values(all)
    .flatMap((group) => rowsOf(group))
    .flatMap((row) =>
      row.results.map((result) => ({
        name: `${nameOf(row)} with ${row.protocol} at ${result.advantage}×`,
        range: rangeOf(result),
      })),
    );
  const named = (found: readonly { readonly name: string }[]) =>
    [...new Set(found.map(({ name }) => name))].join(', ');
  const kept = cells.filter(({ range }) => range !== null && range[1] < SHARE_MAX);
  const open = cells.filter(
    ({ range }) => range === null || (range[0] < SHARE_MAX && range[1] >= SHARE_MAX),
  );
  const span = `at any advantage from ${Math.min(...advantages)} to ${Math.max(...advantages)}`;
  const negative =
    open.length === 0
      ? 'no defence and no pair of defences does so'
      : 'the runs show no defence and no pair of defences that does so';
  const first =
    kept.length === 0
      ? `**The answer: ${negative}, with any of the three protocols, ${span}.**`
      : `**The answer: ${named(kept)} ${kept.length === 1 ? 'does' : 'do'} so; no other set is shown to.**`;
  const undecided = open.length === 0 ? '' : ` The runs do not decide ${named(open)}.`;
  return `${first}${undecided}\n`;
}

/** Which single defences have a lower share than none at an advantage of 1, as far as the intervals decide it. */
export function reducing(all: readonly Comparison[]): string {
  const lines = [...Map.groupBy(rowsOf(all), ({ protocol }) => protocol)].map(
    ([protocol, rows]) => {
      const none = rows.find(({ defences }) => defences.length === 0)?.results[0];
      const least = none === undefined ? null : rangeOf(none);
      const lower = rows.filter(({ results: [first] }) => {
        const range = first === undefined ? null : rangeOf(first);
        return least !== null && range !== null && range[1] < least[0];
      });
      const names = lower.map((row) => `\`${nameOf(row)}\``);
      return `- ${protocol}: ${names.length === 0 ? 'none' : names.join(', ')}.\n`;
    },
  );
  return `The defences whose share at the least advantage is below that of \`none\`, with intervals that do not overlap:\n\n${lines.join('')}`;
}

/** The rows with the lowest share at each advantage, by the closed form where there is one. Equal rows are named together. */
function lowest(all: Compared): string {
  const rows = ALL_GROUPS.flatMap((group) =>
    rowsOf(all[group])
      .filter(({ acting, defences }) => acting.length === defences.length)
      .map((row) => ({
        row,
        name: `${nameOf(row)}${group === 'fast' ? ', one fast machine' : ''}`,
      })),
  );
  const advantages = rows[0]?.row.results.map(({ advantage }) => advantage) ?? [];
  const lines = advantages.map((advantage, index) => {
    const shares = rows.flatMap(({ row, name }) => {
      const result = row.results[index];
      const p = result?.theory ?? result?.p ?? null;
      return result === undefined || p === null
        ? []
        : [{ name, protocol: row.protocol, result, p }];
    });
    const least = Math.min(...shares.map(({ p }) => p));
    const [best, ...others] = shares.filter(({ p }) => p < least * (1 + EQUAL));
    if (best === undefined) return [`${advantage}×`, '', ''];
    const { theory } = best.result;
    const shown = theory === null ? shareText(best.result) : `${percent(theory)}\\*`;
    const names = [...Map.groupBy([best, ...others], ({ name }) => name)].map(
      ([name, own]) => `${name} (${own.map(({ protocol }) => protocol).join(', ')})`,
    );
    return [`${advantage}×`, shown, names.join('; ')];
  });
  return table(['advantage', 'lowest share', 'rows'], lines);
}

/** Closed forms of the same law differ by their last digits. */
const EQUAL = 1e-9;

function percent(p: number): string {
  if (p > 0 && p < 0.0005) return '< 0.05 %';
  return p > 0.9995 && p < 1 ? '> 99.9 %' : `${Number((100 * p).toFixed(1))} %`;
}

function costs(all: readonly Comparison[]): string {
  const rows = rowsOf(all).map((row) => [
    row.protocol,
    nameOf(row),
    String(row.cost.election?.runs ?? 'none'),
    ...amounts(row.cost.election),
    ...amounts(row.cost.election?.coldStart ?? null),
    row.excluded.map(({ label }) => label).join(', '),
  ]);
  const head = ['runs', 'failure: messages', 'ticks', 'cold start: messages', 'ticks', 'excluded'];
  return table(['protocol', 'defence', ...head], rows);
}

function amounts(cost: Agreement | null): string[] {
  const shown = (value: number) => String(Number(value.toFixed(1)));
  return (['messages', 'ticks'] as const).map((member) => {
    const [mean, interval] = [cost?.[member] ?? null, cost?.intervals[member] ?? null];
    const range = interval === null ? '' : ` (${interval.map(shown).join(' to ')})`;
    return mean === null ? 'none' : `${shown(mean)}${range}`;
  });
}

/** The honest nodes that keep the share of the adversary at 1 % where the rank decides, at the most affordable bits. */
function needed({ singles }: Compared, { advantages }: StudyPlan): string {
  const row = rowsOf(singles).find(({ defences }) => defences.join() === 'proof-of-work');
  const attempts = singles[0]?.reference.attempts ?? 0;
  const honest = singles[0]?.honest ?? 1;
  const bits = row?.bits ?? 0;
  const { probability: leads } = questionFor('adversary-leads');
  const rows = advantages.map((advantage) => {
    const law = { attempts: attempts * advantage, honest };
    const nodes = nodesNeeded(
      { probabilityOf: leads, attempts: law.attempts, epsilon: 0.01 },
      bits,
    );
    let least = 0;
    while (leads({ ...law, difficultyBits: least }) > 0.01) least += 1;
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
        // Chang-Roberts has the same draws as Bully, so that its cells would count those of Bully twice.
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
    ['comparison', 'cells of Bully and Raft', 'outside'],
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
