/**
 * @module
 * `usurp elect --list` and what the list promises: protocols, their flags, numbers and attributes,
 * detectors with their options, resources.
 */

import { describe, expect, it } from 'vitest';

import { DETECTOR_NAMES } from '../../../src/election/detectors/registry.ts';
import { RESOURCE_KINDS } from '../../../src/election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { parsed, usurp } from '../shell.ts';

interface Listed {
  readonly name: string;
  readonly flags: Readonly<Record<string, readonly string[]>>;
  readonly numbers: readonly NumberListed[];
}

interface NumberListed {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

interface OptionListed {
  readonly name: string;
  readonly default: number | string;
}

describe('elect --list', () => {
  it('lists every protocol with the documented members', async () => {
    const printed = await usurp(['elect', '--list', '--json']);

    const { protocols } = parsed(printed);
    expect(printed.code).toBe(0);
    expect(protocols.map(({ name }: Listed) => name)).toEqual(PROTOCOL_NAMES);
    for (const each of protocols) {
      expect(each).toMatchObject({
        family: expect.stringMatching(/^(bully|ring|quorum|lease|graph|groups)$/),
        fifo: expect.any(Boolean),
        messageBound: expect.stringMatching(/\S/),
        source: expect.stringMatching(/\d{4}/),
      });
    }
  });

  it('lists one when it is named', async () => {
    const printed = await usurp(['elect', 'peterson', '--list', '--json']);

    expect(parsed(printed).protocols.map(({ name }: Listed) => name)).toEqual(['peterson']);
  });

  it('is a table for people', async () => {
    const { stdout } = await usurp(['elect', '--list']);

    for (const name of PROTOCOL_NAMES) expect(stdout).toContain(`\n${name} `);
    for (const name of DETECTOR_NAMES) expect(stdout).toContain(`\n${name} `);
    for (const name of RESOURCE_KINDS) expect(stdout).toContain(`\n${name} `);
    expect(stdout).toContain('rejoin=dedup|naive');
    expect(stdout).toMatch(/^raft +electionTicks +30 +1\.\.1000000000 +ticks of /m);
    expect(stdout).toMatch(/^raft +the index of its last log entry/m);
  });

  it('names flags that elect takes', async () => {
    const { protocols } = parsed(await usurp(['elect', '--list', '--json']));

    for (const { name, flags } of protocols as Listed[]) {
      for (const [flag, values] of Object.entries(flags)) {
        for (const value of values) {
          const args = [name, '--nodes', '4', '--flags', `${flag}=${value}`];
          const printed = await usurp(['elect', ...args, '--seed', '1', '--json']);
          expect(parsed(printed)).toMatchObject({ agreed: true, flags: { [flag]: value } });
        }
      }
    }
  });
});

describe('the lists', () => {
  it('are all printed, or only the named one', async () => {
    const members = async (...args: readonly string[]) =>
      Object.keys(parsed(await usurp(['elect', '--list', ...args, '--json'])));

    expect(await members()).toEqual(['protocols', 'detectors', 'resources']);
    expect(await members('protocols')).toEqual(['protocols']);
    expect(await members('detectors')).toEqual(['detectors']);
    expect(await members('resources')).toEqual(['resources']);
    const { stdout } = await usurp(['elect', 'raft', '--list', '--json']);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['protocols']);
  });

  it('are refused by another name, and beside a protocol', async () => {
    const unknown = await usurp(['elect', '--list', 'clocks']);
    const beside = await usurp(['elect', '--list', 'detectors', 'raft']);

    expect(unknown).toMatchObject({ code: 254, stdout: '' });
    expect(unknown.stderr).toContain('protocols, detectors, resources');
    expect(beside).toMatchObject({ code: 254, stdout: '' });
    expect(beside.stderr).toContain('--list detectors has no effect beside a protocol');
  });

  it('name numbers that elect takes, and their bounds', async () => {
    const { protocols } = parsed(await usurp(['elect', '--list', '--json']));
    const numbered = (protocols as Listed[]).flatMap(({ name, numbers }) =>
      numbers.map((number) => ({ protocol: name, ...number })),
    );

    expect(numbered.length).toBeGreaterThan(10);
    for (const { protocol, name, min, max, default: usual } of numbered) {
      const hold = (value: number) => {
        const flag = ['--flags', `${name}=${value}`, '--until', '3'];
        const nodes = [protocol, '--nodes', '3', '--seed', '1'];
        return usurp(['elect', ...nodes, ...flag]);
      };
      const fit = await hold(usual);
      const unfit = await hold(max + 1);
      // The time is too short for most, so that it is not held to the end.
      expect([0, 2], `${protocol} ${name}=${usual}`).toContain(fit.code);
      expect(unfit.code, `${protocol} ${name}=${max + 1}`).toBe(254);
      expect(unfit.stderr).toContain(`${min}..${max}`);
    }
  });

  it('name detectors that elect takes, each option as it is by default', async () => {
    const { detectors } = parsed(await usurp(['elect', '--list', 'detectors', '--json']));

    for (const { name, options } of detectors as { name: string; options: OptionListed[] }[]) {
      const given = options.map((option) => `${option.name}=${option.default}`).join(',');
      const hold = (form: string) => {
        const args = ['--nodes', '4', '--crash', '4@30', '--detector', form, '--seed', '1'];
        return usurp(['elect', 'bully-oneshot', ...args, '--json']);
      };
      const bare = parsed(await hold(name));
      const spelt = parsed(await hold(given === '' ? name : `${name}:${given}`));
      expect(spelt).toMatchObject({ agreed: true, leader: { rank: 3 } });
      expect(spelt.detection, name).toEqual(bare.detection);
    }
  });

  it('have the times that follow from the latency given', async () => {
    const every = async (...network: readonly string[]) => {
      const printed = await usurp(['elect', '--list', 'detectors', ...network, '--json']);
      const { detectors } = parsed(printed);
      return detectors.find(({ name }: Listed) => name === 'fd-gossip').options[0];
    };

    expect(await every()).toMatchObject({ name: 'every', default: 3, min: 1 });
    expect(await every('--latency', 'uniform:10:50')).toMatchObject({ default: 101 });
    expect(await every('--latency', '2', '--link-factors', '4')).toMatchObject({ default: 17 });
  });
});

describe('what a protocol takes', () => {
  it.each(PROTOCOL_NAMES)('%s elects one leader of nine on links with latencies', async (name) => {
    const args = ['elect', name, '--nodes', '9', '--latency', 'exp:20', '--seed', '5'];

    const printed = await usurp([...args, '--json']);

    expect(printed.code).toBe(0);
    expect(parsed(printed).verdict.value).toBe('true');
  });

  it('elects by the attributes of --attributes', async () => {
    const args = ['ring-attr', '--ring', '3,1,2', '--attributes', '7,9,8'];

    const answer = parsed(await usurp(['elect', ...args, '--seed', '1', '--json']));

    expect(answer).toMatchObject({ leader: { rank: 2 }, attributes: [7, 9, 8] });
    expect(answer.verdict).toMatchObject({ value: 'true', reason: /by attribute/ });
    expect(answer.replay).toContain('--attributes 7,9,8');
  });

  it('counts 2^(n−1) − 1 questions under --flags rejoin=naive', async () => {
    const args = ['bully-oneshot', '--nodes', '6', '--crash', 'highest'];
    const naive = ['--initiators', 'lowest', '--flags', 'rejoin=naive'];

    const answer = parsed(await usurp(['elect', ...args, ...naive, '--seed', '1', '--json']));

    expect(answer.messages.ELECTION).toBe(31);
  });
});
