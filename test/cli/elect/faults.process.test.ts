/**
 * @module
 * `usurp elect` over networks that break: each flag reaches the simulator, is repeated by the replay,
 * and is refused by its own name.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const BULLY = ['elect', 'bully-oneshot', '--nodes', '6', '--seed', '3', '--json'];
const RING = ['elect', 'cr-join', '--nodes', '6', '--seed', '3', '--json'];

const FAULTS: readonly [string, readonly string[], object][] = [
  ['loss', ['--loss', '5%@10-30'], { type: 'loss', share: 0.05, from: 10, to: 30 }],
  ['duplicates', ['--duplicate', '50%'], { type: 'duplication', share: 0.5, from: 0, to: null }],
  ['reordering', ['--reorder', '10%:20'], { type: 'reordering', share: 0.1, ticksMax: 20 }],
  ['halves', ['--partition', 'halves@2-90'], { cut: { kind: 'halves' }, from: 2, to: 90 }],
  ['one node alone', ['--partition', 'isolate:3@1-9'], { cut: { kind: 'isolate', rank: 3 } }],
  ['one way', ['--partition', 'one-way:1>2@0-50'], { cut: { kind: 'one-way', from: 1, to: 2 } }],
  ['links', ['--partition', 'links:1-2,3-4@0-50'], { cut: { kind: 'links' } }],
  ['a blackout', ['--blackout', '4-9'], { type: 'blackout', from: 4, to: 9 }],
  ['a slowdown', ['--slowdown', '10@4-9'], { type: 'slowdown', factor: 10 }],
  ['a pause', ['--pause', '2@1-60'], { type: 'pause', rank: 2, from: 1, to: 60 }],
  ['a skew', ['--skew', '3:1.5'], { type: 'skew', rank: 3, numerator: 3, denominator: 2 }],
  ['a newcomer', ['--join', '6@20'], { type: 'join', rank: 6, at: 20 }],
  ['churn', ['--churn', '30@0-300:20%'], { type: 'churn', ticksMean: 30, amnesiaShare: 0.2 }],
];

describe('a fault', () => {
  it.each(FAULTS)('by its flag: %s', async (_what, flags, fault) => {
    const printed = await usurp([...BULLY, '--latency', 'uniform:1:9', ...flags]);

    expect(parsed(printed).faults.faults).toMatchObject([fault]);
  });

  it('is repeated by the replay, with everything else', async () => {
    const everything = FAULTS.flatMap(([, flags]) => flags);
    const network = ['--latency', 'exp:5', '--no-fifo', '--link-factors', '1>2:5,3>1:2'];
    const more = ['--crash', '2,1@7', '--crash', '3@11,5@60', '--restart', '5@80:amnesia'];
    const rest = ['--calm', '400+900:restart', '--detector', 'links', '--initiators', '4'];
    const options = [...everything, ...network, ...more, ...rest, '--flags', 'coordTo=all'];

    const first = await usurp([...BULLY, ...options]);
    const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    expect(again.stdout).toBe(first.stdout);
    expect(parsed(first).faults.faults).toHaveLength(FAULTS.length + 5);
    expect(parsed(first).faults.calm).toEqual({ at: 400, ticks: 900, restart: true });
  });

  it('that is drawn comes from the seed, and again with the replay', async () => {
    const options = ['--random-faults', 'loss,crash,isolate', '--latency', 'uniform:1:9'];
    const drawn = [];
    for (const seed of ['1', '2', '3', '4', '5', '6']) {
      const first = await usurp([...RING, ...options, '--seed', seed]);
      const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);
      expect(again.stdout).toBe(first.stdout);
      drawn.push(JSON.stringify(parsed(first).faults));
    }

    expect(new Set(drawn).size).toBeGreaterThan(3);
  });

  it('that is drawn over a topology is no newcomer', async () => {
    const mesh = ['elect', 'floodmax', '--topology', 'mesh:3x4', '--json'];
    const printed = await usurp([...mesh, '--random-faults', 'usual', '--seed', '2']);

    // Among all usual kinds, this seed would draw a newcomer.
    expect(parsed(printed).faults.faults.length).toBeGreaterThan(0);
    expect(printed.stdout).not.toContain('"type":"join"');
  });

  it('can come from a file made of an answer', async () => {
    const file = join(scratchFolder(), 'faults.json');
    const spelt = await usurp([...BULLY, '--loss', '20%', '--crash', '6@2', '--calm', '90']);
    writeFileSync(file, JSON.stringify(parsed(spelt).faults));

    const read = await usurp([...BULLY, '--faults', file]);
    const fromStdin = await usurp(
      [...BULLY, '--faults', '-'],
      JSON.stringify(parsed(spelt).faults),
    );

    const { replay: _one, ...answer } = parsed(spelt);
    const { replay: _other, ...answerRead } = parsed(read);
    expect(answerRead).toEqual(answer);
    expect(parsed(fromStdin).messages).toEqual(answer.messages);
  });
});

describe('a schedule from a file', () => {
  const FAULTS_OUT_OF_ORDER = [
    { type: 'loss', share: 0.2, from: 0, to: null },
    { type: 'crash', rank: 6, at: 2 },
  ];

  function fileOf(schedule: object): string {
    const file = join(scratchFolder(), 'faults.json');
    writeFileSync(file, JSON.stringify(schedule));
    return file;
  }

  it('needs neither calm nor detector', async () => {
    const printed = await usurp([...BULLY, '--faults', fileOf({ faults: [] })]);

    expect(parsed(printed).faults).toEqual({ faults: [], calm: null, detector: 'crashes' });
  });

  it('becomes flags in the replay command, which gives the same election', async () => {
    const schedule = { faults: FAULTS_OUT_OF_ORDER, calm: { at: 90, ticks: 700, restart: true } };
    const more = ['--crash', '1,2@3', '--duplicate', '5%', '--latency', 'uniform:1:9'];

    const first = await usurp([...BULLY, '--faults', '-', ...more], JSON.stringify(schedule));
    const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    const { faults: _first, ...answer } = parsed(first);
    const { faults: _again, ...answerAgain } = parsed(again);
    expect(answer.replay).not.toContain('--faults');
    expect(answer.replay).toContain('--crash 6@2 --crash 1,2@3 --loss 20% --duplicate 5%');
    expect(answerAgain).toEqual(answer);
  });

  it.each([
    ['a share with more decimals', [{ type: 'loss', share: 1 / 3, from: 0, to: null }]],
    [
      'what one tick does in another order',
      [
        { type: 'restart', rank: 6, at: 4, amnesia: false },
        { type: 'crash', rank: 6, at: 4 },
      ],
    ],
  ])('is named in the replay command if flags cannot express it: %s', async (_what, faults) => {
    const file = fileOf({ faults });

    const printed = await usurp([...BULLY, '--faults', file]);

    expect(parsed(printed).replay).toContain(`--faults ${file}`);
  });

  it('is as the help shows it', async () => {
    const help = (await usurp(['elect', '--help'])).stdout;
    const [example = ''] = /^ {2}\{"faults".*$/m.exec(help) ?? [];

    const printed = await usurp([...BULLY, '--faults', '-'], example);

    expect(parsed(printed).faults.faults).toMatchObject([{ type: 'loss', share: 0.05 }]);
  });
});

describe('the help', () => {
  it('explains calm, cuts and seeds', async () => {
    const help = (await usurp(['elect', '--help'])).stdout.replaceAll(/\s+/g, ' ');

    expect(help).toContain('does not repeat a lost message');
    expect(help).toContain('majorities-ring@100-300 (each rank reaches a majority');
    expect(help).toContain('(default seed: 1)');
    expect(help).toContain('In a majorities-ring all nodes reach it');
    expect(help).not.toContain('cr-always --nodes 9 --loss');
  });
});

describe('a flag without effect', () => {
  it('is noted: the return of a node that has not crashed', async () => {
    const idle = await usurp([...BULLY, '--crash', '2@9', '--restart', '2@5']);
    const useful = await usurp([...BULLY, '--crash', '2@3', '--restart', '2@5']);
    const unknown = await usurp([...BULLY, '--churn', '30@0-90', '--restart', '2@5']);

    expect(idle.stderr).toContain('--restart 2@5 has no effect: 2 has not crashed');
    expect(useful.stderr).toBe('');
    expect(unknown.stderr).toBe('');
  });

  it('is refused: an order of a ring that is given', async () => {
    const args = ['cr-join', '--ring', '3,1,2', '--ring-order', 'by-id'];

    const printed = await usurp(['elect', ...args]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('--ring-order');
  });
});

describe('--initiators', () => {
  it('are checked before a seed is printed', async () => {
    const args = ['cr-join', '--nodes', '5', '--crash', '4', '--initiators', '4'];

    const one = await usurp(['elect', ...args]);
    const shrunk = await usurp(['elect', ...args, '--loss', '5%', '--shrink']);

    for (const { stderr } of [one, shrunk]) {
      expect(stderr).toBe(
        'usurp: --initiators: node 4 has crashed or not joined when the election starts\n',
      );
    }
  });

  it.each([
    ['lowest', ['--crash', '1'], '2'],
    ['highest', ['--crash', '6'], '5'],
    ['highest', ['--join', '6@50', '--crash', '5'], '4'],
  ])('%s is the one present at the start with %j', async (name, faults, rank) => {
    const named = await usurp([...RING, ...faults, '--initiators', name]);
    const ranked = await usurp([...RING, ...faults, '--initiators', rank]);

    const { replay: _named, ...answer } = parsed(named);
    const { replay: _ranked, ...answerRanked } = parsed(ranked);
    expect(answer).toEqual(answerRanked);
  });
});

describe('--crash', () => {
  it.each([
    ['1,2@4', [1, 2], [4, 4]],
    ['1@4,2@9', [1, 2], [4, 9]],
    ['highest@4', [6], [4]],
  ])('%s', async (text, ranks, ticks) => {
    const { faults } = parsed(await usurp([...BULLY, '--crash', text, '--loss', '0%']));

    const crashes = faults.faults.slice(0, -1);
    expect(crashes.map(({ rank }: { rank: number }) => rank)).toEqual(ranks);
    expect(crashes.map(({ at }: { at: number }) => at)).toEqual(ticks);
  });

  it.each(['1,2@4,3', '1@4@5', '1@4,highest', '@4', '1@', '0@4,2@5'])(
    'refuses %s',
    async (text) => {
      expect(await usurp([...BULLY, '--crash', text])).toMatchObject({ code: 254, stdout: '' });
    },
  );
});

describe('the network', () => {
  it('reorders messages only under --no-fifo', async () => {
    const args = ['peterson', '--nodes', '9', '--latency', 'exp:30', '--runs', '40'];
    const elect = (...more: string[]) =>
      usurp(['elect', ...args, '--seed', '1', '--json', ...more]);

    const [orderly, loose] = [await elect(), await elect('--no-fifo')];

    expect(orderly.code).toBe(0);
    expect(loose.code).toBe(1);
  });

  it('is slower on links with a factor', async () => {
    const plain = await usurp([...RING, '--latency', '3', '--loss', '0%']);
    const slow = await usurp([...RING, '--latency', '3', '--link-factors', '4']);

    expect(parsed(slow).ticks).toBeGreaterThan(parsed(plain).ticks);
  });

  it('is not judged where --until comes before the end of the calm', async () => {
    const printed = await usurp([...BULLY, '--blackout', '0-50', '--calm', '60', '--until', '30']);

    // Two nodes have led themselves by then, which no end can mend.
    expect(printed.code).toBe(1);
    expect(parsed(printed)).toMatchObject({
      ...{ outcome: 'until', verdict: { properties: { termination: { value: 'unknown' } } } },
    });
  });

  it('has one leader after a calm in which all nodes restart, and none without', async () => {
    const cut = [...BULLY, '--blackout', '0-50', '--calm'];

    const silent = await usurp([...cut, '60']);
    const restarted = await usurp([...cut, '60:restart']);

    expect(parsed(silent).outcome).toBe('split');
    expect(silent.code).toBe(1);
    expect(parsed(restarted)).toMatchObject({
      ...{ outcome: 'leader', verdict: { properties: { uniqueness: { value: 'false' } } } },
    });
    expect(restarted.code).toBe(1);
  });
});

describe('a refusal', () => {
  it.each([
    ['a share above all', ['--loss', '101%'], '--loss'],
    ['the range of a share', ['--loss', '101%'], 'a share is 0%..100%'],
    ['the range of a skew', ['--skew', '1:0.001'], '1..1000'],
    ['the form of crashes at ticks', ['--crash', '1,2@5,7'], '5@20,3@40'],
    ['the forms of a latency', ['--latency', 'exp:0'], 'exp:30'],
    ['the forms of a latency without its end', ['--latency', 'uniform:10'], 'exp:30'],
    ['an initiator that is down', ['--initiators', '4', '--crash', '4'], '--initiators: node 4'],
    ['initiators by another name', ['--initiators', 'top'], 'all, lowest, highest or ranks'],
    ['clocks left out of no trace', ['--no-clocks'], '--no-clocks has no effect without --trace'],
    ['clocks left out of runs', ['--no-clocks', '--runs', '2'], '--no-clocks'],
    ['the cuts there are', ['--partition', 'isolate:highest'], 'minority@100-300 (the highest'],
    ['the last of the cuts', ['--partition', 'ring'], 'majorities-ring@100-300'],
    ['a share without its sign', ['--loss', '5'], '5%@100-300'],
    [
      'a window that ends before',
      ['--loss', '5%@30-10'],
      '--loss: 5%@30-10: to must be after from, 30',
    ],
    [
      'a newcomer beyond the nodes',
      ['--join', '7@5'],
      '--join: 7@5: rank must be a whole number in 1..6',
    ],
    [
      'a link to a node that does not exist',
      ['--partition', 'one-way:1>9@0-5'],
      'one-way:1>9@0-5: cut/to must be a whole',
    ],
    ['an unknown cut', ['--partition', 'quarters'], 'halves@100-300'],
    [
      'a fault after the calm',
      ['--crash', '2@400', '--calm', '300'],
      '--crash: 2@400: begins at 400',
    ],
    ['a calm that is no tick', ['--calm', 'soon'], '300+2000'],
    ['an unknown detector', ['--detector', 'gossip'], 'crashes, links'],
    ['a factor of zero', ['--link-factors', '0'], '1..1000'],
    ['a link given twice', ['--link-factors', '1>2:5,1>2:3'], '--link-factors: names 1>2 twice'],
    ['drawn and spelt faults', ['--random-faults', '--loss', '5%'], '--random-faults'],
    ['an unknown kind', ['--random-faults', 'fire'], 'majorities-ring'],
    ['drawn faults without time', ['--random-faults', '--calm', '9'], '--calm'],
    ['a file that is not there', ['--faults', '/nonexistent.json'], 'does not exist'],
    ['a flag without a value', ['--flags', 'rejoin'], 'rejoin=naive'],
    ['an unknown value', ['--flags', 'rejoin=no'], '--flags: rejoin must be dedup or naive'],
    ['an unknown flag', ['--flags', 'rejoins=no'], 'which has rejoin, coordTo, aliveTop'],
    ['a flag twice', ['--flags', 'rejoin=naive', '--flags', 'rejoin=dedup'], 'twice'],
    [
      'attributes elsewhere',
      ['--attributes', '1,2,3,4,5,6'],
      '--attributes: have no effect: nodes of bully-oneshot have no attribute',
    ],
    ['attributes that are none', ['--attributes', '1,x'], 'such as 3,1,2'],
    ['too many runs', ['--runs', '1000001'], '1..1000000'],
    ['a trace of many runs', ['--runs', '2', '--trace', 'a.txt'], '--trace'],
  ])('names %s', async (_what, flags, words) => {
    const printed = await usurp([...BULLY, ...flags]);

    expect(printed.stderr).toContain(words);
    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('names numbers that cannot go together', async () => {
    const flags = ['--flags', 'heartbeatTicks=9,electionTicks=9'];
    const printed = await usurp(['elect', 'raft', '--nodes', '6', ...flags]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(
      '--flags: heartbeatTicks must be less than electionTicks, which is 9, not 9',
    );
  });

  it.each([
    ['not JSON', '{"faults":\n[],}', 'is not JSON, line 2, column 4: expected name'],
    ['a bare list', '[]', 'must be an object such as {"faults": […]}, got a list'],
    ['no object', 'null', 'must be an object such as {"faults": […]}'],
    ['a saved run', '{"format":"usurp/schedule/v1"}', 'is a saved run; use usurp replay'],
    ['without faults', '{"calm":null}', '/faults is missing'],
    [
      'an unknown fault',
      '{"faults":[{"type":"fire"}],"calm":null,"detector":"links"}',
      '/faults/0',
    ],
  ])('names a file that is %s', async (_what, text, words) => {
    const file = join(scratchFolder(), 'faults.json');
    writeFileSync(file, text);

    const printed = await usurp([...BULLY, '--faults', file]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(file);
    expect(printed.stderr).toContain(words);
  });
});
