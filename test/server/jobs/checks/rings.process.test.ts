/**
 * @module
 * Checks of all rings over HTTP, against `usurp check --all-rings`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { operationInThreads } from '../../../../server/jobs/operations/operation-job.ts';
import { parsed, scratchFolder, usurp } from '../../../cli/shell.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const executions = { operation: operationInThreads(1) };

interface Answered {
  readonly result: object;
  readonly links: { readonly counterexample: string };
}

describe('a check of all rings', () => {
  const LINE = 'peterson --nodes 4 --links any --all-rings --properties one-leader';
  const BODY = { protocol: 'peterson', nodes: 4, links: 'any', allRings: true } as const;

  it('has the results of usurp check, and the counterexample of the worst ring', async () => {
    const { app, post } = labUnderTest({ executions });
    const saved = join(scratchFolder(), 'saved.json');
    const words = [...LINE.split(' '), '--save', saved, '--threads', '1', '--json'];
    const printed = parsed(await usurp(['check', ...words]));

    const { json } = await post('/v1/checks', { ...BODY, properties: ['one-leader'] }, WAIT);

    const { result, links } = json as unknown as Answered; // By the schema.
    expect(json).toMatchObject({ request: { allRings: true, nodes: 4 } });
    expect(result).toEqual({ ...printed, replay: expect.any(String) });
    expect(result).toMatchObject({ result: 'violated', ring: [1, 2, 4, 3], rings: { count: 6 } });
    const file = await app.request(links.counterexample);
    expect(await file.text()).toBe(readFileSync(saved, 'utf8'));
  });

  it.each([
    [{ ...BODY, nodes: 8 }, 'at most 7 nodes'],
    [{ protocol: 'raft', allRings: true }, 'raft uses no ring'],
    [{ protocol: 'cr-join', ring: [1, 2], allRings: true }, 'ring or allRings, not both'],
    [{ ...BODY, walks: 1 }, 'need one ring'],
  ])('is refused: %o', async (body, detail) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/checks', body);

    expect([status, json.code]).toEqual([400, 'arguments']);
    expect(json.errors).toMatchObject([{ pointer: '#/allRings' }]);
    expect(String(json.detail)).toContain(detail);
  });
});
