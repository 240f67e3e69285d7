/**
 * @module
 * What client generators need of the document. openapi-python-client leaves out operations at some of these
 * obstacles; each has a test here, because it cannot be run without Python packages.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../lab-under-test.ts';

type Node = Readonly<Record<string, unknown>>;

const { call } = labUnderTest();
const { json: document } = await call('GET', '/openapi.json');
const schemas = membersOf(membersOf(document.components).schemas);

/** Every schema of the document, with where it is. */
const all = [...walk(document, '#')];
const arrays = all.filter(([, { type }]) => type === 'array');

describe('a schema', () => {
  it('has no default, unless it is that of a parameter', () => {
    const presets = all.filter(([, { default: preset }]) => preset !== undefined);

    expect(pathsOf(presets).filter((where) => !where.includes('/parameters/'))).toEqual([]);
  });

  it('has the default in its description if it is that of a request', () => {
    const { properties } = membersOf(schemas.ElectionRequest);
    const { latency, policy } = membersOf(properties);

    expect(membersOf(latency).description).toMatch(/ Default: 1\.$/);
    expect(membersOf(policy).description).not.toContain('Default');
  });

  it('requires members with a default in answers, and not in requests', () => {
    expect(schemas.Policy).toMatchObject({ required: expect.arrayContaining(['c1', 'checks']) });
    expect(schemas.PolicyRequest).not.toHaveProperty('required');
  });

  it('has bounds if it is an array', () => {
    const open = arrays.filter(([, { minItems, maxItems }]) => {
      return typeof minItems !== 'number' || typeof maxItems !== 'number';
    });

    expect(arrays.length).toBeGreaterThan(50);
    expect(pathsOf(open)).toEqual([]);
  });

  it('has one schema for all items of an array', () => {
    const tuples = arrays.filter(([, schema]) => 'prefixItems' in schema || !('items' in schema));

    expect(pathsOf(tuples)).toEqual([]);
  });

  it('is a union only of several', () => {
    const alone = all.filter(
      ([, { anyOf, oneOf }]) => [anyOf ?? oneOf ?? [1, 2]].flat().length < 2,
    );

    expect(pathsOf(alone)).toEqual([]);
  });

  it('has null beside an enumeration, not in it', () => {
    const mixed = all.filter(
      ([, { enum: values }]) => Array.isArray(values) && values.includes(null),
    );

    expect(pathsOf(mixed)).toEqual([]);
    expect(membersOf(membersOf(schemas.Election).properties)['bound']).toMatchObject({
      anyOf: [{ enum: expect.arrayContaining(['idle']) }, { type: 'null' }],
    });
  });

  it.each(['Policy', 'PolicyRequest', 'Puzzle', 'PolicyChecks'])('is written once: %s', (name) => {
    const text = shapeOf(membersOf(schemas[name]));
    const copies = all.filter(([, schema]) => shapeOf(schema) === text);

    expect(pathsOf(copies)).toEqual([`#/components/schemas/${name}`]);
  });
});

describe('a union of objects that a member distinguishes', () => {
  const unions = all.filter(([, schema]) => 'discriminator' in schema);

  it.each(['ElectionAction', 'OutsideEffect', 'Puzzle'])(
    'has names for its members: %s',
    (name) => {
      const { oneOf, discriminator } = membersOf(schemas[name]);
      const { mapping } = membersOf(discriminator);

      expect(Object.values(membersOf(mapping)).map(($ref) => ({ $ref }))).toEqual(oneOf);
    },
  );

  it('has names for its members also beside null and in other unions', () => {
    const within = all.flatMap(([where, { oneOf, anyOf }]) => {
      const branches: unknown[] = [oneOf ?? anyOf ?? []].flat();
      const objects = branches.filter((each) => 'properties' in membersOf(each));
      return branches.length > objects.length && objects.length < 2 ? [] : objects.map(() => where);
    });

    expect(within).toEqual([]);
  });

  it('names a discriminator that each member has and requires', () => {
    expect(unions.length).toBeGreaterThan(2);
    for (const [where, { discriminator }] of unions) {
      const { propertyName, mapping } = membersOf(discriminator);
      for (const [value, reference] of Object.entries(membersOf(mapping))) {
        const branch = membersOf(schemas[String(reference).split('/').at(-1) ?? '']);
        const property = membersOf(membersOf(branch.properties)[String(propertyName)]);
        const required = Array.isArray(branch.required) ? branch.required : [];

        expect(required, where).toContain(propertyName);
        expect([property.const, property.enum], where).toContainEqual(
          'const' in property ? value : [value],
        );
      }
    }
  });
});

describe('the document', () => {
  it('names its server, and says of every operation whether it needs a token', () => {
    const operations = Object.values(membersOf(document.paths)).flatMap((item) =>
      Object.values(membersOf(item)).map(membersOf),
    );
    const open = operations.filter(({ security }) => Array.isArray(security) && !security.length);

    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
    expect(operations.every(({ security }) => Array.isArray(security))).toBe(true);
    expect(open.map(({ operationId }) => operationId)).toContain('getHealth');
  });

  it('has a type for every answer with a body', () => {
    const answers = Object.entries(membersOf(document.paths)).flatMap(([path, item]) =>
      Object.entries(membersOf(item)).flatMap(([method, operation]) =>
        Object.entries(membersOf(membersOf(operation).responses)).flatMap(([status, answer]) =>
          Object.entries(membersOf(membersOf(answer).content)).map(
            ([type, media]) => [`${method} ${path} ${status} ${type}`, membersOf(media)] as const,
          ),
        ),
      ),
    );
    const untyped = answers.filter(([, { schema }]) => {
      const names = Object.keys(membersOf(schema));
      return !['$ref', 'type', 'oneOf', 'anyOf'].some((name) => names.includes(name));
    });

    expect(answers.length).toBeGreaterThan(100);
    expect(pathsOf(untyped)).toEqual([]);
  });
});

function pathsOf(found: readonly (readonly [string, unknown])[]): string[] {
  return found.map(([where]) => where);
}

function membersOf(value: unknown): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return value as Node; // An object that is no list.
}

/** A schema without its texts for people. */
function shapeOf({ description: _text, example: _one, examples: _many, ...shape }: Node): string {
  return JSON.stringify(shape);
}

/** The objects of the document, except examples and the lists of members, whose names are not keywords. */
function* walk(value: unknown, where: string): Generator<readonly [string, Node]> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* walk(each, `${where}/${index}`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const members = membersOf(value);
  if (!/\/(?:properties|mapping|schemas)$/.test(where)) yield [where, members];
  for (const [name, member] of Object.entries(members)) {
    if (!['example', 'examples'].includes(name)) yield* walk(member, `${where}/${name}`);
  }
}
