/**
 * @module
 * The cheapest attack over HTTP, against `usurp check --cost`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { checkInThread } from '../../../../server/jobs/checks/check.ts';
import { scratchFolder, usurp } from '../../../cli/shell.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const executions = { check: checkInThread() };
const HONEST = ['0c', '5e', 'a1'].map((digits) => digits.repeat(32));
const BULLY = { protocol: 'bully-oneshot', timing: 'synchronous', goal: 'leader' } as const;
const COST = { honest: HONEST, policy: { c1: 8 } } as const;

describe('a check with the cost of an attack', () => {
  it.each([
    ['bully-oneshot --timing sync --goal leader --c1 8', { ...BULLY, cost: COST }],
    [
      'cr-join --level L3 --bounds lies=1 --goal leader --c1 8 --behaviour swallow --colluders 2',
      {
        ...{ protocol: 'cr-join', level: 'L3', bounds: { lies: 1 }, goal: 'leader' },
        cost: { ...COST, colluders: 2, behaviours: ['swallow'] },
      },
    ],
    [
      'bully-oneshot --timing sync --goal split',
      { ...BULLY, goal: 'split', cost: { honest: HONEST, policy: {} } },
    ],
    [
      'bully-oneshot --timing sync --goal leader --max-states 2',
      { ...BULLY, maxStates: 2, cost: { honest: HONEST, policy: {} } },
    ],
  ])('has the answer of usurp check %s --cost, and its counterexample', async (line, body) => {
    const { app, post } = labUnderTest({ executions });
    const [against, saved] = ['ids.txt', 'saved.json'].map((name) => join(scratchFolder(), name));
    writeFileSync(String(against), HONEST.join('\n'));
    const flags = ['--cost', '--against', String(against), '--threads', '1', '--json'];
    const { stdout } = await usurp([
      'check',
      ...line.split(' '),
      ...flags,
      '--save',
      String(saved),
    ]);

    const { json, status } = await post('/v1/checks', body, WAIT);

    const { links, ...job }: Shown = json as unknown as Shown; // By the schema.
    const printed = JSON.parse(stdout);
    expect([status, job.status, job.result]).toEqual([202, 'done', undefined]);
    expect(job.cheapest).toEqual(printed);
    expect(links.counterexample === undefined).toBe(printed.result !== 'reached');
    if (links.counterexample === undefined) return;
    const file = await app.request(links.counterexample);
    expect(await file.text()).toBe(readFileSync(String(saved), 'utf8'));
  });

  it.each<readonly [object, string, string]>([
    [{ nodes: 3 }, '#/nodes', 'leave it out'],
    [{ properties: ['one-leader'] }, '#/properties', 'leave it out'],
    [{ rings: 'all' }, '#/rings', 'rings or cost, not both'],
    [{ goal: undefined }, '#/goal', 'cost needs a goal'],
    [{ cost: { ...COST, honest: [...HONEST, HONEST[0]] } }, '#/cost/honest', 'two honest nodes'],
    [{ cost: { ...COST, honest: ['00'] } }, '#/cost/honest', 'have 1 bytes'],
    [{ cost: { ...COST, colluders: 10 } }, '#/cost/colluders', 'at most 9'],
    [{ cost: { ...COST, behaviours: ['swalow'] } }, '#/cost/behaviours', 'there is no such one'],
  ])('is refused with %o', async (members, pointer, words) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/checks', { ...BULLY, cost: COST, ...members });

    expect([status, json.code]).toEqual([400, 'arguments']);
    expect(json.errors).toMatchObject([{ pointer, detail: expect.stringContaining(words) }]);
  });
});

interface Shown {
  readonly status: string;
  readonly result?: unknown;
  readonly cheapest: unknown;
  readonly links: { readonly counterexample?: string };
}
