/**
 * @module
 * A world at rest. Without one, the properties about worlds at rest hold but say nothing. A protocol whose leader
 * repeats its messages never comes to rest.
 */

import type { CheckedProperty } from '../property.ts';

export const COMES_TO_REST: CheckedProperty = {
  name: 'comes-to-rest',
  kind: 'sometimes',
  description: 'nothing more happens without the environment',
  claim: {
    unsupportedReason: ({ steadyTicks }) =>
      steadyTicks === null ? null : 'its leader repeats messages or a timer for ever',
    matrix: [],
  },
  partner: null,
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: ({ isAtRest }) => isAtRest,
  breach: () => 'something is still to happen',
};
