/**
 * @module
 * `usurp elect` as a user meets it: the documented members, counts, exit codes, traces.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const BULLY = ['elect', 'bully-oneshot'];
const RING = ['elect', 'cr-join'];

describe('elect', () => {
  it('counts 45, 36 and 8 when the lowest of ten notices that the highest is dead', async () => {
    const args = [
      ...BULLY,
      '--nodes',
      '10',
      '--crash',
      'highest',
      '--initiators',
      'lowest',
      '--json',
    ];

    const printed = await usurp(args);

    expect(printed.code).toBe(0);
    expect(parsed(printed).messages).toEqual({ ELECTION: 45, OK: 36, COORDINATOR: 8, total: 89 });
    expect(parsed(printed).leader.rank).toBe(9);
  });

  it('prints exactly the documented members', async () => {
    const answer = parsed(await usurp([...RING, '--ring', '3,1,2', '--json']));

    expect(Object.keys(answer)).toEqual([
      'protocol',
      'leader',
      'agreed',
      'messages',
      'ticks',
      'verdict',
      'seed',
      'replay',
      'audit',
    ]);
    expect(answer).toMatchObject({
      protocol: 'cr-join',
      leader: { rank: 3, nodeId: expect.stringMatching(/^[0-9a-f]{64}$/) },
      agreed: true,
      messages: { PROBE: 5, SELECTED: 3, total: 8 },
      verdict: { value: 'true' },
      audit: { trail: [{ at: 3, node: 3, leads: true, epoch: 0 }], omitted: 0 },
    });
  });

  it('sends clockwise along --ring', async () => {
    const increasing = await usurp([...RING, '--ring', '1,2,3,4,5', '--json']);
    const decreasing = await usurp([...RING, '--ring', '5,4,3,2,1', '--json']);
    const byId = await usurp([...RING, '--nodes', '5', '--ring-order', 'by-id', '--json']);

    expect(parsed(increasing).messages.PROBE).toBe(9);
    expect(parsed(decreasing).messages.PROBE).toBe(15);
    expect(parsed(byId).messages.PROBE).toBe(9);
  });

  it('closes a ring around nodes that crashed before the run, and leaves a gap where a node crashes', async () => {
    const before = await usurp([
      ...RING,
      '--nodes',
      '5',
      '--crash',
      'highest',
      '--seed',
      '1',
      '--json',
    ]);
    const during = await usurp([
      ...RING,
      '--nodes',
      '5',
      '--crash',
      '5@1',
      '--seed',
      '1',
      '--json',
    ]);

    expect(before.code).toBe(0);
    expect(parsed(before).leader.rank).toBe(4);
    expect(during.code).toBe(1);
    expect(parsed(during)).toMatchObject({ leader: null, agreed: false });
  });

  it('elects the next one when the highest dies during Bully', async () => {
    const args = ['--nodes', '5', '--crash', 'highest@3', '--latency', 'uniform:1:4', '--json'];

    for (const seed of ['1', '2', '3', '4']) {
      const printed = await usurp([...BULLY, ...args, '--seed', seed]);

      expect(printed.code, `seed ${seed}`).toBe(0);
      expect(parsed(printed).leader.rank, `seed ${seed}`).toBe(4);
    }
  });

  it('counts the messages of a cold start and those of the failure after it apart', async () => {
    const bully = ['elect', 'bully-oneshot', '--nodes', '5', '--seed', '1'];
    const alone = await usurp([...bully, '--json']);
    const crashed = await usurp([...bully, '--crash', 'leader@100', '--json']);
    const table = await usurp([...bully, '--crash', 'leader@100']);

    const { messages, failure } = parsed(crashed);
    expect(failure).toEqual({ at: 100, messagesBefore: parsed(alone).messages.total });
    const after = messages.total - failure.messagesBefore;
    expect(table.stdout).toContain(`28 before the crash at tick 100, ${after} from it on`);
    expect(parsed(alone)).not.toHaveProperty('failure');
  });

  it('ends with 2 when a bound was hit', async () => {
    const printed = await usurp([...RING, '--nodes', '9', '--until', '3', '--json']);

    expect(printed.code).toBe(2);
    expect(parsed(printed).verdict.value).toBe('unknown');
  });

  it('chooses a seed and prints the command that repeats the election', async () => {
    const first = await usurp([...RING, '--nodes', '20', '--json']);
    const words = argumentsOf(parsed(first).replay);

    const second = await usurp([...words, '--json']);

    expect(second.stdout).toBe(first.stdout);
    expect(second.stderr).toBe('');
  });

  it('repeats every option in its replay', async () => {
    const args = ['--nodes', '6', '--ring-order', 'by-id', '--initiators', '2,3', '--crash', '6'];
    const more = ['--crash', '1@4', '--latency', 'uniform:2:9', '--until', '900', '--seed', '3'];

    const first = await usurp([...BULLY, ...args, ...more, '--json']);
    const second = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    expect(second.stdout).toBe(first.stdout);
  });

  it('prints nothing on stderr with --quiet', async () => {
    const printed = await usurp([...RING, '--nodes', '3', '--quiet']);

    expect(printed.stderr).toBe('');
  });

  it('writes the same trace twice, for people and for programs', async () => {
    const folder = scratchFolder();
    const args = [
      ...BULLY,
      '--nodes',
      '4',
      '--crash',
      '2@2',
      '--latency',
      'uniform:1:5',
      '--seed',
      '8',
    ];
    const texts = [];
    for (const name of ['a.jsonl', 'b.jsonl', 'a.txt', 'b.txt']) {
      await usurp([...args, '--trace', join(folder, name)]);
      texts.push(readFileSync(join(folder, name), 'utf8'));
    }

    expect(texts[0]).toBe(texts[1]);
    expect(texts[2]).toBe(texts[3]);
    expect(
      texts[0]
        ?.trim()
        .split('\n')
        .map((line) => typeof JSON.parse(line)),
    ).not.toContain('string');
    expect(texts[2]).toContain('tick');
  });

  it('does not overwrite a trace', async () => {
    const trace = join(scratchFolder(), 'trace.txt');
    await usurp([...RING, '--nodes', '3', '--trace', trace]);
    const before = readFileSync(trace, 'utf8');

    const printed = await usurp([...RING, '--nodes', '4', '--trace', trace]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(readFileSync(trace, 'utf8')).toBe(before);
  });
});
