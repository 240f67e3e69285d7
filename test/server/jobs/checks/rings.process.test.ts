/**
 * @module
 * Checks of all rings over HTTP, against `usurp check --ring all`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { checkInThread } from '../../../../server/jobs/checks/check.ts';
import { scratchFolder, usurp } from '../../../cli/shell.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const executions = { check: checkInThread() };

/** What `usurp check --ring all --json` prints, and the job. */
interface RingsPrinted {
  readonly rings: number;
  readonly worst: readonly number[];
  readonly answers: readonly {
    readonly ring: readonly number[];
    readonly result: string;
    readonly counts: Readonly<Record<'states' | 'transitions' | 'depth', number>>;
    readonly property?: string;
    readonly actions?: readonly unknown[];
    readonly address?: readonly number[];
  }[];
}
interface RingsJob {
  readonly result: { readonly address: readonly number[] };
  readonly rings: { readonly checked: readonly unknown[] };
  readonly links: { readonly counterexample: string };
}

describe('a check of all rings', () => {
  const LINE = 'peterson --nodes 4 --links any --ring all --property one-leader';
  const BODY = { protocol: 'peterson', nodes: 4, links: 'any', rings: 'all' } as const;

  it('has the results of usurp check, and the counterexample of the worst ring', async () => {
    const { app, post } = labUnderTest({ executions });
    const saved = join(scratchFolder(), 'saved.json');
    const words = [...LINE.split(' '), '--save', saved, '--threads', '1', '--json'];
    const { answers, rings, worst }: RingsPrinted = JSON.parse(
      (await usurp(['check', ...words])).stdout,
    );

    const { json } = await post('/v1/checks', { ...BODY, properties: ['one-leader'] }, WAIT);

    expect(json).toMatchObject({
      request: { rings: 'all', nodes: 4 },
      result: { result: 'violated', ring: worst },
      rings: { count: rings },
    });
    const { result, rings: found, links } = json as unknown as RingsJob; // By the schema.
    const shown = answers.map((answer) => ({
      ...{ ring: answer.ring, result: answer.result, states: answer.counts.states },
      ...{ transitions: answer.counts.transitions, depth: answer.counts.depth },
      ...{ property: answer.property ?? null, actions: answer.actions?.length ?? null },
    }));
    expect(found.checked).toEqual(shown);
    expect(result.address).toEqual(
      answers.find(({ ring }) => String(ring) === String(worst))?.address,
    );
    const file = await app.request(links.counterexample);
    expect(await file.text()).toBe(readFileSync(saved, 'utf8'));
  });

  it.each([
    [{ ...BODY, nodes: 8 }, 'at most 7 nodes'],
    [{ protocol: 'raft', rings: 'all' }, 'raft uses no ring'],
    [{ protocol: 'cr-join', ring: [1, 2], rings: 'all' }, 'ring or rings, not both'],
    [{ ...BODY, walks: { count: 1 } }, 'need one ring'],
  ])('is refused: %o', async (body, detail) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/checks', body);

    expect([status, json.code]).toEqual([400, 'arguments']);
    expect(json.errors).toMatchObject([{ pointer: '#/rings' }]);
    expect(String(json.detail)).toContain(detail);
  });
});
