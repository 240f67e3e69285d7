/**
 * @module
 * `usurp compare-protocols`: several protocols with the same seeds and faults, what is refused and
 * in whose name, and an interrupt.
 */

import { describe, expect, it } from 'vitest';

import { argumentsOf, ended, parsed, spawnUsurp, usurp } from '../shell.ts';

const FIVE = ['--nodes', '5', '--seed', '1'];
const compare = (names: string, ...rest: readonly string[]) =>
  usurp(['compare-protocols', ...names.split(','), ...FIVE, ...rest]);

describe('compare-protocols', () => {
  it('reports each protocol in the given order, with 20 seeds by default', async () => {
    const printed = await compare('raft,cr-join', '--json');
    const ofThree = await compare('cr-join', '--runs', '3', '--json');

    const { protocols, runs, horizonTicks, seed } = parsed(printed);
    expect(printed.code).toBe(0);
    expect(protocols.map(({ protocol }: { protocol: string }) => protocol)).toEqual([
      ...['raft', 'cr-join'],
    ]);
    expect(protocols[0]).toMatchObject({ runs: 20, stableShare: 1, leadersPerEpochMax: 1 });
    expect(protocols[1]).toMatchObject({ runs: 20, stableShare: 1, leadersPerEpochMax: null });
    expect({ runs, seed }).toEqual({ runs: 20, seed: '1' });
    expect(horizonTicks).toBeGreaterThan(100);
    expect(parsed(ofThree).runs).toBe(3);
  });

  it('gives the share of stable runs its exact interval', async () => {
    const faults = ['--random-faults', '--detector', 'links'];
    const { protocols } = parsed(await compare('bully-oneshot,raft', ...faults, '--json'));
    const { stdout } = await compare('bully-oneshot,raft', ...faults);
    const csv = await compare('raft', ...faults, '--format', 'csv');

    // The published values for 19 and 20 of 20 (Clopper and Pearson 1934).
    const expected = [
      [0.95, 0.7513, 0.9987],
      [1, 0.8316, 1],
    ];
    for (const [index, values] of expected.entries()) {
      const { stableShare, stableInterval } = protocols[index];
      for (const [at, value] of [stableShare, ...stableInterval].entries()) {
        expect(value).toBeCloseTo(values[at] ?? Number.NaN, 4);
      }
    }
    expect(stdout).toMatch(/^bully-oneshot .* 95\.0 % +75\.1 %–99\.9 % /m);
    expect(csv.stdout).toContain('stable_share,stable_share_low,stable_share_high,');
  });

  it('runs the same elections as single commands', async () => {
    const faults = ['--loss', '20%', '--latency', 'uniform:1:9'];
    const { protocols } = parsed(
      await compare('bully-oneshot', ...faults, '--runs', '4', '--json'),
    );

    const totals = [];
    for (const seed of ['1', '2', '3', '4']) {
      const one = ['elect', 'bully-oneshot', ...FIVE, ...faults, '--json'];
      totals.push(parsed(await usurp([...one, '--seed', seed])).messages.total);
    }
    expect(protocols[0].messagesMean).toBe(totals.reduce((sum, total) => sum + total, 0) / 4);
  });

  it('draws the same faults for all, whose times follow the longest election', async () => {
    const drawn = ['--random-faults', '--runs', '30', '--json'];
    const together = parsed(await compare('bully-oneshot,cr-join,raft', ...drawn));
    const withLongest = parsed(await compare('raft,cr-join', ...drawn));
    const alone = parsed(await compare('cr-join', ...drawn));

    const [bully, ring, raft] = together.protocols;
    expect(withLongest.protocols).toEqual([raft, ring]);
    expect(together.horizonTicks).toBe(withLongest.horizonTicks);
    expect(alone.horizonTicks).toBeLessThan(together.horizonTicks);
    // The faults do harm, and not the same to everybody.
    expect(bully.splitTicksMean).toBeGreaterThan(raft.splitTicksMean);
    expect(ring.stableShare).toBeLessThan(raft.stableShare);
    expect(raft.leadersPerEpochMax).toBe(1);
  });

  it('repeats itself by its replay', async () => {
    const args = ['--random-faults', 'crash,loss', '--until', '400', '--runs', '5', '--json'];
    const first = await compare('bully-gm82,raft', '--flags', 'preVote=on', ...args);

    const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    expect(parsed(first).replay).toMatch(
      /^npx usurp compare-protocols bully-gm82 raft .*--flags preVote=on /,
    );
    expect(again.stdout).toBe(first.stdout);
  });

  it('prints a seed that it chose, with the command that repeats it', async () => {
    const args = ['compare-protocols', 'cr-join', '--nodes', '4', '--runs', '2', '--json'];

    const { stderr, stdout } = await usurp(args);

    const { seed, replay } = JSON.parse(stdout);
    expect(stderr).toContain(`seed ${seed} was chosen; --seed ${seed} gives the same result\n`);
    expect(replay).toMatch(/compare-protocols cr-join --nodes 4 --runs 2 --seed \d+$/);
  });

  it('ends at the tick of --until', async () => {
    const { horizonTicks, protocols } = parsed(
      await compare('raft', '--until', '3', '--runs', '2', '--json'),
    );

    expect(horizonTicks).toBe(3);
    expect(protocols[0]).toMatchObject({ stableShare: 0, withoutLeaderShare: 1 });
  });

  it('gives a flag only to the protocols that have it', async () => {
    const names = 'bully-oneshot,cr-join';
    const plain = parsed(await compare(names, '--runs', '3', '--json')).protocols;
    const naive = parsed(
      await compare(names, '--flags', 'rejoin=naive', '--runs', '3', '--json'),
    ).protocols;

    expect(naive[0].messagesMean).toBeGreaterThan(plain[0].messagesMean);
    expect(naive[1]).toEqual(plain[1]);
  });

  it('reads a schedule from stdin once, for all', async () => {
    const loss = { type: 'blackout', from: 0, to: null };
    const schedule = JSON.stringify({ faults: [loss] });
    const args = ['compare-protocols', 'cr-join', 'bully-oneshot', ...FIVE, '--faults', '-'];

    const { protocols } = parsed(await usurp([...args, '--runs', '2', '--json'], schedule));

    expect(protocols[0]).toMatchObject({ stableShare: 0, withoutLeaderShare: 1 });
    expect(protocols[1].splitTicksMax).toBeGreaterThan(0);
  });

  it('is a table for people', async () => {
    const { stdout } = await compare('bully-oneshot,raft', '--runs', '2');

    expect(stdout).toMatch(
      /^protocol +messages +stable +95 % +from tick +(latest +)?no leader +split /,
    );
    expect(stdout).toMatch(
      /^bully-oneshot( +[\d.]+){2} % +15\.8 %–100\.0 %( +[\d.]+){2,3} % +0\.0( +0)? +- /m,
    );
    expect(stdout).toMatch(
      /^raft( +[\d.]+){2} % +15\.8 %–100\.0 %( +[\d.]+){2,3} % +0\.0( +0)? +1 /m,
    );
    expect(stdout).toMatch(
      /^runs +2 of each, \d+ ticks long\n\nreplay +npx usurp compare-protocols .*\n$/m,
    );
  });
});

describe('a protocol whose copies multiply', () => {
  // Under seed 2 they do, on the first lap's last links; under seed 3 its only message is lost at once.
  const copied = ['--initiators', 'lowest', '--duplicate', '100%@375-', '--loss', '50%@0-1'];
  const args = ['compare-protocols', 'ring-collect', 'raft', '--nodes', '400', '--until', '450'];

  it('keeps the results of its other runs and of the others, and reports the unfinished ones', async () => {
    const printed = await usurp([...args, ...copied, '--seed', '2', '--runs', '2', '--json']);

    const { notes, protocols } = parsed(printed);
    const [ring, raft] = protocols;
    expect(printed.code).toBe(0);
    expect(ring).toMatchObject({ runs: 2, unfinished: 1, messagesMean: 1, stableShare: 0 });
    expect(raft).toMatchObject({ runs: 2, unfinished: 0, stableShare: 1 });
    expect(notes).toEqual([
      expect.stringMatching(/^ring-collect under seed 2 does not finish: copies multiply: \d+ /),
    ]);
  });

  it('has a column for unfinished runs, and no means if no run finished', async () => {
    const printed = await usurp([...args, ...copied, '--seed', '2', '--runs', '1']);
    const silent = await usurp([...args, ...copied, '--seed', '3', '--runs', '1']);

    expect(printed.stdout).toMatch(/^protocol .* unfinished\n/);
    expect(printed.stdout).toMatch(/^ring-collect +- +0\.0 % +0\.0 %–97\.5 %( +-){5,8} +1$/m);
    expect(printed.stdout).toMatch(/^raft .* 100\.0 % .* 0$/m);
    expect(silent.stdout).not.toContain('unfinished');
  });
});

describe('refused is', () => {
  it.each([
    [['raft,raft'], 'protocols must have each name once, got raft,raft'],
    [['raft,bully'], 'protocols must be one of bully-'],
    [['raft', '--save', 'x'], "unknown option '--save'"],
    [['raft', '--flags', 'rejoin=naive'], '--flags: none of raft has rejoin'],
    [['raft,bully-oneshot', '--flags', 'rejoin=x'], 'bully-oneshot cannot take part: '],
    [['raft', '--loss', '500%'], '--loss is not of the form 5% or 5%@100-300'],
    [['raft', '--random-faults', '--loss', '5%'], '--random-faults: has no meaning beside loss'],
    [['raft', '--random-faults', 'crash,lost'], '--random-faults must be one of usual, crash,'],
    [['cr-join', '--attributes', '1,2,3,4,5'], '--attributes: have no effect'],
    [
      ['raft,cr-join', '--crash', '5', '--restart', '5@9'],
      'cr-join cannot take part: 5 died before the run and the ring is closed around it',
    ],
    [['raft', '--crash', '5', '--initiators', '5'], '--initiators: node 5 has crashed'],
  ])('%o', async ([names = '', ...rest], complaint) => {
    const printed = await compare(names, ...rest);

    expect(printed.code).toBe(254);
    expect(printed.stdout).toBe('');
    expect(printed.stderr).toContain(complaint);
  });

  it('a file with an unknown fault', async () => {
    const args = ['compare-protocols', 'raft', ...FIVE, '--faults', '-'];

    const printed = await usurp(args, '{"faults":[{"type":"lost"}]}');

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('--faults: stdin: this is not a schedule: /faults/0');
  });

  it('a comparison without nodes', async () => {
    const printed = await usurp(['compare-protocols', 'raft']);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('--nodes: is missing');
  });
});

it('keeps, after an interrupt, the seeds that all protocols have run', async () => {
  const args = ['compare-protocols', 'cr-join', 'raft', ...FIVE, '--runs', '100000', '--json'];
  const child = spawnUsurp(args);
  const end = ended(child);
  child.stderr.once('data', () => child.kill('SIGINT'));

  const { code, stdout } = await end;

  const { protocols, runs } = JSON.parse(stdout);
  expect(code).toBe(130);
  expect(runs).toBeLessThan(100_000);
  expect(protocols.map((each: { runs: number }) => each.runs)).toEqual([runs, runs]);
});
