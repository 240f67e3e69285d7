/**
 * @module
 * Numbers in the sentences of documents: those that repeat the output of a command above them, which
 * commands.process.test.ts compares with the command, and limits of the code. Flags of protocols that they
 * name are accepted.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import {
  SAMPLED_ELECTION_MESSAGES_MAX,
  SAMPLED_ELECTION_RUNS,
} from '../../src/experiment/document/limits.ts';
import { PILOT_MESSAGES_MAX, PILOT_NODES_MAX } from '../../src/experiment/response/settle.ts';
import { EXHAUSTIVE_HONEST_MAX } from '../../src/experiment/response/space.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { operationNamed } from '../../src/operations/registry.ts';
import { ROOT } from '../tidy/sources.ts';
import { readDocuments } from './markdown.ts';

it('docs/cli/elect.md: the share of leaderless runs of the ring is that of the table', () => {
  const text = readFileSync(join(ROOT, 'docs/cli/elect.md'), 'utf8');
  const [, stable] = /^cr-join +\S+ +(\S+) %/m.exec(text) ?? [];
  const [, leaderless] = /(\d+) % of its runs end without a leader/.exec(text) ?? [];

  expect(Number(leaderless)).toBe(Math.round(100 - Number(stable)));
});

it.each([
  ['first (\\d+) runs, to confirm', SAMPLED_ELECTION_RUNS],
  ['more than (\\d+) million messages\\.', SAMPLED_ELECTION_MESSAGES_MAX / 1e6],
  ['Networks of more than (\\d+) nodes are not searched', PILOT_NODES_MAX],
  ['send more than ([\\d ]+) messages in a pilot run', PILOT_MESSAGES_MAX],
  ['with at most (five) honest nodes', EXHAUSTIVE_HONEST_MAX],
  ['Above (five) honest nodes', EXHAUSTIVE_HONEST_MAX],
])('docs/threat-models.md: %s', (pattern, limit) => {
  const text = readFileSync(join(ROOT, 'docs/threat-models.md'), 'utf8').replaceAll(/\s+/g, ' ');
  const [, stated = ''] = new RegExp(pattern).exec(text) ?? [];

  expect(stated === 'five' ? 5 : Number(stated.replaceAll(' ', ''))).toBe(limit);
});

const FLAGS = /`(--flags )?([a-z]\w*=\w+(?:,[a-z]\w*=\w+)*)`/gi;
const HAVING = readDocuments().flatMap(({ path, text }) =>
  [...text.matchAll(FLAGS)].flatMap(([, isFlag, list = '']) => {
    const flags = Object.fromEntries(list.split(',').map((each) => each.split('=')));
    const having = PROTOCOL_NAMES.filter((name) => {
      const { flags: variants, numbers } = PROTOCOLS[name];
      return Object.keys(flags).every((flag) => flag in variants || flag in numbers);
    });
    return having.length === 0 && isFlag === undefined ? [] : [{ path, list, flags, having }];
  }),
);

it.each(HAVING)('$path: elect accepts $list', ({ flags, having }) => {
  const elect = operationNamed('elect');
  const refusals = having.map((protocol) => {
    try {
      elect.check(inputSchema(elect, false).parse({ protocol, nodes: 5, flags }), false);
    } catch (error) {
      return String(error);
    }
    return null;
  });

  expect(refusals).toContain(null);
});
