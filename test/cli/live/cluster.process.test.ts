/**
 * @module
 * `usurp cluster up`: faults from a script and from stdin, the check of what the nodes did, and that no process and no file
 * is left, also if the command is killed while a node is paused.
 */

import { spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, ROOT, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

/** The processes whose command line contains a text. */
function processesWith(text: string): number[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      return readFileSync(path, 'utf8').includes(text) ? [Number(path.split('/')[2])] : [];
    } catch {
      return [];
    }
  });
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds() && Date.now() < deadline) await new Promise((done) => setTimeout(done, 50));
}

describe('a cluster', () => {
  it('of bully-oneshot is led by the highest that it can reach, and the model takes every step', async () => {
    const folder = scratchFolder();
    const script = join(folder, 'faults.txt');
    // Each detector has reported the fault before it ends: without a later report Bully stays split.
    const settled = ['wait', 'sleep 1s'];
    const faults = ['wait', 'kill leader', 'wait', 'start 3', 'wait', '# the zombie', 'pause 3'];
    writeFileSync(
      script,
      [...faults, ...settled, 'resume 3', 'wait', 'partition 3', ...settled, 'heal', 'wait'].join(
        '\n',
      ),
    );
    const files = join(folder, 'cluster');

    const printed = await usurp([
      ...['cluster', 'up', '--protocol', 'bully-oneshot', '--latency', '150ms'],
      ...['--script', script, '--folder', files, '--trace', join(folder, 'run.svg'), '--json'],
    ]);

    const lines = printed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const agreements = lines.filter(({ agreed }) => agreed === true);
    expect(printed.code).toBe(0);
    expect(agreements.map(({ leader, nodes }) => [leader, nodes])).toEqual([
      [3, [1, 2, 3]],
      [2, [1, 2]],
      [3, [1, 2, 3]],
      [2, [1, 2]],
      [3, [1, 2, 3]],
      [2, [1, 2]],
      [3, [1, 2, 3]],
    ]);
    expect(lines.at(-1)).toMatchObject({ accepted: true, leaders: [3, 3, 3], defect: null });
    expect(readFileSync(join(folder, 'run.svg'), 'utf8')).toContain('<svg');
    expect(readdirSync(files).filter((name) => name.endsWith('.log'))).toHaveLength(3);
    expect(processesWith(files)).toEqual([]);
  });

  it('of raft elects in a higher epoch after a kill, with a node that has forgotten, lost and repeated messages, and a fast clock', async () => {
    const commands = ['kill 1', 'start 1 amnesia', 'wait', 'lose 5% 7', 'duplicate 1 7'];
    const more = [
      'kill leader',
      'wait',
      'status',
      'start last',
      'skew leader 2',
      'jump leader +1s',
      'heel',
      'lose 2',
      'start 9',
    ];
    const last = ['join no-such-key.json', 'loss 5%'];

    const printed = await usurp(
      ['cluster', 'up', '--protocol', 'raft', '--latency', '100ms', '--quiet'],
      `${[...commands, ...more, ...last].join('\n')}\n`,
    );

    const epochs = [...printed.stdout.matchAll(/^leader \d in epoch (\d+) of nodes/gm)];
    expect(epochs).toHaveLength(2);
    expect(Number(epochs[1]?.[1])).toBeGreaterThan(Number(epochs[0]?.[1]));
    expect(printed.stdout).toContain('lose 5% with seed 7\nduplicate 100% with seed 7\n');
    expect(printed.stdout).toMatch(
      /^skew \d 2\njump \d \+1s\n(?:.*\n)*The model takes all \d+ steps$/m,
    );
    expect(printed.stdout).toMatch(/ s after the start: leader \d in epoch \d+ -> none$/m);
    expect(printed.stdout).toMatch(/^(?:\d follows \d in epoch \d+, ){0,2}\d is down/m);
    expect(printed.stdout).toMatch(/is down.*\nlose 5% with seed 7\nduplicate 100% with seed 7$/m);
    expect(printed.stderr).toBe(
      [
        'usurp: "heel" is no command (did you mean heal?); ? or usurp cluster --help lists them',
        'usurp: expected a share from 0 to 1 such as 0.25 or 25%',
        'usurp: there is no node 9; the nodes are 1..3',
        'usurp: no-such-key.json does not exist',
        'usurp: loss and delay need network namespaces; use up --netns\n',
      ].join('\n'),
    );
    expect(printed.code).toBe(0);
  });

  it('runs a protocol of a file of the user, whose path is relative', async () => {
    const script = join(scratchFolder(), 'wait.txt');
    writeFileSync(script, 'wait\n');
    const own = ['--load', 'examples/definitions/example-protocol.ts'];
    const run = ['--protocol', 'example-protocol', '--latency', '150ms', '--script', script];

    const printed = await ended(spawnUsurp(['cluster', 'up', ...own, ...run, '--quiet']));

    expect(printed.stderr).toBe('');
    expect(printed.stdout).toMatch(
      /^leader 3 of nodes 1, 2, 3 after .*\nThe model takes all \d+ steps$/m,
    );
    expect(printed.code).toBe(0);
  });

  it.skipIf(!existsSync('/proc/self/cmdline'))(
    'leaves no process and no file if it is killed while a node is paused (skipped without /proc)',
    async () => {
      const folder = scratchFolder();
      const env = { ...process.env, TMPDIR: folder };
      const args = [`${ROOT}/bin/usurp.js`, 'cluster', 'up', '--protocol', 'bully-oneshot'];
      const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdin.write('wait\npause 1\n');
      let stdout = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      await until(() => stdout.includes('pause 1'));
      const before = processesWith(folder).length;

      child.kill('SIGKILL');

      await until(() => processesWith(folder).length === 0 && !hasClusterFolder(folder));
      expect(before).toBe(4);
      expect(processesWith(folder)).toEqual([]);
      expect(hasClusterFolder(folder)).toBe(false);
    },
  );

  it('of a folder is started again with what its nodes had persisted, and is drawn again in parts', async () => {
    const folder = scratchFolder();
    const [files, script] = [join(folder, 'cluster'), join(folder, 'faults.txt')];
    writeFileSync(script, 'wait\npause 1\nsleep 100ms\nresume 1\nwait\n');
    const run = ['--script', script, '--folder', files];
    const trace = join(folder, 'run.txt');

    const first = await usurp([
      ...['cluster', 'up', '--protocol', 'raft', '--nodes', '1', '--latency', '70ms', ...run],
    ]);
    const again = await usurp(['cluster', 'up', ...run, '--json']);
    const other = await usurp(['cluster', 'up', ...run, '--latency', '90ms', '--level', 'L2']);
    const traced = await usurp([
      ...['cluster', 'trace', '--folder', files, '--trace', trace, '--no-heartbeats', '--to', '1h'],
    ]);
    const empty = await usurp([
      ...['cluster', 'trace', '--folder', files, '--trace', `${trace}.svg`, '--from', '1h'],
    ]);

    const agreements = again.stdout.split('\n').filter((line) => line.includes('agreed'));
    expect(first.stdout).toMatch(/^leader 1 in epoch 1 of nodes 1 /m);
    expect(agreements.map((line) => JSON.parse(line).epoch)).toEqual([2, 2]);
    expect(again.stderr).toMatch(
      /^the cluster is back; its times count from its first start, \d+ s ago$/m,
    );
    expect([first.code, again.code, traced.code]).toEqual([0, 0, 0]);
    expect(other.stderr).toBe(
      `usurp: the cluster of ${files} runs with --level L3, not L2, and with --latency 70ms, not 90ms; leave --level and --latency out to start it again, or name another folder for a new cluster\n`,
    );
    expect(other.code).toBe(254);
    const drawing = readFileSync(trace, 'utf8');
    expect(drawing.match(/‖ {3}pauses$/gm)).toHaveLength(2);
    expect(drawing).toMatch(/returns: .*\n/);
    expect(drawing).toContain('shown: to 3600.0 s, without heartbeats');
    expect(empty.stderr).toContain(
      'no trace is written: nothing happens in this part of the trace',
    );
    expect(empty.code).toBe(254);
  });

  it('refuses a folder with other files, or without a cluster', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const up = ['cluster', 'up', '--protocol', 'raft', '--folder', folder];

    const used = await usurp(up);
    const none = await usurp(['cluster', 'trace', '--folder', join(folder, 'none')]);

    expect(used.stderr).toContain('is not empty, and no cluster was started in it');
    expect(none.stderr).toContain('no cluster was started in');
    expect([used.code, none.code]).toEqual([254, 254]);
  });

  it.each([
    [['--from', '5s'], '--from has no effect without --trace'],
    [['--trace', 'a.svg', '--from', '5s', '--to', '4s'], '--to is before --from'],
    [['--trace', 'a.svg', '--only', '1,x'], 'expected numbers of nodes, or store, such as 1,3'],
  ])('refuses a part of a trace by %j', async (args, message) => {
    const printed = await usurp(['cluster', 'up', '--protocol', 'raft', ...args]);

    expect(printed.stderr).toContain(message);
    expect(printed.code).toBe(254);
  });

  it('ends a script at a command that is impossible, names its line, and checks what the nodes did', async () => {
    const folder = scratchFolder();
    const script = join(folder, 'faults.txt');
    writeFileSync(script, '# a node that is up\nwait\nstart 1\nkill 1\n');
    const trace = join(folder, 'run.svg');

    const printed = await usurp([
      ...['cluster', 'up', '--protocol', 'bully-oneshot', '--nodes', '1', '--quiet'],
      ...['--script', script, '--trace', trace],
    ]);

    expect(printed.stderr).toBe(`usurp: ${script}:3: node 1 is up; kill it first\n`);
    expect(printed.stdout).not.toContain('kill');
    expect(printed.stdout).toMatch(/^The model takes all \d+ steps$/m);
    expect(readFileSync(trace, 'utf8')).toContain('<svg');
    expect(printed.code).toBe(254);
  });

  it('ends at down, given before the nodes have started, while its stdin is an open pipe, without a hint for people who type', async () => {
    const child = spawnUsurp(['cluster', 'up', '--protocol', 'bully-oneshot', '--nodes', '1']);
    child.stdin.write('down\n');

    const printed = await ended(child);

    const [address, ...notes] = printed.stderr.split('\n');
    expect(address).toMatch(/^node 1 {2}https:\/\/127\.0\.0\.1:\d+$/);
    expect(notes).toEqual(['']);
    expect(printed.stdout).toMatch(/^The model takes all \d+ steps$/m);
    expect(printed.code).toBe(0);
  });

  it('ends at once with the cause if no node can start, and does not repeat the name of the program', async () => {
    const printed = await usurp(
      ['cluster', 'up', '--protocol', 'db-lease', '--nodes', '1', '--store', 'redis:127.0.0.1:1'],
      'wait\n',
    );

    expect(printed.stdout).toBe('');
    expect(printed.stderr).toMatch(/^usurp: node 1 has ended: no Redis can be used at 127.0.0.1:1/);
    expect(printed.stderr).toContain('usurp: no node is left, and no command was carried out');
    expect(printed.code).toBe(254);
  });

  it.each([
    [['up'], 'up needs --protocol'],
    [['up', '--protocol', 'db-lease'], 'db-lease needs a store'],
    [['trace', 'a.log'], 'trace needs --peers'],
    [['down'], "'down' is invalid"],
  ])('refuses %j', async (args, message) => {
    const printed = await usurp(['cluster', ...args]);

    expect(printed.stderr).toContain(message);
    expect(printed.code).toBe(254);
  });

  it.each([
    ['skew 1 1000', 'expected a rate from 0.01 to 100 such as 1.5'],
    ['jump 1 5s', 'jump needs a node and a time with its sign, such as jump 2 +5s or jump 2 -5s'],
    ['skew 1', 'skew needs a node and a rate, such as skew 2 1.5'],
    ['kill', 'kill needs one node: a number, leader or last, such as kill 2'],
    ['attack', 'attack needs a budget, such as attack 20s or attack 2^20'],
    ['sleep soon', 'expected a time'],
  ])('refuses a script with its first wrong line, such as %s', async (line, message) => {
    const script = join(scratchFolder(), 'faults.txt');
    writeFileSync(script, `wait\n${line}\n`);

    const printed = await usurp(['cluster', 'up', '--protocol', 'raft', '--script', script]);

    expect(printed.stderr).toContain(`usurp: ${script}:2: ${message}`);
    expect(printed.code).toBe(254);
  });
});

function hasClusterFolder(folder: string): boolean {
  return readdirSync(folder).some((name) => name.startsWith('usurp-cluster-'));
}

describe('the flags of a protocol', () => {
  it('are those of each node, of a restart and of the check', async () => {
    const folder = scratchFolder();
    const script = join(folder, 'faults.txt');
    writeFileSync(script, 'wait\nkill leader\nwait');
    const files = join(folder, 'cluster');
    const up = ['cluster', 'up', '--script', script, '--folder', files];
    const lease = ['--protocol', 'kubernetes-lease', '--store', 'sqlite'];

    const first = await usurp([...up, ...lease, '--flags', 'leaseDuration=4000']);
    const other = await usurp([...up, '--flags', 'leaseDuration=5000']);
    const checked = await usurp(['cluster', 'trace', '--folder', files]);

    const seconds = [...first.stdout.matchAll(/ after ([\d.]+) s/g)].map(([, text]) =>
      Number(text),
    );
    expect(first.code).toBe(0);
    // A lease of the default length is over after a second.
    expect(seconds[1]).toBeGreaterThan(3);
    expect(other.stderr).toContain('runs with --flags leaseDuration=4000, not leaseDuration=5000');
    expect(checked.stdout).toContain('The model takes all');
  });

  it.each([
    ['leaseTime=9', '--flags: leaseTime is no flag of kubernetes-lease'],
    ['leaseDuration', 'expected a list such as rejoin=naive, each name once'],
    ['leaseDuration=9,leaseDuration=8', 'each name once'],
  ])('%s are refused', async (flags, refusal) => {
    const asked = ['--protocol', 'kubernetes-lease', '--store', 'sqlite', '--flags', flags];

    const { code, stderr } = await usurp(['cluster', 'up', ...asked]);

    expect(code).toBe(254);
    expect(stderr).toContain(refusal);
  });
});

describe('a partition', () => {
  it('of nodes that elect in a store is none while they all reach it', async () => {
    const script = join(scratchFolder(), 'faults.txt');
    writeFileSync(script, 'wait\npartition 1 2 3\nwait\npartition 1 2,store\nwait');

    const { code, stdout } = await usurp([
      ...['cluster', 'up', '--protocol', 'db-lease', '--store', 'sqlite', '--script', script],
    ]);

    const led = stdout.match(/of nodes [\d, ]+(?= after)/g);
    expect(code).toBe(0);
    expect(led).toEqual(['of nodes 1, 2, 3', 'of nodes 1, 2, 3', 'of nodes 2']);
  });
});
