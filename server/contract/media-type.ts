/**
 * @module
 * The media type of an answer (RFC 9110 section 12.5.1).
 */

import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

import { LabError } from '../../src/errors.ts';

/**
 * The type that Accept prefers, or the first of those that it prefers equally. Throws LabError
 * `not_acceptable`, which lists the types, if it accepts none.
 */
export function acceptedType<const Type extends string>(
  c: Context,
  types: readonly [Type, ...Type[]],
): Type {
  const name = accepts(c, {
    header: 'Accept',
    supports: [...types],
    default: types[0],
    match: (wanted, { supports }) => {
      const quality = (type: string) =>
        [type, type.replace(/\/.*/, '/*'), '*/*']
          .map((range) => wanted.find((each) => each.type.toLowerCase() === range)?.q)
          .find((q) => q !== undefined) ?? 0;
      const [best = ''] = supports.toSorted((left, right) => quality(right) - quality(left));
      return quality(best) > 0 ? best : '';
    },
  });
  c.header('Vary', 'Accept', { append: true });
  const accepted = types.find((type) => type === name);
  if (accepted !== undefined) return accepted;
  throw new LabError('not_acceptable', `Accept must name one of ${types.join(', ')}`);
}
