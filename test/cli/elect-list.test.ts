/**
 * @module
 * `usurp elect --list` and what the list promises: protocols, their flags and attributes.
 */

import { describe, expect, it } from 'vitest';

import { ALGORITHM_NAMES } from '../../src/election/registry.ts';
import { parsed, usurp } from './shell.ts';

interface Listed {
  readonly name: string;
  readonly flags: Readonly<Record<string, readonly string[]>>;
}

describe('elect --list', () => {
  it('lists every protocol with the documented members', async () => {
    const printed = await usurp(['elect', '--list', '--json']);

    const { algorithms } = parsed(printed);
    expect(printed.code).toBe(0);
    expect(algorithms.map(({ name }: Listed) => name)).toEqual(ALGORITHM_NAMES);
    for (const each of algorithms) {
      expect(each).toMatchObject({
        family: expect.stringMatching(/^(bully|ring|quorum|lease)$/),
        fifo: expect.any(Boolean),
        messageBound: expect.stringMatching(/\S/),
        source: expect.stringMatching(/\d{4}/),
      });
    }
  });

  it('lists one when it is named', async () => {
    const printed = await usurp(['elect', '--list', '--algorithm', 'peterson', '--json']);

    expect(parsed(printed).algorithms.map(({ name }: Listed) => name)).toEqual(['peterson']);
  });

  it('is a table for people', async () => {
    const { stdout } = await usurp(['elect', '--list']);

    for (const name of ALGORITHM_NAMES) expect(stdout).toContain(`\n${name} `);
    expect(stdout).toContain('rejoin=dedup|naive');
  });

  it('names flags that elect takes', async () => {
    const { algorithms } = parsed(await usurp(['elect', '--list', '--json']));

    for (const { name, flags } of algorithms as Listed[]) {
      for (const [flag, values] of Object.entries(flags)) {
        for (const value of values) {
          const args = ['--algorithm', name, '--nodes', '4', '--flag', `${flag}=${value}`];
          const printed = await usurp(['elect', ...args, '--seed', '1', '--json']);
          expect(parsed(printed)).toMatchObject({ agreed: true, flags: { [flag]: value } });
        }
      }
    }
  });
});

describe('what a protocol takes', () => {
  it.each(ALGORITHM_NAMES)('%s elects one leader of nine on links with latencies', async (name) => {
    const args = [
      'elect',
      '--algorithm',
      name,
      '--nodes',
      '9',
      '--latency',
      'exp:20',
      '--seed',
      '5',
    ];

    const printed = await usurp([...args, '--json']);

    expect(printed.code).toBe(0);
    expect(parsed(printed).verdict.value).toBe('true');
  });

  it('elects by the attributes of --attr', async () => {
    const args = ['--algorithm', 'ring-attr', '--ring', '3,1,2', '--attr', '7,9,8'];

    const answer = parsed(await usurp(['elect', ...args, '--seed', '1', '--json']));

    expect(answer).toMatchObject({ leader: { rank: 2 }, attributes: [7, 9, 8] });
    expect(answer.verdict).toMatchObject({ value: 'true', reason: /by attribute/ });
    expect(answer.replay).toContain('--attr 7,9,8');
  });

  it('counts 2^(n−1) − 1 questions under --flag rejoin=naive', async () => {
    const args = ['--algorithm', 'bully-oneshot', '--nodes', '6', '--crash', 'highest'];
    const naive = ['--initiators', 'lowest', '--flag', 'rejoin=naive'];

    const answer = parsed(await usurp(['elect', ...args, ...naive, '--seed', '1', '--json']));

    expect(answer.messages.ELECTION).toBe(31);
  });
});
