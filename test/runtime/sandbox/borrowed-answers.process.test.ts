/**
 * @module
 * A submission cannot pass with what the lab has: it imports only 'usurp' and its own files, by every way of importing,
 * and neither 'usurp' nor a source that it could read has an answer.
 */

import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { neededSources } from '../../../src/runtime/sandbox/submitted-definition.ts';
import {
  describeJudged,
  exerciseNamed,
  judge,
  judgeForAll,
  summary,
  textOf,
} from './judged-files.ts';

/** Each is an expression that has a module. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  'a source by its path': `await import('/usurp/src/election/ring/chang-roberts.ts')`,
  'a source by its URL': `await import('file:///usurp/src/election/ring/chang-roberts.ts')`,
  'a source beside it': `await import('../usurp/src/election/registry.ts')`,
  'a builtin': `await import('node:fs')`,
  'a builtin without prefix': `await import('fs')`,
  'a package': `await import('zod')`,
  'a module in a URL': `await import('data:text/javascript,export * from "node:fs"')`,
  'an import in compiled text': `await new Function('return import("node:module")')()`,
};

describeJudged('a submission', (judges) => {
  it('that exports a protocol of the lab under its own name gets no points, and is told why', async () => {
    const text = `import { defineProtocol, PROTOCOLS } from 'usurp';
      export default defineProtocol({ ...PROTOCOLS['cr-join'], name: 'mine' });`;

    const { points, missing } = summary(await judge(judges(), text));

    expect(points).toBe(0);
    expect(missing).toContain(`PROTOCOLS of 'usurp' has no protocol here, and not "cr-join"`);
  });

  it.each(
    Object.entries({
      static: `import { DEFENCES } from '/usurp/src/election/defences/registry.ts';
      import { defineDefence } from 'usurp';
      export default defineDefence({ ...DEFENCES['skip-list'], name: 'mine' });`,
      dynamic: `import { defineDefence } from 'usurp';
      const { SKIP_LIST } = await import('/usurp/src/election/defences/skip-list.ts');
      export default defineDefence({ ...SKIP_LIST, name: 'mine' });`,
    }),
  )('that imports a defence of the lab gets no points: %s', async (_way, text) => {
    const [outcome] = await judgeForAll(judges(), text, ['alice'], 'survive-stalling');

    expect(outcome === undefined ? null : summary(outcome)).toEqual({
      points: 0,
      missing: expect.stringContaining(
        `a submission may import only 'usurp' and files beside it, and imports "/usurp/src/`,
      ),
    });
  });

  it('imports nothing but usurp, in no way', async () => {
    const tried = Object.entries(EXPRESSIONS).map(
      ([way, code]) =>
        `try { ${code}; found.push('${way}'); } catch (error) { refused.push(error.message); }`,
    );
    const text = `const [found, refused] = [[], []];\n${tried.join('\n')}
      const others = refused.filter((text) => !text.includes('a submission may import only'));
      throw new Error(JSON.stringify({ found, others, refused: refused.length }));`;

    const { points, missing } = summary(await judge(judges(), text));

    expect(points).toBe(0);
    const refused = Object.keys(EXPRESSIONS).length;
    expect(missing).toContain(JSON.stringify({ found: [], others: [], refused }));
  });

  it('imports files beside it', async () => {
    const files = { 'submission.ts': `export * from './own/machine.ts';` };
    const exercise = 'survive-stalling';
    const [outcome] = await judgeForAll(judges(), files['submission.ts'], ['alice'], exercise, {
      'own/machine.ts': textOf(`${exercise}/solution.ts`),
    });

    const { points } = exerciseNamed(exercise);
    expect(outcome === undefined ? null : summary(outcome)).toEqual({ points, missing: '' });
  });
});

describe('the sources in the sandbox', () => {
  const filesFor = (protocol: (typeof PROTOCOL_NAMES)[number] | null) => [
    ...neededSources(protocol).sources.keys(),
  ];
  const definitions = (files: readonly string[]) =>
    files.filter((file) =>
      /^src\/(election\/(bully|ring|quorum|lease|defences)|adversary\/behaviours)\//.test(file),
    );

  it('have no definition of the lab for a protocol, only what definitions are made of', () => {
    expect(definitions(filesFor(null)).toSorted()).toEqual([
      'src/adversary/behaviours/behaviour.ts',
      'src/adversary/behaviours/byzantine-machine.ts',
      'src/adversary/behaviours/sender.ts',
      'src/election/defences/defence.ts',
      'src/election/defences/guarded.ts',
      'src/election/ring/ring-facts.ts',
    ]);
  });

  it.each(PROTOCOL_NAMES)('have the file of the protocol %s', (name) => {
    const { args } = neededSources(name);
    const [given, file] = args;

    expect(given).toBe(name);
    expect(filesFor(name)).toContain(`src/election/${file}`);
  });
});
