/**
 * @module
 * What every operation keeps: one word for each member in flag, body, form and documentation, examples that are accepted,
 * and commands that ask the same again.
 */

import { describe, expect, it } from 'vitest';

import { flagOf, memberWords, valueEntered } from '../../src/operations/command-words.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { inputSchema, OPERATION_FACTS, replayOf } from '../../src/operations/operation.ts';
import { allOperations } from '../../src/operations/registry.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';
import { argumentsOf, usurp } from '../cli/shell.ts';
import { labUnderTest } from '../server/lab-under-test.ts';

const OPERATIONS = allOperations();
const CATALOGUE = await readCatalogue();

describe.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
  'the operation %s',
  (name, operation) => {
    it('has every fact, and no other', () => {
      expect(Object.keys(operation).toSorted()).toEqual([...OPERATION_FACTS].toSorted());
    });

    it('has one word for each member in flag, body, form and help', async () => {
      const members = Object.keys(operation.members);
      const { json } = await labUnderTest().call('GET', `/v1/operations/${name}`);
      const document = (await labUnderTest().call('GET', '/openapi.json')).json;
      const { stdout } = await usurp([name, '--help']);

      expect((json.members as { name: string }[]).map((each) => each.name)).toEqual(members);
      expect(bodyMembers(document, operation)).toEqual(members);
      for (const [key, { isArgument, entry, absence }] of Object.entries(operation.members)) {
        const isOn = entry.as === 'switch' && 'initial' in absence && absence.initial === true;
        const flag = isOn ? flagOf(key).replace('--', '--no-') : flagOf(key);
        expect(stdout).toMatch(
          isArgument ? new RegExp(`[<[]${key}(\\.\\.\\.)?[>\\]]`) : ` ${flag}`,
        );
      }
    });

    it('has the summary that the list of verbs shows', async () => {
      const { stdout } = await usurp(['--help']);

      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${name} `);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(operation.summary);
    });

    it.each(operation.examples.map((example, index) => [index, example] as const))(
      'accepts its example %i, and its command asks the same',
      (_index, example) => {
        const given = Object.entries(example).map(([key, value]) => {
          const entry = operation.members[key]?.entry;
          const isText = entry !== undefined && typeof value === 'string';
          return [key, isText ? valueEntered(entry, value) : value];
        });
        const input = inputSchema(operation, true).parse(Object.fromEntries(given));

        operation.check(withModels(operation, input), true);

        const words = argumentsOf(replayOf(operation, input)).slice(2);
        expect(inputSchema(operation, false).parse(enteredBy(operation, words))).toEqual(input);
      },
    );

    it('shows no word for a member that has its default', () => {
      for (const [key, member] of Object.entries(operation.members)) {
        if (!('initial' in member.absence)) continue;
        expect(memberWords(key, member, member.absence.initial)).toEqual([]);
      }
    });
  },
);

/** The input with the threat models that it names. */
function withModels({ members }: Operation, input: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(input).map(([key, value]) => {
    const model = CATALOGUE.find(({ id }) => id === value);
    return [key, members[key]?.entry.as === 'model' ? { name: value, model } : value] as const;
  });
  return Object.fromEntries(entries);
}

interface Described {
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> };
}

/** The members of the body in the OpenAPI document. */
function bodyMembers(document: unknown, { name }: Operation): string[] {
  const { schemas } = (document as Described).components; // By the specification.
  const id = name.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());
  return Object.keys(schemas[`${id}Request`]?.properties ?? {});
}

/** What these words of a command enter. */
function enteredBy({ members }: Operation, words: readonly string[]): Record<string, unknown> {
  const entered: Record<string, unknown> = {};
  const [own] = Object.entries(members).find(([, { isArgument }]) => isArgument) ?? [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const found = Object.entries(members).find(
      ([key]) => word === flagOf(key) || word === flagOf(key).replace('--', '--no-'),
    );
    if (found === undefined) {
      if (own !== undefined) {
        const isOne = members[own]?.entry.as.endsWith('s') !== true;
        entered[own] = isOne ? word : [...((entered[own] as string[]) ?? []), word];
      }
      continue;
    }
    const [key, { entry }] = found;
    if (entry.as === 'switch') entered[key] = !word.startsWith('--no-');
    else entered[key] = valueEntered(entry, rest.shift() ?? '');
  }
  return entered;
}
