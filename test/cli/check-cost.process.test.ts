/**
 * @module
 * `usurp cheapest-attack`: its exit codes, its honest nodes, what it refuses, and the file that it writes.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { scratchFolder, usurp } from './shell.ts';

const BULLY = ['cheapest-attack', 'bully-oneshot', '--nodes', '2', '--timing', 'synchronous'];
const LEADER = ['--goal', 'leader', '--seed', '1'];

describe('usurp cheapest-attack', () => {
  const folder = scratchFolder();

  it.each([
    [1, 'reached', [...BULLY, ...LEADER]],
    [0, 'unreached', [...BULLY, '--goal', 'split', '--seed', '1']],
    [2, 'unknown', [...BULLY, ...LEADER, '--max-states', '2']],
  ])('exits with %i if the goal is %s', async (exit, result, args) => {
    const { code, stdout } = await usurp([...args, '--json']);

    expect(code).toBe(exit);
    expect(JSON.parse(stdout)).toMatchObject({ result });
  });

  it('has the honest nodes of usurp attack, and the cost that its forgery has on average', async () => {
    const shared = ['--c1', '4', '--seed', '7', '--json'];
    const attack = await usurp([
      ...['attack', 'bully-oneshot', '--nodes', '3', '--forge', 'top', ...shared],
    ]);
    const cheapest = await usurp([...BULLY, '--goal', 'leader', ...shared]);

    const members: { nodeId: string; owner: string }[] = JSON.parse(attack.stdout).members;
    const honest = members.filter(({ owner }) => owner === 'honest').map(({ nodeId }) => nodeId);
    expect(JSON.parse(cheapest.stdout).honest).toEqual(honest);
  });

  it('takes node IDs and claims of a file', async () => {
    const claims = join(folder, 'claims.json');
    const ids = join(folder, 'ids.txt');
    const mined = await usurp(['mine', '--c1', '4', '--goal', 'count:2', '--seed', '3', '--json']);
    writeFileSync(claims, mined.stdout);
    const given: string[] = JSON.parse(mined.stdout).claims.map(
      ({ nodeId }: { nodeId: string }) => nodeId,
    );
    writeFileSync(ids, given.join('\n'));
    const args = [
      ...['cheapest-attack', 'bully-oneshot'],
      ...['--timing', 'synchronous', '--goal', 'leader'],
    ];

    const [one, other] = [
      await usurp([...args, '--c1', '4', '--against', ids, '--json']),
      await usurp([...args, '--c1', '4', '--against', claims, '--json']),
    ];
    const refused = await usurp([...args, '--c1', '30', '--against', claims]);

    expect(one.stdout).toBe(other.stdout);
    expect(JSON.parse(one.stdout).honest).toEqual(given.toSorted());
    expect(refused.stderr).toContain('claim 1 is refused under this policy');
  });

  it('writes a counterexample that violates its property again', async () => {
    const file = join(folder, 'cheapest.json');
    const { stderr } = await usurp([...BULLY, ...LEADER, '--save', file]);
    const again = await usurp(['replay', file]);

    expect(stderr).toContain(`counterexample written to ${file}`);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain(
      'reachable: adversary-leads: every live honest node follows node 3',
    );
  });

  it.each([
    [[], /--goal is missing/],
    [[...LEADER, '--ring', '1,2'], /--ring/],
    [[...LEADER, '--behaviours', '2=swallow'], /behaviour 2=swallow: there is no such one/],
    [[...LEADER, '--colluders', '11'], /at most 12 nodes/],
    [[...LEADER, '--against', 'ids.txt'], /--seed/],
    [[...LEADER, '--c1', '40'], /--against/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await usurp(['cheapest-attack', 'bully-oneshot', ...args]);

    expect(code).toBe(254);
    expect(stderr).toMatch(message);
  });
});
