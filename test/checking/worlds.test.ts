/**
 * @module
 * The packed search against a search over plain worlds: on drawn instances of all protocols both find the same
 * numbers of worlds and transitions at every depth.
 */

import { describe, expect, it } from 'vitest';

import { drawInstance, packedLevels } from './drawn.ts';
import { plainLevels } from './plain-search.ts';

const INSTANCES = 200;
const WORLDS_MAX = 120;

describe('packed worlds', () => {
  it.each(Array.from({ length: INSTANCES }, (_, index) => index))(
    'are the plain ones (%i)',
    (index) => {
      const { instance, text } = drawInstance(index);

      const packed = packedLevels(instance, WORLDS_MAX);

      expect(packed, text).toEqual(plainLevels(instance, WORLDS_MAX));
    },
  );
});
