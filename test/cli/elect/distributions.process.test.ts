/**
 * @module
 * `usurp elect --runs` and `--vary`: rows per run, cells of a sweep, files and pictures.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, usurp } from '../shell.ts';

const RAFT = ['elect', 'raft', '--nodes', '5', '--seed', '1'];
const CRASHED = [...RAFT, '--crash', 'leader@900-950'];

type Row = Readonly<Record<string, unknown>>;

function linesOf(text: string): Row[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a row per run', () => {
  it('has the measures of the run, which its replay repeats', async () => {
    const { stdout } = await usurp([...CRASHED, '--runs', '5', '--format', 'jsonl']);
    const rows = linesOf(stdout);

    expect(rows).toHaveLength(5);
    for (const { seed, replay, messages, bytes, sentVote, leaderRank, downtimeTicks } of rows) {
      const one = parsed(await usurp([...argumentsOf(String(replay)), '--json']));
      expect({ seed, messages, sentVote, leaderRank }).toEqual({
        ...{ seed: one.seed, messages: one.messages.total, sentVote: one.messages.VOTE },
        leaderRank: one.leader.rank,
      });
      const trail: { at: number; leads: boolean }[] = one.audit.trail;
      const crash = trail.find(({ at, leads }) => !leads && at >= 900)?.at ?? 0;
      expect(crash).toBeLessThan(950);
      expect(downtimeTicks).toBe(one.audit.measures.stableFrom - crash);
      expect(bytes).toBeGreaterThan(10 * Number(messages));
    }
  });

  it.each([
    // A lease that ended, and a Bully network in two parts, where no epoch shows that a write is late.
    ['db-lease', '--pause', '1@100-300', 1, 1],
    ['bully-2phase', '--partition', 'halves@100-300', 98, 0],
  ])('has the stale and the late writes of %s, which can be measured', async (...words) => {
    const [protocol, flag, fault, staleWrites, lateWrites] = words;
    const args = [protocol, flag, fault, '--nodes', '3', '--resource', 'unfenced', '--seed', '1'];
    const asked = ['elect', ...args, '--until', '400', '--detector', 'links', '--runs', '2'];
    const rows = linesOf((await usurp([...asked, '--format', 'jsonl'])).stdout);
    const report = parsed(await usurp([...asked, '--measure', 'lateWrites', '--json']));

    expect(rows).toMatchObject(Array(2).fill({ staleWrites, lateWrites }));
    expect(report).toMatchObject({
      measure: 'lateWrites',
      distributions: { lateWrites: { mean: lateWrites } },
    });
  });

  it('is the same in CSV and Parquet, and its quantiles are those of the report', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'usurp-runs-'));
    const [csv, parquet] = [join(folder, 'runs.csv'), join(folder, 'runs.parquet')];
    const report = parsed(await usurp([...CRASHED, '--runs', '21', '--json', '--out', csv]));
    await usurp([...CRASHED, '--runs', '21', '--json', '--out', parquet]);

    const [head = '', ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
    const at = head.split(',').indexOf('downtime_ticks');
    const downtimes = lines.map((line) => Number(line.split(',')[at])).toSorted((a, b) => a - b);
    const { buffer } = new Uint8Array(readFileSync(parquet));
    const rows = await parquetReadObjects({ file: buffer });
    expect(rows.map((row) => row.downtime_ticks).toSorted((a, b) => a - b)).toEqual(downtimes);
    const { p50, p90, max } = report.distributions.downtimeTicks;
    expect([p50.value, p90.value, max]).toEqual([downtimes[10], downtimes[18], downtimes[20]]);
  });

  it('draws the distribution as text and as a picture with a caption', async () => {
    const chart = join(mkdtempSync(join(tmpdir(), 'usurp-runs-')), 'downtime.svg');
    const asked = ['--runs', '20', '--measure', 'downtimeTicks', '--chart', chart];
    const { stdout } = await usurp([...CRASHED, ...asked]);

    expect(stdout).toMatch(/^at most \d+ +100\.0 % +83\.2 %–100\.0 % +#{40}$/m);
    const svg = readFileSync(chart, 'utf8');
    for (const part of ['elections: raft, 5 nodes', 'crash leader@900-950', '20 runs, seeds']) {
      expect(svg).toContain(part);
    }
  });
});

describe('--vary', () => {
  it('runs each cell as the command of the cell does', async () => {
    const axes = ['--vary', 'nodes=3,5', '--vary', 'flags.spreadTicks=20,60'];
    const sweep = [...CRASHED.toSpliced(2, 2), '--runs', '9', ...axes, '--format', 'jsonl'];
    const cells = linesOf((await usurp(sweep)).stdout);

    const grid = cells.map(({ axisNodes, axisFlagsSpreadTicks }) => [
      axisNodes,
      axisFlagsSpreadTicks,
    ]);
    expect(grid).toEqual([3, 5].flatMap((nodes) => [20, 60].map((ticks) => [nodes, ticks])));
    for (const { replay, measure, mean, p90, n } of cells) {
      const { distributions } = parsed(await usurp([...argumentsOf(String(replay)), '--json']));
      expect(measure).toBe('downtimeTicks');
      expect([n, mean]).toEqual([9, distributions.downtimeTicks.mean]);
      expect(p90).toBe(distributions.downtimeTicks.p90.value);
    }
  });

  it('varies protocol, faults, detector options and defences, and repeats itself by its replay', async () => {
    const base = ['elect', '--nodes', '4', '--seed', '3', '--runs', '6', '--level', 'L3'];
    const axes = [
      ...['--detector', 'fd-heartbeat', '--vary', 'detector.timeout=20,40'],
      ...['--vary', 'protocol=bully-oneshot,bully-improved', '--vary', 'loss=none,5%'],
      ...['--vary', 'defences=none,back-off', '--measure', 'leader'],
    ];
    const first = await usurp([...base, ...axes, '--json']);

    const { cells, replay, measure } = parsed(first);
    expect(first.stderr.replaceAll(/^cell \d+ of \d+, runs: \d+ of \d+\n/gm, '')).toBe('');
    expect([measure, cells.length]).toEqual(['leader', 16]);
    for (const { n, k, p, ciLow, ciHigh } of cells) {
      expect(p).toBe(k / n);
      expect(ciLow <= p && p <= ciHigh).toBe(true);
    }
    expect((await usurp([...argumentsOf(replay), '--json'])).stdout).toBe(first.stdout);
  });

  it('takes the messages of a type as the measure, which the replay of a cell repeats', async () => {
    const asked = ['--vary', 'nodes=3,5', '--runs', '8', '--measure', 'messages.VOTE'];
    const first = parsed(await usurp([...RAFT.slice(0, 2), '--seed', '1', ...asked, '--json']));
    const { cells, replay: whole } = first;
    expect(parsed(await usurp([...argumentsOf(whole), '--json']))).toEqual(first);

    for (const { replay, mean, p90 } of cells) {
      expect(replay).toContain('--measure messages.VOTE');
      const { measure, distributions } = parsed(await usurp([...argumentsOf(replay), '--json']));
      expect(measure).toBe('messages.VOTE');
      expect(distributions[measure]).toMatchObject({ mean, p90: { value: p90, ciHigh: null } });
    }
    const { stdout } = await usurp([...RAFT.slice(0, 2), '--seed', '1', ...asked]);
    expect(stdout).toMatch(/^VOTE messages\n.*\n3 .* ≥ \d/);
  });

  it.each([
    [
      '--runs',
      '2',
      '--measure',
      'messages.VOT',
      'VOTE, VOTE_REPLY, HEARTBEAT, HEARTBEAT_REPLY, APPEND, APPEND_REPLY, TIMEOUT_NOW; did',
    ],
    ['--runs', '2', '--measure', 'messages.FD_HEARTBEAT', 'must name a type of raft'],
    ['--vary', 'color=1,2', 'NAME is protocol, nodes'],
    ['--vary', 'nodes=3,5', '--vary: has nodes, beside which nodes has no effect: give one'],
    ['--vary', 'protocol=raft,cr-join', 'has protocol, beside which protocol has no effect'],
    ['--loss', '5%', '--vary', 'loss=1%,2%', '--vary: has loss, beside which loss has no effect'],
    ['--latency', '5', '--vary', 'latency=1,2', 'has latency, beside which latency has no effect'],
    [
      ...['--flags', 'electionTicks=90', '--vary', 'flags.electionTicks=90,100'],
      'has flags.electionTicks, beside which flags.electionTicks has no effect: give one',
    ],
    [
      ...['--detector', 'fd-heartbeat:timeout=35', '--vary', 'detector.timeout=30,40'],
      'has detector.timeout, beside which detector.timeout has no effect: give one',
    ],
    ['--vary', 'defences=none,hop-limit', 'the cell defences=hop-limit: defences: hop-limit does'],
    ['--vary', 'detector.timeout=3,4', 'needs a detector with options'],
    ['--runs', '2', '--out', 'runs.txt', '.csv, .jsonl or .parquet'],
    ['--out', 'runs.csv', 'no effect without --runs'],
    ['--format', 'csv', 'needs --runs'],
  ])('refuses %s %s', async (...words) => {
    const { code, stderr } = await usurp([...RAFT, ...words.slice(0, -1)]);

    expect(code).toBe(254);
    expect(stderr).toContain(words.at(-1));
  });

  it.each([
    ['nodes=3,x', '2', '--vary: nodes, value x'],
    ['nodes=3,5', '900000', '1800000 runs in all cells'],
  ])('refuses --vary %s in %s runs', async (axis, runs, problem) => {
    const asked = [...RAFT.toSpliced(2, 2), '--vary', axis, '--runs', runs];

    const { code, stderr } = await usurp(asked);

    expect(code).toBe(254);
    expect(stderr).toContain(problem);
  });
});
