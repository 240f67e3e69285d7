/**
 * @module
 * `usurp check`: its exit codes, what it says of a search that reached a limit, and what it refuses.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { scratchFolder, usurp } from './shell.ts';

describe('usurp check', () => {
  it.each([
    [0, 'exhausted', ['cr-join', '--nodes', '3']],
    [1, 'violated', ['bully-oneshot', '--nodes', '3', '--properties', 'all']],
    [0, 'exhausted', ['cr-join', '--bounds', 'loss=1']],
    [1, 'violated', ['cr-join', '--bounds', 'loss=1', '--properties', 'leader-elected']],
    [2, 'capped', ['raft', '--max-states', '1000']],
    [2, 'capped', ['cr-join', '--walks', '10', '--seed', '1']],
    [
      1,
      'violated',
      ['bully-oneshot', '--properties', 'one-leader', '--walks', '99', '--seed', '1'],
    ],
  ])('exits with %i if the result is %s', async (exit, result, args) => {
    const { code, stdout } = await usurp(['check', ...args, '--json']);

    expect(code).toBe(exit);
    expect(JSON.parse(stdout)).toMatchObject({ result });
  });

  it('never says that a property holds if the search was capped', async () => {
    const { stdout } = await usurp(['check', 'raft', '--max-states', '1000']);

    expect(stdout).toContain('capped');
    expect(stdout).not.toMatch(/\bholds\b|impossible/);
  });

  it('never says so of random walks, and states their seed', async () => {
    const { stdout, stderr } = await usurp(['check', 'cr-join', '--walks', '20', '--depth', '50']);

    const [, chosen = ''] = /seed (\d+) was chosen/.exec(stderr) ?? [];
    expect(stdout).toContain(`20 random walks with seed ${chosen}: `);
    expect(stdout).toContain(
      'capped: 20 random walks of at most 50 actions ended; the other executions are unknown',
    );
    expect(stdout).not.toMatch(/\bholds\b|impossible|exhausted/);
  });

  it('checks all that concerns a protocol that claims nothing that can be violated', async () => {
    const { code, stdout } = await usurp(['check', 'bully-oneshot']);

    expect(code).toBe(1);
    expect(stdout).toContain('violated: one-leader: nodes 1 and 3 lead at the same time');
    expect(stdout).toMatch(
      /bully-oneshot claims none of these here:\none-leader +asynchronous timing/,
    );
  });

  it('checks all rings, and takes the result and the exit code of the worst', async () => {
    const peterson = ['check', 'peterson', '--nodes', '4', '--links', 'any', '--all-rings'];
    const { code, stdout } = await usurp([...peterson, '--properties', 'one-leader', '--json']);

    const answer = JSON.parse(stdout);

    expect(code).toBe(1);
    expect(answer).toMatchObject({ result: 'violated', ring: [1, 2, 4, 3], rings: { count: 6 } });
    expect(
      answer.rings.checked.map((each: { ring: number[]; result: string }) => [
        each.ring.join(),
        each.result,
      ]),
    ).toEqual([
      ['1,2,3,4', 'exhausted'],
      ['1,2,4,3', 'violated'],
      ['1,3,2,4', 'exhausted'],
      ['1,3,4,2', 'exhausted'],
      ['1,4,2,3', 'exhausted'],
      ['1,4,3,2', 'violated'],
    ]);
  });

  it('prints the total of all rings and the worst one', async () => {
    const { code, stdout } = await usurp(['check', 'cr-join', '--all-rings']);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^1,2,3 +exhausted/m);
    expect(stdout).toMatch(/^2 rings: 2 exhausted; \d+ worlds, \d+ transitions$/m);
  });

  it('saves what a random walk finds as it saves what a search finds', async () => {
    const file = join(scratchFolder(), 'walk.json');
    const walk = ['--walks', '99', '--seed', '1', '--save', file];
    const found = await usurp(['check', 'bully-oneshot', '--properties', 'one-leader', ...walk]);

    const replayed = await usurp(['replay', file]);

    expect(found.stdout.replaceAll(/\s+/g, ' ')).toContain('a shorter one may exist');
    expect(replayed).toMatchObject({ code: 0 });
    expect(replayed.stdout).toContain('violated: one-leader');
    expect(replayed.stdout).toContain('the saved one');
  });

  it('prints the actions of a violation, and who is concerned', async () => {
    const { stdout } = await usurp(['check', 'bully-oneshot', '--properties', 'all']);

    expect(stdout).toContain('violated: one-leader: nodes 1 and 3 lead at the same time');
    expect(stdout).toContain('   4  node 1  timer answer: leads');
  });

  it.each([
    [['cr-join', '--ring', '2,3,1'], 'cr-join, 3 nodes, ring 2,3,1, async'],
    [
      ['cr-join', '--initiators', '1,2', '--crashed-before', '3'],
      ', crashed 3, initiators 1,2, async',
    ],
    [['cr-join', '--phantoms', '3'], ', 3 nodes, phantoms 3, async'],
    [['raft', '--flags', 'spreadTicks=1', '--bounds', 'timeout=1'], 'raft, spreadTicks=1, 3 nodes'],
    [['cr-join', '--nodes', '1'], 'cr-join, 1 node, async'],
  ])('names what of the instance is not the default: %j', async (args, head) => {
    const { stdout } = await usurp(['check', ...args]);

    expect(stdout.split('\n')[0]).toContain(head);
  });

  it.each([
    [
      ['raft', '--max-states', '1'],
      'capped: 1 world was visited; the other worlds are unknown\na larger --max-states',
    ],
    [
      ['raft', '--flags', 'spreadTicks=9999'],
      'a value of --flags with which the choice has fewer values may show more',
    ],
    // Neither timers nor more than two messages on a link.
    [['cr-join', '--max-states', '20'], '\na larger --max-states, or --walks 1000 may show more'],
    [
      ['bully-oneshot', '--properties', 'settles', '--max-states', '20000'],
      'a bound of timers such as --bounds timeout=2, a limit of messages such as --per-link 2, or',
    ],
    // A TOKEN of an early round stays on its way while others choose again and again.
    [
      ['itai-rodeh', '--starts', 'any', '--max-states', '2000'],
      '\na larger --max-states, a limit of terms such as --spread 2, a limit of messages',
    ],
    [['itai-rodeh', '--starts', 'any', '--spread', '2'], 'exhausted: all executions'],
    [
      ['bully-oneshot', '--timing', 'synchronous', '--nodes', '4', '--max-states', '200'],
      '\na larger --max-states, a bound of timers such as --bounds timeout=2, or --walks 1000 may',
    ],
  ])('names what may show more than a capped search: %j', async (args, text) => {
    const { stdout } = await usurp(['check', ...args]);

    // Long sentences are wrapped.
    const words = (of: string) => of.replaceAll(/\s+/g, ' ');
    expect(words(stdout)).toContain(words(text));
  });

  it('says that nothing was written if there is no violation', async () => {
    const file = join(scratchFolder(), 'none.json');
    const { stderr } = await usurp(['check', 'cr-join', '--nodes', '2', '--save', file]);

    expect(stderr).toContain(`${file} was not written: there is no violation to show`);
  });

  it('names the properties that are not claimed, and why', async () => {
    const { stdout } = await usurp(['check', 'bully-oneshot', '--max-states', '1000', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({
      unclaimed: expect.arrayContaining([
        {
          name: 'one-leader',
          reason: 'asynchronous timing: An OK that arrives after T counts as none.',
        },
      ]),
    });
  });

  it.each([
    [['cr-join', '--ring', '1,2,4'], /every rank 1\.\.3 once/],
    [['cr-join', '--bounds', 'crash=9'], /crash=1,loss=2/],
    [['cr-join', '--bounds', 'storm=1'], /crash=1,loss=2/],
    [['cr-join', '--bounds', 'crash=1,loss=1,crash=2'], /each once/],
    [['cr-join', '--bounds', 'crash=1', '--bounds', 'loss=1'], /given twice: write one list/],
    [['cr-join', '--cut', '1-2,2-1'], /2-1 must be two different nodes, and be named once/],
    [['cr-join', '--cut', '1-2', '--cut', '2-3'], /given twice: write one list/],
    [['cr-join', '--max-memory', '1000TB'], /MB or GB from 256MB to 999999GB/],
    [['cr-join', '--initiators', '4'], /no node 4/],
    [['cr-join', '--crashed-before', '1,2,3'], /leave a node up/],
    [['cr-join', '--flags', 'colour=red'], /colour/],
    [['db-lease', '--nodes', '12'], /at most 12 nodes with the store/],
    [['raft', '--all-rings'], /raft uses no ring/],
    [['cr-join', '--all-rings', '--nodes', '8'], /at most 7 nodes/],
    [['cr-join', '--all-rings', '--walks', '8'], /random walks need one ring/],
    [['cr-join', '--ring', '2,1', '--nodes', '3'], /give nodes or ring, not both/],
    [['cr-join', '--depth', '9'], /depth belongs to random walks; add walks/],
    [['cr-join', '--walks', '9', '--resume', 'check.usurp'], /--resume/],
    [['cr-jion'], /cr-join/],
    [['bully-oneshot', '--goal', 'leader'], /the goal leader needs a Byzantine node/],
    [['cr-join', '--byzantine', 'swallow'], /as in 2=swallow\+flap/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await usurp(['check', ...args]);

    expect(code).toBe(254);
    expect(stderr).toMatch(message);
  });
});

describe('a counterexample', () => {
  const folder = scratchFolder();
  const file = join(folder, 'two-leaders.json');

  it('is saved, and violates its property again', async () => {
    const saved = await usurp([
      'check',
      'bully-oneshot',
      '--properties',
      'one-leader',
      '--save',
      file,
    ]);
    const again = await usurp(['replay', file]);

    expect(saved.stderr).toContain(`counterexample written to ${file}`);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('violated: one-leader: nodes 1 and 3 lead at the same time');
    expect(again.stdout).toContain('   4  node 1  timer answer: leads');
    expect(again.stdout).toMatch(/digest [0-9a-f]{64}, the saved one\n$/);
  });

  it.each(['svg', 'txt', 'jsonl', 'shiviz'])('is drawn as .%s', async (extension) => {
    const path = join(folder, `trace.${extension}`);

    const { stderr } = await usurp(['replay', file, '--trace', path]);

    expect(stderr).toContain(`trace written to ${path}`);
    expect(readFileSync(path, 'utf8')).toContain('starts');
  });

  it('differs if an action was changed', async () => {
    const { address, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
    const changed = JSON.stringify({ ...rest, address: address.slice(0, -1) });

    const { code, stdout } = await usurp(['replay', '-'], changed);

    expect(code).toBe(1);
    expect(stdout).toContain('not violated: one-leader holds in the last world');
  });

  it('is refused with an action that is not possible', async () => {
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    const changed = JSON.stringify({ ...saved, address: [7] });

    const { code, stderr } = await usurp(['replay', '-'], changed);

    expect(code).toBe(254);
    expect(stderr).toContain('stdin: /address/0: there is no possible action 7');
  });

  it('is not written over a file', async () => {
    const { code, stderr } = await usurp([
      'check',
      'bully-oneshot',
      '--properties',
      'one-leader',
      '--save',
      file,
    ]);

    expect(code).toBe(254);
    expect(stderr).toContain('--force');
  });
});

describe('usurp check --interactive', () => {
  const args = ['check', 'bully-oneshot', '--properties', 'all', '--interactive'];

  it('carries out numbered actions, goes back, and shows what is violated', async () => {
    const start = ['1', '1', '1'];
    const probe = await usurp(args, `${start.join('\n')}\n`);
    const [, timer = ''] = /\n +(\d+) +node 1 timer answer: leads/.exec(probe.stdout) ?? [];

    const { code, stdout } = await usurp(args, `${[...start, timer, 'u', 'p', 'x'].join('\n')}\n`);

    expect(code).toBe(0);
    expect(stdout).toContain('one-leader      VIOLATED  nodes 1 and 3 lead at the same time');
    expect(stdout.lastIndexOf('\n3: ')).toBeGreaterThan(stdout.lastIndexOf('\n4: '));
    expect(stdout).toContain('   2  node 2  starts: ELECTION to 3; sets answer in 3\n');
    expect(stdout).toContain('there is no action "x"; type ? for help');
  });

  it.each([
    ['--goal', 'leader'],
    ['--properties', 'adversary-leads'],
  ])('shows the goal of an adversary as not reached until it is: %s', async (flag, name) => {
    const file = join(scratchFolder(), 'goal.json');
    const lies = ['cr-replace', '--byzantine', '2', '--level', 'L3', '--bounds', 'lies=1'];
    await usurp(['check', ...lies, '--goal', 'leader', '--save', file]);
    const { address } = JSON.parse(readFileSync(file, 'utf8'));
    const numbers = address.map((index: number) => index + 1).join('\n');

    const { stdout } = await usurp(['check', ...lies, flag, name, '--interactive'], numbers);

    const judged = [...stdout.matchAll(/adversary-leads +(holds|VIOLATED|not yet|reached)/g)];
    const truths = judged.map(([, truth]) => truth);
    expect(truths).toEqual([...address.map(() => 'not yet'), 'reached']);
  });

  it('shows states and a diagram, and ends with its input', async () => {
    const { code, stdout } = await usurp(args, '1\ns\nd\n?\nr\nu\nq\n');

    expect(code).toBe(0);
    expect(stdout).toContain('node 1  {"phase":"await-ok"');
    expect(stdout).toContain('1 → 2');
    expect(stdout).toContain('● acts');
    expect(stdout).toContain('go back by one action');
    expect(stdout).toContain('this is the first world');
  });
});
