/**
 * @module
 * The cheapest attack over HTTP, against `usurp cheapest-attack`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { operationInThreads } from '../../../../server/jobs/operations/operation-job.ts';
import { scratchFolder, usurp } from '../../../cli/shell.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const executions = { operation: operationInThreads(1) };
const HONEST = ['0c', '5e', 'a1'].map((digits) => digits.repeat(32));
const BULLY = { protocol: 'bully-oneshot', timing: 'synchronous', goal: 'leader' } as const;
const COST = { honest: HONEST, policy: { c1: 8 } };

describe('the cheapest attack', () => {
  it.each([
    ['bully-oneshot --timing synchronous --goal leader --c1 8', { ...BULLY, ...COST }],
    [
      'cr-join --level L3 --bounds lies=1 --goal leader --c1 8 --behaviours swallow --colluders 2',
      {
        ...{ protocol: 'cr-join', level: 'L3', bounds: { lies: 1 }, goal: 'leader' },
        ...{ ...COST, colluders: 2, behaviours: ['swallow'] },
      },
    ],
    [
      'bully-oneshot --timing synchronous --goal split',
      { ...BULLY, goal: 'split', honest: HONEST },
    ],
    [
      'bully-oneshot --timing synchronous --goal leader --max-states 2',
      { ...BULLY, maxStates: 2, honest: HONEST },
    ],
  ])('has the answer of usurp cheapest-attack %s, and its counterexample', async (line, body) => {
    const { app, post } = labUnderTest({ executions });
    const [against, saved] = ['ids.txt', 'saved.json'].map((name) => join(scratchFolder(), name));
    writeFileSync(String(against), HONEST.join('\n'));
    const flags = ['--against', String(against), '--threads', '1', '--json'];
    const { stdout } = await usurp([
      'cheapest-attack',
      ...line.split(' '),
      ...flags,
      '--save',
      String(saved),
    ]);

    const { json, status } = await post('/v1/cheapest-attacks', body, WAIT);

    const { links, ...job }: Shown = json as unknown as Shown; // By the schema.
    const printed = JSON.parse(stdout);
    expect([status, job.status]).toEqual([202, 'done']);
    expect(job.result).toEqual({ ...printed, replay: expect.any(String) });
    expect(links.counterexample === undefined).toBe(printed.result !== 'reached');
    if (links.counterexample === undefined) return;
    const file = await app.request(links.counterexample);
    expect(await file.text()).toBe(readFileSync(String(saved), 'utf8'));
  });

  it.each<readonly [object, string, string]>([
    [{ nodes: 3 }, '#/nodes', 'nodes or honest, not both'],
    [{ honest: [...HONEST, HONEST[0]] }, '#/honest', 'two honest nodes'],
    [{ honest: ['00'] }, '#/honest', 'have 1 bytes'],
    [{ colluders: 10 }, '#/colluders', 'at most 9'],
    [{ behaviours: ['swalow'] }, '#/behaviours', 'there is no such one'],
    [{ honest: undefined, policy: { c1: 40 } }, '#/policy', 'need more than'],
  ])('is refused with %o', async (members, pointer, words) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/cheapest-attacks', { ...BULLY, ...COST, ...members });

    expect([status, json.code]).toEqual([400, 'arguments']);
    expect(json.errors).toMatchObject([{ pointer, detail: expect.stringContaining(words) }]);
  });
});

interface Shown {
  readonly status: string;
  readonly result: unknown;
  readonly links: { readonly counterexample?: string };
}
