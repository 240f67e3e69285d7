/**
 * @module
 * `usurp check`: its exit codes, what it says of a search that reached a limit, and what it refuses.
 */

import { describe, expect, it } from 'vitest';

import { usurp } from './shell.ts';

describe('usurp check', () => {
  it.each([
    [0, 'exhausted', ['cr-join', '--nodes', '3']],
    [1, 'violated', ['bully-oneshot', '--nodes', '3', '--property', 'all']],
    [0, 'exhausted', ['cr-join', '--bounds', 'loss=1']],
    [1, 'violated', ['cr-join', '--bounds', 'loss=1', '--property', 'leader-elected']],
    [2, 'capped', ['raft', '--max-states', '1000']],
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

  it('prints the actions of a violation, and who is concerned', async () => {
    const { stdout } = await usurp(['check', 'bully-oneshot', '--property', 'all']);

    expect(stdout).toContain('violated: one-leader: nodes 1 and 3 lead at the same time');
    expect(stdout).toContain('   4  node 1  timer answer: leads');
  });

  it('names the properties that are not claimed, and why', async () => {
    const { stdout } = await usurp(['check', 'bully-oneshot', '--json']);

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
    [['cr-join', '--initiators', '4'], /no node 4/],
    [['cr-join', '--crashed', '1,2,3'], /leave a node up/],
    [['cr-join', '--flag', 'colour=red'], /colour/],
    [['db-lease', '--nodes', '12'], /at most 12 nodes with the store/],
    [['cr-jion'], /cr-join/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await usurp(['check', ...args]);

    expect(code).toBe(254);
    expect(stderr).toMatch(message);
  });
});
