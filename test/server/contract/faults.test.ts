/**
 * @module
 * The words of refusals by schemas: none is a message of the validation library.
 */

import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';

import { schemaError } from '../../../server/contract/faults.ts';

describe('a fault that its schema does not word', () => {
  it.each<readonly [string, z.ZodType, unknown, string]>([
    ['invalid_type', z.string(), 5, 'must be text'],
    ['invalid_type', z.int(), 1.5, 'must be a whole number'],
    ['invalid_type', z.date(), 'x', 'must be of the type date'],
    ['too_big', z.number().max(3), 4, 'must be at most 3'],
    ['too_big', z.string().max(3), 'abcd', 'must have a length of at most 3'],
    ['too_big', z.array(z.int()).max(1), [1, 2], 'must have a length of at most 1'],
    ['too_small', z.number().min(3), 2, 'must be at least 3'],
    ['too_small', z.string().min(3), 'ab', 'must have a length of at least 3'],
    ['invalid_format', z.string().regex(/^a$/), 'b', 'must match /^a$/'],
    ['invalid_format', z.email(), 'b', 'must match'],
    ['not_multiple_of', z.number().multipleOf(5), 4, 'must be a multiple of 5'],
    ['invalid_value', z.literal('a'), 'b', 'must be one of a'],
    ['invalid_value', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    ['unrecognized_keys', z.strictObject({}), { a: 1 }, 'not a member that is known here'],
    ['invalid_key', z.record(z.string().regex(/^a$/), z.int()), { b: 1 }, 'has a name that is not'],
    ['invalid_union', z.union([z.int(), z.boolean()]), 'x', 'must be'],
    ['invalid_element', z.map(z.any(), z.int()), new Map([[{}, 'x']]), 'is not accepted'],
    ['custom', z.int().refine(() => false), 1, 'is not accepted'],
  ])('is worded here: %s', (code, schema, value, words) => {
    const { error } = schema.safeParse(value);
    const issues = error?.issues ?? [];

    const { message, faults } = schemaError('json', issues, value);

    expect(issues[0]?.code).toBe(code);
    expect(message).toContain(words);
    expect(JSON.stringify(faults)).not.toMatch(/Invalid|Too (?:big|small)|Unrecognized|expected/);
  });
});
